import type { MenuEntry } from '@thingwright/contracts/menu-editor.contract'
import { describe, expect, it } from 'vitest'
import { dropped, stepped, treeOf } from './menu-tree.ts'

const entry = (id: string, parentId: string | null = null, idPath = parentId ? `${parentId}/${id}` : id) =>
  ({ id, parentId, idPath }) as MenuEntry
const MENU = [entry('a'), entry('a1', 'a'), entry('a2', 'a'), entry('b'), entry('c')]

describe('the menu as a tree', () => {
  it('keeps the order of the list', () => {
    expect(treeOf(MENU).map(node => [node.key, node.children.map(child => child.key)])).toEqual([
      ['a', ['a1', 'a2']],
      ['b', []],
      ['c', []],
    ])
  })

  it('takes a dragged entry before, after or into another', () => {
    expect(dropped(MENU, 'c', 'a', false, -1)).toEqual({ parentId: null, order: 0 })
    expect(dropped(MENU, 'a', 'b', false, 1)).toEqual({ parentId: null, order: 1 })
    expect(dropped(MENU, 'b', 'a1', false, 1)).toEqual({ parentId: 'a', order: 1 })
    expect(dropped(MENU, 'b', 'a', true, 1)).toEqual({ parentId: 'a', order: 2 })
    expect(dropped(MENU, 'a1', 'a2', false, 1)).toEqual({ parentId: 'a', order: 1 })
  })

  it('drops nothing into itself or below itself', () => {
    expect(dropped(MENU, 'a', 'a', true, 1)).toBeNull()
    expect(dropped(MENU, 'a', 'a1', false, 1)).toBeNull()
    expect(dropped(MENU, 'a', 'gone', true, 1)).toBeNull()
  })

  it('steps up and down among its siblings, and stops at the ends', () => {
    expect(stepped(MENU, 'b', -1)).toEqual({ parentId: null, order: 0 })
    expect(stepped(MENU, 'a1', 1)).toEqual({ parentId: 'a', order: 1 })
    expect(stepped(MENU, 'a', -1)).toBeNull()
    expect(stepped(MENU, 'c', 1)).toBeNull()
  })
})
