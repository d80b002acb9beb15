import type { Param, Property, ThingEvent, ThingModel, ThingService } from '@thingwright/thing-model/model'

/** The three lists of a thing model. */
export type FeatureList = 'properties' | 'events' | 'services'
export type Feature = Property | ThingEvent | ThingService

export const FEATURE_LISTS = ['properties', 'events', 'services'] as const satisfies readonly FeatureList[]

const listOf = (model: ThingModel, list: FeatureList) => model[list] as Feature[]
const withList = (model: ThingModel, list: FeatureList, items: Feature[]): ThingModel => ({ ...model, [list]: items })

/** The item at `index` replaced, or added at the end when there is none. */
export function putFeature(model: ThingModel, list: FeatureList, index: number | null, item: Feature): ThingModel {
  const items = [...listOf(model, list)]
  if (index === null) items.push(item)
  else items[index] = item
  return withList(model, list, items)
}

export function removeFeature(model: ThingModel, list: FeatureList, index: number): ThingModel {
  return withList(
    model,
    list,
    listOf(model, list).filter((_, at) => at !== index),
  )
}

/** A copy right behind the original, under an identifier that is not taken. */
export function duplicateFeature(model: ThingModel, list: FeatureList, index: number): ThingModel {
  const items = [...listOf(model, list)]
  const original = items[index]
  if (!original) return model
  const identifier = freeIdentifier(
    items.map(item => item.identifier),
    original.identifier,
  )
  items.splice(index + 1, 0, { ...structuredClone(original), identifier })
  return withList(model, list, items)
}

/** The item moved up (-1) or down (1); at an end it stays. */
export function moveFeature(model: ThingModel, list: FeatureList, index: number, by: -1 | 1): ThingModel {
  const items = [...listOf(model, list)]
  const [item] = items.splice(index, 1)
  if (!item || index + by < 0 || index + by > items.length) return model
  items.splice(index + by, 0, item)
  return withList(model, list, items)
}

const MAX_IDENTIFIER = 64

/** The wanted identifier, or the first of `wanted2`, `wanted3` … that is free. */
export function freeIdentifier(taken: readonly string[], wanted: string): string {
  const used = new Set(taken)
  if (!used.has(wanted)) return wanted
  const stem = wanted.replace(/\d+$/, '') || wanted
  for (let n = 2; ; n++) {
    const candidate = `${stem.slice(0, MAX_IDENTIFIER - String(n).length)}${n}`
    if (!used.has(candidate)) return candidate
  }
}

/**
 * An identifier made from a name where its letters allow it (`Water level` → `waterLevel`), else from the fallback
 * word. Free among those taken.
 */
export function suggestIdentifier(name: string, fallback: string, taken: readonly string[]): string {
  const words = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .split(/[^A-Za-z0-9]+/)
    .filter(word => word !== '')
  const camel = words
    .map((word, at) =>
      at === 0 ? word.charAt(0).toLowerCase() + word.slice(1) : word.charAt(0).toUpperCase() + word.slice(1),
    )
    .join('')
    .replace(/^(?=\d)/, '_')
    .slice(0, MAX_IDENTIFIER)
  const reserved = ['ts', 'values', 'constructor', 'prototype']
  return freeIdentifier([...taken, ...reserved], camel === '' ? fallback : camel)
}

/** The feature list and index that a problem of the model points at: `properties[3].dataType.min`. */
export function featureOfPath(path: string): { list: FeatureList; index: number; rest: string } | null {
  const found = /^(properties|events|services)\[(\d+)\]\.?(.*)$/.exec(path)
  return found ? { list: found[1] as FeatureList, index: Number(found[2]), rest: found[3]! } : null
}

export const emptyEvent = (): ThingEvent => ({ identifier: '', name: '', level: 'info', params: [] as Param[] })
export const emptyService = (): ThingService => ({ identifier: '', name: '', input: [], output: [] })
