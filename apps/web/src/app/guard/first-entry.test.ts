import type { MenuItem } from '@thingwright/contracts/identity.contract'
import { describe, expect, it } from 'vitest'
import { firstEntryOf } from './first-entry.ts'

const item = (path: string, children: MenuItem[] = [], jump = 0): MenuItem => ({
  id: path,
  name: '',
  ename: '',
  icon: '',
  path,
  sort: 1,
  idPath: '',
  jump,
  order: 0,
  children,
})

describe('first entry of the menu', () => {
  it('is the first permitted page, top to bottom, submenus opened', () => {
    const menus = [item('', [item('/a'), item('https://x', [], 1), item('', [item('/b')])]), item('/c')]
    expect(firstEntryOf(menus, ['/c', '/b'])).toBe('/b')
    expect(firstEntryOf(menus, ['/c'])).toBe('/c')
  })

  it('is nothing without a permitted page', () => {
    expect(firstEntryOf([item('/a')], [])).toBeNull()
    expect(firstEntryOf([], ['/a'])).toBeNull()
    expect(firstEntryOf([item('https://x', [], 1)], ['https://x'])).toBeNull()
  })
})
