import type { Actor } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import type { Logger } from '../../lib/log.ts'
import type { Inbox } from '../notifications/index.ts'
import type { TaskOutcome, TriggerActionPort, TriggerTask } from './action.port.ts'
import * as repo from './task.repo.ts'
import words from './trigger-words.json' with { type: 'json' }

export interface TriggerActionsDeps {
  database: Database
  ports: readonly TriggerActionPort[]
  box: CryptoBox
  inbox: Inbox
  ownerNow(tenantId: string, loginId: string): Promise<Actor | null | undefined>
  logger: Logger
}

const AT_ONCE = 100
const TICK_MS = 1_000
const MAX_TRIES = 5
/** Pauses before a try, seconds. */
const PAUSES = [2, 10, 30, 120]
/** Alarms of a device in maintenance send no notices. */
const TELLS = new Set(['notify', 'webhook'])

/** Does what triggers ask for, in the order in which it was due; what fails for a while is tried again. */
export class TriggerActions {
  private timer: NodeJS.Timeout | null = null
  private running: Promise<void> = Promise.resolve()
  private isRunning = false
  private isStopped = true
  private readonly ports: Map<string, TriggerActionPort>

  constructor(private readonly deps: TriggerActionsDeps) {
    this.ports = new Map(deps.ports.map(port => [port.kind, port]))
  }

  /** Makes known how another area does its kind of action. */
  offer(port: TriggerActionPort): void {
    this.ports.set(port.kind, port)
  }

  start(): void {
    this.isStopped = false
    this.wake()
  }

  async stop(): Promise<void> {
    this.isStopped = true
    if (this.timer) clearTimeout(this.timer)
    await this.running
  }

  wake(): void {
    if (this.isStopped || this.isRunning) return
    if (this.timer) clearTimeout(this.timer)
    this.isRunning = true
    this.running = this.run().finally(() => {
      this.isRunning = false
      if (!this.isStopped) this.timer = setTimeout(() => this.wake(), TICK_MS)
    })
  }

  /** Tells the owners of triggers that their guard stopped. */
  async tellPaused(ids: readonly string[]): Promise<void> {
    const { database, inbox } = this.deps
    await database.withSystemScope('triggers', async scope => {
      for (const { id, tenantId, name, ownerId } of await repo.pausedTriggers(scope, ids))
        await inbox.notify(scope, {
          tenantId,
          to: ownerId ? { loginIds: [ownerId] } : { permission: 'trigger:write' },
          kind: 'trigger.paused',
          title: { zh: words.zh.paused.title, en: words.en.paused.title },
          text: {
            zh: words.zh.paused.text.replace('{trigger}', name),
            en: words.en.paused.text.replace('{trigger}', name),
          },
          link: `/manage/user/center/trigger?trigger=${id}`,
          level: 'error',
        })
    })
  }

  private async run(): Promise<void> {
    const { database, logger } = this.deps
    try {
      for (;;) {
        const rows = await database.withSystemScope('triggers', scope => repo.takeDue(scope, AT_ONCE))
        const skipped = rows.flatMap(row => {
          const message = whySkipped(row)
          return message === null ? [] : [{ id: row.id, message }]
        })
        // A storm skips thousands: they are settled together.
        if (skipped.length > 0) await database.withSystemScope('triggers', scope => repo.skip(scope, skipped))
        for (const row of rows) {
          if (this.isStopped) return
          if (whySkipped(row) === null) await this.settle(row, await this.perform(row))
        }
        if (rows.length < AT_ONCE) return
      }
    } catch (error) {
      logger.warn({ err: error }, 'actions of triggers could not be looked at')
    }
  }

  private async perform(row: repo.TaskRow): Promise<TaskOutcome> {
    const port = this.ports.get(row.action.kind)
    if (!port) return { result: 'failed', message: 'trigger.action_not_available' }
    try {
      const owner = row.ownerId === null ? undefined : await this.deps.ownerNow(row.tenantId, row.ownerId)
      if (owner === null) return { result: 'skipped', message: 'owner_gone' }
      return await port.run(this.taskOf(row, owner))
    } catch (error) {
      this.deps.logger.warn({ err: error, trigger: row.triggerId }, 'an action of a trigger failed')
      return { result: 'again', message: (error as { code?: string }).code ?? 'server.error' }
    }
  }

  private taskOf(row: repo.TaskRow, owner: Actor | undefined): TriggerTask {
    const { action, secrets } = row
    const held = secrets
      ? (JSON.parse(this.deps.box.open(secrets, row.triggerId).toString()) as Record<string, string>)[
          String(action.url)
        ]
      : undefined
    return {
      id: row.id,
      tenantId: row.tenantId,
      trigger: { id: row.triggerId, name: row.triggerName, level: row.level, ownerId: row.ownerId },
      action: held === undefined ? action : { ...action, secret: held },
      on: row.cause === 'cleared' ? 'clear' : 'raise',
      at: row.at.getTime(),
      alarmId: row.alarmId,
      device: row.device,
      values: row.values,
      owner,
      context: { tenantId: row.tenantId, ...(owner ? { actor: owner } : {}) },
      attempts: row.attempts - 1,
    }
  }

  private async settle(row: repo.TaskRow, outcome: TaskOutcome): Promise<void> {
    await this.deps.database.withSystemScope('triggers', async scope => {
      const message = outcome.message?.slice(0, 500) ?? null
      if (outcome.result === 'again' && row.attempts < MAX_TRIES)
        await repo.again(scope, row.id, message, PAUSES[Math.min(row.attempts - 1, PAUSES.length - 1)]!)
      else
        await repo.finish(scope, row.id, {
          result: outcome.result === 'again' ? 'failed' : outcome.result,
          message,
          commandId: outcome.commandId ?? null,
        })
    })
  }
}

/** Why an alarm sends no notice; null: it sends one. */
function whySkipped({ action, suppressed, inStorm }: repo.TaskRow): string | null {
  if (suppressed && TELLS.has(action.kind)) return 'in_maintenance'
  return inStorm && action.kind === 'notify' ? 'in_storm' : null
}
