import { holdable, part, sql } from '../../lib/sql/statement.ts'
import type { Query } from './jobs.rows.ts'

/** What packages of a product must fulfil; every field may be absent. */
export interface FirmwareRules {
  requireSignature?: boolean
  requireVerified?: boolean
  magicHex?: string | null
}

export interface ProductRow {
  id: string
  name: string
  productKey: string
  firmware: FirmwareRules
}

export interface KeyRow {
  id: string
  name: string
  publicKey: Buffer
  createdBy: string
  createdAt: Date
  packages: number
}

const FIND_PRODUCT = holdable(
  sql<ProductRow>`select id, name, product_key as "productKey", firmware from products where id = $1 and deleted_at is null`,
  part`for share`,
)

/** @param lock so that what was read still holds when the transaction ends */
export async function findProduct(scope: Query, id: string, lock = false): Promise<ProductRow | null> {
  const { rows } = await scope.run(lock ? FIND_PRODUCT.held : FIND_PRODUCT.free, [id])
  return rows[0] ?? null
}

const KEYS_OF = sql<KeyRow>`select k.id, k.name, k.public_key as "publicKey", k.created_by_name as "createdBy", k.created_at as "createdAt",
    (select count(*)::int from firmware_packages f where f.key_id = k.id) as packages
  from firmware_keys k where k.product_id = $1 order by k.created_at, k.id`

export async function keysOf(scope: Query, productId: string): Promise<KeyRow[]> {
  const { rows } = await scope.run(KEYS_OF, [productId])
  return rows
}

const INSERT_KEY = sql`insert into firmware_keys (id, tenant_id, product_id, name, public_key, created_by, created_by_name)
  values ($1, $2, $3, $4, $5, $6, $7)`

export async function insertKey(
  scope: Query & { tenantId: string },
  key: {
    id: string
    productId: string
    name: string
    publicKey: Buffer
    createdById: string | null
    createdBy: string
  },
): Promise<void> {
  await scope.run(INSERT_KEY, [
    key.id,
    scope.tenantId,
    key.productId,
    key.name,
    key.publicKey,
    key.createdById,
    key.createdBy,
  ])
}

const DELETE_KEY = sql`delete from firmware_keys where id = $1`

export async function deleteKey(scope: Query, id: string): Promise<void> {
  await scope.run(DELETE_KEY, [id])
}
