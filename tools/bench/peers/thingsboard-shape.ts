import type pg from 'pg'
import { type CpuReading, readCpu } from '../core/meter.ts'
import type { Site } from '../core/site.ts'

/**
 * The tables of ThingsBoard 3.8 (schema-ts-psql.sql) in a database of their own on the PostgreSQL under measurement, written as
 * its SQL storage does: INSERT … ON CONFLICT DO UPDATE in batches of 100 ms, history and latest. Whole batches go in one
 * statement here, which costs PostgreSQL less than ThingsBoard's batches of single rows.
 */
const SCHEMA = `
  create table ts_kv (
    entity_id uuid not null, key int not null, ts bigint not null,
    bool_v boolean, str_v varchar(10000000), long_v bigint, dbl_v double precision, json_v json,
    constraint ts_kv_pkey primary key (entity_id, key, ts)) partition by range (ts);
  create table ts_kv_all partition of ts_kv default;
  create table ts_kv_latest (
    entity_id uuid not null, key int not null, ts bigint not null,
    bool_v boolean, str_v varchar(10000000), long_v bigint, dbl_v double precision, json_v json,
    constraint ts_kv_latest_pkey primary key (entity_id, key))`
const COLUMNS = 'entity_id, key, ts, bool_v, long_v'
const VALUES = 'select * from unnest($1::uuid[], $2::int[], $3::bigint[], $4::boolean[], $5::bigint[])'
const INSERT = `insert into ts_kv (${COLUMNS}) ${VALUES}
  on conflict (entity_id, key, ts) do update set bool_v = excluded.bool_v, long_v = excluded.long_v`
const LATEST = `insert into ts_kv_latest (${COLUMNS}) ${VALUES}
  on conflict (entity_id, key) do update set ts = excluded.ts, bool_v = excluded.bool_v, long_v = excluded.long_v`
const DATABASE = 'thingsboard_shape'

export interface ShapeCost {
  messages: number
  /** PostgreSQL's CPU, µs per stored value: history and latest. */
  microsPerValue: number
  walBytesPerValue: number
}

export class ThingsboardShape {
  private constructor(
    readonly pool: pg.Pool,
    private readonly site: Site,
    readonly entities: string[],
  ) {}

  static async create(site: Site, entityCount: number): Promise<ThingsboardShape> {
    await site.sql(`drop database if exists ${DATABASE}`)
    await site.sql(`create database ${DATABASE}`)
    const pool = site.installation.database(DATABASE)
    await pool.query(SCHEMA)
    const { rows } = await pool.query<{ id: string }>(
      'select gen_random_uuid()::text as id from generate_series(1, $1)',
      [entityCount],
    )
    return new ThingsboardShape(
      pool,
      site,
      rows.map(row => row.id),
    )
  }

  /** Writes messages of three values in batches, `perBatch` messages each, at `rate` messages a second. */
  async write(messages: number, perBatch: number, rate: number): Promise<ShapeCost> {
    const wal = await this.site.walBytes()
    const before = readCpu(this.site.installation.pid)
    const began = performance.now()
    const baseTs = Date.now()
    for (let done = 0, turn = 0; done < messages; done += perBatch) {
      const ids: string[] = []
      const keys: number[] = []
      const times: number[] = []
      const bools: (boolean | null)[] = []
      const longs: (number | null)[] = []
      for (let i = 0; i < perBatch; i++) {
        const id = this.entities[turn++ % this.entities.length]!
        for (let key = 1; key <= 3; key++) {
          ids.push(id)
          keys.push(key)
          times.push(baseTs + done + i)
          bools.push(key === 2 ? false : null)
          longs.push(key === 2 ? null : 100_000 + ((done + i) % 900_000))
        }
      }
      const values = [ids, keys, times, bools, longs]
      await this.pool.query(INSERT, values)
      await this.pool.query(LATEST, values)
      const due = began + ((done + perBatch) / rate) * 1000
      const wait = due - performance.now()
      if (wait > 1) await new Promise(resolve => setTimeout(resolve, wait))
    }
    const after = readCpu(this.site.installation.pid)
    return {
      messages,
      microsPerValue: postgresMicros(before, after, messages * 3),
      walBytesPerValue: Math.round(((await this.site.walBytes()) - wal) / (messages * 3)),
    }
  }

  async drop(): Promise<void> {
    await this.pool.end()
    await this.site.sql(`drop database if exists ${DATABASE} with (force)`)
  }
}

/** CPU of everything named postgres between two readings, µs per value. */
export function postgresMicros(before: CpuReading, after: CpuReading, values: number): number {
  let used = 0
  for (const [part, at] of Object.entries(after.parts))
    if (part.startsWith('postgres')) used += at - (before.parts[part] ?? 0)
  return Math.round((used / values) * 1e8) / 100
}
