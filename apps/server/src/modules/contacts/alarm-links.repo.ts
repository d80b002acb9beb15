import type { SystemScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'
import { MAY_ACKNOWLEDGE } from './queue.repo.ts'

export interface LinkRow {
  id: string
  tenantId: string
  alarmId: string
  contactName: string
  channel: string
  usedAt: Date | null
  createdAt: Date
  triggerName: string
  deviceName: string | null
  level: number
  active: boolean
  raisedAt: Date
  acknowledgedAt: Date | null
  acknowledgedName: string | null
  mayAcknowledge: boolean
}

const FIND = sql<LinkRow>`select r.id, r.tenant_id as "tenantId", a.id as "alarmId", r.contact_name as "contactName", r.channel,
    r.link_used_at as "usedAt", r.created_at as "createdAt", a.trigger_name as "triggerName", d.name as "deviceName", a.level,
    a.active, a.raised_at as "raisedAt", a.acknowledged_at as "acknowledgedAt", a.acknowledged_name as "acknowledgedName",
    ${MAY_ACKNOWLEDGE} as "mayAcknowledge"
  from notification_records r join alarms a on a.id = r.alarm_id left join devices d on d.id = a.device_id
  where r.id = $1 and r.kind <> 'cleared'`

export async function find(scope: SystemScope, id: string): Promise<LinkRow | undefined> {
  return (await scope.run(FIND, [id])).rows[0]
}

const TAKE = sql<{ id: string }>`update notification_records set link_used_at = $2
  where id = $1 and (link_used_at is null or link_used_at < $2::timestamptz - interval '1 minute') returning id`

/** @returns false: somebody took it just before. What a killed server took can be taken again. */
export async function take(scope: SystemScope, id: string, now: Date): Promise<boolean> {
  return (await scope.run(TAKE, [id, now])).rows.length > 0
}
