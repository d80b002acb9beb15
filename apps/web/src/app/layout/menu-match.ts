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

interface Match {
  id: string
  parents: readonly string[]
}

/**
 * The entry to highlight for an address, with the ids of the submenus that must be open to see it: the entry with the
 * longest path that the address lies at or below, else the one that the table above names.
 */
export function matchMenu(menus: readonly MenuItem[], path: string): Match | null {
  const entries = entriesOf(menus)
  const segments = segmentsOf(path)
  const above = entries
    .filter(({ path: own }) => own.length > 0 && own.every((segment, at) => segment === segments[at]))
    .sort((a, b) => b.path.length - a.path.length)[0]
  const key = entryKey(path)
  return (above ?? entries.find(each => each.key === key))?.match ?? null
}

const segmentsOf = (path: string) => path.split(/[?#]/)[0]!.split('/').filter(Boolean)

/** Entries that open a page, in the order of the menu. */
function entriesOf(
  menus: readonly MenuItem[],
  above: readonly string[] = [],
): { path: string[]; key: string; match: Match }[] {
  return menus.flatMap(item => {
    const inner = entriesOf(item.children, [...above, item.id])
    if (item.children.length > 0 || item.path === '') return inner
    return [{ path: segmentsOf(item.path), key: entryKey(item.path), match: { id: item.id, parents: above } }, ...inner]
  })
}
