import type { Actor } from '../../lib/context.ts'
import type { TenantContext } from '../../lib/database/database.ts'

/** What is to be done for a trigger, with what it was about. */
export interface TriggerTask {
  id: string
  tenantId: string
  trigger: { id: string; name: string; level: number | null; ownerId: string | null }
  action: { kind: string } & Record<string, unknown>
  on: 'raise' | 'clear'
  /** Epoch ms. */
  at: number
  alarmId: string | null
  device: { id: string; name: string; deviceNo: string; productKey: string } | null
  values: { deviceId: string | null; property: string; value: unknown; ts: number }[]
  /** With whose rights; undefined: no person made the trigger. */
  owner: Actor | undefined
  /** The same as a context, for what is read under his eyes. */
  context: TenantContext
  /** How often it was tried before. */
  attempts: number
}

export interface TaskOutcome {
  result: 'done' | 'failed' | 'skipped' | 'again'
  /** Why not, in words for people; an error code is put into words where it is shown. */
  message?: string
  commandId?: string
}

/** Does one kind of action. What is made known here is offered; another area brings its own. */
export interface TriggerActionPort {
  readonly kind: string
  run(task: TriggerTask): Promise<TaskOutcome>
}
