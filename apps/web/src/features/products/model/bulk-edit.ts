import { isNumeric, type Property, parseModel, type StorePolicy, type ThingModel } from '@thingwright/thing-model'

/** What is changed in many properties; what is absent stays. An empty text takes the field away. */
export interface BulkChange {
  group?: string
  unit?: string
  access?: 'r' | 'rw' | 'w'
  history?: boolean
  store?: StorePolicy
  retentionDays?: number
}

/** The model with the change in each of the named properties that can take it; how many could not. */
export function bulkEdit(
  model: ThingModel,
  identifiers: readonly string[],
  change: BulkChange,
): { model: ThingModel; skipped: number } {
  const chosen = new Set(identifiers)
  let skipped = 0
  const properties = model.properties.map(property => {
    if (!chosen.has(property.identifier)) return property
    const parsed = parseModel({ properties: [changed(property, change)] })
    if (parsed.ok) return parsed.model.properties[0]!
    skipped++
    return property
  })
  return { model: { ...model, properties }, skipped }
}

function changed(property: Property, { unit, history, ...change }: BulkChange): unknown {
  return {
    ...property,
    ...change,
    ...(unit === undefined || !isNumeric(property.dataType) ? {} : { unit }),
    // On is the usual: left out, so that equal models have equal JSON.
    ...(history === undefined ? {} : { history: history ? undefined : false }),
  }
}

/** The list with the items of `from` in front of the one at `to`; out of range: at the end. */
export function movedTo<T>(items: readonly T[], from: number, to: number): T[] {
  if (from === to || from < 0 || from >= items.length) return [...items]
  const rest = items.filter((_, at) => at !== from)
  rest.splice(to > from ? to - 1 : to, 0, items[from]!)
  return rest
}
