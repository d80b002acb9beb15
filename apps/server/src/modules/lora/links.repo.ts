import type { LORA_ACTIVATIONS, LORA_LINK_STATES } from '@thingwright/contracts/lora.words'
import type { LoraProductView } from '@thingwright/contracts/lora-links.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'
import { insertInto, updateOf } from '../../lib/sql/writes.ts'

export interface ProductLinkRow {
  productId: string
  connectionId: string
  connectionName: string
  connectionState: LoraProductView['connectionState']
  simulated: boolean
  applicationId: string
  applicationName: string
  profileId: string | null
  profileName: string | null
  profileRemoteId: string | null
  macVersion: string | null
  version: number
}

const FIND = sql<ProductLinkRow>`select l.product_id as "productId", l.connection_id as "connectionId", c.name as "connectionName",
    c.state as "connectionState", c.simulated, l.application_id as "applicationId", l.application_name as "applicationName",
    l.profile_id as "profileId", p.name as "profileName", p.remote_id as "profileRemoteId", p.mac_version as "macVersion", l.version
  from lora_products l join lora_connections c on c.id = l.connection_id left join lora_profiles p on p.id = l.profile_id
  where l.product_id = $1`
// Apart from the link: a table of 10,000 devices reads the link once for each of them.
const COUNTS = sql<LoraProductView['devices']>`select count(*) filter (where k.state = 'registered')::int as registered,
    count(*) filter (where k.state = 'failed')::int as failed
  from lora_keys k join devices d on d.id = k.device_id where d.product_id = $1`
const PRODUCT = sql<{ name: string; linkType: string }>`select name, link_type as "linkType" from products
  where id = $1 and deleted_at is null`
const PUT = sql`insert into lora_products (product_id, tenant_id, connection_id, application_id, application_name, profile_id)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (product_id) do update set connection_id = excluded.connection_id, application_id = excluded.application_id,
    application_name = excluded.application_name, profile_id = excluded.profile_id, version = lora_products.version + 1
  where lora_products.version = $7`
const CLEAR = sql`delete from lora_products where product_id = $1`

export async function findProduct(scope: Runner, productId: string): Promise<ProductLinkRow | undefined> {
  return (await scope.run(FIND, [productId])).rows[0]
}

/** How many devices of a product ChirpStack has, and how many it did not take. */
export async function productDevices(scope: Runner, productId: string): Promise<LoraProductView['devices']> {
  return (await scope.run(COUNTS, [productId])).rows[0]!
}

const NAMED = sql<{
  name: string
  product: string
  connection: string
  applicationId: string
  profile: string
}>`select d.name, d.id as product, c.name as connection, l.application_id as "applicationId", p.name as profile
  from lora_products l join products d on d.id = l.product_id and d.deleted_at is null
    join lora_connections c on c.id = l.connection_id and not c.simulated join lora_profiles p on p.id = l.profile_id
  order by d.name, d.id`

/** Where the products of a company are connected, by names that another company may have too. */
export async function namedLinks(scope: TenantScope) {
  return (await scope.run(NAMED)).rows
}

export async function product(
  scope: Runner,
  productId: string,
): Promise<{ name: string; linkType: string } | undefined> {
  return (await scope.run(PRODUCT, [productId])).rows[0]
}

/** @returns false when it has another version by now */
export async function putProduct(
  scope: TenantScope,
  productId: string,
  values: { connectionId: string; applicationId: string; applicationName: string; profileId: string },
  version: number,
): Promise<boolean> {
  const { connectionId, applicationId, applicationName, profileId } = values
  const params = [productId, scope.tenantId, connectionId, applicationId, applicationName, profileId, version]
  return (await scope.run(PUT, params)).rowCount === 1
}

export async function clearProduct(scope: TenantScope, productId: string): Promise<void> {
  await scope.run(CLEAR, [productId])
}

/** A device as far as a network server is concerned. */
export interface Subject {
  id: string
  name: string
  deviceNo: string
  lifecycle: string
  productId: string
  linkType: string
}
const SUBJECT_COLUMNS = part`d.id, d.name, d.device_no as "deviceNo", d.lifecycle, d.product_id as "productId",
  p.link_type as "linkType"`
const SUBJECT = sql<Subject>`select ${SUBJECT_COLUMNS} from devices d join products p on p.id = d.product_id where d.id = $1`
const NUMBERED = sql<Subject & { productName: string }>`select ${SUBJECT_COLUMNS}, p.name as "productName"
  from devices d join products p on p.id = d.product_id
  where lower(d.device_no) = $1 and p.link_type = 'lorawan' order by (d.product_id = $2) desc, d.created_at limit 1`

export async function subject(scope: Runner, deviceId: string): Promise<Subject | undefined> {
  return (await scope.run(SUBJECT, [deviceId])).rows[0]
}

/** The device of a LoRaWAN product with this DevEUI, of this product before others. */
export async function numbered(
  scope: Runner,
  devEui: string,
  productId: string,
): Promise<(Subject & { productName: string }) | undefined> {
  return (await scope.run(NUMBERED, [devEui, productId])).rows[0]
}

export interface KeysRow {
  deviceId: string
  devEui: string
  connectionId: string | null
  connectionName: string | null
  applicationId: string
  profileId: string | null
  joinEui: string
  activation: (typeof LORA_ACTIVATIONS)[number]
  cipher: Buffer
  skipFcntCheck: boolean
  disabled: boolean
  variables: Record<string, string>
  tags: Record<string, string>
  state: (typeof LORA_LINK_STATES)[number]
  fault: string | null
  registeredAt: Date | null
  version: number
}
const KEYS = sql<KeysRow>`select k.device_id as "deviceId", k.dev_eui as "devEui", k.connection_id as "connectionId",
    c.name as "connectionName", k.application_id as "applicationId", k.profile_id as "profileId", k.join_eui as "joinEui",
    k.activation, k.keys_cipher as cipher, k.skip_fcnt_check as "skipFcntCheck", k.disabled, k.variables, k.tags, k.state,
    k.fault, k.registered_at as "registeredAt", k.version
  from lora_keys k left join lora_connections c on c.id = k.connection_id where k.device_id = $1`

export async function keys(scope: Runner, deviceId: string): Promise<KeysRow | undefined> {
  return (await scope.run(KEYS, [deviceId])).rows[0]
}

export type KeysValues = Partial<
  Omit<KeysRow, 'connectionName' | 'variables' | 'tags' | 'version'> & {
    tenantId: string
    variables: string
    tags: string
  }
>
const FIELDS = {
  deviceId: 'device_id',
  tenantId: 'tenant_id',
  devEui: 'dev_eui',
  connectionId: 'connection_id',
  applicationId: 'application_id',
  profileId: 'profile_id',
  joinEui: 'join_eui',
  activation: 'activation',
  cipher: 'keys_cipher',
  skipFcntCheck: 'skip_fcnt_check',
  disabled: 'disabled',
  variables: 'variables',
  tags: 'tags',
  state: 'state',
  fault: 'fault',
  registeredAt: 'registered_at',
} as const
const INSERT = insertInto<KeysValues>(part`lora_keys`, FIELDS, part`on conflict (device_id) do nothing`)
const UPDATE = updateOf<KeysValues>(part`lora_keys`, FIELDS, {
  always: part`version = version + 1`,
  where: part`device_id = $1 and version = $2`,
  given: 2,
})
const NOTE = sql`update lora_keys set state = $2, fault = $3, registered_at = coalesce($4, registered_at) where device_id = $1`
const FORGET = sql`delete from lora_keys where device_id = $1`
const KNOWN = sql`insert into lora_devices (connection_id, dev_eui, tenant_id, device_id, name, application_id, profile_remote_id)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (connection_id, dev_eui) do update set device_id = excluded.device_id, name = excluded.name,
    application_id = excluded.application_id, profile_remote_id = excluded.profile_remote_id`
const GONE = sql`delete from lora_devices where connection_id = $1 and dev_eui = $2`

/** @returns false when there are some already */
export async function insertKeys(scope: TenantScope, values: KeysValues): Promise<boolean> {
  return (await scope.run(...INSERT.of(values))).rowCount === 1
}

/** @returns false when they have another version by now */
export async function updateKeys(
  scope: TenantScope,
  deviceId: string,
  version: number,
  values: KeysValues,
): Promise<boolean> {
  return (await scope.run(...UPDATE.of(values, deviceId, version))).rowCount === 1
}

/** What ChirpStack said of it: no edit is in its way. */
export async function noteKeys(
  scope: Runner,
  deviceId: string,
  state: KeysRow['state'],
  fault: string | null,
  at: Date | null,
): Promise<void> {
  await scope.run(NOTE, [deviceId, state, fault, at])
}

export async function forgetKeys(scope: TenantScope, deviceId: string): Promise<void> {
  await scope.run(FORGET, [deviceId])
}

/** It is at this server from now on, whether it was heard yet or not. */
export async function knownThere(
  scope: TenantScope,
  of: { connectionId: string; devEui: string; deviceId: string; name: string; applicationId: string; profile: string },
): Promise<void> {
  const { connectionId, devEui, deviceId, name, applicationId, profile } = of
  await scope.run(KNOWN, [connectionId, devEui, scope.tenantId, deviceId, name, applicationId, profile])
}

export async function goneThere(scope: TenantScope, connectionId: string, devEui: string): Promise<void> {
  await scope.run(GONE, [connectionId, devEui])
}

const KEEP_IMPORT = sql`insert into lora_imports (id, tenant_id, rows_cipher) values ($1, $2, $3)`
const FIND_IMPORT = sql<{ cipher: Buffer }>`select rows_cipher as cipher from lora_imports where id = $1`
const DROP_IMPORTS = sql`delete from lora_imports where created_at < $1`

export async function keepImport(scope: TenantScope, id: string, cipher: Buffer): Promise<void> {
  await scope.run(KEEP_IMPORT, [id, scope.tenantId, cipher])
}

export async function findImport(scope: Runner, id: string): Promise<Buffer | null> {
  return (await scope.run(FIND_IMPORT, [id])).rows[0]?.cipher ?? null
}

export async function dropImports(scope: Runner, before: Date): Promise<void> {
  await scope.run(DROP_IMPORTS, [before])
}
