import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A process that has the gateway's program and waits to be told how to start. */
export interface GatewayProgram {
  /** Hands the process over, once; null when it was taken before or has ended. */
  take(): ChildProcess | null
  /** Ends it for sure; for a start that failed. */
  end(): void
}

/**
 * Loads the gateway's program in its own process. That takes as long as a database needs to come up, so a start does
 * both at once.
 * @param entry the file; found beside this one when absent
 */
export function loadGateway(entry?: string): GatewayProgram {
  const life = forkGateway(entry)
  // Whoever takes it hears why it did not come to life.
  life.on('error', () => undefined)
  let taken = false
  const isAlive = () => life.pid !== undefined && life.exitCode === null && life.signalCode === null
  return {
    take() {
      if (taken || !isAlive()) return null
      taken = true
      return life
    },
    end() {
      if (isAlive()) life.kill('SIGKILL')
    },
  }
}

/** A process of the gateway; it does nothing before it gets `start`, and ends with this one. */
export function forkGateway(given?: string): ChildProcess {
  const { entry, execArgv } = entryOf(given)
  return fork(entry, [], {
    serialization: 'advanced',
    execArgv,
    env: {},
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

/** The built file beside main.js, or the source under tsx. */
function entryOf(given: string | undefined): { entry: string; execArgv: string[] } {
  const built = fileURLToPath(new URL('./gateway.js', import.meta.url))
  const entry =
    given ?? (existsSync(built) ? built : fileURLToPath(new URL('../ingest/gateway.main.ts', import.meta.url)))
  return { entry, execArgv: entry.endsWith('.ts') ? ['--import', 'tsx'] : [] }
}
