import type pg from 'pg'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import { type NoRow, part, runOn, type SqlPart, type Statement, sql } from '../../../lib/sql/statement.ts'
import type { Subscription } from './session.ts'
import type { SessionStore, StoredOutbound, StoredSession } from './session-store.ts'

interface Wish<T, R> {
  input: T
  resolve(result: R): void
  reject(error: unknown): void
}

/**
 * One kind of statement. Wishes collect while a round is running and are granted together in the next one: a storm of
 * thousands of devices costs tens of statements.
 */
class Batch<T, R> {
  private wishes: Wish<T, R>[] = []

  constructor(
    private readonly wake: () => void,
    private readonly run: (inputs: T[]) => Promise<(input: T) => R>,
  ) {}

  ask(input: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.wishes.push({ input, resolve, reject })
      this.wake()
    })
  }

  get waiting(): boolean {
    return this.wishes.length > 0
  }

  async grant(): Promise<void> {
    const wishes = this.wishes
    if (wishes.length === 0) return
    this.wishes = []
    try {
      const answer = await this.run(wishes.map(wish => wish.input))
      for (const wish of wishes) wish.resolve(answer(wish.input))
    } catch (error) {
      for (const wish of wishes) wish.reject(error)
    }
  }
}

const PURGE_EVERY_MS = 10 * 60_000
const nothing = () => undefined
const column = <T, K extends keyof T>(rows: readonly T[], key: K): T[K][] => rows.map(row => row[key])

/** What one device asked last counts; a statement must not see the same row twice. */
const lastPerDevice = <T extends { device: number }>(inputs: readonly T[]): T[] => [
  ...new Map(inputs.map(input => [input.device, input])).values(),
]

const INSERT_MQTT_OUTBOUND = sql`insert into mqtt_outbound (device, packet_id, command_id, qos, released, suffix, payload)
  select * from unnest($1::int[], $2::int[], $3::uuid[], $4::smallint[], $5::bool[], $6::text[], $7::bytea[])
  on conflict (device, packet_id) do update set
    command_id = excluded.command_id, qos = excluded.qos, released = excluded.released,
    suffix = excluded.suffix, payload = excluded.payload`

const UPDATE_SUBSCRIPTIONS = sql`update mqtt_sessions s set subscriptions = w.subscriptions, updated_at = now()
  from unnest($1::int[], $2::jsonb[]) as w (device, subscriptions) where s.device = w.device`

const UPDATE_EXPIRY = sql`update mqtt_sessions s set expiry_seconds = w.expiry, expires_at = to_timestamp(w.at / 1000.0), updated_at = now()
  from unnest($1::int[], $2::bigint[], $3::float8[]) as w (device, expiry, at) where s.device = w.device`

const INSERT_MQTT_SESSIONS = sql`insert into mqtt_sessions (device, expiry_seconds) select * from unnest($1::int[], $2::bigint[])
  on conflict (device) do update set
    expiry_seconds = excluded.expiry_seconds, expires_at = null, updated_at = now()`

const SELECT_MQTT_SESSIONS = sql<{
  device: number
  subscriptions: Subscription[]
  expired: boolean
}>`select device, subscriptions, coalesce(expires_at <= to_timestamp($2 / 1000.0), false) as expired
  from mqtt_sessions where device = any($1::int[])`

const READ_IDS = sql<{
  device: number
  packet_id: number
}>`select device, packet_id from mqtt_inbound where device = any($1::int[])`

const RELEASE_OUTBOUND = sql`update mqtt_outbound o set released = true from unnest($1::int[], $2::int[]) as w (device, packet_id)
  where o.device = w.device and o.packet_id = w.packet_id`

const REMOVE_OUTBOUND = sql`delete from mqtt_outbound o using unnest($1::int[], $2::int[]) as w (device, packet_id)
  where o.device = w.device and o.packet_id = w.packet_id`

const RELEASE_INBOUND = sql`delete from mqtt_inbound i using unnest($1::int[], $2::int[]) as w (device, packet_id)
  where i.device = w.device and i.packet_id = w.packet_id`

/** Removes sessions, and what hangs on them. */
const removeWhere = (which: SqlPart) => sql`with gone as (delete from mqtt_sessions where ${which} returning device),
    i as (delete from mqtt_inbound where device in (select device from gone))
  delete from mqtt_outbound where device in (select device from gone)`
const REMOVE_SESSIONS = removeWhere(part`device = any($1::int[])`)
const REMOVE_EXPIRED = removeWhere(part`expires_at <= to_timestamp($1 / 1000.0)`)

const READ_OUTBOUND = sql<{
  device: number
  packet_id: number
  command_id: string
  qos: number
  released: boolean
  suffix: string
  payload: Buffer
}>`select device, packet_id, command_id, qos, released, suffix, payload
  from mqtt_outbound where device = any($1::int[]) order by position`

const START = sql`update mqtt_sessions set expires_at = to_timestamp($1 / 1000.0 + expiry_seconds) where expires_at is null`

/**
 * Session state in PostgreSQL (`mqtt_sessions`, `mqtt_inbound`, `mqtt_outbound`), by the telemetry role. Statements run
 * in rounds, one round at a time, the kinds of a round in a fixed order: whatever one device asked for in sequence takes
 * effect in that sequence, because what must come before something else is either in an earlier round or earlier here.
 */
export function createSessionStore(db: pg.Pool, clock: Clock, log: Logger): SessionStore {
  let running: Promise<void> | null = null

  const wake = (): void => {
    running ??= new Promise<void>(resolve => setImmediate(resolve)).then(rounds).finally(() => {
      running = null
    })
  }

  async function rounds(): Promise<void> {
    while (order.some(batch => batch.waiting)) for (const batch of order) await batch.grant()
  }

  const addOutbound = new Batch<{ device: number } & StoredOutbound, undefined>(wake, async rows => {
    await runOn(db, INSERT_MQTT_OUTBOUND, [
      column(rows, 'device'),
      column(rows, 'packetId'),
      column(rows, 'tag'),
      column(rows, 'qos'),
      column(rows, 'released'),
      column(rows, 'suffix'),
      column(rows, 'payload'),
    ])
    return nothing
  })

  const byPacketId = (statement: Statement<NoRow>): Batch<{ device: number; packetId: number }, undefined> =>
    new Batch(wake, async rows => {
      await runOn(db, statement, [column(rows, 'device'), column(rows, 'packetId')])
      return nothing
    })
  const releaseOutbound = byPacketId(RELEASE_OUTBOUND)
  const removeOutbound = byPacketId(REMOVE_OUTBOUND)
  const releaseInbound = byPacketId(RELEASE_INBOUND)

  const saveSubscriptions = new Batch<{ device: number; subscriptions: readonly Subscription[] }, undefined>(
    wake,
    async inputs => {
      const rows = lastPerDevice(inputs)
      await runOn(db, UPDATE_SUBSCRIPTIONS, [
        column(rows, 'device'),
        rows.map(row => JSON.stringify(row.subscriptions)),
      ])
      return nothing
    },
  )

  const close = new Batch<{ device: number; expirySeconds: number; expiresAt: number }, undefined>(
    wake,
    async inputs => {
      const rows = lastPerDevice(inputs)
      await runOn(db, UPDATE_EXPIRY, [column(rows, 'device'), column(rows, 'expirySeconds'), column(rows, 'expiresAt')])
      return nothing
    },
  )

  const clear = new Batch<number, undefined>(wake, async devices => {
    await runOn(db, REMOVE_SESSIONS, [devices])
    return nothing
  })

  const open = new Batch<{ device: number; expirySeconds: number }, undefined>(wake, async inputs => {
    const rows = lastPerDevice(inputs)
    await runOn(db, INSERT_MQTT_SESSIONS, [column(rows, 'device'), column(rows, 'expirySeconds')])
    return nothing
  })

  const load = new Batch<number, StoredSession | null>(wake, async devices => {
    const { rows } = await runOn(db, SELECT_MQTT_SESSIONS, [devices, clock.now()])
    if (rows.some(row => row.expired)) await purge()
    const found = new Map<number, StoredSession>()
    for (const { device, subscriptions, expired: gone } of rows) {
      if (!gone) found.set(device, { subscriptions, inbound: [], outbound: [] })
    }
    if (found.size > 0) await readIds([...found.keys()], found)
    return device => found.get(device) ?? null
  })

  async function readIds(devices: number[], into: Map<number, StoredSession>): Promise<void> {
    const inbound = await runOn(db, READ_IDS, [devices])
    for (const row of inbound.rows) into.get(row.device)?.inbound.push(row.packet_id)
    const outbound = await runOn(db, READ_OUTBOUND, [devices])
    for (const row of outbound.rows) {
      const { qos, released, suffix, payload } = row
      into.get(row.device)?.outbound.push({
        packetId: row.packet_id,
        tag: row.command_id,
        qos,
        released,
        suffix,
        payload,
        properties: null,
      })
    }
  }

  /** Additions before removals, removals before what a new session writes, reading last. */
  const order: { readonly waiting: boolean; grant(): Promise<void> }[] = [
    addOutbound,
    releaseOutbound,
    removeOutbound,
    releaseInbound,
    saveSubscriptions,
    close,
    clear,
    open,
    load,
  ]

  /** A device that never comes back leaves nothing for ever. */
  const purge = async (): Promise<void> => {
    await runOn(db, REMOVE_EXPIRED, [clock.now()])
  }
  let purging: NodeJS.Timeout | undefined

  return {
    async start() {
      // Whoever was connected when the last process died has been away since.
      await runOn(db, START, [clock.now()])
      await purge()
      purging = setInterval(() => {
        purge().catch((error: Error) => log.warn({ err: error }, 'expired MQTT sessions stay for now'))
      }, PURGE_EVERY_MS)
      purging.unref()
    },
    load: device => load.ask(device),
    clear: device => clear.ask(device),
    open: (device, expirySeconds) => open.ask({ device, expirySeconds }),
    saveSubscriptions: (device, subscriptions) => saveSubscriptions.ask({ device, subscriptions }),
    close: (device, expirySeconds, expiresAt) => close.ask({ device, expirySeconds, expiresAt }),
    releaseInbound: (device, packetId) => releaseInbound.ask({ device, packetId }),
    addOutbound: (device, message) => addOutbound.ask({ device, ...message }),
    releaseOutbound: (device, packetId) => releaseOutbound.ask({ device, packetId }),
    removeOutbound: (device, packetId) => removeOutbound.ask({ device, packetId }),
    async stop() {
      clearInterval(purging)
      await running
    },
  }
}
