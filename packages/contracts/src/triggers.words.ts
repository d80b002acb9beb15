/** Kinds of triggers, in the order in which they are offered. */
export const TRIGGER_KINDS = [
  'above',
  'below',
  'outside',
  'outside_for',
  'above_until_below',
  'below_until_above',
  'between',
  'above_for',
  'below_for',
  'offline',
  'offline_for',
  'on',
  'off',
  'equal',
  'not_equal',
  'general',
  'object',
] as const
export type TriggerKind = (typeof TRIGGER_KINDS)[number]

/**
 * enabled: it is judged. disabled: somebody switched it off. error: it cannot be judged as it stands. paused: its guard
 * stopped it. expired: its time is over.
 */
export const TRIGGER_STATES = ['enabled', 'disabled', 'error', 'paused', 'expired'] as const
export type TriggerState = (typeof TRIGGER_STATES)[number]

/** What a trigger can do; the others of the rule's form come with the areas they belong to. */
export const TRIGGER_ACTIONS = [
  'notify',
  'command',
  'webhook',
  'alarm',
  'clear',
  'delay',
  'scene',
  'page_popup',
  'speak',
  'snapshot',
  'sim_stop',
  'sim_limit',
] as const
export type TriggerActionKind = (typeof TRIGGER_ACTIONS)[number]

/** Why a trigger is in the state error, or came in disabled. */
export const TRIGGER_FAULTS = [
  'property_gone',
  'device_gone',
  'scope_empty',
  'owner_gone',
  'owner_rights',
  'rule_invalid',
  'fence_gone',
  'fence_disabled',
  'position_gone',
  'import_missing',
] as const
export type TriggerFault = (typeof TRIGGER_FAULTS)[number]

export const RUN_CAUSES = ['raised', 'cleared', 'paused'] as const
export const RUN_CAUSED_BY = ['row', 'timer', 'rule'] as const

/** pending: not done yet, or to be tried again. skipped: it was no longer wanted (rights, device in maintenance). */
export const ACTION_RESULTS = ['pending', 'done', 'failed', 'skipped'] as const
export type ActionResult = (typeof ACTION_RESULTS)[number]

export const SIGNAL_KINDS = ['button', 'api'] as const

export const TRIGGER_BATCH_ACTIONS = ['enable', 'disable', 'remove'] as const

/** What of a dry run's past was not recorded, so that the answer may differ from what was raised live. */
export const DRY_RUN_GAPS = [
  'presence',
  'events',
  'commands',
  'signals',
  'arrival',
  'rows',
  // How cards, gateways and cameras were before.
  'objects',
  // What happens to them and does not last.
  'moments',
] as const

/** Kinds of days, by a calendar or by week days. */
export const DAY_KINDS = ['any', 'workday', 'holiday'] as const

/** What a trigger of the kind object can wait for, in the order in which it is offered. */
export const OBJECT_SOURCES = [
  'sim.usage',
  'sim.status',
  'sim.imei_changed',
  'sim.offline_days',
  'sim.expiring',
  'lora.gateway',
  'camera.alarm',
] as const
export type ObjectSourceType = (typeof OBJECT_SOURCES)[number]

/** States of a SIM card that a trigger can wait for. */
export const SOURCE_CARD_STATES = ['stopped', 'carrier_hold', 'dormant', 'active', 'pre_cancel', 'cancelled'] as const
