import type pg from 'pg'
import type { JournalRow } from '../lanes.port.ts'
import { JournalKind } from '../uplink.ts'
import type { Consumer } from './consumer.ts'

/** Refused messages kept per product. */
const KEPT_FRAMES = 100
const HOUR_MS = 3_600_000
/** Last-seen is written again only when it has moved this far: never once per message. */
const SEEN_STEP_MS = 30_000

interface Seen {
  device: number
  first: number
  last: number
  link: 'online' | 'offline' | null
  onlineSince: number | null
  offlineAt: number | null
  offlineReason: string | null
}

/** Counts messages per device and hour, keeps presence, online history and the last refused messages, and activates devices at their first message. */
export function createStatsConsumer(onActivated: (devices: number[]) => void): Consumer {
  /** Last-seen as the table has it, as far as we know. */
  const written = new Map<number, number>()
  return {
    name: 'stats',
    everyMs: 250,
    wants: () => true,
    async handle(client, lane, rows) {
      await count(client, rows)
      const activated = await presence(client, rows, written)
      await connections(client, rows)
      await refusals(client, lane, rows)
      return activated.length > 0 ? () => onActivated(activated) : undefined
    },
  }
}

async function count(client: pg.ClientBase, rows: readonly JournalRow[]): Promise<void> {
  const counts = new Map<string, { device: number; hour: number; messages: number; refused: number }>()
  for (const row of rows) {
    if (row.kind === JournalKind.online || row.kind === JournalKind.offline) continue
    const hour = Math.floor(row.arrivedAt / HOUR_MS)
    const key = `${row.device}:${hour}`
    const entry = counts.get(key) ?? { device: row.device, hour, messages: 0, refused: 0 }
    counts.set(key, entry)
    if (row.kind === JournalKind.refused) entry.refused += 1
    else entry.messages += 1
  }
  if (counts.size === 0) return
  const all = [...counts.values()].sort((a, b) => a.device - b.device || a.hour - b.hour)
  await client.query({
    name: 'stats-count',
    text: `insert into device_stats (device, hour, messages, refused) select * from unnest($1::int[], $2::int[], $3::int[], $4::int[])
      on conflict (device, hour) do update set messages = device_stats.messages + excluded.messages, refused = device_stats.refused + excluded.refused`,
    values: [all.map(c => c.device), all.map(c => c.hour), all.map(c => c.messages), all.map(c => c.refused)],
  })
}

async function presence(
  client: pg.ClientBase,
  rows: readonly JournalRow[],
  written: Map<number, number>,
): Promise<number[]> {
  const seen = new Map<number, Seen>()
  for (const row of rows) {
    const entry = seen.get(row.device) ?? {
      device: row.device,
      first: row.arrivedAt,
      last: row.arrivedAt,
      link: null,
      onlineSince: null,
      offlineAt: null,
      offlineReason: null,
    }
    seen.set(row.device, entry)
    if (row.kind === JournalKind.offline) {
      entry.link = 'offline'
      entry.onlineSince = null
      entry.offlineAt = row.arrivedAt
      entry.offlineReason = String((JSON.parse(row.values ?? '{}') as { reason?: string }).reason ?? '')
    } else {
      entry.last = row.arrivedAt
      if (row.kind === JournalKind.online) {
        entry.link = 'online'
        entry.onlineSince = row.arrivedAt
      }
    }
  }
  const due = [...seen.values()]
    .filter(s => s.link !== null || s.last - (written.get(s.device) ?? 0) >= SEEN_STEP_MS)
    .sort((a, b) => a.device - b.device)
  if (due.length === 0) return []
  const at = (ms: number | null) => (ms === null ? null : new Date(ms))
  // A device that was deleted meanwhile has no row to be kept.
  const { rows: fresh } = await client.query<{ device: number }>({
    name: 'stats-presence',
    text: `with seen as (
        select * from unnest($1::int[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[], $7::text[])
          as s (device, link, first, last, online_since, offline_at, offline_reason)
      ), moved as (
        update device_presence p set
          link = coalesce(s.link, p.link),
          last_seen_at = greatest(p.last_seen_at, s.last),
          online_since = case when s.link is null then p.online_since else s.online_since end,
          last_offline_at = coalesce(s.offline_at, p.last_offline_at),
          last_offline_reason = coalesce(s.offline_reason, p.last_offline_reason)
        from seen s where p.device = s.device returning p.device
      )
      insert into device_presence (device, tenant_id, link, first_seen_at, last_seen_at, online_since, last_offline_at, last_offline_reason)
      select s.device, d.tenant_id, coalesce(s.link, 'offline'), s.first, s.last, s.online_since, s.offline_at, s.offline_reason
      from seen s join devices d on d.num = s.device where s.device not in (select device from moved)
      returning device`,
    values: [
      due.map(s => s.device),
      due.map(s => s.link),
      due.map(s => at(s.first)),
      due.map(s => at(s.last)),
      due.map(s => at(s.onlineSince)),
      due.map(s => at(s.offlineAt)),
      due.map(s => s.offlineReason),
    ],
  })
  for (const { device, last } of due) written.set(device, last)
  if (fresh.length === 0) return []
  const { rows: activated } = await client.query<{ num: number }>({
    name: 'stats-activate',
    text: `update devices set lifecycle = 'active', activated_at = coalesce(activated_at, now()) where num = any($1::int[]) and lifecycle = 'inactive' returning num`,
    values: [fresh.map(row => row.device)],
  })
  return activated.map(row => row.num)
}

async function connections(client: pg.ClientBase, rows: readonly JournalRow[]): Promise<void> {
  const moments = rows.filter(row => row.kind === JournalKind.online || row.kind === JournalKind.offline)
  if (moments.length === 0) return
  const values = moments.map(
    row => JSON.parse(row.values ?? '{}') as { reason?: string; transport?: string; address?: string },
  )
  await client.query({
    name: 'stats-connections',
    text: `insert into device_connections (device, at, seq, kind, reason, transport, address)
      select * from unnest($1::int[], $2::timestamptz[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[]) on conflict do nothing`,
    values: [
      moments.map(row => row.device),
      moments.map(row => new Date(row.arrivedAt)),
      moments.map(row => row.seq),
      moments.map(row => (row.kind === JournalKind.online ? 'online' : 'offline')),
      values.map(v => v.reason ?? null),
      values.map(v => v.transport ?? null),
      values.map(v => v.address ?? null),
    ],
  })
}

async function refusals(client: pg.ClientBase, lane: number, rows: readonly JournalRow[]): Promise<void> {
  const refused = rows.filter(row => row.kind === JournalKind.refused)
  if (refused.length === 0) return
  const { rows: products } = await client.query<{ product: number }>({
    name: 'stats-refused',
    text: `with frames as (
        insert into refused_frames (product, device, at, lane, seq, reason, detail, bytes)
        select d.product_num, f.device, f.at, $1, f.seq, f.reason, f.detail, f.bytes
        from unnest($2::int[], $3::timestamptz[], $4::bigint[], $5::text[], $6::jsonb[], $7::bytea[]) as f (device, at, seq, reason, detail, bytes)
        join devices d on d.num = f.device order by f.seq
        on conflict (lane, seq) do nothing returning product)
      select distinct product from frames`,
    values: [
      lane,
      refused.map(row => row.device),
      refused.map(row => new Date(row.arrivedAt)),
      refused.map(row => row.seq),
      refused.map(row => row.refusedReason ?? 'not_storable'),
      refused.map(row => row.values ?? '{}'),
      refused.map(row => row.raw),
    ],
  })
  for (const { product } of products) {
    await client.query({
      name: 'stats-refused-trim',
      text: `delete from refused_frames where product = $1 and id <= (select id from refused_frames where product = $1 order by id desc offset ${KEPT_FRAMES} limit 1)`,
      values: [product],
    })
  }
}
