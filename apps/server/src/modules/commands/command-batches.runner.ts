import type { Actor, Ctx, Locale } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isAppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import type { ChangedCommand } from '../../lib/news.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import { authoriseDevices } from '../devices/index.ts'
import * as repo from './command-batches.repo.ts'
import { assertCommandable, type CommandIntake } from './commands.intake.ts'

export interface BatchRunnerDeps {
  database: Database
  intake: CommandIntake
  gateway: Pick<GatewayPort, 'wake'>
  /** The rights of a person now; null: he may no longer act. */
  currentActor?: (tenantId: string, actor: Actor) => Promise<Actor | null>
  now(): number
  logger: Logger
  pollMs?: number
}

export interface BatchRunner {
  start(): void
  /** A batch was made or cancelled. */
  wake(): void
  stop(): Promise<void>
  /** One part of one batch; false when none is due. */
  step(): Promise<boolean>
}

/** Devices of one transaction. */
const SLICE = 50
const POLL_MS = 1_000
const TROUBLE_MS = 5_000

/**
 * Turns batches into commands, a part at a time. A part is one transaction that holds the batch's row: the commands, the
 * devices' rows and the throttle are written together or not at all, so a kill in the middle repeats or loses nothing.
 */
export function createBatchRunner(deps: BatchRunnerDeps): BatchRunner {
  const { database, logger } = deps
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> | null = null
  let again = false
  let stopping = false

  async function step(): Promise<boolean> {
    const due = await database.withSystemScope('commands-sweep', scope => repo.claimBatch(scope))
    if (!due) return false
    const actor = actorOf(due.actor)
    const current = deps.currentActor ? await deps.currentActor(due.tenantId, actor) : actor
    const ctx: Ctx = {
      tenantId: due.tenantId,
      actor: current ?? actor,
      locale: due.locale as Locale,
      requestId: due.id,
      now: deps.now(),
      ...(due.ip === null ? {} : { ip: due.ip }),
    }
    try {
      await work(due, ctx, current)
    } catch (error) {
      // One batch in trouble does not stand in the way of the others.
      logger.warn({ err: error, batch: due.id }, 'a batch command could not go on; trying again')
      await database.withSystemScope('commands-sweep', scope => repo.pauseBatch(scope, due.id, TROUBLE_MS))
    }
    return true
  }

  async function work(due: repo.BatchRow, ctx: Ctx, current: Actor | null): Promise<void> {
    await database.withTenant(ctx, async scope => {
      const batch = await repo.holdBatch(scope, due.id)
      if (!batch) return
      if (batch.state === 'cancelling') return end(scope, batch, 'cancelled')
      if (!current || !mayCommand(current)) {
        await repo.endPending(scope, batch.id, 'refused', 'permission.denied')
        return end(scope, batch, 'done')
      }
      await part(scope, ctx, batch)
    })
  }

  async function part(scope: TenantScope, ctx: Ctx, batch: repo.BatchRow): Promise<void> {
    const items = await repo.pendingItems(scope, batch.id, Math.min(SLICE, batch.perSecond))
    const { devices } = await authoriseDevices(
      scope,
      items.map(item => item.deviceId),
    )
    const byId = new Map(devices.map(device => [device.id, device]))
    const created: { position: number; commandId: string }[] = []
    const refused: { position: number; code: string; params: Record<string, unknown> }[] = []
    const changed: ChangedCommand[] = []
    const woken: number[] = []
    for (const { position, deviceId } of items) {
      const device = byId.get(deviceId)
      if (!device) {
        refused.push({ position, code: 'device.not_found', params: {} })
        continue
      }
      try {
        assertCommandable(device)
        const { row, superseded } = await deps.intake.put(scope, ctx, device, batch.request, {
          source: 'user',
          dangersPassed: true,
          batchId: batch.id,
        })
        created.push({ position, commandId: row.id })
        woken.push(device.num)
        for (const id of [row.id, ...superseded]) changed.push({ device: device.num, id })
      } catch (error) {
        // Refusals come before the first write; anything else ends the transaction, and the part is tried again.
        if (!isAppError(error)) throw error
        refused.push({ position, code: error.code, params: error.params })
      }
    }
    if (created.length > 0) await repo.markCreated(scope, batch.id, created)
    if (refused.length > 0) await repo.markRefused(scope, batch.id, refused)
    if (items.length < Math.min(SLICE, batch.perSecond)) await repo.setBatchState(scope, batch.id, 'done')
    else await repo.pauseBatch(scope, batch.id, (items.length / batch.perSecond) * 1000)
    if (woken.length > 0) scope.afterCommit(() => deps.gateway.wake(woken))
    if (changed.length > 0) scope.tell('commands.changed', { commands: changed })
  }

  async function end(scope: TenantScope, batch: repo.BatchRow, state: 'done' | 'cancelled'): Promise<void> {
    if (state === 'cancelled') {
      await repo.endPending(scope, batch.id, 'cancelled', 'cancelled')
      const changed = await repo.cancelQueued(scope, batch.id)
      scope.tell('commands.changed', { commands: changed })
    }
    await repo.setBatchState(scope, batch.id, state)
  }

  async function sleepUntilNext(): Promise<void> {
    const ms = await database.withSystemScope('commands-sweep', scope => repo.nextBatchIn(scope))
    if (ms === null || ms >= (deps.pollMs ?? POLL_MS) || stopping) return
    await new Promise(resolve => setTimeout(resolve, Math.max(10, ms)))
    again = true
  }

  function run(): void {
    if (stopping || timer === null) return
    if (running) {
      again = true
      return
    }
    running = (async () => {
      do {
        again = false
        let worked = false
        while (!stopping && (await step())) worked = true
        // Between two parts of a batch the throttle is shorter than the poll.
        if (worked) await sleepUntilNext()
      } while (again && !stopping)
    })()
      .catch((error: unknown) => logger.warn({ err: error }, 'batch commands could not go on; trying again'))
      .finally(() => {
        running = null
      })
  }

  return {
    start() {
      timer = setInterval(run, deps.pollMs ?? POLL_MS)
      timer.unref()
      run()
    },
    wake: run,
    async stop() {
      stopping = true
      if (timer) clearInterval(timer)
      await running
    },
    step,
  }
}

const mayCommand = (actor: Actor) => actor.kind === 'system' || actor.permissions.has('device:command')

/** An actor for storage; the permissions are a set. */
export function storedActor(actor: Actor): Record<string, unknown> {
  return actor.kind === 'system' ? { ...actor } : { ...actor, permissions: [...actor.permissions] }
}

function actorOf(stored: Record<string, unknown>): Actor {
  const { permissions, ...rest } = stored
  const actor: unknown = rest.kind === 'system' ? rest : { ...rest, permissions: new Set(permissions as string[]) }
  return actor as Actor
}
