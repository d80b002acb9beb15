import type { TimedRunView, TimedTaskView } from '@thingwright/contracts/timed-tasks.contract'
import { SCHEDULE_KINDS, TIMED_TASK_STATES } from '@thingwright/contracts/timed-tasks.words'

export const KINDS = SCHEDULE_KINDS
export const STATES = TIMED_TASK_STATES
export type Kind = TimedTaskView['kind']

export const STATE_KIND = {
  enabled: 'success',
  disabled: 'disabled',
  error: 'error',
  ended: 'never',
} as const satisfies Record<TimedTaskView['state'], string>

export const RUN_KIND = {
  pending: 'never',
  running: 'processing',
  done: 'success',
  partial: 'warning',
  failed: 'error',
  skipped: 'disabled',
} as const satisfies Record<TimedRunView['state'], string>
