import type { TelecomKeyView } from '@thingwright/contracts/telecom.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { listSql } from '../../lib/sql/list.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'
import { insertInto, updateOf } from '../../lib/sql/writes.ts'
import type { PlatformKind } from './platform.port.ts'

export interface KeyFault {
  kind: string
  code: string
  text: string
}

export interface KeyRow {
  id: string
  tenantId: string
  name: string
  platform: PlatformKind
  remark: string
  baseUrl: string
  account: string
  auth: 'user' | 'product'
  cipher: Buffer
  secretHint: string
  hasToken: boolean
  hasAesKey: boolean
  verifyProduct: string | null
  allow: string[]
  simulated: boolean
  state: TelecomKeyView['state']
  fault: KeyFault | null
  verifiedAt: Date | null
  callbackNo: string
  callbackSecret: string
  lastCallbackAt: Date | null
  version: number
  createdAt: Date
}

const COLUMNS = part`k.id, k.tenant_id as "tenantId", k.name, k.platform, k.remark, k.base_url as "baseUrl", k.account, k.auth,
  k.secrets_cipher as cipher, k.secret_hint as "secretHint", k.has_token as "hasToken", k.has_aes_key as "hasAesKey",
  k.verify_product as "verifyProduct", k.allow, k.simulated, k.state, k.fault, k.verified_at as "verifiedAt",
  k.callback_no as "callbackNo", k.callback_secret as "callbackSecret", k.last_callback_at as "lastCallbackAt", k.version,
  k.created_at as "createdAt"`

export type ListedKey = KeyRow & Pick<TelecomKeyView, 'products' | 'devices' | 'refused'>
const LISTED = part`${COLUMNS},
  (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'name', p.name, 'platformProduct', t.platform_product) order by p.name, p.id), '[]')
    from telecom_products t join products p on p.id = t.product_id where t.key_id = k.id) as products,
  (select count(*)::int from telecom_devices d where d.key_id = k.id and d.mirror = 'mirrored') as devices,
  (select count(*)::int from telecom_refused r where r.key_id = k.id) as refused`

export interface KeyFilter {
  q?: string
  platform?: string
  state?: string
}
export const KEY_SORTS = ['createdAt', 'name'] as const
export type KeySort = (typeof KEY_SORTS)[number]

export const LIST = listSql<ListedKey, KeyFilter, KeySort>({
  columns: LISTED,
  from: part`telecom_keys k`,
  filters: {
    q: part`(k.name ilike $1 or k.account ilike $1 or k.remark ilike $1)`,
    platform: part`k.platform = $1`,
    state: part`k.state = $1`,
  },
  sorts: {
    createdAt: { by: part`k.created_at`, type: 'timestamptz' },
    name: { by: part`lower(k.name)`, type: 'text' },
  },
  id: { by: part`k.id`, type: 'uuid' },
})

const NAMES = sql<{ name: string; baseUrl: string; simulated: boolean }>`select name, base_url as "baseUrl", simulated
  from telecom_keys order by lower(name), id`
/** Every key of the company by name and address. */
export const names = async (scope: Runner) => (await scope.run(NAMES)).rows

const FIND = sql<ListedKey>`select ${LISTED} from telecom_keys k where k.id = $1`
const PLAIN = sql<KeyRow>`select ${COLUMNS} from telecom_keys k where k.id = $1`
const OF_CALLBACK = sql<KeyRow>`select ${COLUMNS} from telecom_keys k where k.callback_no = $1`
const NAMED = sql<{ id: string }>`select id from telecom_keys where lower(name) = lower($1)`
const COUNT = sql<{ n: number }>`select count(*)::int as n from telecom_keys`
const USED = sql<{ n: number }>`select count(*)::int as n from telecom_products where key_id = $1`

export async function find(scope: TenantScope, id: string): Promise<ListedKey | undefined> {
  return (await scope.run(FIND, [id])).rows[0]
}

export async function plain(scope: Runner, id: string): Promise<KeyRow | undefined> {
  return (await scope.run(PLAIN, [id])).rows[0]
}

export async function ofCallback(scope: Runner, callbackNo: string): Promise<KeyRow | undefined> {
  return (await scope.run(OF_CALLBACK, [callbackNo])).rows[0]
}

export async function idNamed(scope: TenantScope, name: string): Promise<string | null> {
  return (await scope.run(NAMED, [name])).rows[0]?.id ?? null
}

export async function count(scope: TenantScope): Promise<number> {
  return (await scope.run(COUNT)).rows[0]!.n
}

/** Products that use a key. */
export async function used(scope: TenantScope, id: string): Promise<number> {
  return (await scope.run(USED, [id])).rows[0]!.n
}

type Values = Partial<Omit<KeyRow, 'fault' | 'lastCallbackAt' | 'version' | 'createdAt'>>
const FIELDS = {
  id: 'id',
  tenantId: 'tenant_id',
  name: 'name',
  platform: 'platform',
  remark: 'remark',
  baseUrl: 'base_url',
  account: 'account',
  auth: 'auth',
  cipher: 'secrets_cipher',
  secretHint: 'secret_hint',
  hasToken: 'has_token',
  hasAesKey: 'has_aes_key',
  verifyProduct: 'verify_product',
  allow: 'allow',
  simulated: 'simulated',
  state: 'state',
  verifiedAt: 'verified_at',
  callbackNo: 'callback_no',
  callbackSecret: 'callback_secret',
} as const

const INSERT = insertInto<Values>(part`telecom_keys`, FIELDS)
const UPDATE = updateOf<Values>(part`telecom_keys`, FIELDS, {
  always: part`version = version + 1`,
  where: part`id = $1 and version = $2`,
  given: 2,
})
const MOVE_SIMULATED = sql`update telecom_keys set base_url = $2, version = version + 1
  where id = $1 and simulated and base_url <> $2`
const REMOVE = sql`delete from telecom_keys where id = $1`
const NOTE = sql`update telecom_keys set state = case when state = 'disabled' then state else $2 end, fault = $3::jsonb,
  verified_at = coalesce($4, verified_at) where id = $1`
const HEARD = sql`update telecom_keys set last_callback_at = $2 where id = $1`
const FREE_DEVICES = sql`update telecom_devices set key_id = null, mirror = 'none', due_at = null where key_id = $1`

export async function insert(scope: TenantScope, values: Values): Promise<void> {
  await scope.run(...INSERT.of(values))
}

/** @returns false when it has another version by now */
export async function update(scope: TenantScope, id: string, version: number, values: Values): Promise<boolean> {
  return (await scope.run(...UPDATE.of(values, id, version))).rowCount === 1
}

/** Its devices stay as they are at their platform. */
export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(FREE_DEVICES, [id])
  await scope.run(REMOVE, [id])
}

/** What the platform said of the key. @param verifiedAt of a verification */
export async function note(
  scope: Runner,
  id: string,
  fault: KeyFault | null,
  verifiedAt: Date | null = null,
): Promise<void> {
  await scope.run(NOTE, [
    id,
    fault === null ? 'ok' : 'failed',
    fault === null ? null : JSON.stringify(fault),
    verifiedAt,
  ])
}

export async function heard(scope: Runner, id: string, at: Date): Promise<void> {
  await scope.run(HEARD, [id, at])
}

/** Its simulator listens there now. */
export async function moveSimulated(scope: Runner, id: string, url: string): Promise<void> {
  await scope.run(MOVE_SIMULATED, [id, url])
}
