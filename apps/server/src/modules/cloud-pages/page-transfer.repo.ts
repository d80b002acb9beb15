import type { PageControl, PageState, PageVisibility } from '@thingwright/contracts/cloud-pages.words'
import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

export interface StoredPage {
  id: string
  name: string
  suffix: string
  state: PageState
  visibility: PageVisibility
  control: PageControl
  roleIds: string[]
  hasPin: boolean
  scene: unknown
  published: unknown
  note: string | null
}

/** Pages hold documents of up to a megabyte each. */
const AT_ONCE = 10

const READ = sql<StoredPage>`select p.id, p.name, p.suffix, p.state, p.visibility, p.control, p.role_ids as "roleIds",
    p.pin_hash is not null as "hasPin", p.scene, v.scene as published, v.note
  from cloud_pages p left join cloud_page_versions v on v.page_id = p.id and v.no = p.published_no
  where $1::uuid is null or p.id > $1 order by p.id limit ${AT_ONCE}`

/** Pages in the order of their ids, a few at a time, each with the version that visitors see. */
export async function readPages(scope: TenantScope, after: string | null): Promise<StoredPage[]> {
  return (await scope.run(READ, [after])).rows
}

const DEVICES = sql<{
  id: string
  productId: string
  deviceNo: string
}>`select id, product_id as "productId", device_no as "deviceNo"
  from devices where id = any ($1::uuid[]) and recycled_at is null`

export async function devicesOf(scope: TenantScope, ids: readonly string[]) {
  return ids.length === 0 ? [] : (await scope.run(DEVICES, [ids])).rows
}

const NAMES = sql<{ id: string; name: string }>`select id, name from products where id = any ($1::uuid[])
  union all select id, name from roles where id = any ($1::uuid[])`

/** Names of the products and roles with these ids. */
export async function namesOf(scope: TenantScope, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  return new Map((await scope.run(NAMES, [ids])).rows.map(({ id, name }) => [id, name]))
}

const ROLES_NAMED = sql<{ id: string; name: string }>`select id, name from roles where name = any ($1::text[])
  order by builtin desc, created_at desc`

/** Roles by their names. */
export async function rolesNamed(scope: TenantScope, names: readonly string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map()
  return new Map((await scope.run(ROLES_NAMED, [names])).rows.map(({ id, name }) => [name, id]))
}

const LIKE = sql<{ id: string; suffix: string }>`select id, suffix from cloud_pages
  where id <> all ($4::uuid[]) and (suffix = $1 or (name = $2 and suffix like $3))
  order by suffix = $1 desc, created_at, id limit 1`

/** The page that has this address, or else one of this name with an address that begins so; none of `but`. */
export async function findLike(
  scope: TenantScope,
  page: { suffix: string; name: string; stem: string },
  but: readonly string[],
): Promise<{ id: string; suffix: string } | undefined> {
  return (await scope.run(LIKE, [page.suffix, page.name, `${page.stem}-%`, but])).rows[0]
}
