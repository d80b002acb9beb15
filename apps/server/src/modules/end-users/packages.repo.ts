import type { TenantScope } from '../../lib/database/database.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'
import { insertInto, updateOf } from '../../lib/sql/writes.ts'

export interface PackageRow {
  id: string
  name: string
  description: string
  rights: string[]
  menuKeys: string[] | null
  deviceQuota: number | null
  /** Bytes of materials. */
  mediaQuota: number | null
  users: number
  version: number
  createdAt: Date
}
export type PackageFields = Pick<
  PackageRow,
  'name' | 'description' | 'rights' | 'menuKeys' | 'deviceQuota' | 'mediaQuota'
>

const COLUMNS = part`p.id, p.name, p.description, p.rights, p.menu_keys as "menuKeys", p.device_quota as "deviceQuota",
  p.media_quota as "mediaQuota",
  (select count(*)::int from end_users u where u.package_id = p.id) as users, p.version, p.created_at as "createdAt"`

const LIST = sql<PackageRow>`select ${COLUMNS} from user_packages p where p.tenant_id = $1 order by p.name, p.id`

export async function list(scope: TenantScope): Promise<PackageRow[]> {
  return (await scope.run(LIST, [scope.tenantId])).rows
}

const FIND = holdable(sql<PackageRow>`select ${COLUMNS} from user_packages p where p.id = $1`, part`for update of p`)

export async function find(scope: TenantScope, id: string, lock = false): Promise<PackageRow | undefined> {
  return (await scope.run(lock ? FIND.held : FIND.free, [id])).rows[0]
}

const FIELDS = {
  name: 'name',
  description: 'description',
  rights: 'rights',
  menuKeys: 'menu_keys',
  deviceQuota: 'device_quota',
  mediaQuota: 'media_quota',
} as const
const INSERT = insertInto<PackageFields & { id: string; tenantId: string }>(part`user_packages`, {
  id: 'id',
  tenantId: 'tenant_id',
  ...FIELDS,
})

export async function insert(scope: TenantScope, id: string, fields: PackageFields): Promise<void> {
  await scope.run(...INSERT.of({ id, tenantId: scope.tenantId, ...fields }))
}

const UPDATE = updateOf<PackageFields>(part`user_packages`, FIELDS, {
  always: part`version = version + 1, updated_at = now()`,
  where: part`id = $1`,
  given: 1,
})

export async function update(scope: TenantScope, id: string, fields: PackageFields): Promise<void> {
  await scope.run(...UPDATE.of(fields, id))
}

const REMOVE = sql`delete from user_packages where id = $1`

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}
