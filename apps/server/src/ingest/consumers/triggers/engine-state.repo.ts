import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Snapshot } from '@thingwright/rules'
import type pg from 'pg'
import { runOn, sql } from '../../../lib/sql/statement.ts'

const unpack = promisify(gunzip)

/** The memory of the engine as it was kept, and up to where everything was acted on. */
export interface EngineState {
  snapshot: Snapshot | null
  /** Positions in the lanes at the snapshot. */
  positions: { lane: number; seq: number; arrivedAt: number }[]
  aliveAt: number
  actedAt: number
}

const READ = sql<{
  positions: EngineState['positions']
  snapshot: string | null
  packed: Buffer | null
  alive: number
  acted: number
}>`select positions, snapshot, packed, (extract(epoch from alive_at) * 1000)::float8 as alive, (extract(epoch from acted_at) * 1000)::float8 as acted
  from trigger_engine`

export async function readEngine(db: pg.Pool): Promise<EngineState | null> {
  const row = (await runOn(db, READ)).rows[0]
  if (!row) return null
  const json = row.packed ? (await unpack(row.packed)).toString() : row.snapshot
  return {
    snapshot: json === null ? null : (JSON.parse(json) as Snapshot),
    positions: row.positions,
    aliveAt: row.alive,
    actedAt: row.acted,
  }
}

const SAVE_ALIVE =
  sql`insert into trigger_engine (id, alive_at, acted_at) values (1, to_timestamp($1::float8 / 1000), to_timestamp($2::float8 / 1000))
  on conflict (id) do update set alive_at = excluded.alive_at, acted_at = excluded.acted_at`.named('triggers-alive')

/** @param actedAt timers up to this moment have fired */
export async function saveAlive(client: pg.ClientBase, at: number, actedAt: number): Promise<void> {
  await runOn(client, SAVE_ALIVE, [at, actedAt])
}

const SAVE_SNAPSHOT = sql`update trigger_engine set positions = $1, packed = $2, snapshot = null, taken_at = now()`

/** After {@link saveAlive}. @param packed gzip of the JSON of a snapshot */
export async function saveSnapshot(
  client: pg.ClientBase,
  positions: EngineState['positions'],
  packed: Buffer,
): Promise<void> {
  await runOn(client, SAVE_SNAPSHOT, [JSON.stringify(positions), packed])
}

const CURSORS = sql<{
  lane: number
  seq: number
  at: number | null
}>`select lane, seq, (extract(epoch from arrived_at) * 1000)::float8 as at
  from consumer_cursors where consumer = $1`

export async function readCursors(db: pg.Pool, consumer: string) {
  return (await runOn(db, CURSORS, [consumer])).rows
}

const SAVE_CURSOR =
  sql`insert into consumer_cursors (consumer, lane, seq, arrived_at) values ($1, $2, $3, to_timestamp($4::float8 / 1000))
  on conflict (consumer, lane) do update set seq = excluded.seq, arrived_at = excluded.arrived_at, updated_at = now()
    where consumer_cursors.seq < excluded.seq`.named('triggers-cursor')

export async function saveCursor(
  client: pg.ClientBase,
  consumer: string,
  { lane, seq, arrivedAt }: EngineState['positions'][number],
): Promise<void> {
  await runOn(client, SAVE_CURSOR, [consumer, lane, seq, arrivedAt])
}

const FIRST_AFTER = sql<{
  at: number | null
}>`select (extract(epoch from min(arrived_at)) * 1000)::float8 as at from journal
  where lane = $1 and seq > $2 and arrived_at > to_timestamp($3::float8 / 1000)`

/** Arrival of the first row of a lane that came after a moment; null: none did. */
export async function firstArrivalAfter(db: pg.Pool, lane: number, seq: number, at: number): Promise<number | null> {
  return (await runOn(db, FIRST_AFTER, [lane, seq, at])).rows[0]?.at ?? null
}

const ONLINE = sql<{
  device: number
  link: string
}>`select device, link from device_presence where device = any ($1::int[])`

export async function readLinks(db: pg.Pool, devices: readonly number[]): Promise<Map<number, boolean>> {
  return new Map((await runOn(db, ONLINE, [devices])).rows.map(({ device, link }) => [device, link === 'online']))
}
