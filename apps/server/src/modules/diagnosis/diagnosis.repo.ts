import type { Database, TenantScope } from '../../lib/database/database.ts'
import { runOn, sql } from '../../lib/sql/statement.ts'
import type { AuthorisedDevice } from '../devices/authorised.port.ts'
import type { ConnectionChange, DeviceFacts, Facts, LogRow } from './doctor/facts.ts'

type Telemetry = Database['telemetry']

const KINDS = ['property', 'event', 'reply', 'online', 'offline', 'refused'] as const
/** Messages and changes of connection that the doctor looks back at. */
const ROWS = 200
const CHANGES = 60
const COMMANDS = 20

const DEVICE_FACTS = sql<{
  offline_delay: number
  previous_until: Date | null
  last_seen_at: Date | null
  slowed: number | null
  refused: number | null
  flow_at: Date | null
  gateway_id: string | null
  gateway_no: string | null
  gateway_link: string | null
  product_status: string
  link_type: string
  node_type: string
  format_kind: string | null
  identifiers: string[]
  writable: number
  services: number
  company_status: string
  certificates: number
  revoked_at: Date | null
  card: DeviceFacts['card']
  lora: DeviceFacts['lora']
  cameras: DeviceFacts['cameras']
}>`select coalesce(d.offline_delay_seconds, p.offline_delay_seconds) as offline_delay, d.previous_secret_until as previous_until,
    pr.last_seen_at, f.slowed, f.refused, f.last_at as flow_at, g.id as gateway_id, g.device_no as gateway_no, gp.link as gateway_link,
    p.status as product_status, p.link_type, p.node_type, p.format ->> 'kind' as format_kind,
    array(select m ->> 'identifier' from jsonb_array_elements(coalesce(p.published_model -> 'properties', '[]')) m) as identifiers,
    (select count(*)::int from jsonb_array_elements(coalesce(p.published_model -> 'properties', '[]')) m
     where m ->> 'access' in ('w', 'rw')) as writable,
    coalesce(jsonb_array_length(p.published_model -> 'services'), 0) as services,
    t.status as company_status, c.certificates, c.revoked_at,
    (select jsonb_build_object('id', s.id, 'carrier', s.carrier, 'iccid', s.iccid, 'state', s.state, 'rawState', s.raw_state, 'stopReason', s.stop_reason,
      'dataOff', s.data_off, 'imei', s.imei, 'boundImei', s.bound_imei, 'since', (extract(epoch from s.state_since) * 1000)::bigint)
     from sim_cards s where s.device_id = d.id) as card,
    case when p.link_type = 'lorawan' then jsonb_build_object(
      'state', coalesce((select k.state from lora_keys k where k.device_id = d.id), 'none'),
      'fault', (select k.fault from lora_keys k where k.device_id = d.id),
      'lastSeenAt', (extract(epoch from l.last_seen_at) * 1000)::bigint, 'problem', l.problem,
      'problemAt', (extract(epoch from l.problem_at) * 1000)::bigint, 'gateway', l.gateway) end as lora,
    coalesce((select jsonb_agg(jsonb_build_object('name', v.name, 'state', v.state, 'account',
        case when va.id is not null then jsonb_build_object('name', va.name, 'state', va.state, 'fault', va.fault) end) order by v.name, v.id)
      from video_channels v left join video_accounts va on va.id = v.account_id where v.device_id = d.id), '[]') as cameras
  from devices d join products p on p.id = d.product_id join tenants t on t.id = d.tenant_id
  left join device_presence pr on pr.device = d.num
  left join lateral (
    select slowed, refused, last_at from device_flow where device = d.num order by day desc limit 1
  ) f on true
  left join lateral (
    select count(*) filter (where state = 'active' and not_after > now())::int as certificates,
      max(revoked_at) as revoked_at
    from device_certificates where device_id = d.id
  ) c on true
  left join lateral (
    select l.last_seen_at, l.problem, l.problem_at, (select jsonb_build_object('name', lg.name, 'state', lg.state, 'since',
        (extract(epoch from lg.state_since) * 1000)::bigint)
      from lora_gateways lg where lg.connection_id = l.connection_id and lg.gateway_id = l.gateway_id) as gateway
    from lora_devices l where l.device_id = d.id order by l.last_seen_at desc nulls last limit 1
  ) l on true
  left join devices g on g.num = d.gateway
  left join device_presence gp on gp.device = g.num
  where d.num = $1`

/** What the tables say of a device, its product and its company. */
export async function deviceFacts(db: Telemetry, device: AuthorisedDevice): Promise<DeviceFacts> {
  const { rows } = await runOn(db, DEVICE_FACTS, [device.num])
  const row = rows[0]!
  return {
    id: device.id,
    deviceNo: device.deviceNo,
    lifecycle: device.lifecycle,
    offlineDelaySeconds: row.offline_delay,
    previousSecretUntil: row.previous_until?.getTime() ?? null,
    seenBefore: row.last_seen_at !== null,
    lastSeenAt: row.last_seen_at?.getTime() ?? null,
    gateway:
      row.gateway_id === null
        ? null
        : { id: row.gateway_id, deviceNo: row.gateway_no ?? '', online: row.gateway_link === 'online' },
    card: row.card,
    lora: row.lora,
    cameras: row.cameras,
    certificates: { active: row.certificates, revokedAt: row.revoked_at?.getTime() ?? null },
    flow: row.flow_at && { slowed: row.slowed ?? 0, refused: row.refused ?? 0, lastAt: row.flow_at.getTime() },
    productKey: device.productKey,
    published: row.product_status === 'published',
    linkType: row.link_type,
    nodeType: row.node_type,
    formatKind: row.format_kind ?? 'json',
    identifiers: row.identifiers,
    writable: row.writable,
    services: row.services,
    companyStatus: row.company_status,
  }
}

const LAST_ROWS = sql<{
  seq: number
  arrived_at: Date
  kind: number
  quality: number
  late: boolean
  device_ts: number | null
  values: Record<string, unknown> | null
  raw: Buffer | null
  refused_reason: string | null
}>`select seq, arrived_at, kind, quality, late, device_ts, values, raw, refused_reason from journal
  where device = $1 order by seq desc limit ${ROWS}`

/** What the flight recorder holds of a device, newest first. */
export async function lastRows(db: Telemetry, device: AuthorisedDevice): Promise<LogRow[]> {
  const { rows } = await runOn(db, LAST_ROWS, [device.num])
  return rows.map(row => ({
    seq: row.seq,
    at: row.arrived_at.getTime(),
    kind: KINDS[row.kind - 1] ?? 'property',
    quality: row.quality,
    late: row.late,
    deviceTs: row.device_ts,
    values: row.values ?? {},
    raw: row.raw,
    reason: row.refused_reason,
  }))
}

const LAST_CHANGES = sql<{
  at: Date
  kind: 'online' | 'offline'
  reason: string | null
  transport: string | null
  address: string | null
}>`select at, kind, reason, transport, address from device_connections
  where device = $1 order by at desc, seq desc limit ${CHANGES}`

/** Newest first. */
export async function lastChanges(db: Telemetry, device: AuthorisedDevice): Promise<ConnectionChange[]> {
  const { rows } = await runOn(db, LAST_CHANGES, [device.num])
  return rows.map(row => ({ ...row, at: row.at.getTime() }))
}

const COMMAND_FACTS = sql<{
  state: string
  at: Date
  queued: number
  waiting: string[] | null
  oldest: Date | null
}>`select c.state, c.created_at as at, q.queued, q.waiting, q.oldest
  from (
    select count(*)::int as queued, min(created_at) as oldest,
      array_agg(distinct case kind when 'service' then 'service/' || identifier || '/invoke'
        when 'property_set' then 'property/set' when 'raw' then 'raw/down' else kind end) as waiting
    from commands where device = $1 and state = 'queued'
  ) q
  left join lateral (select state, created_at, position from commands where device = $1 order by position desc limit ${COMMANDS}) c on true
  order by c.position desc`

export async function commandFacts(db: Telemetry, device: AuthorisedDevice): Promise<Facts['commands']> {
  const { rows } = await runOn(db, COMMAND_FACTS, [device.num])
  return {
    queued: rows[0]?.queued ?? 0,
    waiting: rows[0]?.waiting ?? [],
    oldestQueuedAt: rows[0]?.oldest?.getTime() ?? null,
    recent: rows.filter(row => row.state !== null).map(row => ({ state: row.state, at: row.at.getTime() })),
  }
}

const PRODUCT_KEY_OF = sql<{
  product_key: string
}>`select product_key from products where id = $1 and deleted_at is null`

/** The key of a product of the caller's scope; null: there is none. */
export async function productKeyOf(scope: TenantScope, productId: string): Promise<string | null> {
  const { rows } = await scope.run(PRODUCT_KEY_OF, [productId])
  return rows[0]?.product_key ?? null
}

const DEVICES_BY_NO = sql<{
  id: string
  device_no: string
}>`select id, device_no from devices where product_id = $1 and device_no = any ($2::text[])`

/** Devices of a product by their numbers, as far as the caller sees them. */
export async function devicesByNo(
  scope: TenantScope,
  productId: string,
  numbers: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await scope.run(DEVICES_BY_NO, [productId, numbers])
  return new Map(rows.map(row => [row.device_no, row.id]))
}
