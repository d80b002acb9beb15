import type { Scene, SceneNode } from './scene.ts'

/** The address of a material of an installation in a text: alone, or in quotes as in an expression. */
const ADDRESS = /(^|["'(\s])\/media\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})([^\s"'()<>]*)/gi

/** Ids of the materials whose addresses are anywhere in a document, each once. */
export function materialIdsIn(document: unknown): string[] {
  const ids = new Set<string>()
  changeTexts(document, text => {
    for (const [, , id] of text.matchAll(ADDRESS)) ids.add(id!.toLowerCase())
    return text
  })
  return [...ids]
}

/**
 * The document with the addresses of other materials. An address without one is taken out: what showed it shows nothing,
 * and what went to it when it was clicked does so no more.
 * @param other id of the material in the place of the one with this id; undefined: there is none
 */
export function withMaterials(scene: Scene, other: (id: string) => string | undefined): Scene {
  const change = (text: string) =>
    text.replace(ADDRESS, (_address, before: string, id: string, rest: string) => {
      const found = other(id.toLowerCase())
      return found === undefined ? before : `${before}/media/${found}${rest}`
    })
  const changed = (node: SceneNode): SceneNode => {
    const moved = changeTexts(node, change)
    return { ...moved, events: moved.events.filter(({ do: deed, url }) => deed !== 'url' || url !== '') }
  }
  return { ...scene, nodes: scene.nodes.map(changed) }
}

/** A value of JSON with each text in it changed. */
export function changeTexts<T>(value: T, change: (text: string) => string): T {
  const of = (each: unknown): unknown => {
    if (typeof each === 'string') return change(each)
    if (Array.isArray(each)) return each.map(of)
    if (typeof each !== 'object' || each === null) return each
    return Object.fromEntries(Object.entries(each).map(([key, inner]) => [key, of(inner)]))
  }
  return of(value) as T
}
