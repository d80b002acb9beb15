import type { ElementKind, lookOf, Scalar, SceneNode } from '@thingwright/scene'

/** What the view of an element is given. */
export interface ViewProps {
  node: SceneNode
  kind: ElementKind
  /** Its properties with the values that are bound to them. */
  shown: Readonly<Record<string, Scalar>>
  look: ReturnType<typeof lookOf>
}
