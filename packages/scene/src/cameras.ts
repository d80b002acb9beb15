import { changeTexts } from './materials.ts'
import type { Scene, SceneNode } from './scene.ts'

/** The id of a camera that is all of a text, or is in quotes as in an expression. */
const ID = /(^|["'])([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=$|["'])/gi

/** The property of an element that names a camera. */
const PROP = 'channel'

/** Ids of the cameras that the elements of documents show, each once. */
export function cameraIdsIn(scenes: readonly Scene[]): string[] {
  const ids = new Set<string>()
  for (const scene of scenes)
    withCameras(scene, id => {
      ids.add(id)
      return id
    })
  return [...ids]
}

/**
 * The document with other cameras. Where there is none the element shows none.
 * @param other id of the camera in the place of the one with this id; undefined: there is none
 */
export function withCameras(scene: Scene, other: (id: string) => string | undefined): Scene {
  const change = (text: string) =>
    text.replace(ID, (_all, before: string, id: string) => `${before}${other(id.toLowerCase()) ?? ''}`)
  const changed = (node: SceneNode): SceneNode => ({
    ...node,
    props: PROP in node.props ? { ...node.props, [PROP]: changeTexts(node.props[PROP]!, change) } : node.props,
    bind: node.bind.map(each => (each.prop === PROP ? changeTexts(each, change) : each)),
  })
  return { ...scene, nodes: scene.nodes.map(node => (node.kind === 'camera' ? changed(node) : node)) }
}
