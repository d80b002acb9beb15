// Keeps the server running: one that was up and fell is started again, later each time; one that refuses to start is not.
import { spawn } from 'node:child_process'

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** A server that was up for so long starts with a fresh pause when it falls. */
const STEADY_MS = 60_000

/**
 * Runs a server until it ends by itself or is told to. It says that it is up over IPC, and on which ports, and it gets
 * the same ones when it is started again, because devices know them.
 * @param program its file and words
 * @param options.firstPauseMs pause before the first new start, doubled with each that follows
 * @returns `ended`: its exit code; `reload`: tells it to read its files again; `stop`: to end
 */
export function keepRunning(program, { firstPauseMs = FIRST_PAUSE_MS, say = text => process.stderr.write(text) } = {}) {
  let child = null
  let stopping = false
  let everUp = false
  let pauseMs = firstPauseMs
  let ports = {}
  let timer
  let finish
  const ended = new Promise(resolve => {
    finish = resolve
  })

  function launch() {
    let upSince = null
    child = spawn(process.execPath, program, {
      // Its own end of the channel closes with us: then it stops too.
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, ...ports },
    })
    child.on('message', message => {
      if (message?.type !== 'up') return
      upSince = performance.now()
      everUp = true
      ports = message.ports
    })
    child.on('error', error => say(`${error.message}\n`))
    child.on('close', (code, signal) => {
      if (stopping || code === 0 || !everUp) return finish(code ?? (signal === 'SIGKILL' ? 137 : 1))
      if (upSince !== null && performance.now() - upSince >= STEADY_MS) pauseMs = firstPauseMs
      say(`The server ended (${signal ?? `code ${code}`}); starting it again in ${pauseMs / 1000} s\n`)
      timer = setTimeout(launch, pauseMs)
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    })
  }

  launch()
  return {
    ended,
    reload() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGHUP')
    },
    stop() {
      stopping = true
      clearTimeout(timer)
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      else finish(0)
    },
  }
}
