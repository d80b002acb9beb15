import type { CardSourceView, StockCardView } from '@thingwright/contracts/card-orders.contract'
import type { SoldForm } from '@thingwright/contracts/money.words'
import type { SystemScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import { listSql } from '../../lib/sql/list.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface SourceRow extends CardSourceView {
  cipher: Buffer
}

const SOURCE = part`s.id, s.name, s.carrier, s.kind, s.base_url as "baseUrl", s.account, s.simulated, s.version, s.secrets_cipher as cipher,
  (select count(*)::int from card_stock k where k.source_id = s.id and k.order_id is null) as free,
  (select count(*)::int from card_stock k where k.source_id = s.id and k.order_id is not null) as shipped`

const SOURCES = sql<SourceRow>`select ${SOURCE} from card_sources s order by lower(s.name), s.id`
export const sources = async (scope: SystemScope) => (await scope.run(SOURCES, [])).rows

const FIND_SOURCE = sql<SourceRow>`select ${SOURCE} from card_sources s where s.id = $1`
export const source = async (scope: SystemScope, id: string) => (await scope.run(FIND_SOURCE, [id])).rows[0]

const NAMED = sql<{ id: string }>`select id from card_sources where lower(name) = lower($1)`
export const sourceNamed = async (scope: SystemScope, name: string) => (await scope.run(NAMED, [name])).rows[0]?.id

const INSERT_SOURCE = sql`insert into card_sources (id, name, carrier, kind, base_url, account, secrets_cipher, simulated)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`
export async function insertSource(
  scope: SystemScope,
  of: {
    id: string
    name: string
    carrier: string
    kind: string
    baseUrl: string
    account: string
    cipher: Buffer
    simulated: boolean
  },
): Promise<void> {
  const values = [of.id, of.name, of.carrier, of.kind, of.baseUrl, of.account, of.cipher, of.simulated]
  await scope.run(INSERT_SOURCE, values)
}

const UPDATE_SOURCE = sql<{
  id: string
}>`update card_sources set name = $3, base_url = $4, account = $5, secrets_cipher = $6, version = version + 1
  where id = $1 and version = $2 returning id`
/** @returns false when it has another version by now */
export async function updateSource(
  scope: SystemScope,
  id: string,
  version: number,
  of: { name: string; baseUrl: string; account: string; cipher: Buffer },
): Promise<boolean> {
  const { rows } = await scope.run(UPDATE_SOURCE, [id, version, of.name, of.baseUrl, of.account, of.cipher])
  return rows.length > 0
}

export interface StockFilter {
  q?: string
  state?: 'free' | 'shipped'
  carrier?: string
  form?: string
}
export const STOCK_SORTS = ['iccid'] as const
export type StockRow = Omit<StockCardView, 'createdAt'> & { id: string; createdAt: Date }

export const STOCK = listSql<StockRow, StockFilter, 'iccid'>({
  columns: part`k.id, k.iccid, k.msisdn, k.imsi, k.form, k.use, k.source_id as "sourceId", s.name as "sourceName", s.carrier,
    case when k.order_id is null then 'free' else 'shipped' end as state, k.order_no as "orderNo", k.company_name as "companyName",
    k.created_at as "createdAt"`,
  from: part`card_stock k join card_sources s on s.id = k.source_id`,
  countFrom: part`card_stock k join card_sources s on s.id = k.source_id`,
  filters: {
    q: part`(k.iccid ilike $1 or k.msisdn ilike $1 or k.order_no ilike $1 or k.company_name ilike $1)`,
    state: { free: part`k.order_id is null`, shipped: part`k.order_id is not null` },
    carrier: part`s.carrier = $1`,
    form: part`k.form = $1`,
  },
  sorts: { iccid: { by: part`k.iccid`, type: 'text' } },
  id: { by: part`k.id`, type: 'uuid' },
})

export interface StockCard {
  iccid: string
  msisdn: string | null
  imsi: string | null
}

const INSERT_STOCK = sql<{ iccid: string }>`insert into card_stock (id, iccid, source_id, msisdn, imsi, form, use)
  select v.id, v.iccid, $2, v.msisdn, v.imsi, $3, $4 from jsonb_to_recordset($1::jsonb) as v(id uuid, iccid text, msisdn text, imsi text)
  on conflict (iccid) do nothing returning iccid`
/** @returns those that were not there yet */
export async function addStock(
  scope: SystemScope,
  sourceId: string,
  form: SoldForm,
  use: string,
  cards: readonly StockCard[],
): Promise<string[]> {
  const { rows } = await scope.run(INSERT_STOCK, [
    JSON.stringify(cards.map(card => ({ ...card, id: newId() }))),
    sourceId,
    form,
    use,
  ])
  return rows.map(({ iccid }) => iccid)
}

export interface RangeCard extends StockCard {
  sourceId: string
  carrier: string
  form: SoldForm
  use: string
  orderId: string | null
}
const RANGE = sql<RangeCard>`select k.iccid, k.msisdn, k.imsi, k.source_id as "sourceId", s.carrier, k.form, k.use, k.order_id as "orderId"
  from card_stock k join card_sources s on s.id = k.source_id
  where k.iccid between $1 and $2 and length(k.iccid) = length($1) order by k.iccid limit $3 for update of k`
/** Cards of the stock from one ICCID to another, held until the transaction ends. */
export async function range(scope: SystemScope, from: string, to: string, most: number): Promise<RangeCard[]> {
  return (await scope.run(RANGE, [from, to, most])).rows
}

const TAKE = sql`update card_stock set order_id = $2, order_no = $3, company_name = $4 where iccid = any ($1)`
export async function take(
  scope: SystemScope,
  iccids: readonly string[],
  order: { id: string; no: string; companyName: string },
): Promise<void> {
  await scope.run(TAKE, [iccids, order.id, order.no, order.companyName])
}

const OF_ORDER = sql<
  StockCard & { sourceId: string }
>`select iccid, msisdn, imsi, source_id as "sourceId" from card_stock
  where order_id = $1 order by iccid`
export const ofOrder = async (scope: SystemScope, orderId: string) => (await scope.run(OF_ORDER, [orderId])).rows

const REMOVE = sql<{ iccid: string }>`delete from card_stock where iccid = $1 and order_id is null returning iccid`
export const remove = async (scope: SystemScope, iccid: string) => (await scope.run(REMOVE, [iccid])).rows.length > 0

const STATE = sql<{ shipped: boolean }>`select order_id is not null as shipped from card_stock where iccid = $1`
export const stateOf = async (scope: SystemScope, iccid: string) => (await scope.run(STATE, [iccid])).rows[0]
