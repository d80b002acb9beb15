import type { Attributes, DeviceView } from '@thingwright/contracts/devices.contract'
import type { ThingModel } from '@thingwright/thing-model'
import type { TenantScope } from '../../lib/database/database.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'
import { insertInto, updateOf } from '../../lib/sql/writes.ts'
import { groupDirectory } from '../groups/groups.views.ts'
import { productDirectory } from '../products/products.views.ts'
import type { DeviceChange, DeviceLocation, Lifecycle, NewDevice } from './devices.rows.ts'

/** A device with what is shown beside it. No secret, and nothing derived from one, is ever part of it. */
export interface DeviceRow {
  id: string
  num: number
  deviceNo: string
  name: string
  productId: string
  productNum: number
  productKey: string
  productName: string
  productIcon: string
  category: string
  linkType: DeviceView['linkType']
  nodeType: DeviceView['nodeType']
  /** Of the default module. */
  firmware: string | null
  groupId: string | null
  groupName: string | null
  ownerId: string | null
  ownerName: string | null
  tags: string[]
  attributes: Attributes
  description: string
  location: DeviceLocation | null
  lifecycle: Lifecycle
  lifecycleBefore: Lifecycle | null
  link: 'online' | 'offline' | null
  alarmLevel: number | null
  offlineDelaySeconds: number | null
  lastSeenAt: Date | null
  onlineSince: Date | null
  lastOfflineAt: Date | null
  lastOfflineReason: string | null
  previousSecretUntil: Date | null
  activatedAt: Date | null
  recycledAt: Date | null
  version: number
  createdAt: Date
  updatedAt: Date
}

export const DEVICE_COLUMNS = part`d.id, d.num, d.device_no as "deviceNo", d.name, d.product_id as "productId",
  d.product_num as "productNum", o.product_key as "productKey", o.name as "productName", o.icon as "productIcon", o.category,
  o.link_type as "linkType", o.node_type as "nodeType",
  (select f.version from device_firmware f where f.device = d.num and f.module = 'default') as firmware,
  d.group_id as "groupId", g.name as "groupName", d.owner_id as "ownerId",
  (select coalesce(nullif(l.display_name, ''), l.username) from end_users u join logins l on l.id = u.id where u.id = d.owner_id) as "ownerName", d.tags, d.attributes, d.description, d.location, d.lifecycle,
  d.lifecycle_before as "lifecycleBefore", s.link, s.alarm_level as "alarmLevel",
  d.offline_delay_seconds as "offlineDelaySeconds", s.last_seen_at as "lastSeenAt", s.online_since as "onlineSince",
  s.last_offline_at as "lastOfflineAt", s.last_offline_reason as "lastOfflineReason",
  d.previous_secret_until as "previousSecretUntil", d.activated_at as "activatedAt", d.recycled_at as "recycledAt",
  d.version, d.created_at as "createdAt", d.updated_at as "updatedAt"`

/**
 * Joined to a few rows `d` of devices. A product with devices is never deleted. Presence is looked up row by row
 * (`offset 0` keeps it apart): the planner does not know how big the policy's company is, and would read its whole fleet.
 */
export const DEVICE_JOINS = part`join ${productDirectory} o on o.id = d.product_id
  left join ${groupDirectory} g on g.id = d.group_id
  left join lateral (select * from device_presence where device = d.num offset 0) s on true`

/** What of a product decides how its devices connect. */
export interface ProductConnectFacts {
  linkType: string
  /** A port that belongs to the product alone. */
  ownPort: number | null
  format: string
  model: ThingModel
}

const CONNECT_FACTS_OF = sql<ProductConnectFacts>`select link_type as "linkType", own_port as "ownPort", coalesce(format ->> 'kind', 'json') as format,
  coalesce(published_model, draft_model) as model from products where id = $1`

export async function connectFactsOf(scope: TenantScope, productId: string): Promise<ProductConnectFacts> {
  const { rows } = await scope.run(CONNECT_FACTS_OF, [productId])
  return (
    rows[0] ?? { linkType: 'mqtt', ownPort: null, format: 'json', model: { properties: [], events: [], services: [] } }
  )
}

const FIND_DEVICE = holdable(
  sql<DeviceRow>`select ${DEVICE_COLUMNS} from devices d ${DEVICE_JOINS} where d.id = $1`,
  part`for update of d`,
)

/** @param lock the device stays as it is until the transaction ends */
export async function findDevice(scope: TenantScope, id: string, lock = false): Promise<DeviceRow | undefined> {
  const { rows } = await scope.run(lock ? FIND_DEVICE.held : FIND_DEVICE.free, [id])
  return rows[0]
}

const INSERT_DEVICE = insertInto<NewDevice>(
  part`devices`,
  {
    id: 'id',
    tenantId: 'tenant_id',
    productId: 'product_id',
    productNum: 'product_num',
    deviceNo: 'device_no',
    name: 'name',
    secretHash: 'secret_hash',
    secretCipher: 'secret_cipher',
    groupId: 'group_id',
    tags: 'tags',
    description: 'description',
    attributes: { json: 'attributes' },
    location: { json: 'location' },
    offlineDelaySeconds: 'offline_delay_seconds',
    searchText: 'search_text',
    searchGrams: 'search_grams',
  },
  part`on conflict (product_id, device_no) do nothing`,
)

/** False when the number is taken in the product. */
export async function insertDevice(scope: TenantScope, row: NewDevice): Promise<boolean> {
  return (await scope.run(...INSERT_DEVICE.of(row))).rowCount === 1
}

const FIND_BY_NUMBER = sql<{
  id: string
  lifecycle: Lifecycle
}>`select id, lifecycle from devices where product_id = $1 and device_no = $2`

export async function findByNumber(
  scope: TenantScope,
  productId: string,
  deviceNo: string,
): Promise<{ id: string; lifecycle: Lifecycle } | undefined> {
  const { rows } = await scope.run(FIND_BY_NUMBER, [productId, deviceNo])
  return rows[0]
}

const UPDATE_DEVICE = updateOf<DeviceChange>(
  part`devices`,
  {
    name: 'name',
    lifecycle: 'lifecycle',
    lifecycleBefore: 'lifecycle_before',
    recycledAt: 'recycled_at',
    groupId: 'group_id',
    tags: 'tags',
    description: 'description',
    attributes: { json: 'attributes' },
    location: { json: 'location' },
    offlineDelaySeconds: 'offline_delay_seconds',
    searchText: 'search_text',
    searchGrams: 'search_grams',
  },
  { always: part`version = version + 1, updated_at = now()`, where: part`id = $1`, given: 1 },
)

/** Writes the change and raises the version. */
export async function updateDevice(scope: TenantScope, id: string, change: DeviceChange): Promise<void> {
  await scope.run(...UPDATE_DEVICE.of(change, id))
}

const REPLACE_SECRET = sql`update devices set
    previous_secret_hash = case when $4::timestamptz is null then null else secret_hash end,
    previous_secret_cipher = case when $4::timestamptz is null then null else secret_cipher end,
    previous_secret_until = $4, secret_hash = $2, secret_cipher = $3, version = version + 1, updated_at = now()
  where id = $1`

/** The present secret becomes the previous one until then (null: at once worthless). */
export async function replaceSecret(
  scope: TenantScope,
  id: string,
  secret: { hash: Buffer; cipher: Buffer },
  previousUntil: Date | null,
): Promise<void> {
  await scope.run(REPLACE_SECRET, [id, secret.hash, secret.cipher, previousUntil])
}

const INSERT_DEVICE_PURGES = sql`insert into device_purges (device, tenant_id) values ($1, $2)`

const DELETE_DEVICES = sql`delete from devices where id = $1`

/** Deletes the device with its commands and presence, and notes that its telemetry is to follow. */
export async function deleteDevice(scope: TenantScope, id: string, num: number): Promise<void> {
  await scope.run(INSERT_DEVICE_PURGES, [num, scope.tenantId])
  await scope.run(DELETE_DEVICES, [id])
}
