import { emptyScene, kindOf, newNode, type Scene } from '@thingwright/scene'
import { describe, expect, it } from 'vitest'
import {
  added,
  aligned,
  boundsOf,
  copiesOf,
  distributed,
  drawnOf,
  duplicated,
  grouped,
  moved,
  placed,
  placeOf,
  removed,
  reordered,
  scaled,
  snapped,
  topOf,
  ungrouped,
} from './document.ts'

const page = (...nodes: [id: string, x: number, y: number, w?: number, h?: number][]): Scene => ({
  ...emptyScene('canvas'),
  nodes: nodes.map(([id, x, y, w = 10, h = 10]) => newNode(id, 'rect', { x, y, w, h })),
})
const set = (...ids: string[]) => new Set(ids)
const places = (scene: Scene) => Object.fromEntries(scene.nodes.map(({ id, x, y }) => [id, [x, y]]))

describe('elements of a page', () => {
  it('are lined up with each other, and one alone with the page', () => {
    const scene = page(['a', 0, 0], ['b', 50, 20, 30], ['c', 20, 90])
    expect(places(aligned(scene, set('a', 'b', 'c'), 'right'))).toEqual({ a: [70, 0], b: [50, 20], c: [70, 90] })
    expect(places(aligned(scene, set('a', 'b'), 'middle'))).toMatchObject({ a: [0, 10], b: [50, 10] })
    expect(places(aligned(scene, set('a'), 'centre'))).toMatchObject({ a: [955, 0] })
  })

  it('get the same gap, and with two nothing', () => {
    const scene = page(['a', 0, 0], ['b', 15, 0], ['c', 90, 0])
    expect(places(distributed(scene, set('a', 'b', 'c'), 'x'))).toEqual({ a: [0, 0], b: [45, 0], c: [90, 0] })
    expect(distributed(scene, set('a', 'b'), 'x')).toBe(scene)
  })

  it('lie over and under each other', () => {
    const scene = page(['a', 0, 0], ['b', 0, 0], ['c', 0, 0])
    const order = (how: 'front' | 'forward' | 'backward' | 'back', id: string) =>
      reordered(scene, set(id), how)
        .nodes.map(node => node.id)
        .join('')
    expect([
      order('front', 'a'),
      order('back', 'c'),
      order('forward', 'a'),
      order('backward', 'c'),
      order('forward', 'c'),
    ]).toEqual(['bca', 'cab', 'bac', 'acb', 'abc'])
  })

  it('are one group that moves, is scaled, copied and taken apart as a whole', () => {
    const { scene, id } = grouped(page(['a', 0, 0], ['b', 20, 0], ['c', 99, 99]), set('a', 'b'), 'Group')
    expect(scene.nodes.map(node => node.id)).toEqual([id, 'a', 'b', 'c'])
    expect(topOf(scene, 'a', null)).toBe(id)
    expect(topOf(scene, 'a', id)).toBe('a')
    expect(places(moved(scene, set(id), 5, 5))).toMatchObject({ a: [5, 5], b: [25, 5], c: [99, 99] })
    const bigger = scaled(scene, set(id), boundsOf(drawnOf(scene, set(id))), { x: 0, y: 0, w: 60, h: 20 })
    expect(bigger.nodes.find(node => node.id === 'b')).toMatchObject({ x: 40, w: 20, h: 20 })
    const copy = duplicated(scene, set(id))
    expect(copy.ids.size).toBe(1)
    expect(copy.scene.nodes).toHaveLength(7)
    const inner = copy.scene.nodes.filter(node => node.group === [...copy.ids][0])
    expect(inner).toHaveLength(2)
    const apart = ungrouped(scene, set(id))
    expect(apart.scene.nodes.map(node => [node.id, node.group])).toEqual([
      ['a', null],
      ['b', null],
      ['c', null],
    ])
    expect(removed(scene, set(id)).nodes.map(node => node.id)).toEqual(['c'])
  })

  it('have their edges and sizes set by numbers, groups with what is in them', () => {
    const { scene, id } = grouped(page(['a', 10, 10], ['b', 90, 30, 20]), set('a', 'b'), 'G')
    const group = () => scene.nodes.find(node => node.id === id)!
    expect(placeOf(scene, group())).toEqual({ x: 10, y: 10, w: 100, h: 30 })
    const aside = placed(scene, set(id), 'x', 60)
    expect(places(aside)).toMatchObject({ a: [60, 10], b: [140, 30] })
    const wide = placed(scene, set(id), 'w', 200)
    expect(wide.nodes.map(({ id, x, w }) => [id, x, w])).toEqual([
      [id, 10, 200],
      ['a', 10, 20],
      ['b', 170, 40],
    ])
    const both = placed(scene, set(id, 'a'), 'y', 0)
    expect(places(both)).toMatchObject({ a: [10, 0], b: [90, 20] })
  })

  it('copied from another page keep no group that is not there', () => {
    const { scene, ids } = copiesOf(page(['a', 0, 0]), [newNode('a', 'rect', { group: 'gone' })], 0, 0)
    expect(scene.nodes.find(node => ids.has(node.id))).toMatchObject({ group: null })
    expect(new Set(scene.nodes.map(node => node.id)).size).toBe(2)
  })

  it('show what was copied with them, and nothing that is gone', () => {
    const button = newNode('b', 'button', { events: [{ on: 'click', do: 'dialog', node: 'a' }] })
    const scene = { ...page(['a', 0, 0]), nodes: [...page(['a', 0, 0]).nodes, button] }
    const both = duplicated(scene, set('a', 'b')).scene.nodes
    expect(both[3]!.events).toEqual([{ on: 'click', do: 'dialog', node: both[2]!.id }])
    expect(duplicated(scene, set('b')).scene.nodes.at(-1)!.events).toEqual(button.events)
    expect(copiesOf(page(), [button], 0, 0).scene.nodes[0]!.events).toEqual([])
    expect(removed(scene, set('a')).nodes).toEqual([{ ...button, events: [] }])
  })

  it('snap to edges and middles of others before they snap to the grid', () => {
    const scene = page(['a', 100, 100, 40, 40], ['m', 0, 0])
    const near = snapped(scene, set('m'), { x: 103, y: 57, w: 10, h: 10 }, 6)
    expect(near).toMatchObject({ dx: -3, dy: 3, lines: [{ axis: 'x', at: 100 }] })
    expect(snapped(scene, set('m'), { x: 147, y: 57, w: 10, h: 10 }, 2)).toMatchObject({ dx: 3, dy: 3, lines: [] })
    const free = { ...scene, grid: { ...scene.grid, snap: false } }
    expect(snapped(free, set('m'), { x: 147, y: 57, w: 10, h: 10 }, 2)).toEqual({ dx: 0, dy: 0, lines: [] })
  })

  it('begin with what their kind says', () => {
    const { scene, id } = added(emptyScene('canvas'), kindOf('tank-upright')!, 500, 500, 'Tank')
    expect(scene.nodes.find(node => node.id === id)).toMatchObject({
      kind: 'tank-upright',
      x: 436,
      y: 400,
      props: { min: 0, max: 100 },
    })
  })
})
