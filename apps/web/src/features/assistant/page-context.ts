import type { PageContext } from './model.ts'

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const PAGES: [start: string, kind: PageContext['kind']][] = [
  ['/manage/device/DeviceSet/', 'device'],
  ['/manage/product/ProductSet/', 'product'],
]

/** The device or product that a page shows, which may be attached to a question; null elsewhere. */
export function contextOf(pathname: string, search: string): PageContext | null {
  const kind = PAGES.find(([start]) => pathname.startsWith(start))?.[1]
  const id = new URLSearchParams(search).get('id')
  return kind && id !== null && ID.test(id) ? { kind, id } : null
}

/** Beginnings of addresses with the questions that fit there (`starters.pages` of the texts); the longest comes first. */
const STARTERS: [start: string, key: string][] = [
  ['/manage/device/DeviceSet/', 'device'],
  ['/manage/device', 'devices'],
  ['/manage/product/ProductSet/', 'product'],
  ['/manage/product', 'products'],
  ['/manage/role', 'roles'],
  ['/develop/FirmwareUpdate', 'firmware'],
  ['/develop/DataSubscription', 'subscriptions'],
  ['/develop/LinkInterface', 'developer'],
  ['/admin/member', 'members'],
  ['/admin/account', 'company'],
  ['/admin/security', 'security'],
  ['/admin/action', 'logs'],
  ['/admin/userlog', 'logs'],
]

/** Which questions fit a page beside those that always do; null: none. */
export function startersOf(pathname: string): string | null {
  return STARTERS.find(([start]) => pathname.startsWith(start))?.[1] ?? null
}
