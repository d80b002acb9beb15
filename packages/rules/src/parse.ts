import { compact } from '@thingwright/thing-model/problems'
import { parseSource } from './object-source.ts'
import { ConditionParser, isMomentary, parseIdentifier, parseRange, parseScalar } from './parse-condition.ts'
import { below, type RuleProblem, RuleReader } from './problems.ts'
import {
  ACTION_KINDS,
  type Action,
  type ActiveHours,
  type Clearing,
  DAY_KINDS,
  RULE_FORMAT,
  RULE_KINDS,
  RULE_LIMITS,
  type RuleDocument,
  type RuleKind,
  SCOPE_FIELDS,
  type Scope,
} from './rule.ts'
import { isZone, minuteOfDay } from './schedule.ts'

export type RuleResult = { ok: true; rule: RuleDocument } | { ok: false; problems: RuleProblem[] }

type Input = Record<string, unknown>

const OF_ALL = ['format', 'kind', 'scope', 'per', 'alarm', 'actions', 'active', 'antiShake', 'quietSeconds'].concat([
  'repeatSeconds',
])

/** What a kind asks for beside what every rule has. */
const OF_KIND: Record<RuleKind, readonly string[]> = {
  above: ['property', 'high', 'deadBand'],
  below: ['property', 'low', 'deadBand'],
  outside: ['property', 'low', 'high', 'deadBand'],
  outside_for: ['property', 'low', 'high', 'minutes', 'deadBand'],
  above_until_below: ['property', 'low', 'high'],
  below_until_above: ['property', 'low', 'high'],
  between: ['property', 'low', 'high', 'deadBand'],
  above_for: ['property', 'high', 'minutes', 'deadBand'],
  below_for: ['property', 'low', 'minutes', 'deadBand'],
  offline: [],
  offline_for: ['minutes'],
  on: ['property'],
  off: ['property'],
  equal: ['property', 'value', 'decimals'],
  not_equal: ['property', 'value', 'decimals'],
  general: ['condition', 'clear'],
  object: ['source'],
}

/**
 * Reads a rule. Absent fields stay absent; what nobody reads is a mistake.
 * @returns the rule, or everything that is wrong with it by path
 */
export function parseRule(value: unknown): RuleResult {
  const reader = new RuleReader()
  const input = reader.object(value, '')
  const rule = input && parseFields(reader, input)
  const problems = reader.all()
  return rule && problems.length === 0 ? { ok: true, rule } : { ok: false, problems }
}

function parseFields(reader: RuleReader, input: Input): RuleDocument | null {
  if (input.format !== RULE_FORMAT) {
    reader.flaw('format', 'format_unknown', { format: String(input.format), known: RULE_FORMAT })
    return null
  }
  const kind = reader.choice(input.kind, 'kind', RULE_KINDS)
  if (!reader.required(kind, input.kind, 'kind')) return null
  if (kind === 'object') return parseObject(reader, input)
  reader.only(input, '', [...OF_ALL, ...OF_KIND[kind]])
  return compact({
    format: RULE_FORMAT,
    kind,
    scope: parseScope(reader, input.scope),
    per: reader.choice(input.per, 'per', ['device', 'scope'] as const),
    ...(kind === 'general' ? parseGeneral(reader, input) : parseOneClick(reader, input, kind)),
    alarm: parseAlarm(reader, input.alarm),
    actions: parseActions(reader, input.actions),
    active: parseActive(reader, input.active),
    antiShake: parseAntiShake(reader, input.antiShake),
    quietSeconds: reader.integer(input.quietSeconds, 'quietSeconds', 0, RULE_LIMITS.seconds),
    repeatSeconds: reader.integer(input.repeatSeconds, 'repeatSeconds', 0, RULE_LIMITS.seconds),
  } as RuleDocument)
}

/** Nothing of it comes through the lanes, so nothing can be counted or kept quiet there. */
function parseObject(reader: RuleReader, input: Input): RuleDocument {
  reader.only(input, '', ['format', 'kind', 'scope', 'source', 'alarm', 'actions', 'active'])
  const scope = input.scope === undefined || input.scope === null ? {} : (reader.object(input.scope, 'scope') ?? {})
  reader.only(scope, 'scope', [])
  return compact({
    format: RULE_FORMAT,
    kind: 'object',
    scope: {},
    source: parseSource(reader, input.source),
    alarm: parseAlarm(reader, input.alarm),
    actions: parseActions(reader, input.actions),
    active: parseActive(reader, input.active),
  } as RuleDocument)
}

function parseOneClick(reader: RuleReader, input: Input, kind: RuleKind): Partial<RuleDocument> {
  const fields = OF_KIND[kind]
  const has = (field: string) => fields.includes(field)
  const number = (field: 'high' | 'low' | 'deadBand', min: number = -RULE_LIMITS.number) =>
    reader.number(input[field], field, min, RULE_LIMITS.number)
  const needed = (field: 'high' | 'low') => {
    const value = number(field)
    reader.required(value, input[field], field)
    return value
  }
  const minutes = has('minutes') ? reader.integer(input.minutes, 'minutes', 1, RULE_LIMITS.minutes) : undefined
  if (has('minutes')) reader.required(minutes, input.minutes, 'minutes')
  const deadBand = has('deadBand') ? number('deadBand', 0) : undefined
  if (kind.startsWith('outside') && Number(input.high) - Number(input.low) < 2 * (deadBand ?? 0))
    reader.flaw('deadBand', 'dead_band_too_wide')
  return {
    property: has('property') ? parseIdentifier(reader, input.property, 'property') : undefined,
    ...(has('low') && has('high')
      ? parseRange(reader, input, '')
      : { low: has('low') ? needed('low') : undefined, high: has('high') ? needed('high') : undefined }),
    value: has('value') ? parseScalar(reader, input.value, 'value') : undefined,
    decimals: has('decimals') ? reader.integer(input.decimals, 'decimals', 0, RULE_LIMITS.decimals) : undefined,
    deadBand,
    minutes,
  }
}

function parseGeneral(reader: RuleReader, input: Input): Partial<RuleDocument> {
  const conditions = new ConditionParser(reader)
  if (input.condition === undefined || input.condition === null) {
    reader.flaw('condition', 'field_missing')
    return {}
  }
  const condition = conditions.parse(input.condition, 'condition')
  let clear: Clearing | undefined
  if (typeof input.clear === 'string') {
    clear = reader.choice(input.clear, 'clear', ['when_false', 'manual'] as const)
    if (clear === 'when_false' && condition && isMomentary(condition)) reader.flaw('clear', 'momentary_cannot_clear')
  } else if (input.clear !== undefined && input.clear !== null) clear = conditions.parse(input.clear, 'clear')
  return { condition, clear }
}

function parseScope(reader: RuleReader, value: unknown): Scope | undefined {
  if (value === undefined || value === null) {
    reader.flaw('scope', 'field_missing')
    return undefined
  }
  const input = reader.object(value, 'scope')
  if (!input) return undefined
  reader.only(input, 'scope', SCOPE_FIELDS)
  const chosen = SCOPE_FIELDS.filter(field => input[field] !== undefined && input[field] !== null)
  if (chosen.length !== 1) {
    reader.flaw('scope', 'scope_choice', { choices: SCOPE_FIELDS.join(', ') })
    return undefined
  }
  const field = chosen[0]!
  const list = reader.list(input[field], `scope.${field}`, RULE_LIMITS.scope)
  if (list.length === 0) reader.report(`scope.${field}`, 'items_missing')
  const seen = new Set<string>()
  for (const [i, item] of list.entries()) {
    const text = reader.someText(item, `scope.${field}[${i}]`, 64)
    if (!reader.required(text, item, `scope.${field}[${i}]`)) continue
    if (seen.has(text)) reader.report(`scope.${field}[${i}]`, 'item_duplicate')
    seen.add(text)
  }
  return { [field]: [...seen] }
}

function parseAlarm(reader: RuleReader, value: unknown): RuleDocument['alarm'] {
  if (value === undefined || value === null) return undefined
  const input = reader.object(value, 'alarm')
  if (!input) return undefined
  reader.only(input, 'alarm', ['level', 'renew'])
  const level = reader.integer(input.level, 'alarm.level', 1, RULE_LIMITS.levels)
  const renew = reader.boolean(input.renew, 'alarm.renew')
  return reader.required(level, input.level, 'alarm.level')
    ? (compact({ level, renew }) as RuleDocument['alarm'])
    : undefined
}

function parseActions(reader: RuleReader, value: unknown): Action[] | undefined {
  if (value === undefined || value === null) return undefined
  return reader.objects(value, 'actions', RULE_LIMITS.actions).flatMap(({ input, here }): Action[] => {
    const kind = reader.choice(input.kind, below(here, 'kind'), ACTION_KINDS)
    const on = reader.choice(input.on, below(here, 'on'), ['raise', 'clear'] as const)
    if (!reader.required(kind, input.kind, below(here, 'kind'))) return []
    if (kind !== 'delay') return [compact({ ...input, kind, on })]
    reader.only(input, here, ['kind', 'on', 'seconds'])
    const seconds = reader.integer(input.seconds, below(here, 'seconds'), 1, RULE_LIMITS.seconds)
    return reader.required(seconds, input.seconds, below(here, 'seconds')) ? [compact({ kind, on, seconds })] : []
  })
}

function parseActive(reader: RuleReader, value: unknown): ActiveHours | undefined {
  if (value === undefined || value === null) return undefined
  const input = reader.object(value, 'active')
  if (!input) return undefined
  reader.only(input, 'active', ['zone', 'periods', 'calendarId'])
  const zone = reader.someText(input.zone, 'active.zone', 64)
  if (reader.required(zone, input.zone, 'active.zone') && !isZone(zone))
    reader.flaw('active.zone', 'zone_unknown', { zone })
  const periods = reader.objects(input.periods, 'active.periods', RULE_LIMITS.periods)
  if (periods.length === 0) reader.report('active.periods', 'items_missing')
  return compact({
    zone: zone ?? 'UTC',
    periods: periods.map(period => parsePeriod(reader, period.input, period.here)),
    calendarId: reader.someText(input.calendarId, 'active.calendarId', 64),
  } as ActiveHours)
}

function parsePeriod(reader: RuleReader, input: Input, path: string) {
  reader.only(input, path, ['days', 'dayKind', 'from', 'to'])
  const time = (field: 'from' | 'to') => {
    const text = reader.someText(input[field], below(path, field), 5)
    if (!reader.required(text, input[field], below(path, field))) return ''
    const minute = minuteOfDay(text)
    if (minute === null || (field === 'from' && minute === 1_440))
      reader.flaw(below(path, field), 'time_of_day_invalid', { text })
    return text
  }
  const days = reader.list(input.days, below(path, 'days'), 7)
  for (const [i, day] of days.entries())
    if (!Number.isInteger(day) || (day as number) < 1 || (day as number) > 7)
      reader.flaw(`${below(path, 'days')}[${i}]`, 'day_invalid')
  return compact({
    days: days.length > 0 ? (days as number[]) : undefined,
    dayKind: reader.choice(input.dayKind, below(path, 'dayKind'), DAY_KINDS),
    from: time('from'),
    to: time('to'),
  })
}

function parseAntiShake(reader: RuleReader, value: unknown): RuleDocument['antiShake'] {
  if (value === undefined || value === null) return undefined
  const input = reader.object(value, 'antiShake')
  if (!input) return undefined
  reader.only(input, 'antiShake', ['times', 'seconds', 'consecutive'])
  const times = reader.integer(input.times, 'antiShake.times', 2, RULE_LIMITS.times)
  const seconds = reader.integer(input.seconds, 'antiShake.seconds', 1, RULE_LIMITS.seconds)
  const consecutive = reader.boolean(input.consecutive, 'antiShake.consecutive')
  reader.required(times, input.times, 'antiShake.times')
  reader.required(seconds, input.seconds, 'antiShake.seconds')
  return times === undefined || seconds === undefined
    ? undefined
    : (compact({ times, seconds, consecutive }) as RuleDocument['antiShake'])
}
