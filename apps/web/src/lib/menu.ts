import type { MenuItem } from '@thingwright/contracts/identity.contract'
import { locale } from './i18n.ts'

/** The name of a menu entry in the shown language. */
export const menuName = (item: Pick<MenuItem, 'name' | 'ename'>): string =>
  locale() === 'en' ? item.ename || item.name : item.name

/** The first entry, wherever it stands in the menu, that is meant. */
export function findEntry(menus: readonly MenuItem[], meant: (item: MenuItem) => boolean): MenuItem | null {
  for (const item of menus) {
    const found = meant(item) ? item : findEntry(item.children, meant)
    if (found) return found
  }
  return null
}

/** The entry that leads to an address. */
export const entryAt = (menus: readonly MenuItem[], path: string): MenuItem | null =>
  findEntry(menus, item => item.path === path && path !== '')
