import type { UnitKind } from '@thingwright/contracts/money.words'
import type { Runner } from '../../lib/sql/statement.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface BatchRow {
  id: string
  kind: UnitKind
  total: number
  left: number
  gift: boolean
  orderId: string | null
  orderNo: string
  expiresAt: Date
  createdAt: Date
}

const COLUMNS = part`id, kind, total - taken_back as total, left_units as "left", gift, order_id as "orderId", order_no as "orderNo",
  expires_at as "expiresAt", created_at as "createdAt"`

const BATCHES = sql<BatchRow>`select ${COLUMNS} from unit_batches
  where tenant_id = $1 and holder_id = $1 and expires_at > $2 order by expires_at, id limit 200`

/** Batches that have not ended, the one that ends first before the others. */
export async function batches(scope: Runner, tenantId: string, now: Date): Promise<BatchRow[]> {
  return (await scope.run(BATCHES, [tenantId, now])).rows
}

const HOLD_BATCHES = sql<{ id: string; left: number }>`select id, left_units as "left" from unit_batches
  where tenant_id = $1 and holder_id = $1 and kind = $2 and left_units > 0 and expires_at > $3
  order by expires_at, id for update`

/** Batches that have units left, locked until the transaction ends. */
export async function holdBatches(
  scope: Runner,
  tenantId: string,
  kind: UnitKind,
  now: Date,
): Promise<{ id: string; left: number }[]> {
  return (await scope.run(HOLD_BATCHES, [tenantId, kind, now])).rows
}

const CHANGE_BATCH = sql`update unit_batches set left_units = left_units + $2 where id = $1`

export async function changeBatch(scope: Runner, id: string, by: number): Promise<void> {
  await scope.run(CHANGE_BATCH, [id, by])
}

const INSERT_BATCH = sql`insert into unit_batches
    (id, tenant_id, holder_kind, holder_id, kind, total, left_units, gift, order_id, order_no, expires_at)
  values ($1, $2, 'company', $2, $3, $4, $4, $5, $6, $7, $8)
  on conflict (order_id, kind, gift) where order_id is not null do nothing`

export async function insertBatch(
  scope: Runner,
  batch: {
    id: string
    tenantId: string
    kind: UnitKind
    units: number
    gift: boolean
    orderId: string | null
    orderNo: string
    expiresAt: Date
  },
): Promise<void> {
  await scope.run(INSERT_BATCH, [
    batch.id,
    batch.tenantId,
    batch.kind,
    batch.units,
    batch.gift,
    batch.orderId,
    batch.orderNo,
    batch.expiresAt,
  ])
}

const EMPTY_BATCHES = sql`update unit_batches set taken_back = taken_back + left_units, left_units = 0
  where tenant_id = $1 and order_id = $2`

/** What is left of an order's batches is taken back. */
export async function takeBackBatches(scope: Runner, tenantId: string, orderId: string): Promise<void> {
  await scope.run(EMPTY_BATCHES, [tenantId, orderId])
}

export interface UseRow {
  id: string
  state: 'reserved' | 'settled' | 'released'
  units: number
  parts: { id: string; units: number }[]
}

const HOLD_USE = sql<UseRow>`select id, state, units, parts from unit_uses where tenant_id = $1 and key = $2 for update`

export async function holdUse(scope: Runner, tenantId: string, key: string): Promise<UseRow | undefined> {
  return (await scope.run(HOLD_USE, [tenantId, key])).rows[0]
}

const INSERT_USE = sql`insert into unit_uses (id, tenant_id, kind, key, state, units, parts)
  values ($1, $2, $3, $4, 'reserved', $5, $6) on conflict (tenant_id, key) do nothing`

/** @returns false when this use is there already */
export async function insertUse(
  scope: Runner,
  use: { id: string; tenantId: string; kind: UnitKind; key: string; units: number; parts: UseRow['parts'] },
): Promise<boolean> {
  const { rowCount } = await scope.run(INSERT_USE, [
    use.id,
    use.tenantId,
    use.kind,
    use.key,
    use.units,
    JSON.stringify(use.parts),
  ])
  return rowCount === 1
}

const END_USE = sql`update unit_uses set state = $2, units = $3, parts = $4, ended_at = now() where id = $1`

export async function endUse(
  scope: Runner,
  id: string,
  state: 'settled' | 'released',
  units: number,
  parts: UseRow['parts'],
): Promise<void> {
  await scope.run(END_USE, [id, state, units, JSON.stringify(parts)])
}

const USED_SINCE = sql<{ kind: UnitKind; units: number }>`select kind, sum(units)::int as units from unit_uses
  where tenant_id = $1 and at >= $2 and state <> 'released' group by kind`

export async function usedSince(scope: Runner, tenantId: string, since: Date): Promise<Map<UnitKind, number>> {
  const { rows } = await scope.run(USED_SINCE, [tenantId, since])
  return new Map(rows.map(({ kind, units }) => [kind, units]))
}
