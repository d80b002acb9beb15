import type { TriggerView } from '@thingwright/contracts/triggers.contract'
import { TRIGGER_KINDS, TRIGGER_STATES } from '@thingwright/contracts/triggers.words'

export const KINDS = TRIGGER_KINDS
export const STATES = TRIGGER_STATES
export type Kind = TriggerView['kind']
export type State = TriggerView['state']

/** What each kind asks for besides what every trigger has. */
export const FIELDS_OF: Record<Kind, readonly ('high' | 'low' | 'value' | 'minutes' | 'deadBand' | 'decimals')[]> = {
  above: ['high', 'deadBand'],
  below: ['low', 'deadBand'],
  outside: ['low', 'high', 'deadBand'],
  outside_for: ['low', 'high', 'minutes', 'deadBand'],
  above_until_below: ['high', 'low'],
  below_until_above: ['low', 'high'],
  between: ['low', 'high', 'deadBand'],
  above_for: ['high', 'minutes', 'deadBand'],
  below_for: ['low', 'minutes', 'deadBand'],
  offline: [],
  offline_for: ['minutes'],
  on: [],
  off: [],
  equal: ['value', 'decimals'],
  not_equal: ['value', 'decimals'],
  general: [],
  object: [],
}

/** Kinds that look at no property. */
export const WITHOUT_PROPERTY: readonly Kind[] = ['offline', 'offline_for', 'general', 'object']

export const STATE_KIND = {
  enabled: 'success',
  disabled: 'disabled',
  error: 'error',
  paused: 'warning',
  expired: 'never',
} as const satisfies Record<State, string>

/** Actions that the editor offers. */
export const ACTIONS = [
  'notify',
  'command',
  'webhook',
  'scene',
  'alarm',
  'clear',
  'delay',
  'page_popup',
  'speak',
  'snapshot',
  'sim_stop',
  'sim_limit',
] as const
export type ActionKind = (typeof ACTIONS)[number]
