import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

type Scope = Pick<SystemScope, 'run'>

export interface RegisteringProduct {
  id: string
  tenantId: string
  registration: 'off' | 'allow_new' | 'pre_registered' | 'approve'
  published: boolean
  /** The company's state lets devices in. */
  companyOpen: boolean
  secretHash: Buffer | null
  previousSecretHash: Buffer | null
  previousSecretUntil: Date | null
}

const REGISTERING_PRODUCT = sql<RegisteringProduct>`select p.id, p.tenant_id as "tenantId", p.registration, p.status = 'published' as published,
    t.status in ('trial', 'active', 'grace') as "companyOpen", p.secret_hash as "secretHash",
    p.previous_secret_hash as "previousSecretHash", p.previous_secret_until as "previousSecretUntil"
  from products p join tenants t on t.id = p.tenant_id where p.product_key = $1 and p.deleted_at is null`

export async function registeringProduct(scope: Scope, productKey: string): Promise<RegisteringProduct | undefined> {
  const { rows } = await scope.run(REGISTERING_PRODUCT, [productKey])
  return rows[0]
}

export interface RegisteredDevice {
  id: string
  name: string
  lifecycle: 'inactive' | 'active' | 'disabled' | 'recycled'
  secretCipher: Buffer
  tokenCipher: Buffer | null
}

const REGISTERED_DEVICE = sql<RegisteredDevice>`select id, name, lifecycle, secret_cipher as "secretCipher", access_token_cipher as "tokenCipher"
  from devices where product_id = $1 and device_no = $2`

export async function registeredDevice(
  scope: TenantScope,
  productId: string,
  deviceNo: string,
): Promise<RegisteredDevice | undefined> {
  const { rows } = await scope.run(REGISTERED_DEVICE, [productId, deviceNo])
  return rows[0]
}

export type RegistrationState = 'waiting' | 'approved' | 'rejected'

export interface RegistrationRow {
  id: string
  deviceNo: string
  state: RegistrationState
  address: string
  asks: number
  firstAskedAt: Date
  lastAskedAt: Date
  expiresAt: Date
  decidedBy: string | null
}

const COLUMNS = part`id, device_no as "deviceNo", state, address, asks, first_asked_at as "firstAskedAt",
  last_asked_at as "lastAskedAt", expires_at as "expiresAt", decided_by as "decidedBy"`

const ASKED = sql<{
  state: RegistrationState
  asks: number
}>`insert into device_registrations as r (id, tenant_id, product_id, device_no, state, address, expires_at)
  values ($1, $2, $3, $4, $5, $6, now() + make_interval(days => $7))
  on conflict (product_id, device_no) do update set address = excluded.address, last_asked_at = now(),
    asks = case when r.expires_at < now() then 1 else r.asks + 1 end,
    first_asked_at = case when r.expires_at < now() then now() else r.first_asked_at end,
    state = case when $5 = 'approved' or r.state = 'approved' or r.expires_at < now() then $5 else r.state end,
    expires_at = case when r.state = 'rejected' and r.expires_at > now() and $5 <> 'approved'
      then r.expires_at else excluded.expires_at end
  returning state, asks`

/**
 * A device asked. It waits unless it was decided already; what expired begins anew. `state` fixes the outcome instead:
 * a secret is handed out.
 */
export async function asked(
  scope: TenantScope,
  row: { id: string; productId: string; deviceNo: string; address: string; days: number },
  state: 'waiting' | 'approved',
): Promise<{ state: RegistrationState; isNew: boolean }> {
  const { rows } = await scope.run(ASKED, [
    row.id,
    scope.tenantId,
    row.productId,
    row.deviceNo,
    state,
    row.address,
    row.days,
  ])
  return { state: rows[0]!.state, isNew: rows[0]!.asks === 1 }
}

const REMOVE_EXPIRED = sql`delete from device_registrations where product_id = $1 and expires_at < now()`

/** Entries that nobody needs any more make room for new ones. */
export async function removeExpired(scope: TenantScope, productId: string): Promise<void> {
  await scope.run(REMOVE_EXPIRED, [productId])
}

const LIST_REGISTRATIONS = sql<
  RegistrationRow & { position: string }
>`select ${COLUMNS}, last_asked_at::text as position from device_registrations
  where product_id = $1 and expires_at > now() and ($2::text is null or state = $2)
    and ($3::timestamptz is null or (last_asked_at, id) < ($3::timestamptz, $4::uuid))
  order by last_asked_at desc, id desc limit $5`

export async function listRegistrations(
  scope: TenantScope,
  productId: string,
  state: RegistrationState | null,
  after: readonly [string, string] | null,
  limit: number,
): Promise<(RegistrationRow & { position: string })[]> {
  const { rows } = await scope.run(LIST_REGISTRATIONS, [
    productId,
    state,
    after?.[0] ?? null,
    after?.[1] ?? null,
    limit,
  ])
  return rows
}

const LOCK_REGISTRATION = sql<RegistrationRow>`select ${COLUMNS} from device_registrations
  where product_id = $1 and id = $2 and expires_at > now() for update`

/** The entry, held until the transaction ends. */
export async function lockRegistration(
  scope: TenantScope,
  productId: string,
  id: string,
): Promise<RegistrationRow | undefined> {
  const { rows } = await scope.run(LOCK_REGISTRATION, [productId, id])
  return rows[0]
}

const DECIDE = sql`update device_registrations set state = $2, decided_at = now(), decided_by = $3,
  expires_at = now() + make_interval(days => $4) where id = $1`

export async function decide(
  scope: TenantScope,
  id: string,
  state: 'approved' | 'rejected',
  by: string,
  days: number,
): Promise<void> {
  await scope.run(DECIDE, [id, state, by, days])
}
