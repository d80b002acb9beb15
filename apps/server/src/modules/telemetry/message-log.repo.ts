import type { TenantScope } from '../../lib/database/database.ts'
import { runOn, sql } from '../../lib/sql/statement.ts'
import type { AuthorisedDevice } from '../devices/authorised.port.ts'
import type { MessageRow } from './device-log.repo.ts'
import type { Reader } from './telemetry.snapshot.ts'

/** What is looked for in the log. */
export interface MessageFilter {
  /** Row kinds that are wanted; null: all. */
  kinds: number[] | null
  quality: number | null
  from: Date | null
  to: Date | null
  /** Text as people write it, and the bytes it stands for; null: everything. */
  text: string | null
  bytes: Buffer | null
}

export interface MessagePart {
  rows: MessageRow[]
  /** Number and time of the oldest row that was looked at; null: there is nothing older. */
  searchedTo: { seq: number; at: Date } | null
}

/** Rows that one search looks at: a device may have millions in the recorder's window. */
const SCAN = 20_000

const SEARCH_MESSAGES = sql<MessageRow & { looked: number; low: number; low_at: Date }>`with scanned as materialized (
    select seq, arrived_at, kind, quality, late, ts, device_ts, values, raw, refused_reason from journal
    where device = $1 and ($2::bigint is null or seq < $2)
      and ($3::timestamptz is null or arrived_at >= $3) and ($4::timestamptz is null or arrived_at <= $4)
    order by seq desc limit $5
  )
  select s.looked, s.low, s.low_at, m.*
  from (select count(*)::int as looked, min(seq) as low, min(arrived_at) as low_at from scanned) s
  left join lateral (
    select * from scanned
    where ($7::smallint[] is null or kind = any ($7)) and ($8::smallint is null or quality = $8)
      and (($9::text is null and $10::bytea is null)
        or values::text ilike $9 or refused_reason ilike $9 or position($10::bytea in raw) > 0)
    order by seq desc limit $6
  ) m on true
  order by m.seq desc`

/** Journal rows of a device below `before`, newest first: what the flight recorder still holds. */
export async function searchMessages(
  reader: Reader,
  device: AuthorisedDevice,
  filter: MessageFilter,
  page: { before: number | null; limit: number },
): Promise<MessagePart> {
  const everything = filter.kinds === null && filter.quality === null && filter.text === null && filter.bytes === null
  const scan = everything ? page.limit : SCAN
  const { rows } = await runOn(reader, SEARCH_MESSAGES, [
    device.num,
    page.before,
    filter.from,
    filter.to,
    scan,
    page.limit,
    filter.kinds,
    filter.quality,
    filter.text === null ? null : `%${filter.text.replaceAll(/[\\%_]/g, '\\$&')}%`,
    filter.bytes,
  ])
  const { looked, low, low_at } = rows[0]!
  return {
    rows: rows.filter(row => row.seq !== null),
    searchedTo: looked < scan ? null : { seq: low, at: low_at },
  }
}

const SIMULATED_SPANS = sql<{ seq: number; kind: 'online' | 'offline' }>`select seq, kind from device_connections
  where device = $1 and transport = 'simulator' and at >= $2::timestamptz - interval '2 days' and seq <= $3
  order by seq desc limit 1000`

/** Starts and ends of the time in which somebody acted as the device, newest first. */
export async function simulatedSpans(
  reader: Reader,
  device: AuthorisedDevice,
  range: { from: Date; toSeq: number },
): Promise<{ seq: number; kind: 'online' | 'offline' }[]> {
  const { rows } = await runOn(reader, SIMULATED_SPANS, [device.num, range.from, range.toSeq])
  return rows
}

export interface SentCommandRow {
  id: string
  position: number
  sent_at: Date
  kind: string
  identifier: string | null
  params: Record<string, unknown>
  state: string
  reply: unknown
}

const SENT_COMMANDS = sql<SentCommandRow>`select id, position, sent_at, kind, identifier, masked_params(params, secret_params) as params, state, reply from commands
  where device = $1 and sent_at is not null and ($2::bigint is null or position < $2)
    and ($3::timestamptz is null or sent_at >= $3) and ($4::timestamptz is null or sent_at <= $4)
    and ($5::text is null or masked_params(params, secret_params)::text ilike $5 or identifier ilike $5 or reply::text ilike $5)
  order by position desc limit $6`

/** Commands that left for the device, newest first. */
export async function sentCommands(
  scope: TenantScope,
  device: AuthorisedDevice,
  filter: Pick<MessageFilter, 'from' | 'to' | 'text'>,
  page: { before: number | null; limit: number },
): Promise<SentCommandRow[]> {
  const { rows } = await scope.run(SENT_COMMANDS, [
    device.num,
    page.before,
    filter.from,
    filter.to,
    filter.text === null ? null : `%${filter.text.replaceAll(/[\\%_]/g, '\\$&')}%`,
    page.limit,
  ])
  return rows
}
