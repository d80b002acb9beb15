import type pg from 'pg'
import { runOn, sql } from '../../lib/sql/statement.ts'
import { activateDevices } from '../../modules/devices/index.ts'
import type { JournalRow } from '../lanes.port.ts'
import { JournalKind } from '../uplink.ts'
import type { Consumer, LaneConsumer } from './consumer.ts'
import { Pace, pieces } from './pace.ts'

/** Last-seen is written again only when it has moved this far: never once per message. */
const SEEN_STEP_MS = 30_000
/** A device that came or went is shown soon; last-seen of the others may wait. */
const SOON_MS = 250
const SEEN_EVERY_MS = 5_000
/** Devices remembered; forgetting them costs one write each. */
const MAX_KNOWN = 200_000

/** What the rows taken so far say about one device; times are of arrival, epoch ms. */
interface Seen {
  device: number
  first: number
  last: number
  link: 'online' | 'offline' | null
  onlineSince: number | null
  offlineAt: number | null
  offlineReason: string | null
  /** First message that was neither refused nor a mere connection. */
  firstMessage: number | null
}

interface Moment {
  device: number
  at: number
  seq: number
  kind: 'online' | 'offline'
  reason: string | null
  transport: string | null
  address: string | null
}

/** Keeps presence, last sign and online history of devices; the first message of a device activates it. */
export function createPresenceConsumer(onActivated: (devices: number[]) => void): Consumer {
  return { name: 'presence', open: () => new PresenceLane(onActivated) }
}

class PresenceLane implements LaneConsumer {
  readonly writesOnStop = true
  /** Last-seen of devices known to be active: as the table has it, and as it is. */
  private readonly known = new Map<number, { written: number; last: number }>()
  private seen = new Map<number, Seen>()
  private moments: Moment[] = []
  /** On the monotonic clock; null while nothing waits. */
  private dueAt: number | null = null
  private due: Seen[] = []
  private activated: number[] = []

  constructor(private readonly onActivated: (devices: number[]) => void) {}

  take(rows: readonly JournalRow[]): void {
    for (const row of rows) {
      // A refused message may be a stranger's.
      if (row.kind === JournalKind.refused) continue
      const known = this.known.get(row.device)
      if (row.kind === JournalKind.online || row.kind === JournalKind.offline) {
        this.takeMoment(row, this.seen.get(row.device) ?? this.newSeen(row), known?.last)
        this.waitAtMost(SOON_MS)
        continue
      }
      if (known) {
        known.last = row.arrivedAt
        if (row.arrivedAt - known.written < SEEN_STEP_MS) continue
      }
      const seen = this.seen.get(row.device) ?? this.newSeen(row)
      seen.last = row.arrivedAt
      seen.firstMessage ??= row.arrivedAt
      this.waitAtMost(known ? SEEN_EVERY_MS : SOON_MS)
    }
  }

  dueInMs(): number | null {
    return this.dueAt === null ? null : Math.max(0, this.dueAt - performance.now())
  }

  async write(client: pg.ClientBase): Promise<void> {
    // In order of devices, so that two writers of one table do not wait for each other crosswise.
    this.due = [...this.seen.values()].sort((a, b) => a.device - b.device)
    const pace = new Pace()
    for (const piece of pieces(this.due)) {
      await writePresence(client, piece)
      if (piece.length < this.due.length) await pace.rest()
    }
    await writeMoments(client, this.moments)
    this.activated = await activate(
      client,
      this.due.filter(({ device }) => !this.known.has(device)),
    )
  }

  written(): void {
    if (this.known.size > MAX_KNOWN) this.known.clear()
    for (const { device, last, firstMessage } of this.due) {
      const known = this.known.get(device)
      if (known) known.written = last
      else if (firstMessage !== null) this.known.set(device, { written: last, last })
    }
    const { activated } = this
    this.reset()
    if (activated.length > 0) this.onActivated(activated)
  }

  reset(): void {
    this.seen = new Map()
    this.moments = []
    this.due = []
    this.activated = []
    this.dueAt = null
  }

  private newSeen({ device, arrivedAt }: JournalRow): Seen {
    const seen: Seen = {
      device,
      first: arrivedAt,
      last: 0,
      link: null,
      onlineSince: null,
      offlineAt: null,
      offlineReason: null,
      firstMessage: null,
    }
    this.seen.set(device, seen)
    return seen
  }

  private takeMoment(row: JournalRow, seen: Seen, lastSeen: number | undefined): void {
    const { reason, transport, address } = JSON.parse(row.values ?? '{}') as Partial<Record<string, unknown>>
    const kind = row.kind === JournalKind.online ? 'online' : 'offline'
    seen.link = kind
    if (kind === 'online') {
      seen.last = row.arrivedAt
      seen.onlineSince = row.arrivedAt
    } else {
      // The end of a connection is no sign of life; the last message was.
      seen.last = Math.max(seen.last, lastSeen ?? 0)
      seen.onlineSince = null
      seen.offlineAt = row.arrivedAt
      seen.offlineReason = textOf(reason)
    }
    const { device, arrivedAt: at, seq } = row
    this.moments.push({
      device,
      at,
      seq,
      kind,
      reason: textOf(reason),
      transport: textOf(transport),
      address: textOf(address),
    })
  }

  private waitAtMost(ms: number): void {
    const at = performance.now() + ms
    if (this.dueAt === null || at < this.dueAt) this.dueAt = at
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : null)
const dateOf = (ms: number | null) => (ms === null ? null : new Date(ms))

const WRITE_PRESENCE = sql`with seen as (
    select * from unnest($1::int[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[], $7::text[])
      as s (device, link, first, last, online_since, offline_at, offline_reason)
  ), moved as (
    update device_presence p set
      link = coalesce(s.link, p.link),
      last_seen_at = greatest(p.last_seen_at, s.last),
      online_since = case when s.link is null then p.online_since else s.online_since end,
      last_offline_at = coalesce(s.offline_at, p.last_offline_at),
      last_offline_reason = case when s.offline_at is null then p.last_offline_reason else s.offline_reason end
    from seen s where p.device = s.device returning p.device
  )
  insert into device_presence (device, tenant_id, link, first_seen_at, last_seen_at, online_since, last_offline_at, last_offline_reason)
  select s.device, d.tenant_id, coalesce(s.link, 'offline'), s.first, greatest(s.first, s.last), s.online_since, s.offline_at, s.offline_reason
  from seen s join devices d on d.num = s.device where s.device not in (select device from moved)`.named(
  'presence-write',
)

/**
 * A device that was deleted meanwhile has no row to be kept. In the order of their numbers, as alarms take them: first
 * messages and alarms of the same devices do not wait for each other in a circle.
 */
async function writePresence(client: pg.ClientBase, unordered: readonly Seen[]): Promise<void> {
  const seen = unordered.toSorted((a, b) => a.device - b.device)
  await runOn(client, WRITE_PRESENCE, [
    seen.map(s => s.device),
    seen.map(s => s.link),
    seen.map(s => dateOf(s.first)),
    seen.map(s => dateOf(s.last)),
    seen.map(s => dateOf(s.onlineSince)),
    seen.map(s => dateOf(s.offlineAt)),
    seen.map(s => s.offlineReason),
  ])
}

const WRITE_MOMENTS = sql`insert into device_connections (device, at, seq, kind, reason, transport, address)
  select * from unnest($1::int[], $2::timestamptz[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[])`.named(
  'presence-moments',
)

async function writeMoments(client: pg.ClientBase, moments: readonly Moment[]): Promise<void> {
  if (moments.length === 0) return
  await runOn(client, WRITE_MOMENTS, [
    moments.map(m => m.device),
    moments.map(m => new Date(m.at)),
    moments.map(m => m.seq),
    moments.map(m => m.kind),
    moments.map(m => m.reason),
    moments.map(m => m.transport),
    moments.map(m => m.address),
  ])
}

/** @returns numbers of devices that were inactive until now */
async function activate(client: pg.ClientBase, seen: readonly Seen[]): Promise<number[]> {
  const first = seen.filter(({ firstMessage }) => firstMessage !== null)
  return activateDevices(
    client,
    first.map(({ device, firstMessage }) => ({ device, at: dateOf(firstMessage) })),
  )
}
