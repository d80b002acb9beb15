import type { DataType, Param, Property, ThingEvent, ThingModel, ThingService } from './model.ts'

export type FeatureKind = 'property' | 'event' | 'service'

/** Why a change can hurt devices, pages or stored data that rely on the old model. */
export type BreakingReason = 'removed' | 'type_changed' | 'enum_value_removed' | 'access_narrowed' | 'param_required'

export interface ModelChange {
  kind: FeatureKind
  identifier: string
  change: 'added' | 'removed' | 'changed'
  /** Attributes that differ, for `changed`: `name`, `dataType`, `input` … */
  attributes: string[]
  /** Empty when the change breaks nothing. */
  breaking: BreakingReason[]
}

export interface ModelDiff {
  added: ModelChange[]
  removed: ModelChange[]
  changed: ModelChange[]
  breaking: boolean
}

type Feature = Property | ThingEvent | ThingService

/** What leads from model `a` to model `b`. Order of the lists does not count, except for the items of an enum. */
export function diffModels(a: ThingModel, b: ThingModel): ModelDiff {
  const changes = [
    ...diffFeatures('property', a.properties, b.properties, breakingProperty),
    ...diffFeatures('event', a.events, b.events, (x, y) => breakingParams(x.params, y.params, false)),
    ...diffFeatures('service', a.services, b.services, (x, y) => [
      ...breakingParams(x.input, y.input, true),
      ...breakingParams(x.output, y.output, false),
    ]),
  ]
  return {
    added: changes.filter(({ change }) => change === 'added'),
    removed: changes.filter(({ change }) => change === 'removed'),
    changed: changes.filter(({ change }) => change === 'changed'),
    breaking: changes.some(({ breaking }) => breaking.length > 0),
  }
}

function diffFeatures<T extends Feature>(
  kind: FeatureKind,
  before: readonly T[],
  after: readonly T[],
  breakingOf: (a: T, b: T) => BreakingReason[],
): ModelChange[] {
  const old = new Map(before.map(item => [item.identifier, item]))
  const now = new Map(after.map(item => [item.identifier, item]))
  const changes: ModelChange[] = []
  for (const { identifier } of before) {
    if (!now.has(identifier)) {
      changes.push({ kind, identifier, change: 'removed', attributes: [], breaking: ['removed'] })
    }
  }
  for (const item of after) {
    const { identifier } = item
    const previous = old.get(identifier)
    if (!previous) {
      changes.push({ kind, identifier, change: 'added', attributes: [], breaking: [] })
      continue
    }
    const attributes = differingAttributes(previous, item)
    if (attributes.length === 0) continue
    const breaking = [...new Set(breakingOf(previous, item))]
    changes.push({ kind, identifier, change: 'changed', attributes, breaking })
  }
  return changes
}

function differingAttributes(a: Feature, b: Feature): string[] {
  const left = a as unknown as Record<string, unknown>
  const right = b as unknown as Record<string, unknown>
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].filter(
    key => canonical(left[key]) !== canonical(right[key]),
  )
}

/** JSON text that does not depend on the order of keys. */
export function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([x], [y]) => (x < y ? -1 : 1)))
        : inner,
    ) ?? ''
  )
}

function breakingProperty(a: Property, b: Property): BreakingReason[] {
  const narrowed = [...a.access].some(right => !b.access.includes(right))
  return [...breakingType(a.dataType, b.dataType, false), ...(narrowed ? (['access_narrowed'] as const) : [])]
}

function breakingType(a: DataType, b: DataType, input: boolean): BreakingReason[] {
  if (a.type === 'enum' && b.type === 'enum') {
    const kept = new Set(b.items.map(item => item.value))
    return a.items.every(item => kept.has(item.value)) ? [] : ['enum_value_removed']
  }
  if (a.type === 'struct' && b.type === 'struct') return breakingParams(a.fields, b.fields, input)
  if (a.type === 'array' && b.type === 'array') return breakingType(a.element, b.element, input)
  return a.type === b.type ? [] : ['type_changed']
}

/** `input`: callers must send these, so one that is newly required breaks them. */
function breakingParams(before: readonly Param[], after: readonly Param[], input: boolean): BreakingReason[] {
  const reasons: BreakingReason[] = []
  const old = new Map(before.map(param => [param.identifier, param]))
  const now = new Map(after.map(param => [param.identifier, param]))
  for (const param of before) {
    const successor = now.get(param.identifier)
    if (successor) reasons.push(...breakingType(param.dataType, successor.dataType, input))
    else reasons.push('removed')
  }
  for (const param of after) {
    if (input && param.required && !old.get(param.identifier)?.required) reasons.push('param_required')
  }
  return reasons
}
