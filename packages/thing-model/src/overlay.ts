import { canonical } from './diff.ts'
import type { DataType, Property, ThingModel } from './model.ts'
import { LIMITS } from './model.ts'
import { type ParseResult, parseModel } from './parse.ts'
import type { ModelProblem } from './problems.ts'

/**
 * What one device says otherwise than its product: changed fields of the product's properties, and properties of its
 * own. Never a copy of the model, so what the product changes later reaches the device too.
 */
export interface ModelOverlay {
  /** Identifier of a product's property → fields that differ; null takes a field away. */
  changed?: Record<string, OverlayChange>
  /** Properties that only this device has. */
  added?: Property[]
}

export type OverlayChange = { [K in (typeof OVERLAY_FIELDS)[number]]?: unknown }

/** Fields a device may change. Identifier, type and access stay the product's: they are what pages and history rely on. */
export const OVERLAY_FIELDS = [
  'name',
  'ename',
  'unit',
  'decimals',
  'group',
  'sort',
  'icon',
  'widget',
  'mapping',
  'outOfRange',
  'store',
  'late',
  'default',
  'description',
  // of the data type
  'min',
  'max',
  'step',
] as const

const OF_TYPE: ReadonlySet<string> = new Set(['min', 'max', 'step'])
const FIELDS: ReadonlySet<string> = new Set(OVERLAY_FIELDS)

/** Number of properties that differ from the product's or are the device's own. */
export function overlaySize(overlay: ModelOverlay | null | undefined): number {
  if (!overlay) return 0
  return Object.keys(overlay.changed ?? {}).length + (overlay.added?.length ?? 0)
}

/**
 * The model of one device. Changes of properties that the product no longer has are left out, and so are own properties
 * whose identifier the product has taken since.
 */
export function applyOverlay(model: ThingModel, overlay: ModelOverlay | null | undefined): ParseResult {
  if (overlaySize(overlay) === 0) return { ok: true, model }
  const changed = overlay!.changed ?? {}
  const properties: unknown[] = model.properties.map(property =>
    Object.hasOwn(changed, property.identifier) ? withChange(property, changed[property.identifier]!) : property,
  )
  const taken = new Set(model.properties.map(property => property.identifier))
  for (const property of overlay!.added ?? []) if (!taken.has(property.identifier)) properties.push(property)
  return parseModel({ ...model, properties })
}

function withChange(property: Property, change: OverlayChange): unknown {
  const result: Record<string, unknown> = { ...property }
  const dataType: Record<string, unknown> = { ...(property.dataType as DataType & object) }
  for (const [field, value] of Object.entries(change)) {
    if (!FIELDS.has(field)) continue
    const target = OF_TYPE.has(field) ? dataType : result
    if (value === null || value === undefined) delete target[field]
    else target[field] = value
  }
  return { ...result, dataType }
}

export type OverlayResult =
  | { ok: true; overlay: ModelOverlay; model: ThingModel }
  | { ok: false; problems: ModelProblem[] }

/** Reads an overlay of a model from anything: canonical, without what changes nothing. Never throws. */
export function parseOverlay(model: ThingModel, value: unknown): OverlayResult {
  const problems: ModelProblem[] = []
  const input = isRecord(value) ? value : {}
  if (!isRecord(value)) problems.push({ path: '', code: 'not_object', params: {} })
  const known = new Map(model.properties.map(property => [property.identifier, property]))
  const changed: Record<string, OverlayChange> = {}
  const changes = input.changed ?? {}
  if (!isRecord(changes)) problems.push({ path: 'changed', code: 'not_object', params: {} })
  else if (Object.keys(changes).length > LIMITS.properties)
    problems.push({ path: 'changed', code: 'too_many', params: { max: LIMITS.properties } })
  else
    for (const [identifier, change] of Object.entries(changes)) {
      const path = `changed.${identifier.slice(0, 64)}`
      const property = known.get(identifier)
      if (!property) problems.push({ path, code: 'identifier_invalid', params: {} })
      else if (!isRecord(change)) problems.push({ path, code: 'not_object', params: {} })
      else {
        for (const field of Object.keys(change))
          if (!FIELDS.has(field))
            problems.push({
              path: `${path}.${field.slice(0, 64)}`,
              code: 'choice_unknown',
              params: { choices: OVERLAY_FIELDS.join(', ') },
            })
        const differing = differences(property, change)
        if (Object.keys(differing).length > 0) changed[identifier] = differing
      }
    }
  const added = input.added ?? []
  if (!Array.isArray(added)) problems.push({ path: 'added', code: 'not_array', params: {} })
  if (problems.length > 0 || !Array.isArray(added)) return { ok: false, problems: problems.slice(0, 100) }
  for (const [i, property] of added.entries())
    if (isRecord(property) && known.has(String(property.identifier)))
      problems.push({ path: `added[${i}].identifier`, code: 'identifier_duplicate', params: {} })
  if (problems.length > 0) return { ok: false, problems }
  const own = parseModel({ properties: added })
  if (!own.ok)
    return { ok: false, problems: own.problems.map(p => ({ ...p, path: p.path.replace(/^properties/, 'added') })) }
  const overlay: ModelOverlay = {
    ...(Object.keys(changed).length > 0 ? { changed } : {}),
    ...(own.model.properties.length > 0 ? { added: own.model.properties } : {}),
  }
  const applied = applyOverlay(model, overlay)
  if (applied.ok) return { ok: true, overlay, model: applied.model }
  // Paths count the whole model; people know their own lines.
  return {
    ok: false,
    problems: applied.problems.map(problem => ({ ...problem, path: overlayPath(model, problem.path) })),
  }
}

/** `properties[3].dataType.min` → `changed.temp.min` */
function overlayPath(model: ThingModel, path: string): string {
  const [, index, rest] = /^properties\[(\d+)\](.*)$/.exec(path) ?? []
  if (index === undefined) return path
  const property = model.properties[Number(index)]
  if (!property) return `added[${Number(index) - model.properties.length}]${rest}`
  return `changed.${property.identifier}${rest!.replace(/^\.dataType\.(min|max|step)$/, '.$1')}`
}

function differences(property: Property, change: Record<string, unknown>): OverlayChange {
  const differing: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(change)) {
    if (!FIELDS.has(field)) continue
    const from = OF_TYPE.has(field) ? property.dataType : property
    const now = (from as unknown as Record<string, unknown>)[field]
    if (canonical(now ?? null) !== canonical(value ?? null)) differing[field] = value ?? null
  }
  return differing
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
