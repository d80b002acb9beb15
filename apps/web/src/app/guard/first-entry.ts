import type { MenuItem } from '@thingwright/contracts/identity.contract'

/** The first entry of the visible menu, top to bottom, that is a page of ours the person may open; null when there is none. */
export function firstEntryOf(menus: readonly MenuItem[], permissions: readonly string[]): string | null {
  for (const item of menus) {
    if (item.path !== '' && item.jump === 0 && permissions.includes(item.path)) return item.path
    const inner = firstEntryOf(item.children, permissions)
    if (inner !== null) return inner
  }
  return null
}
