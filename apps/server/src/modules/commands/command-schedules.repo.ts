import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'
import type { AuthorisedDevice } from '../devices/authorised.port.ts'

export interface ScheduleRow {
  id: string
  tenantId: string
  productId: string
  templateId: string
  templateName: string
  params: Record<string, unknown>
  everySeconds: number
  enabled: boolean
  slot: number
  lastRun: Date | null
  sent: number
  skipped: number
  errorCode: string | null
  version: number
}

const SELECT = part`select s.id, s.tenant_id as "tenantId", s.product_id as "productId", s.template_id as "templateId",
  t.name as "templateName", s.params, s.every_seconds as "everySeconds", s.enabled, s.slot, s.last_run as "lastRun",
  s.sent, s.skipped, s.error_code as "errorCode", s.version
  from command_schedules s join command_templates t on t.id = s.template_id`

/** A period has at most this many slots. */
const SLOTS = 60

/** Slots of a period: one a second at most. */
export const slotsOf = (everySeconds: number): number => Math.min(SLOTS, everySeconds)

const LIST_SCHEDULES = sql<ScheduleRow>`${SELECT} where s.product_id = $1 order by s.created_at, s.id`

export async function listSchedules(scope: TenantScope, productId: string): Promise<ScheduleRow[]> {
  const { rows } = await scope.run(LIST_SCHEDULES, [productId])
  return rows
}

const FIND_SCHEDULE = sql<ScheduleRow>`${SELECT} where s.id = $1`

export async function findSchedule(scope: TenantScope, id: string): Promise<ScheduleRow | null> {
  const { rows } = await scope.run(FIND_SCHEDULE, [id])
  return rows[0] ?? null
}

const INSERT_SCHEDULE = sql`insert into command_schedules (id, tenant_id, product_id, template_id, params, every_seconds, enabled)
  values ($1, $2, $3, $4, $5, $6, $7)`

export async function insertSchedule(
  scope: TenantScope,
  row: Pick<ScheduleRow, 'id' | 'productId' | 'templateId' | 'params' | 'everySeconds' | 'enabled'>,
): Promise<void> {
  await scope.run(INSERT_SCHEDULE, [
    row.id,
    scope.tenantId,
    row.productId,
    row.templateId,
    JSON.stringify(row.params),
    row.everySeconds,
    row.enabled,
  ])
}

const UPDATE_SCHEDULE = sql`update command_schedules set params = $3, every_seconds = $4, enabled = $5, slot = 0, next_run = now(),
  error_code = null, version = version + 1, updated_at = now() where id = $1 and version = $2`

/** False when the version has moved on. */
export async function updateSchedule(
  scope: TenantScope,
  row: Pick<ScheduleRow, 'id' | 'params' | 'everySeconds' | 'enabled' | 'version'>,
): Promise<boolean> {
  const { rowCount } = await scope.run(UPDATE_SCHEDULE, [
    row.id,
    row.version,
    JSON.stringify(row.params),
    row.everySeconds,
    row.enabled,
  ])
  return rowCount === 1
}

const DELETE_SCHEDULE = sql`delete from command_schedules where id = $1`

export async function deleteSchedule(scope: TenantScope, id: string): Promise<void> {
  await scope.run(DELETE_SCHEDULE, [id])
}

const DUE_SCHEDULES = sql<{
  id: string
  tenantId: string
}>`select id, tenant_id as "tenantId" from command_schedules where enabled and next_run <= now()
  order by next_run limit $1 for update skip locked`

/** Periodic reads whose next slot is due, the longest waiting first. */
export async function dueSchedules(scope: SystemScope, limit: number): Promise<{ id: string; tenantId: string }[]> {
  const { rows } = await scope.run(DUE_SCHEDULES, [limit])
  return rows
}

const HOLD_SCHEDULE = sql<ScheduleRow>`${SELECT} where s.id = $1 and s.enabled and s.next_run <= now() for update of s skip locked`

/** Holds a due periodic read until the transaction ends; null when another process has it or had it. */
export async function holdSchedule(scope: TenantScope, id: string): Promise<ScheduleRow | null> {
  const { rows } = await scope.run(HOLD_SCHEDULE, [id])
  return rows[0] ?? null
}

const SLOT_DEVICES = sql<
  Omit<AuthorisedDevice, 'ids' | 'historyFrom'> & { subAddress: string | null; open: boolean }
>`select d.id, d.num, d.tenant_id as "tenantId", d.name, d.device_no as "deviceNo", d.product_id as "productId",
    d.product_num as "productNum", '' as "productKey", d.lifecycle, d.sub_address as "subAddress",
    exists (select 1 from commands c where c.schedule_id = $2 and c.device = d.num
      and c.state in ('queued', 'sent', 'delivered')) as open
  from device_presence p join devices d on d.num = p.device
  where p.tenant_id = $5 and p.link = 'online' and d.product_id = $1 and d.lifecycle in ('inactive', 'active')
    and d.num % $3 = $4
  order by d.num`

/** Devices of a slot that are online, and whether the read before is still open there. */
export async function slotDevices(
  scope: TenantScope,
  schedule: ScheduleRow,
): Promise<(Omit<AuthorisedDevice, 'ids' | 'historyFrom'> & { subAddress: string | null; open: boolean })[]> {
  const { rows } = await scope.run(SLOT_DEVICES, [
    schedule.productId,
    schedule.id,
    slotsOf(schedule.everySeconds),
    schedule.slot,
    scope.tenantId,
  ])
  return rows
}

const ADVANCE = sql`update command_schedules set slot = (slot + 1) % $2, last_run = now(), error_code = $5,
    sent = case when slot = 0 then 0 else sent end + $3, skipped = case when slot = 0 then 0 else skipped end + $4,
    next_run = greatest(next_run + make_interval(secs => every_seconds::float8 / $2), now())
  where id = $1`

/** On to the next slot. What was missed while nobody was there is not made up for. */
export async function advance(
  scope: TenantScope,
  schedule: ScheduleRow,
  seen: { sent: number; skipped: number; errorCode: string | null },
): Promise<void> {
  const slots = slotsOf(schedule.everySeconds)
  await scope.run(ADVANCE, [schedule.id, slots, seen.sent, seen.skipped, seen.errorCode])
}

const DELETE_OLD_READS = sql`delete from commands where id in (select id from commands where schedule_id is not null
  and finished_at < now() - make_interval(hours => $1) limit $2)`

/** Ended periodic reads older than this are history that nobody asks for. @returns how many went */
export async function deleteOldReads(scope: SystemScope, hours: number, limit: number): Promise<number> {
  const { rowCount } = await scope.run(DELETE_OLD_READS, [hours, limit])
  return rowCount ?? 0
}
