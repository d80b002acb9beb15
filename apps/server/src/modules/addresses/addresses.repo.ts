import type { TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

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

const COLUMNS = part`id, receiver, phone, province, city, district, detail, zip, is_default, version, created_at, updated_at`

const LOCK_ADDRESSES = sql`select pg_advisory_xact_lock(hashtextextended($1, 0))`

/** One at a time changes a company's addresses: their number and the one default are looked at together. */
export async function lockAddresses(scope: TenantScope): Promise<void> {
  await scope.run(LOCK_ADDRESSES, [`addresses:${scope.tenantId}`])
}

const ALL_ADDRESSES = sql<AddressRow>`select ${COLUMNS} from addresses where tenant_id = $1 order by is_default desc, created_at desc, id desc`

export async function allAddresses(scope: TenantScope): Promise<AddressRow[]> {
  const { rows } = await scope.run(ALL_ADDRESSES, [scope.tenantId])
  return rows
}

const INSERT_ADDRESS = sql`insert into addresses (id, tenant_id, receiver, phone, province, city, district, detail, zip) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

export async function insertAddress(scope: TenantScope, id: string, facts: AddressFacts): Promise<void> {
  await scope.run(INSERT_ADDRESS, [id, scope.tenantId, ...values(facts)])
}

const UPDATE_ADDRESS = sql`update addresses set receiver = $2, phone = $3, province = $4, city = $5, district = $6, detail = $7, zip = $8,
  version = version + 1, updated_at = now() where id = $1`

export async function updateAddress(scope: TenantScope, id: string, facts: AddressFacts): Promise<void> {
  await scope.run(UPDATE_ADDRESS, [id, ...values(facts)])
}

const UPDATE_ADDRESSES = sql`update addresses set is_default = false where tenant_id = $1 and is_default and id <> $2`

const SET_DEFAULT_UPDATE_ADDRESSES = sql`update addresses set is_default = true where id = $1`

/** The one before stops being it first: at no moment there are two. */
export async function setDefault(scope: TenantScope, id: string): Promise<void> {
  await scope.run(UPDATE_ADDRESSES, [scope.tenantId, id])
  await scope.run(SET_DEFAULT_UPDATE_ADDRESSES, [id])
}

const DELETE_ADDRESS = sql`delete from addresses where id = $1`

export async function deleteAddress(scope: TenantScope, id: string): Promise<void> {
  await scope.run(DELETE_ADDRESS, [id])
}

function values(facts: AddressFacts): string[] {
  return [facts.receiver, facts.phone, facts.province, facts.city, facts.district, facts.detail, facts.zip]
}
