import { emptyScene, type Scene, type SceneRole } from '../scene.ts'
import { coldChain } from './cold-chain.ts'
import { Draft } from './draft.ts'
import { energy } from './energy.ts'
import { factoryLine } from './factory-line.ts'
import { greenhouse } from './greenhouse.ts'
import { pageOfProduct, type ShownProperty } from './of-product.ts'
import { pumpStation } from './pump-station.ts'
import words from './words.json' with { type: 'json' }

/** Pages to begin with: their roles have no devices yet, their words come in the language of who makes one. */
export const TEMPLATES = ['pump-station', 'greenhouse', 'energy', 'cold-chain', 'factory-line'] as const
export type TemplateName = (typeof TEMPLATES)[number]

const DRAWN: Record<TemplateName, (draft: Draft) => SceneRole[]> = {
  'pump-station': pumpStation,
  greenhouse,
  energy,
  'cold-chain': coldChain,
  'factory-line': factoryLine,
}

function sayIn(language: 'zh' | 'en'): (key: string) => string {
  return key => {
    const [group = '', name] = key.split('.')
    const found = (words[language] as Record<string, string | Record<string, string>>)[group]
    const text = name === undefined ? found : (found as Record<string, string> | undefined)?.[name]
    if (typeof text !== 'string') throw new Error(`a template has no word ${key}`)
    return text
  }
}

/** A page of a template. @param language of its words @param title stands at its top; what it is when absent */
export function fromTemplate(name: TemplateName, language: 'zh' | 'en', title?: string): Scene {
  const draft = new Draft(sayIn(language))
  const roles = DRAWN[name](draft)
  const nodes = draft.nodes.map(node =>
    node.kind === 'header' && title ? { ...node, props: { ...node.props, label: title } } : node,
  )
  return { ...emptyScene('canvas'), roles, nodes }
}

/** A first page for the devices of a product. @param language of its words @param devices ids, the first is shown at first */
export function fromProduct(
  product: { id: string; name: string; properties: readonly ShownProperty[] },
  devices: readonly string[],
  language: 'zh' | 'en',
): Scene {
  return pageOfProduct(new Draft(sayIn(language)), product, devices)
}

export type { ShownProperty }
