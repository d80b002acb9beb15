import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from '../lib/log.ts'
import type { SimulatedAccount, Simulators } from '../modules/contacts/index.ts'

/** Keep their process small: it does nothing but answer. */
const FLAGS = ['--max-semi-space-size=1', '--max-old-space-size=32', '--single-threaded']
/** They are there well before, and an account is a word of theirs. */
const START_MS = 20_000
const ANSWER_MS = 5_000

type Said =
  | { type: 'ready' }
  | { type: 'account'; ask: number; entry: SimulatedAccount }
  | { type: 'account'; ask: number; error: string }

/** The simulators, and their end. */
export interface SimulatorProcess extends Simulators {
  stop(): Promise<void>
}

interface Life {
  child: ChildProcess
  ready: Promise<void>
  asked: Map<number, { resolve(entry: SimulatedAccount): void; reject(error: Error): void }>
}

/**
 * Simulators of providers of messages: one process, started when an account is asked for the first time and again after
 * it fell. They listen on this machine alone, on ports that the system chooses; only what they say themselves is asked.
 * @param options.available whether there may be any (DEMO)
 */
export function createSimulators(options: { available: boolean; logger: Logger }): SimulatorProcess {
  const { available, logger } = options
  let life: Life | null = null
  let count = 0
  let stopping = false

  function start(): Life {
    const [file, execArgv] = entry()
    const child = fork(file, [], { execArgv, env: {}, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    const asked: Life['asked'] = new Map()
    const ready = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        child.kill('SIGKILL')
        reject(new Error('the simulators did not start'))
      }, START_MS)
      child.on('message', (said: Said) => {
        if (said.type === 'ready') {
          clearTimeout(timer)
          resolve()
          return
        }
        const waiting = asked.get(said.ask)
        asked.delete(said.ask)
        if ('entry' in said) waiting?.resolve(said.entry)
        else waiting?.reject(new Error(said.error))
      })
      child.once('error', reject)
      child.once('exit', code => {
        clearTimeout(timer)
        if (life?.child === child) life = null
        const gone = new Error('the simulators ended')
        reject(gone)
        for (const waiting of asked.values()) waiting.reject(gone)
        if (!stopping) logger.warn({ code }, 'the simulators of providers ended')
      })
    })
    // Whoever asks hears of it; nobody may be asking.
    ready.catch(() => undefined)
    return { child, ready, asked }
  }

  return {
    available,
    async account(provider, channelId, receipts) {
      if (!available || stopping) throw new Error(`there is no simulator of ${provider}`)
      life ??= start()
      const { child, ready, asked } = life
      await ready
      const ask = ++count
      return await new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          asked.delete(ask)
          reject(new Error('the simulators do not answer'))
        }, ANSWER_MS)
        const done =
          <T>(tell: (value: T) => void) =>
          (value: T) => {
            clearTimeout(timer)
            tell(value)
          }
        asked.set(ask, { resolve: done(resolve), reject: done(reject) })
        child.send({ type: 'account', ask, way: provider, name: channelId, receipts })
      })
    },
    async stop() {
      stopping = true
      const child = life?.child
      if (!child || child.exitCode !== null) return
      const gone = new Promise<void>(resolve => child.once('exit', () => resolve()))
      if (child.connected) child.send({ type: 'stop' })
      const force = setTimeout(() => child.kill('SIGKILL'), 3_000)
      await gone
      clearTimeout(force)
    },
  }
}

/** Their program: built beside this one, or its source in development. */
function entry(): [string, string[]] {
  const here = dirname(fileURLToPath(import.meta.url))
  const built = join(here, 'simulators.js')
  return existsSync(built)
    ? [built, FLAGS]
    : [join(here, '../../../../tools/simulators/messages/main.ts'), ['--import', 'tsx']]
}
