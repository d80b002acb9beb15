import type { Logger } from '../../lib/log.ts'
import * as connections from './connections.repo.ts'
import { LnsError } from './lns.port.ts'
import { type SyncDeps, syncConnection, syncGateways } from './sync.ts'

/** Interval between reads of the gateways of a connection, and the longest interval after failures, ms. */
const EVERY_MS = 30_000
const LONGEST_MS = 10 * 60_000
/** After this time everything is read again, because it may have been changed in ChirpStack, ms. */
const WHOLE_MS = 15 * 60_000
const TICK_MS = 5_000

export interface GatewayWatch {
  start(): void
  stop(): Promise<void>
  /** Reads the gateways of connections that are due. @returns their number */
  tick(): Promise<number>
}

/** Keeps the states of the gateways as ChirpStack has them, in processes that work beside requests. */
export function createGatewayWatch(deps: SyncDeps & { logger: Logger }): GatewayWatch {
  const due = new Map<string, { at: number; pauseMs: number }>()
  let timer: NodeJS.Timeout | null = null
  let running: Promise<unknown> = Promise.resolve()
  let stopped = false

  async function tick(): Promise<number> {
    const all = await deps.database.withSystemScope('lora', connections.list)
    const ids = new Set(all.map(({ id }) => id))
    for (const id of due.keys()) if (!ids.has(id)) due.delete(id)
    let looked = 0
    for (const connection of all) {
      if (stopped || connection.state === 'disabled') continue
      const { at, pauseMs } = due.get(connection.id) ?? { at: 0, pauseMs: EVERY_MS }
      if (at > deps.now()) continue
      looked++
      try {
        const whole = !connection.syncedAt || deps.now() - connection.syncedAt.getTime() > WHOLE_MS
        await (whole ? syncConnection : syncGateways)(deps, connection)
        due.set(connection.id, { at: deps.now() + EVERY_MS, pauseMs: EVERY_MS })
      } catch (error) {
        // The reason is stored with the connection; a wrong key is not tried more often.
        if (!(error instanceof LnsError))
          deps.logger.error({ err: error }, 'the gateways of a connection were not read')
        const next = Math.min(pauseMs * 2, LONGEST_MS)
        due.set(connection.id, { at: deps.now() + next, pauseMs: next })
      }
    }
    return looked
  }

  function again(): void {
    if (stopped) return
    timer = setTimeout(() => {
      running = tick()
        .catch((error: Error) => deps.logger.error({ err: error }, 'the gateways were not looked at'))
        .then(again)
    }, TICK_MS)
    timer.unref()
  }

  return {
    tick,
    start() {
      stopped = false
      again()
    },
    async stop() {
      stopped = true
      if (timer) clearTimeout(timer)
      await running
    },
  }
}
