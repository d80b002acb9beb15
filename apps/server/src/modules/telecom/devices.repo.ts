import type { TelecomDeviceView } from '@thingwright/contracts/telecom.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'
import { insertInto, updateOf } from '../../lib/sql/writes.ts'

export interface DeviceRow {
  deviceId: string
  tenantId: string
  productId: string
  deviceNo: string
  keyId: string | null
  platformProduct: string | null
  imei: string | null
  imsi: string | null
  sn: string | null
  pskCipher: Buffer | null
  platformDevice: string | null
  mirror: TelecomDeviceView['mirror']
  mirrorFault: string | null
  wanted: boolean
  tries: number
  lastMessageAt: Date | null
  version: number
}

const COLUMNS = part`t.device_id as "deviceId", t.tenant_id as "tenantId", t.product_id as "productId", t.device_no as "deviceNo",
  t.key_id as "keyId", t.platform_product as "platformProduct", t.imei, t.imsi, t.sn, t.psk_cipher as "pskCipher",
  t.platform_device as "platformDevice", t.mirror, t.mirror_fault as "mirrorFault", t.wanted, t.tries,
  t.last_message_at as "lastMessageAt", t.version`

const FIND = sql<DeviceRow>`select ${COLUMNS} from telecom_devices t where t.device_id = $1`
const OF_IMEI = sql<DeviceRow & { name: string | null }>`select ${COLUMNS}, d.name from telecom_devices t
  left join devices d on d.id = t.device_id where t.imei = $1`

/** A device and its product, as far as a platform is concerned. */
export interface Subject {
  id: string
  name: string
  deviceNo: string
  productId: string
  productName: string
  productKey: string
  linkType: string
  format: { kind?: string }
}
const SUBJECT = sql<Subject>`select d.id, d.name, d.device_no as "deviceNo", p.id as "productId", p.name as "productName",
  p.product_key as "productKey", p.link_type as "linkType", p.format
  from devices d join products p on p.id = d.product_id where d.id = $1`

/** A device that a message is about. */
export interface MeantDevice extends DeviceRow {
  productKey: string
  format: { kind?: string }
  /** The key that its product is connected by now. */
  linkedKey: string | null
}

// What the platform calls the device counts before its IMEI: a module can be put into another machine.
const OF_MESSAGE = sql<MeantDevice>`
  select ${COLUMNS}, p.product_key as "productKey", p.format, l.key_id as "linkedKey"
  from telecom_devices t join devices d on d.id = t.device_id join products p on p.id = d.product_id
  left join telecom_products l on l.product_id = p.id
  where t.tenant_id = $1 and d.lifecycle <> 'recycled'
    and ((t.key_id = $2 and t.platform_device = $3) or (t.tenant_id = $1 and t.imei = $4))
  order by (t.key_id = $2 and t.platform_device = $3) desc limit 1`

export async function find(scope: Runner, deviceId: string): Promise<DeviceRow | undefined> {
  return (await scope.run(FIND, [deviceId])).rows[0]
}

export async function ofImei(
  scope: TenantScope,
  imei: string,
): Promise<(DeviceRow & { name: string | null }) | undefined> {
  return (await scope.run(OF_IMEI, [imei])).rows[0]
}

export async function subject(scope: Runner, deviceId: string): Promise<Subject | undefined> {
  return (await scope.run(SUBJECT, [deviceId])).rows[0]
}

/** The device that a message is about. */
export async function ofMessage(
  scope: Runner,
  key: { id: string; tenantId: string },
  said: { platformDevice: string; imei: string | null },
): Promise<MeantDevice | undefined> {
  return (await scope.run(OF_MESSAGE, [key.tenantId, key.id, said.platformDevice, said.imei])).rows[0]
}

export type DeviceValues = Partial<Omit<DeviceRow, 'version'> & { dueAt: Date | null }>
const FIELDS = {
  deviceId: 'device_id',
  tenantId: 'tenant_id',
  productId: 'product_id',
  deviceNo: 'device_no',
  keyId: 'key_id',
  platformProduct: 'platform_product',
  imei: 'imei',
  imsi: 'imsi',
  sn: 'sn',
  pskCipher: 'psk_cipher',
  platformDevice: 'platform_device',
  mirror: 'mirror',
  mirrorFault: 'mirror_fault',
  wanted: 'wanted',
  tries: 'tries',
  lastMessageAt: 'last_message_at',
  dueAt: 'due_at',
} as const
const INSERT = insertInto<DeviceValues>(part`telecom_devices`, FIELDS, part`on conflict (device_id) do nothing`)
const UPDATE = updateOf<DeviceValues>(part`telecom_devices`, FIELDS, {
  always: part`version = version + 1`,
  where: part`device_id = $1 and version = $2`,
  given: 2,
})
const LEARN = updateOf<DeviceValues>(part`telecom_devices`, FIELDS, { where: part`device_id = $1`, given: 1 })
const REMOVE = sql`delete from telecom_devices where device_id = $1`

export async function insert(scope: TenantScope, values: DeviceValues): Promise<boolean> {
  return (await scope.run(...INSERT.of(values))).rowCount === 1
}

/** @returns false when it has another version by now */
export async function update(
  scope: TenantScope,
  deviceId: string,
  version: number,
  values: DeviceValues,
): Promise<boolean> {
  return (await scope.run(...UPDATE.of(values, deviceId, version))).rowCount === 1
}

/** What is learnt from the platform: nobody's edit is in its way. */
export async function learn(scope: Runner, deviceId: string, values: DeviceValues): Promise<void> {
  await scope.run(...LEARN.of(values, deviceId))
}

export async function remove(scope: Runner, deviceId: string): Promise<void> {
  await scope.run(REMOVE, [deviceId])
}
