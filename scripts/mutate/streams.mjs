// The processes that run tests with faults on: as many as asked for, each with one job at a time. One that does not come
// back is ended with all that it has started.
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../lib.mjs'

/** @returns `run(job, seconds)`: `{done}`, `{error}`, or `{late: true}`; and `end()` */
export function openStreams(count, texts, log) {
  const free = []
  const waiting = []
  const all = new Set()

  function start() {
    const child = fork(join(import.meta.dirname, 'stream.mjs'), [texts], {
      cwd: root,
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', VITEST_SKIP_INSTALL_CHECKS: '1' },
    })
    const stream = { child, answer: null, lost: null }
    all.add(stream)
    child.on('message', message => {
      if (message.ready) return idle(stream)
      stream.answer?.(message)
      idle(stream)
    })
    // What cannot be told to it any more ends with it, below.
    child.on('error', () => {})
    child.on('exit', () => {
      all.delete(stream)
      if (free.includes(stream)) free.splice(free.indexOf(stream), 1)
      stream.lost?.()
      if (!ending) start()
    })
  }

  function idle(stream) {
    const next = waiting.shift()
    if (next) give(stream, next)
    else free.push(stream)
  }

  function give(stream, asked) {
    const { job, seconds, resolve } = asked
    const timer = setTimeout(() => {
      over()
      resolve({ late: true })
      endGroup(stream)
    }, seconds * 1000)
    const over = () => {
      clearTimeout(timer)
      stream.answer = null
      stream.lost = null
    }
    stream.answer = message => {
      over()
      resolve(message)
    }
    // The tests run in processes of their own: one that goes away may not have begun, so its job is given once more.
    stream.lost = () => {
      over()
      if (asked.again) return resolve({ error: 'the process ended' })
      waiting.unshift({ ...asked, again: true })
    }
    stream.child.send(job)
  }

  function endGroup({ child }) {
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It is gone already.
    }
  }

  let ending = false
  for (let number = 0; number < count; number++) start()
  process.on('exit', () => all.forEach(endGroup))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130))
  return {
    run: (job, seconds) =>
      new Promise(resolve => {
        const asked = { job, seconds, resolve }
        const stream = free.shift()
        if (stream) give(stream, asked)
        else waiting.push(asked)
      }),
    /** Lets them take their database servers down. */
    async end() {
      ending = true
      await Promise.all(
        [...all].map(({ child }) => {
          const gone = new Promise(resolve => child.once('exit', resolve))
          child.disconnect()
          return gone
        }),
      )
    },
  }
}
