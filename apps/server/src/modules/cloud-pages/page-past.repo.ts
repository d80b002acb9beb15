import { type Runner, sql } from '../../lib/sql/statement.ts'

export interface PastAlarm {
  id: string
  deviceId: string
  device: string
  level: number
  name: string
  raisedAt: Date
  acknowledged: boolean
}

const OPEN_AT = sql<PastAlarm>`select a.id, a.device_id as "deviceId", d.name as device, a.level, a.trigger_name as name,
    a.raised_at as "raisedAt", coalesce(a.acknowledged_at <= $2, false) as acknowledged
  from alarms a join devices d on d.id = a.device_id
  where a.device_id = any ($1::uuid[]) and a.raised_at <= $2 and (a.cleared_at is null or a.cleared_at > $2)
  order by a.level desc, a.raised_at desc limit 500`

/** Alarms of the devices that were open at a moment, the gravest first. */
export async function alarmsOpenAt(run: Runner, devices: readonly string[], at: Date): Promise<PastAlarm[]> {
  return devices.length === 0 ? [] : (await run.run(OPEN_AT, [devices, at])).rows
}
