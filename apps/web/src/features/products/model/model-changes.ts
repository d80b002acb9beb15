import { diffModels, emptyModel, type ModelChange, type ThingModel } from '@thingwright/thing-model'

const LIST = { property: 'properties', event: 'events', service: 'services' } as const

export interface ModelChanges {
  changes: ModelChange[]
  breaking: number
  /** `properties/temperature` → what happened to it. */
  marks: Map<string, 'added' | 'changed'>
}

/** What the draft would change for devices; a model never published has nothing to differ from. */
export function changesAgainst(published: ThingModel | null, draft: ThingModel): ModelChanges {
  const { added, removed, changed } = diffModels(published ?? emptyModel(), draft)
  const changes = [...removed, ...changed, ...added]
  const marks = new Map<string, 'added' | 'changed'>()
  if (published)
    for (const change of [...added, ...changed])
      marks.set(`${LIST[change.kind]}/${change.identifier}`, change.change === 'added' ? 'added' : 'changed')
  return { changes, breaking: changes.filter(change => change.breaking.length > 0).length, marks }
}
