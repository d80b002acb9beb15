import type { FormatSample } from '@thingwright/contracts/formats.contract'
import type { ProductChoice } from '@thingwright/contracts/products.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import type { SortOrder } from '../../lib/lists/paging.ts'
import { listSql } from '../../lib/sql/list.ts'
import { part, type SqlPart, sql } from '../../lib/sql/statement.ts'
import { insertInto, updateOf } from '../../lib/sql/writes.ts'
import type { NewProduct, ProductChange, ProductRow } from './products.rows.ts'
import { productDirectory } from './products.views.ts'

export interface ProductFilter {
  /** Products in the recycle bin. */
  recycled?: boolean
  category?: string
  status?: 'draft' | 'published'
  linkType?: string
  nodeType?: string
  groupIds?: string[]
  /** Part of the name, product key or category, normalised. */
  needle?: string
}

export const PRODUCT_SORTS = ['createdAt', 'updatedAt', 'name'] as const
export type ProductSort = SortOrder<(typeof PRODUCT_SORTS)[number]>

/** A position in a list: the sort column as PostgreSQL prints it (times keep their microseconds), and the id. */
export type ProductPosition = readonly [key: string, id: string]

const COLUMNS = part`id, num, tenant_id as "tenantId", product_key as "productKey", name, description, category, icon,
  link_type as "linkType", node_type as "nodeType", status, draft_model as "draftModel", published_model as "publishedModel",
  model_version as "modelVersion", format, unknown_keys as "unknownKeys", lenient_types as "lenientTypes", bad_values as "badValues", dialects, link, own_port as "ownPort", offline_delay_seconds as "offlineDelaySeconds", group_id as "groupId", version,
  created_at as "createdAt", updated_at as "updatedAt", deleted_at as "deletedAt",
  draft_model is distinct from published_model as "modelChanged"`

// A company has few products: no index is needed to find one by a part of its name, key or category.
const HOLDS_NEEDLE = part`(strpos(lower(normalize(name, NFKC)), $1) > 0 or strpos(lower(product_key), $1) > 0
  or strpos(lower(normalize(category, NFKC)), $1) > 0)`

const LIST = listSql<ProductRow, ProductFilter, (typeof PRODUCT_SORTS)[number]>({
  columns: COLUMNS,
  from: part`products`,
  filters: {
    recycled: { true: part`deleted_at is not null`, false: part`deleted_at is null` },
    status: part`status = $1`,
    category: part`category = $1`,
    linkType: part`link_type = $1`,
    nodeType: part`node_type = $1`,
    groupIds: part`group_id = any ($1::uuid[])`,
    needle: HOLDS_NEEDLE,
  },
  sorts: {
    createdAt: { by: part`created_at`, type: 'timestamptz' },
    updatedAt: { by: part`updated_at`, type: 'timestamptz' },
    name: { by: part`name`, type: 'text' },
  },
  id: { by: part`id`, type: 'uuid' },
})

/** Without what is empty. */
const asked = ({
  recycled = false,
  category,
  status,
  linkType,
  nodeType,
  groupIds,
  needle,
}: ProductFilter): ProductFilter => ({
  recycled,
  ...(category ? { category } : {}),
  ...(status ? { status } : {}),
  ...(linkType ? { linkType } : {}),
  ...(nodeType ? { nodeType } : {}),
  ...(groupIds ? { groupIds } : {}),
  ...(needle ? { needle } : {}),
})

/** One page and, in each row, its position. */
export async function listProducts(
  scope: TenantScope,
  filter: ProductFilter,
  sort: ProductSort,
  after: ProductPosition | null,
  limit: number,
): Promise<(ProductRow & { position: string })[]> {
  return (await scope.run(...LIST.page({ filter: asked(filter), sort, after, limit }))).rows
}

const CATALOGUE = 50

const LIST_CATALOGUE = sql<ProductChoice>`select id, name, product_key as "productKey", link_type as "linkType", icon
  from ${productDirectory} where status = 'published' and ${HOLDS_NEEDLE} order by name, id limit ${CATALOGUE}`

/** Published products by name; from the view, which names the company and no data scope. An empty needle finds all. */
export async function listCatalogue(scope: TenantScope, needle: string): Promise<ProductChoice[]> {
  return (await scope.run(LIST_CATALOGUE, [needle])).rows
}

const CATEGORIES = 200

const LIST_CATEGORIES = sql<{ category: string }>`select distinct category from ${productDirectory}
  where category <> '' order by category limit ${CATEGORIES}`

/** Categories that the company's products have, by name; from the view, as the catalogue. */
export async function listCategories(scope: TenantScope): Promise<string[]> {
  return (await scope.run(LIST_CATEGORIES)).rows.map(row => row.category)
}

export async function countProducts(scope: TenantScope, filter: ProductFilter): Promise<number> {
  return (await scope.run(...LIST.count(asked(filter)))).rows[0]!.n
}

const find = (lock: SqlPart) =>
  sql<ProductRow>`select ${COLUMNS} from products where id = $1 and deleted_at is null ${lock}`
const FIND = { free: find(part``), update: find(part`for update`), share: find(part`for share`) }

/** @param lock `update`: this transaction changes the product; `share`: it makes something that needs the product */
export async function findProduct(
  scope: TenantScope,
  id: string,
  lock?: 'update' | 'share',
): Promise<ProductRow | undefined> {
  return (await scope.run(FIND[lock ?? 'free'], [id])).rows[0]
}

const FIND_RECYCLED = sql<ProductRow>`select ${COLUMNS} from products where id = $1 and deleted_at is not null for update`

/** A product of the recycle bin, which this transaction changes. */
export async function findRecycled(scope: TenantScope, id: string): Promise<ProductRow | undefined> {
  return (await scope.run(FIND_RECYCLED, [id])).rows[0]
}

const CHANGEABLE = {
  name: 'name',
  description: 'description',
  category: 'category',
  icon: 'icon',
  linkType: 'link_type',
  nodeType: 'node_type',
  status: 'status',
  draftModel: { json: 'draft_model' },
  publishedModel: { json: 'published_model' },
  modelVersion: 'model_version',
  format: { json: 'format' },
  unknownKeys: 'unknown_keys',
  lenientTypes: 'lenient_types',
  badValues: 'bad_values',
  dialects: { json: 'dialects' },
  link: { json: 'link' },
  ownPort: 'own_port',
  offlineDelaySeconds: 'offline_delay_seconds',
  groupId: 'group_id',
} as const

const INSERT_PRODUCT = insertInto<NewProduct>(part`products`, {
  id: 'id',
  tenantId: 'tenant_id',
  productKey: 'product_key',
  ...CHANGEABLE,
})

export async function insertProduct(scope: TenantScope, row: NewProduct): Promise<void> {
  await scope.run(...INSERT_PRODUCT.of(row))
}

const UPDATE_PRODUCT = updateOf<ProductChange>(
  part`products`,
  { ...CHANGEABLE, deletedAt: 'deleted_at' },
  { always: part`version = version + 1, updated_at = now()`, where: part`id = $1`, given: 1 },
)

/** Writes the change and raises the version. */
export async function updateProduct(scope: TenantScope, id: string, change: ProductChange): Promise<void> {
  await scope.run(...UPDATE_PRODUCT.of(change, id))
}

const CLAIM_PORT = sql<{ port: number | null }>`select free_own_port($1, $2) as port`

/** The lowest port of the range that no product of the installation has; null: none is left. Held until the transaction ends. */
export async function claimPort(scope: TenantScope, range: { from: number; to: number }): Promise<number | null> {
  const { rows } = await scope.run(CLAIM_PORT, [range.from, range.to])
  return rows[0]?.port ?? null
}

const NUMBER_PROPERTIES = sql`select ensure_product_properties($1, $2)`

/** Gives a number to every property that has none; a number belongs to its identifier for ever. */
export async function numberProperties(scope: TenantScope, id: string, identifiers: string[]): Promise<void> {
  await scope.run(NUMBER_PROPERTIES, [id, identifiers])
}

const READ_FORMAT_SAMPLES = sql<{
  samples: FormatSample[]
}>`select format_samples as samples from products where id = $1 and deleted_at is null`

/** The sample frames of a product's format. */
export async function readFormatSamples(scope: TenantScope, id: string): Promise<FormatSample[]> {
  const { rows } = await scope.run(READ_FORMAT_SAMPLES, [id])
  return rows[0]?.samples ?? []
}

const WRITE_FORMAT_SAMPLES = sql`update products set format_samples = $2 where id = $1`

/** @returns false when the caller's data scope has no such product to write */
export async function writeFormatSamples(scope: TenantScope, id: string, samples: FormatSample[]): Promise<boolean> {
  const { rowCount } = await scope.run(WRITE_FORMAT_SAMPLES, [id, JSON.stringify(samples)])
  return rowCount === 1
}
