import type { GroupView } from '@thingwright/contracts/groups.contract'
import { expect, it } from 'vitest'
import { buildTree, flatten, groupPath, withDescendants } from './tree.ts'

const group = (id: string, parentId: string | null, position = 0, count = 1): GroupView => ({
  id,
  parentId,
  position,
  count,
  kind: 'device',
  name: id.toUpperCase(),
  version: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
})
const GROUPS = [group('a', null, 1), group('b', null, 0), group('a2', 'a', 5), group('a1', 'a', 2), group('deep', 'a1')]
const shape = (closed?: Set<string>) =>
  flatten(buildTree(GROUPS), closed).map(n => `${n.group.id}:${n.level}:${n.total}`)

it('puts children under their parents in the order of their positions and adds up what they hold', () => {
  expect(shape()).toEqual(['b:1:1', 'a:1:4', 'a1:2:2', 'deep:3:1', 'a2:2:1'])
})

it('lists nothing below a closed group', () => {
  expect(shape(new Set(['a1']))).toEqual(['b:1:1', 'a:1:4', 'a1:2:2', 'a2:2:1'])
})

it('shows a group whose parent is missing rather than losing it', () => {
  expect(flatten(buildTree([group('x', 'gone')])).map(n => n.level)).toEqual([1])
})

it('knows where a group may not be moved to', () => {
  expect([...withDescendants(buildTree(GROUPS), 'a')].sort()).toEqual(['a', 'a1', 'a2', 'deep'])
})

it('names the whole way to a group', () => {
  expect(groupPath(GROUPS, 'deep')).toBe('A / A1 / DEEP')
})
