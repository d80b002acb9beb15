import type { TenantScope } from '../../lib/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { SortOrder } from '../../lib/paging.ts'
import type { SearchQuery } from '../../lib/search.ts'
import { DEVICE_COLUMNS, DEVICE_JOINS, type DeviceRow } from './devices.repo.ts'
import type { Lifecycle } from './devices.tables.ts'

export interface DeviceFilter {
  tenantId: string
  /** The recycle bin, or everything else. */
  recycled: boolean
  lifecycle?: Exclude<Lifecycle, 'recycled'>
  link?: 'never' | 'online' | 'offline'
  productId?: string
  groupIds?: string[]
  tag?: string
  search?: SearchQuery | null
}

export const DEVICE_SORTS = ['createdAt', 'name', 'lastSeenAt'] as const
export type DeviceSort = SortOrder<(typeof DEVICE_SORTS)[number]>

/** A position in a list: which part of it, the sort key as PostgreSQL prints it (times keep their microseconds), the number. */
export type DevicePosition = readonly [part: Part, key: string, num: number]
export type DeviceListRow = DeviceRow & { part: Part; position: string }

/**
 * A list walks one of three tables in the order of an index and joins the rest:
 * - `all` devices themselves
 * - `seen` presence, for everything about the link: one row per device that was ever connected
 * - `unseen` the devices without a row there
 * By last sight a list has two parts, the unseen last (first when ascending), in order of creation.
 */
export type Part = 'all' | 'seen' | 'unseen'
const SOURCES = {
  all: 'devices d',
  seen: 'device_presence p join devices d on d.num = p.device',
  unseen: 'device_unseen u join devices d on d.num = u.device',
} as const

export function isPart(value: unknown): value is Part {
  return typeof value === 'string' && Object.hasOwn(SOURCES, value)
}

function partsOf(filter: DeviceFilter, sort: DeviceSort): Part[] {
  if (filter.link) return [filter.link === 'never' ? 'unseen' : 'seen']
  if (sort.key !== 'lastSeenAt') return ['all']
  return sort.descending ? ['seen', 'unseen'] : ['unseen', 'seen']
}

function orderOf(part: Part, sort: DeviceSort): { key: string; num: string; type: 'text' | 'timestamptz' } {
  if (sort.key === 'name') return { key: 'd.name', num: 'd.num', type: 'text' }
  if (part === 'all') return { key: 'd.created_at', num: 'd.num', type: 'timestamptz' }
  if (part === 'unseen') return { key: 'u.created_at', num: 'u.device', type: 'timestamptz' }
  return { key: sort.key === 'createdAt' ? 'p.created_at' : 'p.last_seen_at', num: 'p.device', type: 'timestamptz' }
}

/**
 * More search results than this are not carried around: so common a text is met soon when the list is walked in order
 * (measured in docs/benchmarks.md, `fleet`).
 */
export const SEARCH_BOUND = 20_000

/** Numbers of the found devices as an array literal; null when nothing is searched for or they are too many to carry. */
type Found = string | null

async function search(scope: TenantScope, { tag, search: wanted }: DeviceFilter): Promise<Found> {
  if (!wanted) return null
  const { rows } = await scope.query<{ nums: string | null }>(
    'select search_devices($1, $2, $3, $4, $5)::text as nums',
    [scope.tenantId, wanted.grams, wanted.needle, tag ?? null, SEARCH_BOUND],
  )
  return rows[0]!.nums
}

/**
 * Conditions of a part. The company stands in them although the policy demands it anyway: the policy's value is not
 * known while planning, and a plan made for a company of average size reads a big fleet to its end.
 */
function conditions(part: Part, filter: DeviceFilter, found: Found, params: unknown[]): string[] {
  const param = (value: unknown) => `$${params.push(value)}`
  const tenant = param(filter.tenantId)
  const where = [`d.tenant_id = ${tenant}`, `d.recycled_at is ${filter.recycled ? 'not null' : 'null'}`]
  if (part === 'seen') {
    where.push(`p.tenant_id = ${tenant}`)
    if (filter.link) where.push(`p.link = ${param(filter.link)}`)
  }
  if (part === 'unseen') where.push(`u.tenant_id = ${tenant}`)
  if (filter.lifecycle) where.push(`d.lifecycle = ${param(filter.lifecycle)}`)
  if (filter.productId) where.push(`d.product_id = ${param(filter.productId)}`)
  if (filter.groupIds) where.push(`d.group_id = any (${param(filter.groupIds)}::uuid[])`)
  if (found !== null) where.push(`d.num = any (${param(found)}::int[])`)
  else if (filter.search) {
    if (filter.search.needle) where.push(`strpos(d.search_text, ${param(filter.search.needle)}) > 0`)
    if (filter.tag !== undefined) where.push(`${param(filter.tag)} = any (d.tags)`)
  }
  return where
}

/** One page, each row with its position. @throws AppError request.cursor_invalid for a position of another list */
export async function listDevices(
  scope: TenantScope,
  filter: DeviceFilter,
  sort: DeviceSort,
  after: DevicePosition | null,
  limit: number,
): Promise<DeviceListRow[]> {
  const found = await search(scope, filter)
  const parts = partsOf(filter, sort)
  if (after && !parts.includes(after[0])) throw new AppError('request.cursor_invalid')
  const rows: DeviceListRow[] = []
  for (const part of after ? parts.slice(parts.indexOf(after[0])) : parts) {
    if (rows.length >= limit) break
    const from = after?.[0] === part ? after : null
    rows.push(...(await listPart(scope, part, filter, found, sort, from, limit - rows.length)))
  }
  return rows
}

/** Walks one part for the numbers of the page, then reads these devices with all that is shown beside them. */
async function listPart(
  scope: TenantScope,
  part: Part,
  filter: DeviceFilter,
  found: Found,
  sort: DeviceSort,
  after: DevicePosition | null,
  limit: number,
): Promise<DeviceListRow[]> {
  const params: unknown[] = []
  const where = conditions(part, filter, found, params)
  const { key, num, type } = orderOf(part, sort)
  const direction = sort.descending ? 'desc' : 'asc'
  if (after) {
    const position = `($${params.push(after[1])}::${type}, $${params.push(after[2])}::int)`
    where.push(`(${key}, ${num}) ${sort.descending ? '<' : '>'} ${position}`)
  }
  const { rows } = await scope.query<DeviceListRow>(
    `with page as materialized (
       select ${num} as num, ${key} as key from ${SOURCES[part]} where ${where.join(' and ')}
       order by ${key} ${direction}, ${num} ${direction} limit ${limit})
     select ${DEVICE_COLUMNS}, '${part}' as part, page.key::text as position
     from page join devices d on d.num = page.num ${DEVICE_JOINS}
     order by page.key ${direction}, page.num ${direction}`,
    params,
  )
  return rows
}

/** How many devices the filter leaves. */
export async function countDevices(scope: TenantScope, filter: DeviceFilter): Promise<number> {
  const found = await search(scope, filter)
  const part = partsOf(filter, { key: 'createdAt', descending: true })[0]!
  const params: unknown[] = []
  const where = conditions(part, filter, found, params)
  const { rows } = await scope.query<{ count: number }>(
    `select count(*) as count from ${SOURCES[part]} where ${where.join(' and ')}`,
    params,
  )
  return rows[0]!.count
}
