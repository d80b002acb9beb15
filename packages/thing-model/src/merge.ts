import type { ThingModel } from './model.ts'

/** `merge`: what comes replaces what has the same identifier, and everything else stays. */
export type MergeMode = 'merge' | 'replace'

/** A model into which another one was taken. Order: what was there, then what is new. */
export function mergeModels(into: ThingModel, from: ThingModel, mode: MergeMode): ThingModel {
  if (mode === 'replace') return from
  return {
    properties: merged(into.properties, from.properties),
    events: merged(into.events, from.events),
    services: merged(into.services, from.services),
  }
}

function merged<T extends { identifier: string }>(into: readonly T[], from: readonly T[]): T[] {
  const coming = new Map(from.map(item => [item.identifier, item]))
  const known = new Set(into.map(item => item.identifier))
  return [...into.map(item => coming.get(item.identifier) ?? item), ...from.filter(item => !known.has(item.identifier))]
}
