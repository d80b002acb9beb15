import type { TelecomKeyView } from '@thingwright/contracts/telecom.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { type Runner, sql } from '../../lib/sql/statement.ts'
import type { PlatformKind } from './platform.port.ts'

export interface ProductLinkRow {
  productId: string
  keyId: string
  keyName: string
  platform: PlatformKind
  keyState: TelecomKeyView['state']
  simulated: boolean
  platformProduct: string
  masterCipher: Buffer | null
  masterHint: string | null
  mirrored: number
  failed: number
  waiting: number
  version: number
}

// A caller with a data scope sees the links of his products, and of their keys only these columns.
const FIND = sql<ProductLinkRow>`select l.product_id as "productId", l.key_id as "keyId", k.name as "keyName", k.platform,
    k.state as "keyState", k.simulated, l.platform_product as "platformProduct", l.master_cipher as "masterCipher",
    l.master_hint as "masterHint", n.mirrored, n.failed, n.waiting, l.version
  from telecom_products l join telecom_keys k on k.id = l.key_id
  cross join lateral (select count(*) filter (where t.mirror = 'mirrored')::int as mirrored,
    count(*) filter (where t.mirror = 'failed')::int as failed,
    count(*) filter (where t.mirror in ('pending', 'removing'))::int as waiting
    from telecom_devices t where t.product_id = l.product_id) n
  where l.product_id = $1`
const LINK_TYPE = sql<{
  name: string
  linkType: string
}>`select name, link_type as "linkType" from products where id = $1`
const TAKEN = sql<{ productId: string; name: string }>`select l.product_id as "productId", p.name
  from telecom_products l join products p on p.id = l.product_id where l.key_id = $1 and l.platform_product = $2`
const OF_PLATFORM = sql<{ productId: string; masterCipher: Buffer | null }>`select product_id as "productId",
  master_cipher as "masterCipher" from telecom_products where key_id = $1 and platform_product = $2`

export async function find(scope: Runner, productId: string): Promise<ProductLinkRow | undefined> {
  return (await scope.run(FIND, [productId])).rows[0]
}

export async function product(
  scope: TenantScope,
  productId: string,
): Promise<{ name: string; linkType: string } | undefined> {
  return (await scope.run(LINK_TYPE, [productId])).rows[0]
}

const NAMED = sql<{
  name: string
  product: string
  key: string
  platformProduct: string
}>`select p.name, p.id as product, k.name as key, l.platform_product as "platformProduct"
  from telecom_products l join products p on p.id = l.product_id and p.deleted_at is null
    join telecom_keys k on k.id = l.key_id and not k.simulated
  order by p.name, p.id`

/** Where the products of a company are connected, by names that another company may have too. */
export async function namedLinks(scope: TenantScope) {
  return (await scope.run(NAMED)).rows
}

/** Which product of ours is this one of the platform. */
export async function taken(
  scope: Runner,
  keyId: string,
  platformProduct: string,
): Promise<{ productId: string; name: string } | undefined> {
  return (await scope.run(TAKEN, [keyId, platformProduct])).rows[0]
}

export async function ofPlatform(
  scope: Runner,
  keyId: string,
  platformProduct: string,
): Promise<{ productId: string; masterCipher: Buffer | null } | undefined> {
  return (await scope.run(OF_PLATFORM, [keyId, platformProduct])).rows[0]
}

const INSERT = sql`insert into telecom_products (product_id, tenant_id, key_id, platform_product, master_cipher, master_hint)
  values ($1, $2, $3, $4, $5, $6) on conflict (product_id) do nothing`
const UPDATE = sql`update telecom_products set key_id = $3, platform_product = $4, master_cipher = $5, master_hint = $6,
  version = version + 1 where product_id = $1 and version = $2`
const REMOVE = sql`delete from telecom_products where product_id = $1`
// What the other platform keeps of them stays there: nothing is deleted by a change of the connection.
const MOVE_DEVICES = sql`update telecom_devices set key_id = $2, platform_product = $3, platform_device = null, mirror_fault = null,
  tries = 0, mirror = case when imei is not null and wanted then 'pending' else 'none' end,
  due_at = case when imei is not null and wanted then $4::timestamptz end
  where product_id = $1 and (key_id, platform_product) is distinct from ($2, $3)`
const FREE_DEVICES = sql`update telecom_devices set key_id = null, platform_product = null, platform_device = null, mirror_fault = null,
  mirror = 'none', due_at = null where product_id = $1`

export interface LinkValues {
  productId: string
  keyId: string
  platformProduct: string
  masterCipher: Buffer | null
  masterHint: string | null
}

export async function insert(scope: TenantScope, values: LinkValues): Promise<boolean> {
  const { productId, keyId, platformProduct, masterCipher, masterHint } = values
  const params = [productId, scope.tenantId, keyId, platformProduct, masterCipher, masterHint]
  return (await scope.run(INSERT, params)).rowCount === 1
}

/** @returns false when it has another version by now */
export async function update(scope: TenantScope, version: number, values: LinkValues): Promise<boolean> {
  const { productId, keyId, platformProduct, masterCipher, masterHint } = values
  const params = [productId, version, keyId, platformProduct, masterCipher, masterHint]
  return (await scope.run(UPDATE, params)).rowCount === 1
}

export async function remove(scope: TenantScope, productId: string): Promise<void> {
  await scope.run(FREE_DEVICES, [productId])
  await scope.run(REMOVE, [productId])
}

/** Its devices are to be made at the platform that it is connected by from now on. */
export async function moveDevices(
  scope: TenantScope,
  { productId, keyId, platformProduct }: LinkValues,
  at: Date,
): Promise<void> {
  await scope.run(MOVE_DEVICES, [productId, keyId, platformProduct, at])
}
