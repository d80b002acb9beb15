import type { CatalogueItem, CatalogueSpec } from '@thingwright/contracts/catalogue.contract'
import type { Runner } from '../../lib/sql/statement.ts'
import { part, sql } from '../../lib/sql/statement.ts'

const COLUMNS = part`id, sku, kind, name_zh as name, name_en as ename, text_zh as text, text_en as etext, spec,
  price_fen as "priceFen", state, position, version`

const PUBLISHED = sql<CatalogueItem>`select ${COLUMNS} from catalogue_items where state = 'published' order by kind, position, price_fen, id`
const ALL = sql<CatalogueItem>`select ${COLUMNS} from catalogue_items order by kind, position, price_fen, id`
const BY_SKU = sql<CatalogueItem>`select ${COLUMNS} from catalogue_items where sku = $1 and state = 'published'`
const BY_ID = sql<CatalogueItem>`select ${COLUMNS} from catalogue_items where id = $1`

export const published = async (scope: Runner) => (await scope.run(PUBLISHED, [])).rows
export const all = async (scope: Runner) => (await scope.run(ALL, [])).rows
/** What is for sale under this name. */
export const bySku = async (scope: Runner, sku: string): Promise<CatalogueItem | undefined> =>
  (await scope.run(BY_SKU, [sku])).rows[0]
export const byId = async (scope: Runner, id: string): Promise<CatalogueItem | undefined> =>
  (await scope.run(BY_ID, [id])).rows[0]

export interface NewItem {
  id: string
  sku: string
  kind: string
  name: string
  ename: string
  text: string
  etext: string
  spec: CatalogueSpec
  priceFen: number
  state: string
  position: number
}

const INSERT = sql<CatalogueItem>`insert into catalogue_items
    (id, sku, kind, name_zh, name_en, text_zh, text_en, spec, price_fen, state, position)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (sku) do nothing returning ${COLUMNS}`

/** @returns undefined when the name is taken */
export async function insert(scope: Runner, item: NewItem): Promise<CatalogueItem | undefined> {
  const { rows } = await scope.run(INSERT, [
    item.id,
    item.sku,
    item.kind,
    item.name,
    item.ename,
    item.text,
    item.etext,
    JSON.stringify(item.spec),
    item.priceFen,
    item.state,
    item.position,
  ])
  return rows[0]
}

const UPDATE = sql<CatalogueItem>`update catalogue_items set name_zh = $3, name_en = $4, text_zh = $5, text_en = $6, spec = $7,
    price_fen = $8, state = $9, position = $10, version = version + 1, updated_at = now()
  where id = $1 and version = $2 returning ${COLUMNS}`

/** @returns undefined when it has another version by now */
export async function update(scope: Runner, item: CatalogueItem, version: number): Promise<CatalogueItem | undefined> {
  const { rows } = await scope.run(UPDATE, [
    item.id,
    version,
    item.name,
    item.ename,
    item.text,
    item.etext,
    JSON.stringify(item.spec),
    item.priceFen,
    item.state,
    item.position,
  ])
  return rows[0]
}

const INSERT_PRICE = sql`insert into catalogue_prices (id, item_id, price_fen, by_name) values ($1, $2, $3, $4)`

export async function insertPrice(scope: Runner, id: string, itemId: string, priceFen: number, by: string) {
  await scope.run(INSERT_PRICE, [id, itemId, priceFen, by])
}

const PRICES = sql<{ priceFen: number; by: string; at: Date }>`select price_fen as "priceFen", by_name as by, at
  from catalogue_prices where item_id = $1 order by at desc, id desc limit 200`

export const prices = async (scope: Runner, itemId: string) => (await scope.run(PRICES, [itemId])).rows
