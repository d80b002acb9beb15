import type { TenantScope } from '../../lib/database/database.ts'
import { part, type SqlPart, sql } from '../../lib/sql/statement.ts'

/** Devices outside the recycle bin, and of these by link. */
export interface DeviceLinkCounts {
  total: number
  online: number
  offline: number
  never: number
}

export interface DeviceStateCounts extends DeviceLinkCounts {
  disabled: number
  recycled: number
}

const COUNT_COMPANY = sql<{ count: number }>`select count_company($1, $2) as count`

/**
 * Devices of the whole company outside the recycle bin, all or by link. Answered from indexes by a function of the
 * database: behind a policy that asks each row for its group, every count would read the fleet.
 */
export async function countCompany(scope: TenantScope, link?: 'online' | 'offline' | 'never'): Promise<number> {
  const { rows } = await scope.run(COUNT_COMPANY, [scope.tenantId, link ?? null])
  return rows[0]!.count
}

const COUNT_SCOPE = sql<DeviceLinkCounts>`select * from count_scope($1)`

/** The same for the devices of the caller's data scope. */
export async function countScope(scope: TenantScope): Promise<DeviceLinkCounts> {
  const { rows } = await scope.run(COUNT_SCOPE, [scope.tenantId])
  return rows[0]!
}

const countByStates = (links: SqlPart) => sql<DeviceStateCounts>`with links as materialized (${links})
  select total, online, offline, never,
    (select count(*) from devices where tenant_id = $1 and lifecycle = 'disabled') as disabled,
    (select count(*) from devices where tenant_id = $1 and recycled_at is not null) as recycled
  from links`
const STATES_IN_SCOPE = countByStates(part`select * from count_scope($1)`)
/** A device that was seen once and is not online counts as offline. */
const STATES_IN_COMPANY =
  countByStates(part`select *, total - online - never as offline from (select count_company($1, null) as total,
  count_company($1, 'online') as online, count_company($1, 'never') as never offset 0) counted`)

/** Devices by state, as far as the caller sees them. */
export async function countByState(scope: TenantScope): Promise<DeviceStateCounts> {
  return (await scope.run(scope.limited ? STATES_IN_SCOPE : STATES_IN_COMPANY, [scope.tenantId])).rows[0]!
}
