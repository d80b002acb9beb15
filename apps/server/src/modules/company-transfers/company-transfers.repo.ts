import type { TransferProduct } from '@thingwright/contracts/company-transfers.contract'
import type { CompanyTransferState, TransferItemState } from '@thingwright/contracts/company-transfers.words'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { listSql } from '../../lib/sql/list.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'

/** A product of an offer, with the file that a copy of it is made of. */
export interface OfferedProduct extends TransferProduct {
  file: Record<string, unknown>
}

/** A trigger that goes along; see `PackedTrigger` of the triggers. */
export type PackedLine = Record<string, unknown>

export interface Paused {
  kind: string
  id: string
  name: string
}

export interface TransferRow {
  id: string
  tenantId: string
  fromName: string
  toTenant: string | null
  toName: string
  state: CompanyTransferState
  withHistory: boolean
  withTriggers: boolean
  note: string
  total: number
  moved: number
  failed: number
  products: OfferedProduct[]
  groupId: string | null
  triggers: PackedLine[] | null
  paused: Paused[]
  byName: string
  acceptedName: string
  taskId: string | null
  expiresAt: Date
  acceptedAt: Date | null
  endedAt: Date | null
  createdAt: Date
}

const FACTS = part`t.id, t.tenant_id as "tenantId", t.from_name as "fromName", t.to_tenant as "toTenant", t.to_name as "toName", t.state,
  t.with_history as "withHistory", t.with_triggers as "withTriggers", t.note, t.total, t.products, t.group_id as "groupId", t.triggers, t.paused,
  t.by_name as "byName", t.accepted_name as "acceptedName", t.task_id as "taskId", t.expires_at as "expiresAt",
  t.accepted_at as "acceptedAt", t.ended_at as "endedAt", t.created_at as "createdAt"`
const COLUMNS = part`${FACTS},
  (select count(*)::int from company_transfer_items i where i.transfer_id = t.id and i.state = 'moved') as moved,
  (select count(*)::int from company_transfer_items i where i.transfer_id = t.id and i.state = 'failed') as failed`

export interface TransferFilter {
  out?: boolean
  state?: string
  q?: string
}

export const LIST = listSql<TransferRow, TransferFilter, 'createdAt'>({
  columns: COLUMNS,
  from: part`company_transfers t`,
  filters: {
    out: part`(t.tenant_id = (select current_tenant())) = $1`,
    state: part`t.state = $1`,
    q: part`(t.from_name ilike $1 or t.to_name ilike $1 or t.note ilike $1)`,
  },
  sorts: { createdAt: { by: part`t.created_at`, type: 'timestamptz' } },
  id: { by: part`t.id`, type: 'uuid' },
})

const FIND = holdable(
  sql<TransferRow>`select ${COLUMNS} from company_transfers t where t.id = $1`,
  part`for update of t`,
)

/** @param lock locks the row until the transaction ends */
export async function find(scope: TenantScope, id: string, lock = false): Promise<TransferRow | undefined> {
  return (await scope.run(lock ? FIND.held : FIND.free, [id])).rows[0]
}

const OWN = sql<TransferRow>`select ${COLUMNS} from company_transfers t where t.code_hash = $1`

/** The transfer with the code, of a company that gave or took it. */
export async function withCode(scope: TenantScope, codeHash: Buffer): Promise<TransferRow | undefined> {
  return (await scope.run(OWN, [codeHash])).rows[0]
}

export interface OfferedDevice {
  id: string
  num: number
  deviceNo: string
  name: string
  ownerName: string
  productId: string
  productName: string
  linkType: string
  nodeType: string
  gatewayId: string | null
  subAddress: string | null
}

const DEVICES = sql<OfferedDevice>`select d.id, d.num, d.device_no as "deviceNo", d.name, d.product_id as "productId", p.name as "productName",
    p.link_type as "linkType", p.node_type as "nodeType", g.id as "gatewayId", d.sub_address as "subAddress",
    coalesce((select coalesce(nullif(l.display_name, ''), l.username) from logins l where l.id = d.owner_id), '') as "ownerName"
  from devices d join products p on p.id = d.product_id left join devices g on g.num = d.gateway
  where (d.num = any ($1::int[]) or d.id = any ($2::uuid[])) and d.recycled_at is null
  order by d.gateway nulls first, d.num for update of d`

/** Devices that are offered, gateways before those that they speak for; held until the transaction ends. */
export async function devicesToOffer(
  scope: TenantScope,
  nums: readonly number[],
  ids: readonly string[],
): Promise<OfferedDevice[]> {
  return (await scope.run(DEVICES, [nums, ids])).rows
}

export interface NewTransfer {
  id: string
  fromName: string
  codeHash: Buffer
  withHistory: boolean
  withTriggers: boolean
  note: string
  total: number
  products: readonly OfferedProduct[]
  byId: string | null
  byName: string
  expiresAt: Date
}

const INSERT = sql`insert into company_transfers (id, tenant_id, from_name, code_hash, with_history, with_triggers, note, total, products, by_id, by_name, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`

export async function insert(scope: TenantScope, row: NewTransfer): Promise<void> {
  await scope.run(INSERT, [
    row.id,
    scope.tenantId,
    row.fromName,
    row.codeHash,
    row.withHistory,
    row.withTriggers,
    row.note,
    row.total,
    JSON.stringify(row.products),
    row.byId,
    row.byName,
    row.expiresAt,
  ])
}

const INSERT_ITEMS = sql<{
  device_id: string
}>`insert into company_transfer_items (transfer_id, place, tenant_id, device_id, device_num, device_no, name, owner_name, product_id, gateway_id, sub_address)
  select $1, v.place, $2, v.id, v.num, v."deviceNo", v.name, v."ownerName", v."productId", v."gatewayId", v."subAddress"
  from jsonb_to_recordset($3::jsonb) as v (place int, id uuid, num int, "deviceNo" text, name text, "ownerName" text, "productId" uuid, "gatewayId" uuid, "subAddress" text)
  on conflict (device_id) where state = 'waiting' do nothing returning device_id`

/** @returns ids of the devices that are not part of another offer */
export async function insertItems(
  scope: TenantScope,
  transferId: string,
  devices: readonly OfferedDevice[],
): Promise<Set<string>> {
  const lines = devices.map((device, place) => ({ ...device, place }))
  const { rows } = await scope.run(INSERT_ITEMS, [transferId, scope.tenantId, JSON.stringify(lines)])
  return new Set(rows.map(row => row.device_id))
}

const OFFERED = sql<TransferRow>`select ${FACTS}, 0 as moved, 0 as failed from offered_transfer($1) t`

/** The open offer of another company with the code. */
export async function offered(scope: TenantScope, codeHash: Buffer): Promise<TransferRow | undefined> {
  return (await scope.run(OFFERED, [codeHash])).rows[0]
}

const TAKE = sql<{ id: string | null }>`select take_transfer($1, $2, $3, $4, $5) as id`

/** @returns null when the offer can no longer be taken */
export async function take(
  scope: TenantScope,
  codeHash: Buffer,
  to: { name: string; by: string; products: readonly OfferedProduct[]; groupId: string | null },
): Promise<string | null> {
  return (await scope.run(TAKE, [codeHash, to.name, to.by, JSON.stringify(to.products), to.groupId])).rows[0]!.id
}

const SET_TASK = sql`update company_transfers set task_id = $2 where id = $1`

export async function setTask(scope: TenantScope, id: string, taskId: string): Promise<void> {
  await scope.run(SET_TASK, [id, taskId])
}

const SET_TRIGGERS = sql`update company_transfers set triggers = $2 where id = $1`

export async function setTriggers(scope: TenantScope, id: string, triggers: readonly unknown[]): Promise<void> {
  await scope.run(SET_TRIGGERS, [id, JSON.stringify(triggers)])
}

const END = sql`update company_transfers set state = $2, ended_at = clock_timestamp(), triggers = null where id = $1`

export async function end(scope: TenantScope, id: string, state: CompanyTransferState): Promise<void> {
  await scope.run(END, [id, state])
}

const END_ITEMS = sql`update company_transfer_items set state = $2, reason = $3 where transfer_id = $1 and state = 'waiting'`

/** Marks waiting devices as staying with their company. */
export async function endItems(
  scope: TenantScope,
  id: string,
  state: 'failed' | 'withdrawn',
  reason: string | null = null,
): Promise<void> {
  await scope.run(END_ITEMS, [id, state, reason])
}

export interface CopiedDevice {
  place: number
  id: string
  deviceNo: string
  name: string
  tags: string[]
  productId: string
  secret: Buffer
  previousSecret: Buffer | null
  token: Buffer | null
}

const WAITING = sql<CopiedDevice>`select place, id, device_no as "deviceNo", name, tags, product_id as "productId", secret, previous_secret as "previousSecret", token
  from transfer_devices($1, $2)`

export async function waiting(scope: TenantScope, id: string, many: number): Promise<CopiedDevice[]> {
  return (await scope.run(WAITING, [id, many])).rows
}

const GONE = sql<{
  place: number
  name: string
  deviceNo: string
}>`update company_transfer_items i set state = 'failed', reason = 'device.not_found'
  where transfer_id = $1 and state = 'waiting' returning place, name, device_no as "deviceNo"`

/** Devices that wait and that the company no longer has. */
export async function failGone(
  scope: TenantScope,
  id: string,
): Promise<{ place: number; name: string; deviceNo: string }[]> {
  return (await scope.run(GONE, [id])).rows
}

export interface Move {
  place: number
  newId: string
  product: string
  secret: string
  previous: string | null
  token: string | null
  text: string
  grams: number[]
}

const GIVE = sql<{
  place: number
  oldNum: number
  newNum: number | null
  outcome: string
}>`select place, old_num as "oldNum", new_num as "newNum", outcome
  from give_devices($1, $2)`

export async function give(
  scope: TenantScope,
  id: string,
  moves: readonly Move[],
): Promise<{ place: number; oldNum: number; newNum: number | null; outcome: string }[]> {
  return (await scope.run(GIVE, [id, JSON.stringify(moves)])).rows
}

export interface MovedItem {
  place: number
  deviceId: string
  deviceNum: number
  deviceNo: string
  name: string
  ownerId: string | null
  newId: string
  newNum: number
}

const UNSETTLED = sql<
  Omit<MovedItem, 'newId' | 'newNum'> & { newId: string | null; newNum: number | null }
>`select place, device_id as "deviceId", device_num as "deviceNum", device_no as "deviceNo", name,
    owner_id as "ownerId", new_id as "newId", new_num as "newNum"
  from company_transfer_items where transfer_id = $1 and state = 'moved' and not settled order by place limit $2`

/** Devices that moved and whose follow-up work is not done yet. */
export async function unsettled(scope: TenantScope, id: string, many: number): Promise<MovedItem[]> {
  const { rows } = await scope.run(UNSETTLED, [id, many])
  // What has moved has its new device.
  return rows.flatMap(({ newId, newNum, ...row }) => (newId && newNum !== null ? [{ ...row, newId, newNum }] : []))
}

const SETTLE = sql`update company_transfer_items set settled = true where transfer_id = $1 and place = any ($2::int[])`
const ADD_PAUSED = sql`update company_transfers set paused = paused || $2::jsonb where id = $1`

export async function settle(
  scope: TenantScope,
  id: string,
  places: readonly number[],
  paused: readonly Paused[],
): Promise<void> {
  await scope.run(SETTLE, [id, places])
  if (paused.length > 0) await scope.run(ADD_PAUSED, [id, JSON.stringify(paused)])
}

const RENUMBERING = sql<{
  from: number
  to: number
  fromProperty: number
  toProperty: number
  identifier: string
}>`select old_num as "from",
    new_num as "to", old_property as "fromProperty", new_property as "toProperty", identifier from transfer_renumbering($1, $2)`

/** Old and new device numbers of moved devices whose history is to be copied. */
export async function renumbering(
  scope: TenantScope,
  id: string,
  oldNums: readonly number[],
): Promise<{ from: number; to: number; fromProperty: number; toProperty: number; identifier: string }[]> {
  return (await scope.run(RENUMBERING, [id, oldNums])).rows
}

const NEW_NUMBERS = sql<{ from: number; to: number | null }>`select device_num as "from", new_num as "to"
  from company_transfer_items where transfer_id = $1 and state = 'moved' and device_num = any ($2::int[])`

/** The numbers that moved devices have now. */
export async function newNumbers(
  scope: TenantScope,
  id: string,
  oldNums: readonly number[],
): Promise<{ from: number; to: number }[]> {
  const { rows } = await scope.run(NEW_NUMBERS, [id, oldNums])
  return rows.flatMap(({ from, to }) => (to === null ? [] : [{ from, to }]))
}

const PAGES = sql<{ id: string; name: string }>`select p.id, p.name from cloud_pages p
  where exists (select 1 from unnest($1::text[]) as d (id) where strpos(p.scene::text, d.id) > 0)`

/** Cloud pages that show one of the devices. */
export async function pagesNaming(
  scope: TenantScope,
  deviceIds: readonly string[],
): Promise<{ id: string; name: string }[]> {
  return (await scope.run(PAGES, [deviceIds])).rows
}

const LINES = sql<{ path: string[] }>`select path from end_users where id = any ($1::uuid[])`

/** End users with their parents up to the root. */
export async function linesOf(scope: TenantScope, ownerIds: readonly string[]): Promise<string[]> {
  return [...new Set((await scope.run(LINES, [ownerIds])).rows.flatMap(row => row.path))]
}

export interface ItemRow {
  place: number
  deviceNo: string
  name: string
  ownerName: string
  state: TransferItemState
  reason: string | null
  deviceId: string
  newId: string | null
  movedAt: Date | null
}

const ITEMS = sql<ItemRow>`select place, device_no as "deviceNo", name, owner_name as "ownerName", state, reason, device_id as "deviceId",
    new_id as "newId", moved_at as "movedAt"
  from company_transfer_items where transfer_id = $1 and ($2::text is null or state = $2) and place > $3 order by place limit $4`

export async function items(
  scope: TenantScope,
  id: string,
  state: string | null,
  after: number,
  many: number,
): Promise<ItemRow[]> {
  return (await scope.run(ITEMS, [id, state, after, many])).rows
}

const ALL_PLACES = sql<{
  deviceId: string
  productId: string
  deviceNo: string
  newId: string | null
}>`select device_id as "deviceId",
    product_id as "productId", device_no as "deviceNo", new_id as "newId" from company_transfer_items where transfer_id = $1`

/** Every device of the transfer, with the one that it became. */
export async function places(
  scope: TenantScope,
  id: string,
): Promise<{ deviceId: string; productId: string; deviceNo: string; newId: string | null }[]> {
  return (await scope.run(ALL_PLACES, [id])).rows
}

const PRODUCT_KIND = sql<{
  linkType: string
  nodeType: string
}>`select link_type as "linkType", node_type as "nodeType" from products where id = $1 and deleted_at is null`

export async function productKind(
  scope: TenantScope,
  id: string,
): Promise<{ linkType: string; nodeType: string } | undefined> {
  return (await scope.run(PRODUCT_KIND, [id])).rows[0]
}

const COMPANY_NAME = sql<{ name: string }>`select name from tenants where id = $1`

export async function companyName(scope: TenantScope): Promise<string> {
  return (await scope.run(COMPANY_NAME, [scope.tenantId])).rows[0]?.name ?? ''
}

const EXPIRE = sql`with over as (
    update company_transfers set state = 'expired', ended_at = clock_timestamp() where state = 'offered' and expires_at <= $1 returning id)
  update company_transfer_items i set state = 'withdrawn' from over where i.transfer_id = over.id and i.state = 'waiting'`

/** Closes expired offers, of the company of the transaction or of all companies. */
export async function expire(scope: Pick<SystemScope, 'run'>, now: Date): Promise<void> {
  await scope.run(EXPIRE, [now])
}

const ABANDON = sql`with over as (
    update company_transfers t set state = 'done', ended_at = clock_timestamp(), triggers = null
    where t.state = 'running' and t.accepted_at < $1
      and not exists (select 1 from tasks k where k.id = t.task_id and k.state in ('queued', 'running')) returning t.id)
  update company_transfer_items i set state = 'withdrawn' from over where i.transfer_id = over.id and i.state = 'waiting'`

/** Ends transfers whose task ended early; devices that did not move stay with their company. */
export async function abandon(scope: Pick<SystemScope, 'run'>, before: Date): Promise<void> {
  await scope.run(ABANDON, [before])
}

const LATE = sql<{
  id: string
  tenantId: string
  nums: number[]
}>`select t.id, t.to_tenant as "tenantId", array_agg(i.device_num) as nums
  from company_transfer_items i join company_transfers t on t.id = i.transfer_id
  where i.state = 'moved' and i.moved_at > $1 and t.with_history and t.to_tenant is not null group by t.id`

/** Devices that moved recently with their history, for copying values that were sealed since then. */
export async function movedSince(
  scope: Pick<SystemScope, 'run'>,
  since: Date,
): Promise<{ id: string; tenantId: string; nums: number[] }[]> {
  return (await scope.run(LATE, [since])).rows
}
