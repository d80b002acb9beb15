import { part, type Runner, sql } from '../../lib/sql/statement.ts'
import type { DeviceRow } from './devices.repo.ts'

/** A device that is to be made or deleted at its platform. */
export interface DueDevice
  extends Pick<DeviceRow, 'deviceId' | 'tenantId' | 'productId' | 'deviceNo' | 'imei' | 'imsi'> {
  pskCipher: Buffer | null
  keyId: string | null
  platformProduct: string | null
  platformDevice: string | null
  mirror: DeviceRow['mirror']
  wanted: boolean
  tries: number
  /** Null: our device is gone. */
  name: string | null
}

const DUE = part`select device_id from telecom_devices where due_at <= $1 order by due_at limit $2 for update skip locked`
const TAKE = sql<DueDevice>`with taken as (update telecom_devices t set due_at = $3 from (${DUE}) due
    where t.device_id = due.device_id
    returning t.device_id, t.tenant_id, t.product_id, t.device_no, t.imei, t.imsi, t.psk_cipher, t.key_id, t.platform_product,
      t.platform_device, t.mirror, t.wanted, t.tries)
  select t.device_id as "deviceId", t.tenant_id as "tenantId", t.product_id as "productId", t.device_no as "deviceNo", t.imei,
    t.imsi, t.psk_cipher as "pskCipher", t.key_id as "keyId", t.platform_product as "platformProduct",
    t.platform_device as "platformDevice", t.mirror, t.wanted, t.tries, d.name
  from taken t left join devices d on d.id = t.device_id`

/** Devices that are due, each for nobody else until the lease ends. */
export async function take(scope: Runner, now: Date, limit: number, lease: Date): Promise<DueDevice[]> {
  return (await scope.run(TAKE, [now, limit, lease])).rows
}

// Ours are gone for good: their platform deletes its own. Those that it never had go at once.
const ORPHANS = sql`update telecom_devices t set mirror = 'removing', tries = 0, wanted = false, due_at = $1
  where not exists (select from devices d where d.id = t.device_id) and t.mirror <> 'removing' and t.platform_device is not null`
const FORGET = sql`delete from telecom_devices t
  where not exists (select from devices d where d.id = t.device_id) and t.platform_device is null`

export async function orphans(scope: Runner, now: Date): Promise<void> {
  await scope.run(ORPHANS, [now])
  await scope.run(FORGET)
}
