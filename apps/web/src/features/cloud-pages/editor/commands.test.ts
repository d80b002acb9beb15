import { emptyScene, newNode, type SceneNode } from '@thingwright/scene'
import { expect, it } from 'vitest'
import { COMMANDS, pressed } from './commands.ts'
import { createEditorStore } from './store.ts'

const rect = (id: string, over: Partial<SceneNode> = {}) =>
  newNode(id, 'rect', { x: 100, y: 100, w: 50, h: 50, ...over })
const open = (...nodes: SceneNode[]) => createEditorStore({ ...emptyScene('canvas'), nodes })
const key = (name: string, over: { ctrlKey?: boolean; shiftKey?: boolean } = {}) => ({
  ...{ key: name, ctrlKey: false, metaKey: false, shiftKey: false },
  ...over,
})
const places = (store: ReturnType<typeof open>) => store.getState().scene.nodes.map(({ id, x, y }) => [id, x, y])

it('moves with the arrows by 1, with Shift by 10, and goes back step by step', () => {
  const store = open(rect('a'))
  expect(pressed(store, key('ArrowRight'))).toBe(false)
  store.getState().select(['a'])
  expect(pressed(store, key('ArrowRight'))).toBe(true)
  pressed(store, key('ArrowUp', { shiftKey: true }))
  expect(places(store)).toEqual([['a', 101, 90]])
  pressed(store, key('z', { ctrlKey: true }))
  expect(places(store)).toEqual([['a', 101, 100]])
  pressed(store, key('Z', { ctrlKey: true, shiftKey: true }))
  expect(places(store)).toEqual([['a', 101, 90]])
})

it('leaves locked elements where they are, however they were chosen', () => {
  const store = open(rect('a', { locked: true }), rect('b', { x: 300 }))
  store.getState().select(['a', 'b'])
  pressed(store, key('ArrowLeft'))
  COMMANDS.left.run(store)
  expect(places(store)).toEqual([
    ['a', 100, 100],
    ['b', 0, 100],
  ])
  pressed(store, key('Delete'))
  expect(places(store)).toEqual([['a', 100, 100]])
  store.getState().select(['a'])
  expect(COMMANDS.remove.able(store.getState())).toBe(false)
  expect(pressed(store, key('ArrowLeft'))).toBe(true)
  expect(places(store)).toEqual([['a', 100, 100]])
  COMMANDS.lock.run(store)
  pressed(store, key('ArrowLeft'))
  expect(places(store)).toEqual([['a', 99, 100]])
})

it('groups, enters and leaves with the keys that people know', () => {
  const store = open(rect('a'), rect('b'))
  pressed(store, key('a', { ctrlKey: true }))
  pressed(store, key('g', { ctrlKey: true }))
  const [group] = store.getState().scene.nodes.filter(({ kind }) => kind === 'group')
  expect([...store.getState().selected]).toEqual([group!.id])
  store.setState({ entered: group!.id, selected: new Set(['a']) })
  pressed(store, key('Escape'))
  expect([...store.getState().selected]).toEqual([group!.id])
  pressed(store, key('G', { ctrlKey: true, shiftKey: true }))
  expect(store.getState().scene.nodes.map(({ group: of }) => of)).toEqual([null, null])
  pressed(store, key('d', { ctrlKey: true }))
  expect(store.getState().scene.nodes).toHaveLength(4)
})
