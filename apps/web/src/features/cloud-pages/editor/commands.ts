import type { Scene } from '@thingwright/scene'
import {
  type Alignment,
  aligned,
  changed,
  distributed,
  duplicated,
  grouped,
  moved,
  type Order,
  removed,
  reordered,
  topOf,
  ungrouped,
  unlocked,
} from './document.ts'
import type { IconName } from './icons.tsx'
import type { EditorState, EditorStore } from './store.ts'

export interface Command {
  /** As people press it. */
  key?: string
  able(state: EditorState): boolean
  run(store: EditorStore): void
}

export type CommandName = IconName

const some = ({ selected }: EditorState) => selected.size > 0
const several =
  (least: number) =>
  ({ selected }: EditorState) =>
    selected.size >= least

const on = (
  able: Command['able'],
  key: string | undefined,
  act: (scene: Scene, ids: ReadonlySet<string>) => Scene,
): Command => ({
  ...(key ? { key } : {}),
  able,
  run(store) {
    const state = store.getState()
    if (able(state)) state.change(act(state.scene, state.selected))
  },
})
/** The same for what changes the place of elements or takes them away: locked ones stay. */
const onFree = (able: (free: number) => boolean, key: string | undefined, act: Parameters<typeof on>[2]): Command =>
  on(
    ({ scene, selected }) => able(unlocked(scene, selected).size),
    key,
    (scene, ids) => act(scene, unlocked(scene, ids)),
  )
const any = (free: number) => free > 0
const align = (how: Alignment) => onFree(any, undefined, (scene, ids) => aligned(scene, ids, how))
const order = (how: Order, key: string) => on(some, key, (scene, ids) => reordered(scene, ids, how))

export const COMMANDS: Record<CommandName, Command> = {
  undo: { key: 'Ctrl+Z', able: ({ past }) => past.length > 0, run: store => store.getState().undo() },
  redo: { key: 'Ctrl+Y', able: ({ future }) => future.length > 0, run: store => store.getState().redo() },
  left: align('left'),
  centre: align('centre'),
  right: align('right'),
  top: align('top'),
  middle: align('middle'),
  bottom: align('bottom'),
  spreadX: onFree(
    free => free >= 3,
    undefined,
    (scene, ids) => distributed(scene, ids, 'x'),
  ),
  spreadY: onFree(
    free => free >= 3,
    undefined,
    (scene, ids) => distributed(scene, ids, 'y'),
  ),
  group: {
    key: 'Ctrl+G',
    able: several(2),
    run(store) {
      const { scene, selected, change } = store.getState()
      if (selected.size < 2) return
      const { scene: next, id } = grouped(scene, selected, '')
      change(next, new Set([id]))
    },
  },
  ungroup: {
    key: 'Ctrl+Shift+G',
    able: ({ scene, selected }) => scene.nodes.some(node => selected.has(node.id) && node.kind === 'group'),
    run(store) {
      const { scene, selected, change } = store.getState()
      const { scene: next, ids } = ungrouped(scene, selected)
      if (ids.size > 0) change(next, ids)
    },
  },
  front: order('front', 'Ctrl+Shift+]'),
  forward: order('forward', 'Ctrl+]'),
  backward: order('backward', 'Ctrl+['),
  back: order('back', 'Ctrl+Shift+['),
  copy: {
    key: 'Ctrl+D',
    able: some,
    run(store) {
      const { scene, selected, change } = store.getState()
      if (selected.size === 0) return
      const { scene: next, ids } = duplicated(scene, selected)
      change(next, ids)
    },
  },
  // Takes the looks of the one that is chosen; the next time it gives them to those that are.
  painter: {
    able: ({ selected, format }) => (format ? selected.size > 0 : selected.size === 1),
    run(store) {
      const { scene, selected, format, change } = store.getState()
      const first = scene.nodes.find(({ id }) => selected.has(id))
      if (!format) {
        if (first) store.setState({ format: { props: first.props } })
        return
      }
      const looks = Object.fromEntries(Object.entries(format.props).filter(([key]) => LOOKS.has(key)))
      change(changed(scene, selected, ({ props }) => ({ props: { ...props, ...looks } })))
      store.setState({ format: null })
    },
  },
  remove: onFree(any, 'Del', removed),
  grid: {
    able: () => true,
    run(store) {
      const { scene, change } = store.getState()
      change({ ...scene, grid: { ...scene.grid, shown: !scene.grid.shown } })
    },
  },
  selectAll: {
    key: 'Ctrl+A',
    able: ({ scene }) => scene.nodes.length > 0,
    run(store) {
      const { scene, entered, select } = store.getState()
      select(
        new Set(
          scene.nodes.filter(({ locked, hidden }) => !locked && !hidden).map(({ id }) => topOf(scene, id, entered)),
        ),
      )
    },
  },
  lock: on(some, 'Ctrl+L', (scene, ids) => changed(scene, ids, ({ locked }) => ({ locked: !locked }))),
  hide: on(some, 'Ctrl+H', (scene, ids) => changed(scene, ids, ({ hidden }) => ({ hidden: !hidden }))),
}

/** Properties that are looks and no content. */
const LOOKS = new Set([
  'style',
  'fill',
  'stroke',
  'thickness',
  'ink',
  'size',
  'bold',
  'align',
  'digits',
  'unit',
  'min',
  'max',
  'low',
  'high',
  'onColour',
  'offColour',
  'fluid',
  'radius',
])

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Does what a key says. @returns whether it said anything */
export function pressed(
  store: EditorStore,
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey'>,
): boolean {
  const ctrl = event.ctrlKey || event.metaKey
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  const run = (name: CommandName) => {
    COMMANDS[name].run(store)
    return true
  }
  if (!ctrl) {
    if (key === 'Delete' || key === 'Backspace') return run('remove')
    if (key === 'Escape') {
      const { entered } = store.getState()
      store.setState({ selected: new Set(entered ? [entered] : []), entered: null, format: null })
      return true
    }
    const arrow = ARROWS[key]
    if (!arrow) return false
    const { scene, selected, change } = store.getState()
    const by = event.shiftKey ? 10 : 1
    const free = unlocked(scene, selected)
    if (free.size > 0) change(moved(scene, free, arrow[0] * by, arrow[1] * by))
    return selected.size > 0
  }
  switch (key) {
    case 'z':
      return run(event.shiftKey ? 'redo' : 'undo')
    case 'y':
      return run('redo')
    case 'a':
      return run('selectAll')
    case 'd':
      return run('copy')
    case 'g':
      return run(event.shiftKey ? 'ungroup' : 'group')
    case 'l':
      return run('lock')
    case 'h':
      return run('hide')
    case ']':
    case '}':
      return run(event.shiftKey ? 'front' : 'forward')
    case '[':
    case '{':
      return run(event.shiftKey ? 'back' : 'backward')
    default:
      return false
  }
}
