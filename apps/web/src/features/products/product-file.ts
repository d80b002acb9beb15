import type { ProductDetail } from '@thingwright/contracts/products.contract'
import { type ModelProblem, parseModel, type ThingModel } from '@thingwright/thing-model'

/** A product written to a file, to be taken in elsewhere. */
export interface ProductFile {
  thingwright: 'product'
  name: string
  description: string
  category: string
  icon: string
  linkType: string
  nodeType: string
  offlineDelaySeconds: number
  thingModel: ThingModel
}

export function productFile(product: ProductDetail, model: ThingModel): ProductFile {
  const { name, description, category, icon, linkType, nodeType, offlineDelaySeconds } = product
  return {
    thingwright: 'product',
    name,
    description,
    category,
    icon,
    linkType,
    nodeType,
    offlineDelaySeconds,
    thingModel: model,
  }
}

export type ReadModelFile =
  | { ok: true; model: ThingModel; product: Partial<ProductFile> }
  | { ok: false; problems: ModelProblem[] }
  | { ok: false; problems: 'json' }

/**
 * Reads a file with a product, a thing model, or a thing model in Alibaba Cloud's form (TSL). The model is checked;
 * whatever else the file says is taken where it is of the right kind.
 */
export function readModelFile(text: string): ReadModelFile {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return { ok: false, problems: 'json' }
  }
  const input = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const source = isTsl(input) ? fromTsl(input) : (input.thingModel ?? value)
  const parsed = parseModel(source)
  if (!parsed.ok) return { ok: false, problems: parsed.problems }
  const product: Partial<ProductFile> = {}
  for (const key of ['name', 'description', 'category', 'icon', 'linkType', 'nodeType'] as const)
    if (typeof input[key] === 'string') product[key] = input[key]
  if (typeof input.offlineDelaySeconds === 'number') product.offlineDelaySeconds = input.offlineDelaySeconds
  return { ok: true, model: parsed.model, product }
}

type Loose = Record<string, unknown>
const list = (value: unknown): Loose[] => (Array.isArray(value) ? (value as Loose[]) : [])

/** Alibaba's form: data types with `specs`, access as `accessMode`, services with `callType`. */
function isTsl(input: Loose): boolean {
  const looksSo = (item: Loose) => {
    const type = item.dataType as Loose | undefined
    return 'accessMode' in item || 'callType' in item || 'outputData' in item || (type !== undefined && 'specs' in type)
  }
  return [...list(input.properties), ...list(input.events), ...list(input.services)].some(looksSo)
}

/** Alibaba's standard entries for getting and setting properties are not services of their own. */
const BUILT_IN = new Set(['get', 'set', 'post'])

function fromTsl(input: Loose): unknown {
  return {
    properties: list(input.properties).map(item => ({
      ...tslParam(item),
      access: item.accessMode === 'rw' ? 'rw' : item.accessMode === 'w' ? 'w' : 'r',
      required: item.required === true,
    })),
    events: list(input.events)
      .filter(item => !BUILT_IN.has(String(item.identifier)))
      .map(item => ({
        identifier: item.identifier,
        name: item.name,
        description: item.desc,
        level: item.type === 'error' ? 'error' : item.type === 'alert' ? 'warning' : 'info',
        params: list(item.outputData).map(tslParam),
      })),
    services: list(input.services)
      .filter(item => !BUILT_IN.has(String(item.identifier)))
      .map(item => ({
        identifier: item.identifier,
        name: item.name,
        description: item.desc,
        async: item.callType === 'async',
        input: list(item.inputData).map(tslParam),
        output: list(item.outputData).map(tslParam),
      })),
  }
}

function tslParam(item: Loose): Loose {
  const type = (item.dataType ?? {}) as Loose
  const specs = (type.specs ?? {}) as Loose
  const unit = typeof specs.unit === 'string' && specs.unit !== '' ? { unit: specs.unit } : {}
  return { identifier: item.identifier, name: item.name, description: item.desc, dataType: tslType(type), ...unit }
}

function tslType(type: Loose): unknown {
  const specs = (type.specs ?? {}) as Loose
  const number = (value: unknown) => (value === undefined || value === '' ? undefined : Number(value))
  switch (type.type) {
    case 'int':
      return { type: 'int32', min: number(specs.min), max: number(specs.max), step: number(specs.step) }
    case 'float':
    case 'double':
      return { type: type.type, min: number(specs.min), max: number(specs.max), step: number(specs.step) }
    case 'text':
      return { type: 'string', maxLength: Math.min(10_240, number(specs.length) ?? 10_240) }
    case 'bool':
      return { type: 'bool', falseText: specs['0'], trueText: specs['1'] }
    case 'enum':
      return {
        type: 'enum',
        items: Object.entries(specs).map(([value, name]) => ({ value: Number(value), name: String(name) })),
      }
    case 'date':
      return { type: 'date' }
    case 'array':
      return { type: 'array', maxItems: number(specs.size), element: tslType((specs.item ?? {}) as Loose) }
    case 'struct':
      return { type: 'struct', fields: list(type.specs).map(tslParam) }
    default:
      return { type: type.type }
  }
}
