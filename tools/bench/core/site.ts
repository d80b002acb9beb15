import type pg from 'pg'
import { Installation } from '../../lib/installation.ts'
import type { MeterIdentity } from '../generator/meter-device.ts'
import { Api } from './api.ts'

/** A product of smart meters: the three values of ThingsBoard's performance tests. */
const SMART_METER = {
  name: 'Smart meter',
  linkType: 'mqtt',
  thingModel: {
    properties: [
      { identifier: 'pulseCounter', name: 'Pulses', dataType: { type: 'int32' }, access: 'r' },
      { identifier: 'leakage', name: 'Leakage', dataType: { type: 'bool' }, access: 'r' },
      { identifier: 'batteryLevel', name: 'Battery', dataType: { type: 'int32' }, access: 'r' },
    ],
  },
}
export const VALUES_PER_MESSAGE = 3

export interface Meter {
  id: string
  num: number
  identity: MeterIdentity
}

/** A running installation under measurement, with a look behind the curtain. */
export class Site {
  private constructor(
    readonly installation: Installation,
    readonly api: Api,
    private pool: pg.Pool,
  ) {}

  static async open(env: Record<string, string> = {}): Promise<Site> {
    const installation = await Installation.create({ env })
    try {
      await installation.start()
      const api = new Api(installation.url, 4)
      await api.signIn()
      return new Site(installation, api, installation.database())
    } catch (error) {
      installation.kill('everything')
      installation.remove()
      throw error
    }
  }

  /** Stops the server in order and removes its folder. */
  async close(): Promise<void> {
    this.api.close()
    // Ended already by a part that failed on its way to a start.
    if (!this.pool.ended) await this.pool.end()
    await this.installation.stop()
    this.installation.remove()
  }

  /** kill -9 of every process, then a start on what is left. @returns ms until it was ready */
  async crashAndRestart(): Promise<number> {
    await this.leave()
    this.installation.kill('everything')
    await this.installation.exited()
    const took = await this.installation.start()
    await this.reconnect()
    return took
  }

  /** Gives up its connections to the database, before a stop or a kill. */
  async leave(): Promise<void> {
    await this.pool.end()
  }

  /** After a start, or a kill of the database alone. */
  async reconnect(): Promise<void> {
    if (!this.pool.ended) await this.pool.end()
    this.pool = this.installation.database()
    await this.api.signIn()
  }

  async sql<T extends pg.QueryResultRow>(text: string, params: unknown[] = []): Promise<T[]> {
    return (await this.pool.query<T>(text, params)).rows
  }

  /** A connection of its own, e.g. for COPY or a transaction. */
  async withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.pool.connect()
    try {
      return await work(client)
    } finally {
      client.release()
    }
  }

  /** Makes the product over the API and its devices by SQL, 10,000 in a second. */
  async meters(count: number): Promise<{ productId: string; productKey: string; meters: Meter[] }> {
    const product = await this.api.post<{ id: string; productKey: string }>('/products', SMART_METER)
    const rows = await this.sql<{ id: string; num: number; device_no: string }>(
      `insert into devices (id, tenant_id, product_id, product_num, device_no, name, lifecycle, activated_at, secret_hash, secret_cipher)
       select gen_random_uuid(), p.tenant_id, p.id, p.num, 'meter-' || i, 'Meter ' || i, 'active', now(),
              sha256(convert_to('secret-' || i, 'utf8')), sha256(convert_to('cipher-' || i, 'utf8'))
       from products p, generate_series(1, $2::int) i where p.id = $1
       returning id, num, device_no`,
      [product.id, count],
    )
    const meters = rows.map(({ id, num, device_no }) => ({
      id,
      num,
      identity: {
        clientId: device_no,
        username: `${product.productKey}/${device_no}`,
        password: `secret-${device_no.slice('meter-'.length)}`,
        topic: `things/${product.productKey}/${device_no}/property/post`,
      },
    }))
    return { productId: product.id, productKey: product.productKey, meters }
  }

  /** Where the write-ahead log stands, bytes. */
  async walBytes(): Promise<number> {
    const [row] = await this.sql<{ bytes: string }>(`select (pg_current_wal_insert_lsn() - '0/0')::text as bytes`)
    return Number(row!.bytes)
  }

  /** Last sequence number of each lane. */
  async lanes(): Promise<number[]> {
    const rows = await this.sql<{ last: string }>(
      `select coalesce((select max(seq) from journal where lane = l), 0)::text as last from generate_series(0, 1) l order by l`,
    )
    return rows.map(({ last }) => Number(last))
  }

  /** Journal rows that each consumer has still to see. */
  async consumerLag(): Promise<Record<string, number>> {
    const last = await this.lanes()
    const rows = await this.sql<{ consumer: string; lane: number; seq: string }>(
      'select consumer, lane, seq::text from consumer_cursors',
    )
    const lag: Record<string, number> = {}
    for (const { consumer, lane, seq } of rows)
      lag[consumer] = (lag[consumer] ?? 0) + Math.max(0, (last[lane] ?? 0) - Number(seq))
    return lag
  }

  /** Stored property messages of the devices, by device number. */
  async storedMessages(): Promise<Map<number, number>> {
    const rows = await this.sql<{ device: number; n: number }>(
      'select device, count(*)::int as n from journal where kind = 1 group by 1',
    )
    return new Map(rows.map(({ device, n }) => [device, n]))
  }

  async postgresVersion(): Promise<string> {
    return (await this.sql<{ v: string }>(`select current_setting('server_version') as v`))[0]!.v
  }
}
