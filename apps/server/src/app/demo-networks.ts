import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inBackground } from '../lib/background.ts'
import { systemContext } from '../lib/context.ts'
import type { DemoNetworks } from '../lib/demo-networks.ts'
import type { Logger } from '../lib/log.ts'
import type { ModuleParts } from '../lib/module.ts'

/** Keep their process small: it does nothing but answer. */
const FLAGS = ['--max-semi-space-size=1', '--max-old-space-size=48', '--single-threaded']
const FIRST_PAUSE_MS = 3_000
const LONGEST_PAUSE_MS = 60_000

type Ready = { type: 'ready' } & Omit<DemoNetworks, 'integrate'>

export interface DemoNetworkProcess {
  /** Starts them, and connects the company to them. @param url of this server, on this machine */
  start(url: string): void
  stop(): Promise<void>
}

export interface DemoNetworkOptions {
  modules: readonly Pick<ModuleParts, 'connectDemo'>[]
  tenantId: string
  dataDir: string
  logger: Logger
}

/**
 * A simulated ChirpStack and a simulated vendor of cameras: one process on this machine alone, started again when it
 * falls. They keep what people make there in a file, so that a company finds it again after a start.
 */
export function createDemoNetworks({ modules, tenantId, dataDir, logger }: DemoNetworkOptions): DemoNetworkProcess {
  let child: ChildProcess | null = null
  let stopping = false
  let pauseMs = FIRST_PAUSE_MS

  function launch(url: string): void {
    if (stopping) return
    const folder = join(dataDir, 'demo')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const [file, execArgv] = entry()
    const life = fork(file, [join(folder, 'networks.json')], {
      execArgv,
      env: {},
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    child = life
    life.on('message', (said: Ready) => inBackground('connecting the demo to its networks', connect(life, url, said)))
    life.on('error', error => logger.error({ err: error }, 'the simulated networks could not be started'))
    life.on('exit', (code, signal) => {
      child = null
      if (stopping) return
      logger.warn({ code, signal }, 'the simulated networks ended; starting them again')
      setTimeout(() => launch(url), pauseMs).unref()
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    })
  }

  async function connect(life: ChildProcess, url: string, { type: _, ...networks }: Ready): Promise<void> {
    const ctx = systemContext(tenantId, 'demo')
    const integrate: DemoNetworks['integrate'] = (path, headers) => {
      if (life.connected) life.send({ type: 'integrate', url: `${url}${path}`, headers })
    }
    for (const module of modules) await module.connectDemo?.(ctx, { ...networks, integrate })
    pauseMs = FIRST_PAUSE_MS
    if (life.connected) life.send({ type: 'connected' })
  }

  return {
    start: launch,
    async stop() {
      stopping = true
      const life = child
      if (!life || life.exitCode !== null) return
      const gone = new Promise<void>(resolve => life.once('exit', () => resolve()))
      if (life.connected) life.send({ type: 'stop' })
      const force = setTimeout(() => life.kill('SIGKILL'), 3_000)
      await gone
      clearTimeout(force)
    },
  }
}

/** Their program: built beside this one, or its source in development. */
function entry(): [string, string[]] {
  const here = dirname(fileURLToPath(import.meta.url))
  const built = join(here, 'networks.js')
  return existsSync(built)
    ? [built, FLAGS]
    : [join(here, '../../../../tools/simulators/networks/main.ts'), ['--import', 'tsx']]
}
