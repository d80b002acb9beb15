import { expect, it } from 'vitest'
import { changesOf } from './changes.ts'
import { newNode } from './scene.ts'

it('names elements that are new, gone and different', () => {
  const [a, b, c] = ['a', 'b', 'c'].map(id => newNode(id, 'rect'))
  const other = { ...b!, x: 5 }
  const ids = (nodes: { id: string }[]) => nodes.map(({ id }) => id)
  const found = changesOf({ nodes: [a!, b!] }, { nodes: [c!, other] })
  expect([ids(found.added), ids(found.removed), found.changed]).toEqual([['c'], ['a'], [other]])
  expect(changesOf(null, { nodes: [a!] }).added).toEqual([a])
  expect(changesOf({ nodes: [a!, b!] }, { nodes: [b!, { ...a! }] })).toEqual({ added: [], removed: [], changed: [] })
})
