import type { TenantScope } from '../../lib/database.ts'

export interface AddressRow {
  id: string
  receiver: string
  phone: string
  province: string
  city: string
  district: string
  detail: string
  zip: string
  is_default: boolean
  version: number
  created_at: Date
  updated_at: Date
}

export type AddressFacts = Pick<AddressRow, 'receiver' | 'phone' | 'province' | 'city' | 'district' | 'detail' | 'zip'>

const COLUMNS =
  'id, receiver, phone, province, city, district, detail, zip, is_default, version, created_at, updated_at'

/** One at a time changes a company's addresses: their number and the one default are looked at together. */
export async function lockAddresses(scope: TenantScope): Promise<void> {
  await scope.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`addresses:${scope.tenantId}`])
}

export async function allAddresses(scope: TenantScope): Promise<AddressRow[]> {
  const { rows } = await scope.query<AddressRow>(
    `select ${COLUMNS} from addresses where tenant_id = $1 order by is_default desc, created_at desc, id desc`,
    [scope.tenantId],
  )
  return rows
}

export async function insertAddress(scope: TenantScope, id: string, facts: AddressFacts): Promise<void> {
  await scope.query(
    'insert into addresses (id, tenant_id, receiver, phone, province, city, district, detail, zip) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    [id, scope.tenantId, ...values(facts)],
  )
}

export async function updateAddress(scope: TenantScope, id: string, facts: AddressFacts): Promise<void> {
  await scope.query(
    `update addresses set receiver = $2, phone = $3, province = $4, city = $5, district = $6, detail = $7, zip = $8,
       version = version + 1, updated_at = now() where id = $1`,
    [id, ...values(facts)],
  )
}

/** The one before stops being it first: at no moment there are two. */
export async function setDefault(scope: TenantScope, id: string): Promise<void> {
  await scope.query('update addresses set is_default = false where tenant_id = $1 and is_default and id <> $2', [
    scope.tenantId,
    id,
  ])
  await scope.query('update addresses set is_default = true where id = $1', [id])
}

export async function deleteAddress(scope: TenantScope, id: string): Promise<void> {
  await scope.query('delete from addresses where id = $1', [id])
}

function values(facts: AddressFacts): string[] {
  return [facts.receiver, facts.phone, facts.province, facts.city, facts.district, facts.detail, facts.zip]
}
