import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

const COUNT = sql<{
  count: number
}>`select count(*)::int as count from devices where tenant_id = $1 and created_by = $2 and recycled_at is null`

const HAND_OVER = sql<{
  count: number
}>`with given as (update devices set created_by = $3 where tenant_id = $1 and created_by = $2 returning recycled_at)
  select count(*)::int as count from given where recycled_at is null`

/** Devices that belong to the member who made them; those in the recycle bin go along but are not counted. */
export const ownedDevices = {
  kind: 'device',
  async count(scope: TenantScope, loginId: string): Promise<number> {
    const { rows } = await scope.run(COUNT, [scope.tenantId, loginId])
    return rows[0]!.count
  },
  async handOver(scope: TenantScope, from: string, to: string): Promise<number> {
    const { rows } = await scope.run(HAND_OVER, [scope.tenantId, from, to])
    return rows[0]!.count
  },
} as const

/**
 * Sets the owner of a device. An end user passes on the part of the history that he could see, the company passes on all
 * of it. One statement, so that a device always has exactly one owner.
 */
const SET_OWNER = sql`update devices set owner_id = $2,
    history_from = case when $2::uuid is null then null when not $3 then clock_timestamp()
      when owner_id is null then null else history_from end,
    version = version + 1, updated_at = now()
  where id = any ($1::uuid[])`

export async function setDeviceOwner(
  scope: TenantScope,
  ids: readonly string[],
  to: string | null,
  withHistory: boolean,
): Promise<void> {
  await scope.run(SET_OWNER, [ids, to, withHistory])
}

const RELEASE_ALL = sql`update devices set owner_id = $2, history_from = case when $2::uuid is null then null else history_from end,
  version = version + 1, updated_at = now() where owner_id = $1`

/** Also what lies in the recycle bin: nobody stays the owner of a thing who is gone. */
export async function releaseDevicesOf(scope: TenantScope, from: string, to: string | null): Promise<void> {
  await scope.run(RELEASE_ALL, [from, to])
}
