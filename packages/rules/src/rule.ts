import type { ObjectSource } from './object-source.ts'

/** The form that {@link parseRule} reads. A document of another form is refused, never guessed at. */
export const RULE_FORMAT = 1

/** The kinds that are chosen with one click, in the order in which they are offered. */
export const ONE_CLICK_KINDS = [
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
] as const
export type OneClickKind = (typeof ONE_CLICK_KINDS)[number]

export const RULE_KINDS = [...ONE_CLICK_KINDS, 'general', 'object'] as const
export type RuleKind = (typeof RULE_KINDS)[number]

export const NUMBER_OPERATORS = ['gt', 'gte', 'lt', 'lte'] as const
export const RANGE_OPERATORS = ['between', 'outside'] as const
export const EQUALITY_OPERATORS = ['eq', 'ne'] as const
export const TEXT_OPERATORS = ['starts', 'ends', 'contains'] as const
export const LIST_OPERATORS = ['in', 'not_in'] as const
export const OPERATORS = [
  ...NUMBER_OPERATORS,
  ...RANGE_OPERATORS,
  ...EQUALITY_OPERATORS,
  ...TEXT_OPERATORS,
  ...LIST_OPERATORS,
] as const
export type NumberOperator = (typeof NUMBER_OPERATORS)[number]
export type Operator = (typeof OPERATORS)[number]

export type Scalar = number | string | boolean

/** What a value is held against. Above and below are strict, between holds at both ends, outside at neither. */
export interface Comparison {
  op: Operator
  /** Of every operator but ranges and lists; a number of the same kind of the other property where `with` stands. */
  value?: Scalar
  /** Of ranges. */
  low?: number
  high?: number
  /** Of lists. */
  values?: Scalar[]
  /** Numbers are equal when they are at so many digits after the point; absent: when they are the same number. */
  decimals?: number
}

/** How a condition asks for a geofence. */
export const FENCE_WHENS = ['enter', 'leave', 'inside', 'outside'] as const
export type FenceWhen = (typeof FENCE_WHENS)[number]

/** A property; of the device that the rule is judged for unless another one is named. */
export interface Source {
  property: string
  /** Id of another device. */
  device?: string
}

export type Condition =
  | { type: 'all' | 'any'; of: Condition[] }
  | { type: 'not'; of: Condition }
  /** Holds once `of` has held so long without a break. */
  | { type: 'held'; of: Condition; seconds: number }
  /** `of` was seen so many times: within so many seconds, or in succession where none are given. */
  | { type: 'repeated'; of: Condition; times: number; seconds?: number }
  | ({ type: 'compare'; with?: Source } & Source & Comparison)
  | { type: 'online' | 'offline'; device?: string }
  | { type: 'event'; identifier: string; device?: string; where?: ({ param: string } & Comparison)[] }
  | { type: 'command_failed'; device?: string; command?: string }
  /**
   * Where the device stands by its last position: inside or outside, or that it entered or left and has not gone back since.
   * With `seconds` inside and outside hold once it stood there so long. `property` absent: its first position.
   */
  | { type: 'geofence'; fence: string; when: FenceWhen; seconds?: number; property?: string; device?: string }
  /** Every so many seconds of the clock, counted from midnight of 1970 in UTC. */
  | { type: 'tick'; seconds: number }
  /** Somebody presses a button, or a program calls; `key` is what it is called. */
  | { type: 'button' | 'api'; key: string }
  /** Nothing came for so long: of the property, or at all where none is named. */
  | { type: 'no_data'; property?: string; device?: string; seconds: number }
  /** Change in a minute between two values that follow one another, by the devices' times. */
  | ({ type: 'rate'; op: NumberOperator; perMinute: number } & Source)
  /** The value is away from the one before by at least so much. */
  | ({ type: 'jump'; by: number } & Source)
  /** Values come, but they do not differ for so long by more than the tolerance. */
  | ({ type: 'stuck'; seconds: number; tolerance?: number } & Source)
  /** Away from its own average by so many standard deviations; both forget with the time constant `seconds`. */
  | ({ type: 'deviation'; seconds: number; sigmas: number; samples?: number } & Source)

/** When what was raised is cleared: when the condition no longer holds, by a person alone, or by a condition of its own. */
export type Clearing = 'when_false' | 'manual' | Condition

export interface Scope {
  deviceIds?: string[]
  productIds?: string[]
  groupIds?: string[]
  tags?: string[]
}
export const SCOPE_FIELDS = ['deviceIds', 'productIds', 'groupIds', 'tags'] as const

export const DAY_KINDS = ['any', 'workday', 'holiday'] as const

/** A part of days; one that ends before it begins crosses midnight and belongs to the day on which it begins. */
export interface Period {
  /** 1 Monday to 7 Sunday; absent: every day. */
  days?: number[]
  dayKind?: (typeof DAY_KINDS)[number]
  /** `HH:MM` */
  from: string
  /** `HH:MM`, at most `24:00`; itself no longer part of the period. */
  to: string
}

/** Hours in which a rule raises; it clears at any time. */
export interface ActiveHours {
  /** IANA name: `Asia/Shanghai`. */
  zone: string
  periods: Period[]
  /** Calendar of holidays and of working days at weekends; absent: Saturday and Sunday are the holidays. */
  calendarId?: string
}

export const ACTION_KINDS = [
  'notify',
  'command',
  'scene',
  'delay',
  'alarm',
  'clear',
  'webhook',
  'sim_stop',
  'sim_limit',
  'snapshot',
  'page_popup',
  'speak',
] as const
export type ActionKind = (typeof ACTION_KINDS)[number]

/** What is to be done, in this order. What else an action says is read by whoever does it. */
export interface Action {
  kind: ActionKind
  /** Absent: when raised. */
  on?: 'raise' | 'clear'
  /** Of `delay`: what follows waits so long. */
  seconds?: number
  [field: string]: unknown
}

/** A rule as it is stored and sent. */
export interface RuleDocument {
  format: typeof RULE_FORMAT
  kind: RuleKind
  scope: Scope
  /** One alarm for each device of the scope (the usual), or one for all of them. */
  per?: 'device' | 'scope'
  // of one-click kinds
  property?: string
  high?: number
  low?: number
  value?: Scalar
  minutes?: number
  /** How far back behind a limit a value must be before it counts as recovered. */
  deadBand?: number
  decimals?: number
  // of `general`
  condition?: Condition
  clear?: Clearing
  // of `object`, whose scope is empty: all that the company has
  source?: ObjectSource
  // of all
  /** `renew`: whenever it is told again there is a new alarm, and the one before is closed first. */
  alarm?: { level: number; renew?: boolean }
  actions?: Action[]
  active?: ActiveHours
  /** Raises only what was seen so many times within so many seconds. */
  antiShake?: { times: number; seconds: number; consecutive?: boolean }
  /** After a raise the same is not raised again for so long. */
  quietSeconds?: number
  /** What goes on is told again at most so often; absent: once a minute. */
  repeatSeconds?: number
}

export const RULE_LIMITS = {
  /** Conditions in a rule, groups counted. */
  conditions: 50,
  depth: 6,
  scope: 1_000,
  actions: 20,
  periods: 20,
  values: 100,
  text: 256,
  times: 100,
  /** 31 days. */
  seconds: 2_678_400,
  minutes: 44_640,
  number: 1e15,
  decimals: 10,
  levels: 5,
} as const
