import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inBackground } from '../lib/background.ts'
import type { DemoNetworks } from '../lib/demo-networks.ts'
import type { Logger } from '../lib/log.ts'
import type { SimulatedAccount, Simulators } from '../modules/contacts/index.ts'

/** Keep their process small: it does nothing but answer. */
const FLAGS = ['--max-semi-space-size=1', '--max-old-space-size=48', '--single-threaded', '--optimize-for-size']
/** They are there well before, and an account is a word of theirs. */
const START_MS = 20_000
const ANSWER_MS = 5_000
/** Before networks are started again: longer while they fall. */
const FIRST_PAUSE_MS = 3_000
const LONGEST_PAUSE_MS = 60_000

type Said =
  | { type: 'ready' }
  | { type: 'account'; ask: number; entry: SimulatedAccount }
  | { type: 'account'; ask: number; error: string }
  | ({ type: 'networks' } & SimulatedNetworks)

/** What the simulated networks say when they run. */
export type SimulatedNetworks = Omit<DemoNetworks, 'integrate' | 'reports' | 'here' | 'startTickets' | 'customer'>

/** The simulators, and their end. */
export interface SimulatorProcess extends Simulators {
  /**
   * From now on the networks of the demo run too, and again after they fell.
   * @param stateFile where they keep what is made there
   * @param connect connects the company to them, at every start of theirs; `send` reaches them
   */
  networks(stateFile: string, connect: (said: SimulatedNetworks, send: (order: object) => void) => Promise<void>): void
  stop(): Promise<void>
}

interface Life {
  child: ChildProcess
  ready: Promise<void>
  asked: Map<number, { resolve(entry: SimulatedAccount): void; reject(error: Error): void }>
}

/**
 * All simulators of the product: one process, started when something of it is asked for the first time and again after it
 * fell. They listen on this machine alone, on ports that the system chooses; only what they say themselves is asked.
 * @param options.available whether there may be any (DEMO)
 */
export function createSimulators(options: { available: boolean; logger: Logger }): SimulatorProcess {
  const { available, logger } = options
  let life: Life | null = null
  let count = 0
  let stopping = false
  let networks: { stateFile: string; connect: Parameters<SimulatorProcess['networks']>[1] } | null = null
  let pauseMs = FIRST_PAUSE_MS

  function beginNetworks(): void {
    if (stopping || !networks) return
    const isRunning = life !== null
    life ??= start()
    const { child, ready } = life
    const { stateFile } = networks
    // Of a life that begins now its own start asks.
    if (isRunning) ready.then(() => child.send({ type: 'networks', stateFile })).catch(() => undefined)
  }

  async function connectNetworks(child: ChildProcess, said: SimulatedNetworks): Promise<void> {
    await networks?.connect(said, order => {
      if (child.connected) child.send(order)
    })
    pauseMs = FIRST_PAUSE_MS
  }

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
          if (networks) child.send({ type: 'networks', stateFile: networks.stateFile })
          return
        }
        if (said.type === 'networks') {
          const { type: _, ...what } = said
          inBackground('connecting the demo to its networks', connectNetworks(child, what))
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
        if (stopping) return
        logger.warn({ code }, 'the simulators ended')
        if (!networks) return
        setTimeout(beginNetworks, pauseMs).unref()
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      })
    })
    // A caller that awaits `ready` receives the error; without one it must not become an unhandled rejection.
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
    networks(stateFile, connect) {
      if (!available || stopping) return
      networks = { stateFile, connect }
      beginNetworks()
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
    : [join(here, '../../../../tools/simulators/all/main.ts'), ['--import', 'tsx']]
}
