import { describe, expect, it } from 'vitest'
import { groupTree, placeAmong, type TreeNode } from './groups.tree.ts'

const node = (id: string, parentId: string | null = null, position = 0, name = id): TreeNode => ({
  id,
  parentId,
  name,
  position,
})

describe('a group tree', () => {
  const tree = groupTree([
    node('leaf', 'b'),
    node('b', 'root', 1),
    node('a', 'root', 0),
    node('z', null, 0, 'a name before'),
    node('root', null, 0),
  ])

  it('lists parents before children, siblings by position and then name', () => {
    expect(tree.inOrder().map(n => n.id)).toEqual(['z', 'root', 'a', 'b', 'leaf'])
  })

  it('knows levels and heights', () => {
    expect(tree.levelOf(null)).toBe(0)
    expect(tree.levelOf('root')).toBe(1)
    expect(tree.levelOf('leaf')).toBe(3)
    expect(tree.heightOf('root')).toBe(3)
    expect(tree.heightOf('leaf')).toBe(1)
  })

  it('knows what is below', () => {
    expect(tree.subtreeOf('root')).toEqual(['root', 'a', 'b', 'leaf'])
  })
})

describe('placing among siblings', () => {
  const siblings = [node('a', null, 0), node('b', null, 1), node('c', null, 2)]

  it('moves the others aside, own place first', () => {
    expect(placeAmong(siblings, siblings[2]!, 0)).toEqual([
      { id: 'c', position: 0 },
      { id: 'a', position: 1 },
      { id: 'b', position: 2 },
    ])
  })

  it('counts an index beyond the end as the end', () => {
    expect(placeAmong(siblings, siblings[0]!, 99)).toEqual([
      { id: 'a', position: 2 },
      { id: 'b', position: 0 },
      { id: 'c', position: 1 },
    ])
  })

  it('changes only its own when nothing moves', () => {
    expect(placeAmong(siblings, siblings[1]!, 1)).toEqual([{ id: 'b', position: 1 }])
  })
})
