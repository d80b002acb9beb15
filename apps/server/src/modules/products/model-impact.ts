import type { FeatureUse, ModelChangeView } from '@thingwright/contracts/thing-models.contract'
import type { FeatureKind, ThingModel } from '@thingwright/thing-model'
import { diffModels } from '@thingwright/thing-model'
import type { TenantScope } from '../../lib/database/database.ts'

/** A part of a model that is about to change. */
export interface ChangedFeature {
  of: FeatureKind
  identifier: string
}

/**
 * Says what relies on parts of a product's model. One for every kind of thing that does; the app hands them to the products
 * module, so that it need not know its users. Of whole companies: what a person may not see can break too, so examples
 * are given only of what the scope shows.
 */
export type ProductUsage = (
  scope: TenantScope,
  product: { id: string; num: number; format: Record<string, unknown> },
  features: readonly ChangedFeature[],
) => Promise<FeatureUse[]>

/** Examples of one kind of use shown. */
export const USE_EXAMPLES = 5

/** The changes that lead from one model to another, each with what stood there and what will. */
export function changesBetween(from: ThingModel, to: ThingModel): ModelChangeView[] {
  const { added, removed, changed } = diffModels(from, to)
  const before = featuresOf(from)
  const after = featuresOf(to)
  return [...removed, ...changed, ...added].map(item => {
    const key = `${item.kind} ${item.identifier}`
    const was = before.get(key)
    const becomes = after.get(key)
    return {
      kind: item.change,
      of: item.kind,
      identifier: item.identifier,
      breaking: item.breaking.length > 0,
      detail: { attributes: item.attributes, breaking: item.breaking },
      ...(was ? { before: { ...was } } : {}),
      ...(becomes ? { after: { ...becomes } } : {}),
    }
  })
}

function featuresOf(model: ThingModel): ReadonlyMap<string, object> {
  return new Map<string, object>([
    ...model.properties.map(item => [`property ${item.identifier}`, item] as const),
    ...model.events.map(item => [`event ${item.identifier}`, item] as const),
    ...model.services.map(item => [`service ${item.identifier}`, item] as const),
  ])
}

/** Fields of the product's own format that name a feature, and scripts that do. */
export const formatUsage: ProductUsage = async (_scope, { format }, features) => {
  const words = new Map<string, number>()
  collectWords(format, words)
  return features.flatMap(({ of, identifier }) => {
    const count = words.get(identifier) ?? 0
    return count === 0 ? [] : [{ kind: 'format', of, identifier, count, examples: [] }]
  })
}

const MOST_WORDS = 100_000

/** Every name in a format: whole texts, and the words of scripts. Keys count too: a mapping may be written either way. */
export function collectWords(value: unknown, words: Map<string, number>): void {
  if (words.size > MOST_WORDS) return
  if (typeof value === 'string') {
    for (const word of value.match(/[A-Za-z_][A-Za-z0-9_]{0,63}/g) ?? []) words.set(word, (words.get(word) ?? 0) + 1)
  } else if (Array.isArray(value)) for (const item of value) collectWords(item, words)
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) {
      if (key === 'samples') continue
      words.set(key, (words.get(key) ?? 0) + 1)
      collectWords(item, words)
    }
}
