import type {
  ConditionRule,
  SubscriptionFilter,
  SubscriptionKind,
  SubscriptionPayload,
  SubscriptionTarget,
  SubscriptionTargetKind,
  SubscriptionView,
} from '@thingwright/contracts/subscriptions.contract'
import type { Body } from '../../../lib/api-client.ts'
import type { Values } from '../../../ui/schema-form/field.ts'

/** One line of the condition as it is typed: `"21"` is a text, `21` a number, `true` a yes. */
export interface TypedRule {
  identifier: string
  op: ConditionRule['op']
  value: string
}
export interface TypedCondition {
  match: 'all' | 'any'
  rules: TypedRule[]
  /** Kinds of messages it is asked of, where the API was told; kept as it is. */
  kinds?: SubscriptionKind[]
}
export interface TypedHeader {
  name: string
  value: string
}

/** What a template begins with when nobody has written one. */
export const FIRST_TEMPLATE = `{
  "device": "{{deviceNo}}",
  "time": "{{iso ts}}",
  "type": "{{type}}",
  "values": {{json data}}
}`

export const FRESH: Values = {
  kinds: ['property'],
  'target.kind': 'webhook',
  'target.tls': true,
  'payload.format': 'envelope',
  'payload.template': FIRST_TEMPLATE,
  'batching.maxItems': 100,
  'batching.waitMs': 0,
  paused: false,
}

/** What a rule compares with, as the server wants it. */
export function readValue(text: string): string | number | boolean {
  const trimmed = text.trim()
  if (trimmed === 'true') return true
  if (trimmed === 'false') return false
  if (/^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(trimmed) && Number.isFinite(Number(trimmed))) return Number(trimmed)
  const quoted = /^"(.*)"$/s.exec(trimmed)
  return quoted ? quoted[1]! : trimmed
}

/** The same as it is typed; a text that would be read as something else stands in quotation marks. */
export function writeValue(value: ConditionRule['value']): string {
  if (value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  return typeof readValue(value) === 'string' && value.trim() === value && !/^".*"$/s.test(value) ? value : `"${value}"`
}

/** What is wrong with the rules, as a key among the words; null: nothing. */
export function ruleProblem(rules: readonly TypedRule[]): 'ruleIncomplete' | 'ruleNumber' | null {
  const asked = rules.filter(({ identifier, op }) => identifier.trim() !== '' && op !== 'exists')
  if (asked.some(({ value }) => value.trim() === '')) return 'ruleIncomplete'
  const ordered = asked.filter(({ op }) => op === 'gt' || op === 'gte' || op === 'lt' || op === 'lte')
  return ordered.every(({ value }) => typeof readValue(value) === 'number') ? null : 'ruleNumber'
}

const list = <T = string>(value: unknown): T[] => (Array.isArray(value) ? (value as T[]) : [])
const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

/** The filter that the values describe; what is empty does not narrow and is left out. */
export function filterOf(values: Values): SubscriptionFilter {
  const kinds = list<SubscriptionKind>(values.kinds)
  const condition = values['filter.condition'] as TypedCondition | undefined
  const rules = (condition?.rules ?? []).filter(rule => rule.identifier.trim() !== '')
  const filter: SubscriptionFilter = {}
  for (const key of ['productIds', 'deviceIds', 'groupIds', 'userIds', 'tags'] as const) {
    const chosen = list(values[`filter.${key}`])
    if (chosen.length > 0) filter[key] = chosen
  }
  const identifiers = list(values['filter.identifiers'])
  if (identifiers.length > 0 && kinds.includes('property')) filter.identifiers = identifiers
  const events = list(values['filter.events'])
  if (events.length > 0 && kinds.includes('event')) filter.events = events
  if (condition && rules.length > 0 && asksData(kinds))
    filter.condition = {
      match: condition.match,
      ...(condition.kinds ? { kinds: condition.kinds } : {}),
      rules: rules.map(({ identifier, op, value }) => ({
        identifier: identifier.trim(),
        op,
        ...(op === 'exists' ? {} : { value: readValue(value) }),
      })),
    }
  const every = values['filter.everySeconds']
  if (typeof every === 'number' && every > 0 && kinds.includes('property')) filter.everySeconds = every
  return filter
}

/** A condition is asked of readings and events. */
export const asksData = (kinds: readonly string[]): boolean => kinds.includes('property') || kinds.includes('event')

export function payloadOf(values: Values): SubscriptionPayload {
  const format = (values['payload.format'] ?? 'envelope') as SubscriptionPayload['format']
  if (format !== 'template') return { format }
  const contentType = text(values['payload.contentType'])
  return {
    format,
    template: String(values['payload.template'] ?? ''),
    ...(contentType === '' ? {} : { contentType }),
  }
}

function targetOf(values: Values): SubscriptionTarget {
  const kind = (values['target.kind'] ?? 'webhook') as SubscriptionTargetKind
  /** What was typed, under its name; nothing for an empty field: a secret that is absent stays as it is. */
  const given = <K extends string>(...names: K[]): Partial<Record<K, string>> =>
    Object.fromEntries(
      names.flatMap(name => (text(values[`target.${name}`]) === '' ? [] : [[name, text(values[`target.${name}`])]])),
    ) as Partial<Record<K, string>>
  switch (kind) {
    case 'webhook': {
      const headers = list<TypedHeader>(values['target.headers']).filter(({ name }) => text(name) !== '')
      return {
        kind,
        url: text(values['target.url']),
        ...given('secret'),
        ...(headers.length > 0
          ? { headers: Object.fromEntries(headers.map(({ name, value }) => [text(name), text(value)])) }
          : {}),
      }
    }
    case 'nats':
      return {
        kind,
        url: text(values['target.url']),
        subject: text(values['target.subject']),
        ...given('username', 'password', 'token'),
        ...(values['target.jetStream'] === true ? { jetStream: true } : {}),
      }
    case 'kafka':
      return {
        kind,
        brokers: list(values['target.brokers']),
        topic: text(values['target.topic']),
        ...(values['target.tls'] === true ? { tls: true } : {}),
        ...(text(values['target.mechanism']) === ''
          ? {}
          : { mechanism: text(values['target.mechanism']) as 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512' }),
        ...given('username', 'password'),
      }
    default:
      return { kind }
  }
}

/** How many go at once; a broker's message holds one item whatever stands here. */
function batchingOf(values: Values) {
  return { maxItems: Number(values['batching.maxItems'] ?? 100), waitMs: Number(values['batching.waitMs'] ?? 0) }
}

/** What creates the subscription. */
export function newBody(values: Values): Body<'subscriptions.create'> {
  return {
    name: text(values.name),
    kinds: list<SubscriptionKind>(values.kinds),
    filter: filterOf(values),
    target: targetOf(values),
    payload: payloadOf(values),
    batching: batchingOf(values),
    ...(values.paused === true ? { paused: true } : {}),
  }
}

/** What changes it; the target goes along only where something of it was touched. */
export function changeBody(values: Values, view: SubscriptionView): Body<'subscriptions.update'> {
  const target = targetOf(values)
  const untouched = JSON.stringify(target) === JSON.stringify(targetOf(valuesOf(view)))
  return {
    version: view.version,
    name: text(values.name),
    kinds: list<SubscriptionKind>(values.kinds),
    filter: filterOf(values),
    payload: payloadOf(values),
    batching: batchingOf(values),
    ...(untouched ? {} : { target }),
  }
}

/** The form's values of a subscription that is there. */
export function valuesOf(view: SubscriptionView): Values {
  const { filter, target, payload, batching } = view
  return {
    name: view.name,
    kinds: view.kinds,
    'filter.productIds': filter.productIds ?? [],
    'filter.deviceIds': filter.deviceIds ?? [],
    'filter.groupIds': filter.groupIds ?? [],
    'filter.userIds': filter.userIds ?? [],
    'filter.tags': filter.tags ?? [],
    'filter.identifiers': filter.identifiers ?? [],
    'filter.events': filter.events ?? [],
    'filter.condition': filter.condition
      ? {
          match: filter.condition.match,
          ...(filter.condition.kinds ? { kinds: filter.condition.kinds } : {}),
          rules: filter.condition.rules.map(({ identifier, op, value }) => ({
            identifier,
            op,
            value: writeValue(value),
          })),
        }
      : undefined,
    'filter.everySeconds': filter.everySeconds,
    'target.kind': target.kind,
    'target.url': target.url,
    'target.subject': target.subject,
    'target.brokers': target.brokers ?? [],
    'target.topic': target.topic,
    'target.tls': target.tls ?? false,
    'target.mechanism': target.mechanism,
    'target.username': target.username,
    'target.jetStream': target.jetStream ?? false,
    'payload.format': payload.format,
    'payload.template': payload.template ?? FIRST_TEMPLATE,
    'payload.contentType': payload.contentType,
    'batching.maxItems': batching.maxItems,
    'batching.waitMs': batching.waitMs,
  }
}
