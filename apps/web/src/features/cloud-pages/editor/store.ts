import type { Scene, SceneNode } from '@thingwright/scene'
import { create, type StoreApi, type UseBoundStore } from 'zustand'
import type { Shift } from './use-shift.ts'

/** A document that is being edited. Changes that are under way are a preview; when they end they are one step back. */
export interface EditorState {
  scene: Scene
  preview: Scene | null
  /** What the preview does, when it only puts elements elsewhere. */
  shift: Shift | null
  past: readonly Scene[]
  future: readonly Scene[]
  selected: ReadonlySet<string>
  /** The group whose inside is worked on. */
  entered: string | null
  zoom: number
  pan: { x: number; y: number }
  /** What was copied as a format. */
  format: Pick<SceneNode, 'props'> | null
  change(scene: Scene, selected?: ReadonlySet<string>): void
  show(scene: Scene | null, shift?: Shift): void
  undo(): void
  redo(): void
  select(ids: Iterable<string>): void
  /** Everything anew: another version of the document. */
  replace(scene: Scene): void
}

export type EditorStore = UseBoundStore<StoreApi<EditorState>>

const NONE: ReadonlySet<string> = new Set()

export function createEditorStore(scene: Scene): EditorStore {
  const there = (now: Scene, ids: ReadonlySet<string>) => {
    const known = new Set(now.nodes.map(({ id }) => id))
    return new Set([...ids].filter(id => known.has(id)))
  }
  return create<EditorState>((set, get) => ({
    scene,
    preview: null,
    shift: null,
    past: [],
    future: [],
    selected: NONE,
    entered: null,
    zoom: 1,
    pan: { x: 0, y: 0 },
    format: null,
    change(next, selected) {
      const { scene: before, past } = get()
      if (next === before) return set({ preview: null, ...(selected ? { selected } : {}) })
      set({
        scene: next,
        preview: null,
        past: [...past, before],
        future: [],
        selected: there(next, selected ?? get().selected),
      })
    },
    show: (preview, shift) => set({ preview, shift: shift ?? null }),
    undo() {
      const { past, scene: now, future, selected } = get()
      const before = past.at(-1)
      if (before)
        set({
          scene: before,
          past: past.slice(0, -1),
          future: [now, ...future],
          preview: null,
          selected: there(before, selected),
        })
    },
    redo() {
      const { past, scene: now, future, selected } = get()
      const [next, ...rest] = future
      if (next) set({ scene: next, past: [...past, now], future: rest, preview: null, selected: there(next, selected) })
    },
    select: ids => set({ selected: new Set(ids) }),
    replace: next => set({ scene: next, preview: null, past: [], future: [], selected: NONE, entered: null }),
  }))
}
