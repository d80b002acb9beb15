import { type FleetConfig, parseConfig, readConfig } from './config.ts'
import { Fleet } from './fleet.ts'

/** From whoever started us. */
type Incoming = { type: 'config'; config: unknown } | { type: 'stop' }

/** To whoever started us. */
export type FleetMessage =
  /** All devices were brought to life; `connected` of them have a session already. */
  | { type: 'ready'; devices: number; connected: number }
  /** At most once a second while history is written, and when it is done. */
  | { type: 'history'; done: number; total: number; perDevice: number }
  | { type: 'status'; devices: number; connected: number; sent: number; acked: number; refused: number }
  | { type: 'log'; level: 'info' | 'warn' | 'error'; message: string }

const STATUS_EVERY_MS = 10_000
const PROGRESS_EVERY_MS = 1_000

/**
 * Runs a fleet for a parent process: configuration by `--config FILE` or as the first IPC message `{type:'config'}`;
 * ends on `{type:'stop'}`, on SIGTERM, and when the parent is gone. With a parent, Ctrl-C is the parent's business.
 */
export function serve(configFile: string | null): void {
  let fleet: Fleet | null = null
  let stopping = false

  const stop = async (code: number) => {
    if (stopping) return
    stopping = true
    await fleet?.stop()
    process.exit(code)
  }
  const stopNow = (code: number) => {
    stop(code).catch(() => process.exit(1))
  }
  const begin = (read: () => FleetConfig) => {
    try {
      const config = read()
      fleet = run(config)
    } catch (error) {
      tell({ type: 'log', level: 'error', message: error instanceof Error ? error.message : String(error) })
      stopNow(1)
    }
  }

  process.on('SIGTERM', () => stopNow(0))
  if (process.send) {
    process.on('SIGINT', () => {
      // A terminal sends it to the whole group; the parent says when we stop.
    })
    process.on('disconnect', () => stopNow(0))
    process.on('message', (message: Incoming) => {
      if (message.type === 'stop') stopNow(0)
      else if (message.type === 'config' && !fleet) begin(() => parseConfig(message.config))
    })
  } else process.on('SIGINT', () => stopNow(0))
  if (configFile !== null) begin(() => readConfig(configFile))
}

function run(config: FleetConfig): Fleet {
  const refusedOnce = new Set<string>()
  let toldAt = 0
  const fleet = new Fleet(config, {
    history(done, total, perDevice) {
      const now = Date.now()
      if (done < total && now - toldAt < PROGRESS_EVERY_MS) return
      toldAt = now
      tell({ type: 'history', done, total, perDevice })
    },
    refused({ productKey, deviceNo }, code) {
      const name = `${productKey}/${deviceNo}`
      if (refusedOnce.has(name)) return
      refusedOnce.add(name)
      tell({ type: 'log', level: 'warn', message: `sign-in of ${name} was refused with code ${code}` })
    },
    problem: message => tell({ type: 'log', level: 'error', message }),
  })
  fleet
    .start()
    .then(() => {
      const { devices, connected } = fleet.stats
      tell({ type: 'ready', devices, connected })
    })
    .catch((error: unknown) => tell({ type: 'log', level: 'error', message: String(error) }))
  setInterval(() => {
    const { devices, connected, sent, acked, refused } = fleet.stats
    tell({ type: 'status', devices, connected, sent, acked, refused })
  }, STATUS_EVERY_MS).unref()
  return fleet
}

/** By IPC when there is a parent; otherwise what matters goes to the terminal. */
function tell(message: FleetMessage): void {
  if (process.send) {
    process.send(message, undefined, undefined, () => {
      // A parent that is gone shows as 'disconnect'.
    })
  } else if (message.type === 'log') process.stderr.write(`${message.level}: ${message.message}\n`)
  else process.stdout.write(`${JSON.stringify(message)}\n`)
}
