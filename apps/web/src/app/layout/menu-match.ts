import type { MenuItem } from '@thingwright/contracts/identity.contract'

/** Per first segment of an address, the segments that name a menu entry (specification §2, side menu). */
const ENTRIES: Record<string, readonly string[]> = {
  stat: ['EnterpriseOverview', 'DeviceMap'],
  manage: ['EnterpriseOverview', 'DeviceMap', 'product', 'device', 'user', 'role', 'tel', 'ezviz'],
  ChirpStack: ['DeviceProfiles', 'Gateways'],
  flowCard: ['CmccFlowCard', 'CtccFlowCard'],
  apply: ['WebApp', 'WechatApp', 'WechatApplet'],
  develop: ['LinkInterface', 'FirmwareUpdate', 'DataSubscription'],
  cost: ['account', 'order', 'consume', 'recharge'],
  invoice: ['InvoiceRequest', 'InvoiceList', 'InvoicingQualification'],
  admin: ['account', 'security', 'member', 'material', 'purchase', 'alarme', 'action', 'address', 'userlog'],
}

/**
 * What an address has in common with its menu entry: the first segment plus the first later one that names an entry,
 * compared as whole segments. An area that is not in the table goes by its second segment.
 */
export function entryKey(path: string): string {
  const [first = '', ...later] = path.split(/[?#]/)[0]!.split('/').filter(Boolean)
  const names = ENTRIES[first]
  const entry = names ? later.find(segment => names.includes(segment)) : later[0]
  return `${first}/${entry ?? ''}`
}

/** The entry to highlight for an address, with the ids of the submenus that must be open to see it. */
export function matchMenu(
  menus: readonly MenuItem[],
  path: string,
  above: readonly string[] = [],
): { id: string; parents: readonly string[] } | null {
  const key = entryKey(path)
  for (const item of menus) {
    if (item.children.length === 0 && item.path !== '' && entryKey(item.path) === key)
      return { id: item.id, parents: above }
    const inner = matchMenu(item.children, path, [...above, item.id])
    if (inner) return inner
  }
  return null
}
