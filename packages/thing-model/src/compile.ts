import { checkFields, compileFields, type FieldTable, isRecord } from './compound-checkers.ts'
import type { EventLevel, Property, ThingEvent, ThingModel, ThingService } from './model.ts'
import { type Picked, pickFields } from './pick.ts'
import { compilePolicies, type ModelPolicies } from './policies.ts'
import {
  type Accepted,
  type CheckResult,
  kindOf,
  printableKey,
  REFUSED,
  type RefusalReason,
  type Refused,
  takeRefusal,
} from './refusal.ts'

export type EventPick = (Picked & { readonly level: EventLevel }) | Refused
export type EventCheck = (Accepted & { readonly level: EventLevel }) | Refused

/**
 * Checkers of one model, made once per product version and shared by all its devices. All take what JSON.parse gave
 * and trust nothing; none throws; none changes what it was handed.
 */
export interface CompiledModel {
  readonly model: ThingModel
  readonly properties: ReadonlyMap<string, Property>
  readonly events: ReadonlyMap<string, ThingEvent>
  readonly services: ReadonlyMap<string, ThingService>
  /** Of properties that do more with a value than checking it; null: none does. */
  readonly policies: ModelPolicies | null
  /** A post: any subset of the properties that are not write-only. An empty object passes. */
  checkProperties(values: unknown): CheckResult
  /** As {@link checkProperties}, but numbers that are recorded although they are out of range pass. */
  checkLeniently(values: unknown): CheckResult
  /** A post of which what is good is kept and what is not is listed. `leniently` as {@link checkLeniently}. */
  pickProperties(values: unknown, leniently: boolean): Picked | Refused
  pickEvent(identifier: string, params: unknown): EventPick
  pickServiceOutput(identifier: string, data: unknown): Picked | Refused
  /** A property set towards the device: at least one property, each `rw` or `w`. */
  checkPropertySet(params: unknown): CheckResult
  /** `params` may be absent when none is required. */
  checkEvent(identifier: string, params: unknown): EventCheck
  checkServiceInput(identifier: string, params: unknown): CheckResult
  checkServiceOutput(identifier: string, data: unknown): CheckResult
}

export function compileModel(model: ThingModel): CompiledModel {
  const properties = byIdentifier(model.properties)
  const events = byIdentifier(model.events)
  const services = byIdentifier(model.services)
  const reported = model.properties.filter(property => property.access !== 'w')
  // Posts are partial: `required` does not bind a single post.
  const readable = compileFields(reported.map(property => ({ ...property, required: false })))
  const policies = compilePolicies(reported)
  const writable = compileFields(
    model.properties.filter(property => property.access !== 'r').map(property => ({ ...property, required: false })),
  )
  const eventParams = tables(model.events, event => event.params)
  const inputs = tables(model.services, service => service.input)
  const outputs = tables(model.services, service => service.output)

  /** Says of a known property that it was used the wrong way, instead of calling it unknown. */
  const explain = (result: CheckResult, wrongWay: string): CheckResult =>
    !result.ok && result.reason === 'property_unknown' && properties.has(result.path)
      ? { ...result, detail: wrongWay }
      : result

  return {
    model,
    properties,
    events,
    services,
    policies,
    checkProperties(values) {
      const result = checkTable(readable, values)
      return result.ok ? result : explain(result, 'write-only property')
    },
    checkLeniently(values) {
      const result = checkTable(policies?.lenient ?? readable, values)
      return result.ok ? result : explain(result, 'write-only property')
    },
    pickProperties(values, leniently) {
      const picked = pickTable((leniently ? policies?.lenient : undefined) ?? readable, values)
      if (!picked.ok) return picked
      return { ...picked, faults: picked.faults.map(fault => explain(fault, 'write-only property') as Refused) }
    },
    pickEvent(identifier, params) {
      const table = eventParams.get(identifier)
      const event = events.get(identifier)
      if (!table || !event) return refused('event_unknown', printableKey(identifier), 'not in the thing model')
      const picked = pickTable(table, params ?? {})
      return picked.ok ? { ...picked, level: event.level } : picked
    },
    pickServiceOutput(identifier, data) {
      const table = outputs.get(identifier)
      if (!table) return refused('service_unknown', printableKey(identifier), 'not in the thing model')
      return pickTable(table, data ?? {})
    },
    checkPropertySet(params) {
      const result = checkTable(writable, params)
      if (!result.ok) return explain(result, 'read-only property')
      for (const _ in result.values) return result
      return refused('payload_shape', '', 'no property')
    },
    checkEvent(identifier, params) {
      const table = eventParams.get(identifier)
      const event = events.get(identifier)
      if (!table || !event) return refused('event_unknown', printableKey(identifier), 'not in the thing model')
      const result = checkTable(table, params ?? {})
      return result.ok ? { ok: true, values: result.values, level: event.level } : result
    },
    checkServiceInput: (identifier, params) => checkService(inputs, identifier, params),
    checkServiceOutput: (identifier, data) => checkService(outputs, identifier, data),
  }
}

function checkService(
  serviceTables: ReadonlyMap<string, FieldTable>,
  identifier: string,
  params: unknown,
): CheckResult {
  const table = serviceTables.get(identifier)
  if (!table) return refused('service_unknown', printableKey(identifier), 'not in the thing model')
  return checkTable(table, params ?? {})
}

function checkTable(table: FieldTable, values: unknown): CheckResult {
  if (!isRecord(values)) return refused('payload_shape', '', `expects an object, got ${kindOf(values)}`)
  const checked = checkFields(table, values)
  return checked === REFUSED ? takeRefusal() : { ok: true, values: checked }
}

function pickTable(table: FieldTable, values: unknown): Picked | Refused {
  if (!isRecord(values)) return refused('payload_shape', '', `expects an object, got ${kindOf(values)}`)
  return pickFields(table, values)
}

function refused(reason: RefusalReason, path: string, detail: string): Refused {
  return { ok: false, reason, path, detail }
}

function byIdentifier<T extends { identifier: string }>(items: readonly T[]): ReadonlyMap<string, T> {
  return new Map(items.map(item => [item.identifier, item]))
}

function tables<T extends { identifier: string }>(
  items: readonly T[],
  fields: (item: T) => Parameters<typeof compileFields>[0],
): ReadonlyMap<string, FieldTable> {
  return new Map(items.map(item => [item.identifier, compileFields(fields(item))]))
}
