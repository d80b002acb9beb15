import type { TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'
import type { FenceFacts } from './geofences.repo.ts'

export type StoredFence = FenceFacts & { id: string }

const ALL = sql<StoredFence>`select id, name, shape, colour, enabled, remark, scope from geofences order by created_at, id`

export async function allFences(scope: TenantScope): Promise<StoredFence[]> {
  return (await scope.run(ALL)).rows
}

export interface NamedDevice {
  id: string
  productId: string
  deviceNo: string
}

const DEVICES = sql<NamedDevice>`select id, product_id as "productId", device_no as "deviceNo" from devices where id = any ($1::uuid[])`

export async function devicesOf(scope: TenantScope, ids: readonly string[]): Promise<NamedDevice[]> {
  return ids.length === 0 ? [] : (await scope.run(DEVICES, [ids])).rows
}
