import type { SystemScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'
import { ACCOUNT_COLUMNS, type AccountRow } from './accounts.repo.ts'
import type { VendorAlarm } from './video.port.ts'

const ASKED = sql<
  AccountRow & { alarmsAt: Date | null }
>`select ${ACCOUNT_COLUMNS}, a.alarms_at as "alarmsAt" from video_accounts a
  where a.state <> 'disabled' and exists (select 1 from triggers t where t.tenant_id = a.tenant_id and t.kind = 'object'
    and t.enabled and t.document #>> '{source,type}' = 'camera.alarm') order by a.id`

/** Accounts of companies that have a trigger about alarms of cameras. */
export const askedAccounts = async (scope: SystemScope) => (await scope.run(ASKED)).rows

const KEEP_AT = sql`update video_accounts set alarms_at = $2 where id = $1`

export async function keepAlarmsAt(scope: SystemScope, accountId: string, at: Date): Promise<void> {
  await scope.run(KEEP_AT, [accountId, at])
}

const KNOWN = part`exists (select 1 from video_snapshots s where s.channel_id = c.id and s.vendor_alarm = $4)`
const CHANNEL = sql<{
  id: string
  name: string
  isKnown: boolean
}>`select c.id, c.name, ${KNOWN} as "isKnown" from video_channels c
  where c.account_id = $1 and c.serial = $2 and c.channel_no = $3`

/** The channel that noticed something; undefined: it was not synced yet. */
export async function channelOf(scope: SystemScope, accountId: string, { serial, channelNo, id }: VendorAlarm) {
  return (await scope.run(CHANNEL, [accountId, serial, channelNo, id])).rows[0]
}

const KEEP = sql<{
  id: string
}>`insert into video_snapshots (id, tenant_id, channel_id, object_key, content_type, by_name, at, vendor_alarm)
  values ($1, $2, $3, $4, $5, '', $6, $7) on conflict (channel_id, vendor_alarm) where vendor_alarm is not null do nothing returning id`

/** Keeps an alarm with its picture; without one its key is empty. @returns whether it was not known yet */
export async function keepAlarm(
  scope: SystemScope,
  of: {
    id: string
    tenantId: string
    channelId: string
    vendorAlarm: string
    at: Date
    objectKey?: string
    contentType?: string
  },
): Promise<boolean> {
  const { id, tenantId, channelId, objectKey = '', contentType = '', at, vendorAlarm } = of
  return (await scope.run(KEEP, [id, tenantId, channelId, objectKey, contentType, at, vendorAlarm])).rows.length > 0
}
