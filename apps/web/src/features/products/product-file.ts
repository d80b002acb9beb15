import { fromTsl, isTsl, type ModelProblem, parseModel, type ThingModel } from '@thingwright/thing-model'

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
  const source = isTsl(input) ? fromTsl(input).model : (input.thingModel ?? value)
  const parsed = parseModel(source)
  if (!parsed.ok) return { ok: false, problems: parsed.problems }
  const product: Partial<ProductFile> = {}
  for (const key of ['name', 'description', 'category', 'icon', 'linkType', 'nodeType'] as const)
    if (typeof input[key] === 'string') product[key] = input[key]
  if (typeof input.offlineDelaySeconds === 'number') product.offlineDelaySeconds = input.offlineDelaySeconds
  return { ok: true, model: parsed.model, product }
}
