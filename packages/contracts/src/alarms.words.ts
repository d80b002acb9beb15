export const ALARM_TARGETS = ['device', 'scope', 'sim', 'lora_gateway', 'camera', 'company'] as const
export type AlarmTargetKind = (typeof ALARM_TARGETS)[number]

/** What people do about an alarm, beside whether it is active and whether somebody has seen it. */
export const ALARM_WORK = ['open', 'in_progress', 'done', 'ignored'] as const
export type AlarmWork = (typeof ALARM_WORK)[number]

/** Who ended an alarm: its condition, a person, another trigger's action, a new alarm of the same, or the rule is gone. */
export const CLEARED_BY = ['condition', 'person', 'action', 'renewed', 'rule'] as const
export type ClearedBy = (typeof CLEARED_BY)[number]

/** What happened to an alarm, as its trail lists it. */
export const ALARM_EVENTS = [
  'raised',
  'acknowledged',
  'cleared',
  'assigned',
  'commented',
  'handled',
  'ignored',
  'shelved',
  'unshelved',
  'reopened',
] as const
export type AlarmEventKind = (typeof ALARM_EVENTS)[number]

export const ALARM_BATCH_ACTIONS = ['ack', 'clear', 'assign', 'handle', 'ignore', 'shelve', 'unshelve'] as const
export type AlarmBatchAction = (typeof ALARM_BATCH_ACTIONS)[number]

export const ALARM_SOUNDS = ['none', 'chime', 'bell', 'siren'] as const
export type AlarmSound = (typeof ALARM_SOUNDS)[number]
