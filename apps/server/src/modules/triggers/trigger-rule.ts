import { SPEEDS_KBPS } from '@thingwright/contracts/sim-cards.words'
import { TRIGGER_ACTIONS } from '@thingwright/contracts/triggers.words'
import {
  type Condition,
  generalForm,
  parseRule,
  RULE_FORMAT,
  RULE_PROBLEM_CODES,
  type RuleDocument,
  type RuleProblem,
  SCOPE_FIELDS,
} from '@thingwright/rules'
import { AppError } from '../../lib/errors.ts'
import { isUuid } from '../../lib/ids.ts'

/** What a product's devices have, as far as a rule can ask for it: types of properties, and events. */
export interface Things {
  /** By product. */
  products: ReadonlyMap<string, { properties: ReadonlyMap<string, string>; events: ReadonlySet<string> }>
  /** Types of properties of single other devices that conditions name, by id; absent: there is no such device. */
  others: ReadonlyMap<string, { properties: ReadonlyMap<string, string>; events: ReadonlySet<string> }>
}

const OF_RULE = new Set<string>(RULE_PROBLEM_CODES)
const NUMBERS = new Set(['int32', 'int64', 'float', 'double', 'date', 'enum'])
const TEXTS = new Set(['string', 'enum'])

/** @throws AppError trigger.rule_invalid with every field that is wrong */
export function refuse(problems: readonly RuleProblem[]): never {
  throw new AppError('trigger.rule_invalid', {
    fields: Object.fromEntries(
      problems.map(({ path, code, params }) => [
        path || 'kind',
        { code: OF_RULE.has(code) ? `rule.${code}` : code.includes('.') ? code : `model.${code}`, params },
      ]),
    ),
  })
}

/** Reads what was sent. @throws AppError trigger.rule_invalid */
export function readRule(input: Record<string, unknown>): RuleDocument {
  const result = parseRule({ ...input, format: RULE_FORMAT })
  if (!result.ok) refuse(result.problems)
  const problems = (result.rule.actions ?? []).flatMap((action, i) => [
    ...actionProblems(action, `actions[${i}]`),
    // These need the engine of the lanes.
    ...(result.rule.kind === 'object' && ['delay', 'alarm', 'clear'].includes(action.kind)
      ? [{ path: `actions[${i}].kind`, code: 'trigger.action_not_available', params: { kind: action.kind } }]
      : []),
  ])
  if (!result.rule.alarm && !result.rule.actions?.length)
    problems.push({ path: 'alarm', code: 'trigger.does_nothing', params: {} })
  if (problems.length > 0) refuse(problems)
  return result.rule
}

function actionProblems(action: Record<string, unknown>, path: string): RuleProblem[] {
  const flaw = (field: string, code: string, params: RuleProblem['params'] = {}): RuleProblem[] => [
    { path: `${path}.${field}`, code, params },
  ]
  const { kind } = action
  if (!TRIGGER_ACTIONS.includes(kind as never))
    return flaw('kind', 'trigger.action_not_available', { kind: String(kind) })
  switch (kind) {
    case 'command': {
      const command = action.command as Record<string, unknown> | undefined
      if (!command || typeof command !== 'object') return flaw('command', 'field_missing')
      if (command.kind !== 'property_set' && command.kind !== 'service')
        return flaw('command.kind', 'choice_unknown', { choices: 'property_set, service' })
      if (command.kind === 'service' && typeof command.identifier !== 'string')
        return flaw('command.identifier', 'field_missing')
      if (command.kind === 'property_set' && (!command.params || Object.keys(command.params as object).length === 0))
        return flaw('command.params', 'field_missing')
      return []
    }
    case 'webhook':
      return typeof action.url === 'string' && action.url.length <= 1024 ? [] : flaw('url', 'field_missing')
    case 'alarm':
      return Number.isInteger(action.level) && Number(action.level) >= 1 && Number(action.level) <= 5
        ? []
        : flaw('level', 'number_out_of_range', { min: 1, max: 5 })
    case 'scene':
      return typeof action.sceneId === 'string' && isUuid(action.sceneId) ? [] : flaw('sceneId', 'field_missing')
    case 'page_popup':
    case 'speak':
      return [
        ...(typeof action.pageId === 'string' && isUuid(action.pageId) ? [] : flaw('pageId', 'field_missing')),
        ...(typeof action.text === 'string' && action.text.trim() !== '' ? [] : flaw('text', 'field_missing')),
      ]
    case 'sim_limit':
      return SPEEDS_KBPS.includes(action.speedKbps as never)
        ? []
        : flaw('speedKbps', 'choice_unknown', { choices: SPEEDS_KBPS.join(', ') })
    case 'snapshot':
      return action.channelId === undefined || (typeof action.channelId === 'string' && isUuid(action.channelId))
        ? []
        : flaw('channelId', 'field_missing')
    default:
      return []
  }
}

interface Wanted {
  path: string
  property?: string
  event?: string
  /** Any property in which it says where it is. */
  position?: true
  /** Id of another device; null: that for which the rule is judged. */
  device: string | null
  fits?: ReadonlySet<string>
}

/** What a rule asks of its devices, with the types that go with it. */
export function wantedOf(rule: RuleDocument): Wanted[] {
  if (rule.kind !== 'general' && rule.property !== undefined) {
    const fits =
      rule.kind === 'on' || rule.kind === 'off'
        ? new Set(['bool'])
        : rule.kind === 'equal' || rule.kind === 'not_equal'
          ? typesOf(rule.value)
          : NUMBERS
    return [{ path: 'property', property: rule.property, device: null, fits }]
  }
  const { condition, clear } = generalForm(rule)
  return [
    ...wantedBy(condition, 'condition'),
    ...(typeof clear === 'object' && rule.kind === 'general' ? wantedBy(clear, 'clear') : []),
  ]
}

function typesOf(value: unknown): ReadonlySet<string> {
  return typeof value === 'boolean' ? new Set(['bool']) : typeof value === 'number' ? NUMBERS : TEXTS
}

function wantedBy(condition: Condition, path: string): Wanted[] {
  switch (condition.type) {
    case 'all':
    case 'any':
      return condition.of.flatMap((child, i) => wantedBy(child, `${path}.of[${i}]`))
    case 'not':
    case 'held':
    case 'repeated':
      return wantedBy(condition.of, `${path}.of`)
    case 'compare': {
      const numeric = ['gt', 'gte', 'lt', 'lte', 'between', 'outside'].includes(condition.op)
      const textual = ['starts', 'ends', 'contains'].includes(condition.op)
      const fits = numeric
        ? NUMBERS
        : textual
          ? TEXTS
          : condition.value === undefined
            ? undefined
            : typesOf(condition.value)
      return [
        {
          path: `${path}.property`,
          property: condition.property,
          device: condition.device ?? null,
          ...(fits ? { fits } : {}),
        },
        ...(condition.with
          ? [
              {
                path: `${path}.with.property`,
                property: condition.with.property,
                device: condition.with.device ?? null,
              },
            ]
          : []),
      ]
    }
    case 'rate':
    case 'jump':
    case 'stuck':
    case 'deviation':
      return [
        { path: `${path}.property`, property: condition.property, device: condition.device ?? null, fits: NUMBERS },
      ]
    case 'no_data':
      return condition.property === undefined
        ? []
        : [{ path: `${path}.property`, property: condition.property, device: condition.device ?? null }]
    case 'geofence':
      return [
        condition.property === undefined
          ? { path: `${path}.fence`, position: true, device: condition.device ?? null }
          : {
              path: `${path}.property`,
              property: condition.property,
              device: condition.device ?? null,
              fits: new Set(['geo']),
            },
      ]
    case 'event':
      return [{ path: `${path}.identifier`, event: condition.identifier, device: condition.device ?? null }]
    default:
      return []
  }
}

/** Whether one of its conditions waits for this button or call. */
export function hasSignal(rule: RuleDocument, kind: 'button' | 'api', key: string): boolean {
  const visit = (value: unknown): boolean => {
    if (value === null || typeof value !== 'object') return false
    const { type, key: own } = value as { type?: unknown; key?: unknown }
    return (type === kind && own === key) || Object.values(value).some(visit)
  }
  return visit(rule.condition) || visit(rule.clear)
}

/** Ids of other devices that its conditions name. */
export function otherDevices(rule: RuleDocument): string[] {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'device' && typeof inner === 'string') found.add(inner)
      else visit(inner)
    }
  }
  visit(rule.condition)
  visit(rule.clear)
  return [...found]
}

/**
 * Whether its devices have what it asks for. With a product or devices chosen every product must have it; with a group or
 * a tag, whose devices come and go, one of them.
 */
export function againstThings(rule: RuleDocument, things: Things): RuleProblem[] {
  const chosen = SCOPE_FIELDS.find(field => rule.scope[field] !== undefined)
  const every = chosen === 'deviceIds' || chosen === 'productIds'
  const problems: RuleProblem[] = []
  for (const want of wantedOf(rule)) {
    const name = want.property ?? want.event ?? ''
    const places =
      want.device === null
        ? [...things.products.values()]
        : [things.others.get(want.device)].filter(one => one !== undefined)
    if (places.length === 0) continue
    const has = places.filter(({ properties, events }) =>
      want.position
        ? [...properties.values()].includes('geo')
        : want.property === undefined
          ? events.has(name)
          : properties.has(name),
    )
    if (every || want.device !== null ? has.length < places.length : has.length === 0) {
      problems.push({
        path: want.path,
        code: want.position
          ? 'trigger.position_unknown'
          : want.property === undefined
            ? 'trigger.event_unknown'
            : 'trigger.property_unknown',
        params: { name },
      })
      continue
    }
    const { fits } = want
    const wrong = fits && has.map(({ properties }) => properties.get(name)!).find(type => !fits.has(type))
    if (wrong !== undefined)
      problems.push({ path: want.path, code: 'trigger.type_unfit', params: { name, type: wrong } })
  }
  return problems
}

/** A rule that no value can ever fulfil. */
export function neverFires(rule: RuleDocument): RuleProblem[] {
  const { condition } = generalForm(rule)
  const problems: RuleProblem[] = []
  const limits = new Map<string, { above: number; below: number }>()
  if (condition.type === 'all')
    for (const child of condition.of) {
      if (child.type !== 'compare' || typeof child.value !== 'number' || child.with) continue
      const key = `${child.device ?? ''}/${child.property}`
      const known = limits.get(key) ?? { above: -Infinity, below: Infinity }
      if (child.op === 'gt' || child.op === 'gte') known.above = Math.max(known.above, child.value)
      if (child.op === 'lt' || child.op === 'lte') known.below = Math.min(known.below, child.value)
      limits.set(key, known)
      if (known.above >= known.below && !(known.above === known.below && child.op.endsWith('te')))
        problems.push({ path: 'condition', code: 'trigger.never_fires', params: { property: child.property } })
    }
  return problems.slice(0, 1)
}
