import type { MenuChoice } from '@thingwright/contracts/roles.contract'
import { describe, expect, it } from 'vitest'
import { keysAfter, keysOf, tickedOf } from './menu-keys.ts'

const entry = (id: string, keys: string[], children: MenuChoice[] = []): MenuChoice => ({
  id,
  name: id,
  ename: id,
  icon: '',
  path: keys[0] ?? '',
  keys,
  buttonCodes: [],
  children,
})
const MENU = [entry('manage', [], [entry('device', ['/d', '/d/center']), entry('role', ['/r'])]), entry('stat', ['/s'])]

describe('menu keys of a role', () => {
  it('are those of the ticked entries with the pages behind them', () => {
    expect(keysOf(MENU)).toEqual(['/d', '/d/center', '/r', '/s'])
    expect(keysAfter(MENU, new Set(['device', 'stat']), [])).toEqual(['/d', '/d/center', '/s'])
  })

  it('tick an entry of which a page is chosen, never a parent by itself, and leave a part a part', () => {
    expect(tickedOf(MENU, new Set(['/d/center', '/s']))).toEqual(['device', 'stat'])
    expect(tickedOf(MENU, new Set([]))).toEqual([])
    expect(keysAfter(MENU, new Set(['device', 'role']), ['/d'])).toEqual(['/d', '/r'])
  })

  it('of entries that are not shown stay, and "all" becomes what is ticked', () => {
    expect(keysAfter(MENU, new Set(['role']), ['/hidden', '/s'])).toEqual(['/hidden', '/r'])
    expect(keysAfter(MENU, new Set(['role']), ['*'])).toEqual(['/r'])
  })
})
