import type { Answers } from './open-console.tsx'

const MADE = '2026-01-01T00:00:00.000Z'

/** A device as the server tells it. */
export const device = (over: object = {}) => ({
  id: 'd1',
  name: 'Boiler',
  deviceNo: 'HEAT-1',
  productId: 'p1',
  productName: 'Heating',
  productIcon: '',
  category: '',
  linkType: 'mqtt',
  nodeType: 'device',
  firmware: null,
  groupId: null,
  groupName: null,
  tags: [],
  attributes: [],
  link: 'never',
  lifecycle: 'active',
  alarmLevel: 0,
  lastSeenAt: null,
  onlineSince: null,
  lastOfflineAt: null,
  lastOfflineReason: null,
  createdAt: MADE,
  recycledAt: null,
  version: 1,
  ...over,
})
/** A page of a list. */
export const page = (items: object[], nextCursor: string | null = null) => ({ items, nextCursor, total: items.length })

const counts = { total: 1, online: 0, offline: 0, never: 1, disabled: 0, recycled: 1 }

/** A company with a device at work and one in the recycle bin, which only its own list brings. */
export const company: Answers = {
  'GET /api/v1/devices/counts': () => counts,
  'GET /api/v1/groups': () => ({ items: [] }),
  'GET /api/v1/products': () => page([]),
  'GET /api/v1/products/categories': () => ({ items: [] }),
  'GET /api/v1/devices': url =>
    page([
      url.searchParams.get('lifecycle') === 'recycled'
        ? device({ id: 'd2', name: 'Old pump', lifecycle: 'recycled', recycledAt: MADE })
        : device(),
    ]),
  'GET /api/v1/devices/d1': () => device(),
}
