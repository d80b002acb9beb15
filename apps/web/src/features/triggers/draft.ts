import type {
  TriggerAction,
  TriggerHours,
  TriggerInput,
  TriggerScope,
  TriggerView,
} from '@thingwright/contracts/triggers.contract'
import type { ObjectSourceType } from '@thingwright/contracts/triggers.words'
import { type Condition, fresh, scalarOf } from './conditions.ts'
import { FIELDS_OF, type Kind, WITHOUT_PROPERTY } from './lists.ts'

export const SCOPES = ['devices', 'products', 'groups', 'tags'] as const
export type ScopeKind = (typeof SCOPES)[number]

const SCOPE_FIELD = { devices: 'deviceIds', products: 'productIds', groups: 'groupIds', tags: 'tags' } as const

/** What the editor holds: every field, also those that the chosen kind does not ask for. */
export interface Draft {
  name: string
  description: string
  scopeKind: ScopeKind
  scope: Record<ScopeKind, string[]>
  per: 'device' | 'scope'
  kind: Kind
  property: string
  high: number | null
  low: number | null
  value: string
  /** The property holds texts: what looks like a number is none. */
  valueIsText: boolean
  minutes: number | null
  deadBand: number | null
  decimals: number | null
  /** Of the kind object. */
  source: { type: ObjectSourceType; percent?: number; days?: number; state?: string; alarmType?: string }
  condition: Condition
  clear: 'when_false' | 'manual' | 'condition'
  clearCondition: Condition
  raises: boolean
  level: number
  renew: boolean
  actions: TriggerAction[]
  hours: TriggerHours | null
  antiShake: { times: number; seconds: number; consecutive?: boolean } | null
  quietSeconds: number | null
  repeatSeconds: number | null
  expiresAt: number | null
}

export const FRESH: Draft = {
  name: '',
  description: '',
  scopeKind: 'devices',
  scope: { devices: [], products: [], groups: [], tags: [] },
  per: 'device',
  kind: 'above',
  property: '',
  high: null,
  low: null,
  value: '',
  valueIsText: false,
  minutes: 5,
  deadBand: null,
  decimals: null,
  source: { type: 'sim.usage', percent: 80 },
  condition: { type: 'all', of: [fresh()] },
  clear: 'when_false',
  clearCondition: fresh(),
  raises: true,
  level: 3,
  renew: false,
  actions: [{ kind: 'notify' }],
  hours: null,
  antiShake: null,
  quietSeconds: null,
  repeatSeconds: null,
  expiresAt: null,
}

/** A trigger as the editor shows it. */
export function draftOf(view: TriggerView): Draft {
  const scopeKind = SCOPES.find(kind => view.scope[SCOPE_FIELD[kind]] !== undefined) ?? 'devices'
  const clear = view.clear
  return {
    ...FRESH,
    name: view.name,
    description: view.description,
    scopeKind,
    scope: { ...FRESH.scope, [scopeKind]: [...(view.scope[SCOPE_FIELD[scopeKind]] ?? [])] },
    per: view.per ?? 'device',
    kind: view.kind,
    property: view.property ?? '',
    high: view.high ?? null,
    low: view.low ?? null,
    value: view.value === undefined ? '' : String(view.value),
    valueIsText: typeof view.value === 'string',
    minutes: view.minutes ?? null,
    deadBand: view.deadBand ?? null,
    decimals: view.decimals ?? null,
    ...(view.source ? { source: view.source as Draft['source'] } : {}),
    ...(view.condition ? { condition: view.condition as unknown as Condition } : {}),
    clear: typeof clear === 'object' ? 'condition' : (clear ?? 'when_false'),
    ...(typeof clear === 'object' ? { clearCondition: clear as unknown as Condition } : {}),
    raises: view.alarm !== undefined,
    level: view.alarm?.level ?? 3,
    renew: view.alarm?.renew ?? false,
    actions: view.actions ?? [],
    hours: view.active ?? null,
    antiShake: view.antiShake ?? null,
    quietSeconds: view.quietSeconds ?? null,
    repeatSeconds: view.repeatSeconds ?? null,
    expiresAt: view.expiresAt === null ? null : Date.parse(view.expiresAt),
  }
}

type Rule = Omit<TriggerInput, 'name' | 'description' | 'enabled' | 'expiresAt'>

/** The rule of a draft: only what its kind asks for. */
export function ruleOf(draft: Draft): Rule {
  const { kind } = draft
  const number = (field: 'high' | 'low' | 'minutes' | 'deadBand' | 'decimals') =>
    FIELDS_OF[kind].includes(field) && draft[field] !== null ? { [field]: draft[field] } : {}
  if (kind === 'object')
    return {
      kind,
      scope: {},
      source: draft.source,
      ...(draft.raises ? { alarm: { level: draft.level } } : {}),
      ...(draft.actions.length > 0 ? { actions: draft.actions } : {}),
      ...(draft.hours ? { active: draft.hours } : {}),
    }
  return {
    kind,
    scope: { [SCOPE_FIELD[draft.scopeKind]]: draft.scope[draft.scopeKind] } as TriggerScope,
    ...(draft.per === 'scope' ? { per: 'scope' as const } : {}),
    ...(WITHOUT_PROPERTY.includes(kind) ? {} : { property: draft.property.trim() }),
    ...number('low'),
    ...number('high'),
    ...number('minutes'),
    ...number('deadBand'),
    ...number('decimals'),
    ...(FIELDS_OF[kind].includes('value') ? { value: scalarOf(draft.value, draft.valueIsText) } : {}),
    ...(kind === 'general'
      ? {
          condition: draft.condition as never,
          clear: (draft.clear === 'condition' ? draft.clearCondition : draft.clear) as never,
        }
      : {}),
    ...(draft.raises ? { alarm: { level: draft.level, ...(draft.renew ? { renew: true } : {}) } } : {}),
    ...(draft.actions.length > 0 ? { actions: draft.actions } : {}),
    ...(draft.hours ? { active: draft.hours } : {}),
    ...(draft.antiShake ? { antiShake: draft.antiShake } : {}),
    ...(draft.quietSeconds ? { quietSeconds: draft.quietSeconds } : {}),
    ...(draft.repeatSeconds ? { repeatSeconds: draft.repeatSeconds } : {}),
  }
}

/** What of a draft is missing before anything can be asked of the server, by path. */
export function missingOf(draft: Draft): string[] {
  const missing: string[] = []
  if (draft.name.trim() === '') missing.push('name')
  return [...missing, ...missingOfRule(draft)]
}

export function missingOfRule(draft: Draft): string[] {
  const missing: string[] = []
  const fields = FIELDS_OF[draft.kind]
  if (draft.kind !== 'object' && draft.scope[draft.scopeKind].length === 0) missing.push('scope')
  if (!WITHOUT_PROPERTY.includes(draft.kind) && draft.property.trim() === '') missing.push('property')
  for (const field of ['low', 'high', 'minutes'] as const)
    if (fields.includes(field) && draft[field] === null) missing.push(field)
  if (fields.includes('value') && draft.value.trim() === '') missing.push('value')
  return missing
}

/** What is sent to make a trigger. */
export function bodyOf(draft: Draft, enabled: boolean): TriggerInput {
  return {
    name: draft.name.trim(),
    ...(draft.description.trim() === '' ? {} : { description: draft.description.trim() }),
    enabled,
    ...(draft.expiresAt === null ? {} : { expiresAt: new Date(draft.expiresAt).toISOString() }),
    ...ruleOf(draft),
  }
}
