import type { AlarmView } from '@thingwright/contracts/alarms.contract'
import type { TriggerView } from '@thingwright/contracts/triggers.contract'
import { expect, vi } from 'vitest'
import { createJournalStream } from '../../ingest/consumers/journal-stream.ts'
import { createTriggerReader, type TriggerReader } from '../../ingest/consumers/triggers/trigger-reader.ts'
import { insertRows, type RowFixture } from '../../ingest/testing/journal-rows.ts'
import { openPool } from '../../lib/database/pool.ts'
import { silentLogger } from '../../lib/log.ts'
import type { ContainerOptions } from '../container-options.ts'
import { type NarrowCompany, narrowCompany } from './narrow-company.ts'

const property = (identifier: string, type: string) => ({
  identifier,
  name: identifier,
  dataType: { type },
  access: 'rw',
})

/** What the product of its devices has. */
const MODEL = {
  properties: [
    property('temperature', 'double'),
    property('pump', 'bool'),
    property('note', 'string'),
    property('limit', 'double'),
  ],
  events: [{ identifier: 'leak', name: 'leak', level: 'warning', params: [] }],
  services: [],
}

/** A company over HTTP whose journal is judged. */
export interface TriggerHouse extends NarrowCompany {
  productId: string
  /** Of devices by their ids. */
  nums: Record<string, number>
  /** The clock of the reader and of rows: it can be put forward. */
  now(): number
  forward(ms: number): void
  device(name: string, over?: object): Promise<string>
  /** A trigger that is judged when this resolves. */
  trigger(body: object): Promise<TriggerView>
  /** A message of a device. */
  say(deviceId: string, values: object, over?: Partial<RowFixture>): Promise<unknown>
  alarms(query?: string): Promise<AlarmView[]>
  /** Waits until the alarms of a query fit. */
  until(query: string, fits: (items: AlarmView[]) => boolean): Promise<AlarmView[]>
  /** Makes the journal's reader read changed triggers without waiting for its next tick. */
  look(): void
  /** Waits until facts that were written (buttons, alarms cleared by hand, triggers that go on) are judged. */
  factsJudged(): Promise<void>
  /** Waits until timers up to the house's time have fired, but for those that wait for rows which are slow to be committed. */
  timersFired(): Promise<void>
  /** As a start of the program would. */
  restart(): Promise<void>
  /** Ends the triggers that were made since. */
  tidy(): Promise<void>
  end(): Promise<void>
}

export async function triggerHouse(over: Partial<ContainerOptions> = {}): Promise<TriggerHouse> {
  const house = await narrowCompany(over)
  const pool = openPool({ ...house.db.access.telemetry, max: 4 }, () => {})
  let ahead = 0
  const now = () => Date.now() + ahead
  let reader: TriggerReader
  const start = async () => {
    reader = createTriggerReader({
      catalogue: house.container.triggers.catalogue,
      stream: createJournalStream(pool),
      db: pool,
      tell: house.db.database.news.tell,
      logger: silentLogger,
      now,
    })
    await reader.start()
  }
  const product = await house.call<{ id: string }>('POST', '/products', house.owner, {
    name: 'Everything',
    linkType: 'mqtt',
    thingModel: MODEL,
  })
  expect(product.status, product.text).toBe(201)
  await start()
  const nums: Record<string, number> = {}
  const made: string[] = []

  const self: TriggerHouse = {
    ...house,
    productId: product.body.id,
    nums,
    now,
    forward(ms) {
      ahead += ms
    },
    async device(name, over = {}) {
      const { status, text, body } = await house.call<{ id: string }>('POST', '/devices', house.owner, {
        productId: product.body.id,
        name,
        ...over,
      })
      expect(status, text).toBe(201)
      const { rows } = await house.db.superuser.query(
        `insert into device_presence (device, tenant_id, link, first_seen_at, last_seen_at)
         select num, tenant_id, 'online', now(), now() from devices where id = $1 returning device`,
        [body.id],
      )
      nums[body.id] = rows[0].device
      return body.id
    },
    async trigger(body) {
      const reply = await house.call<TriggerView>('POST', '/triggers', house.owner, {
        name: 'Cold room',
        alarm: { level: 3 },
        ...body,
      })
      expect(reply.status, reply.text).toBe(201)
      made.push(reply.body.id)
      reader.look()
      await vi.waitUntil(() => house.container.triggers.catalogue.about(reply.body.id) !== undefined, {
        timeout: 20_000,
      })
      return reply.body
    },
    say(deviceId, values, over = {}) {
      const at = now()
      return insertRows(house.db, [{ device: nums[deviceId]!, values, arrivedAt: at, ts: at, ...over }])
    },
    async alarms(query = '') {
      const reply = await house.call<{ items: AlarmView[] }>('GET', `/alarms?${query}`, house.owner)
      expect(reply.status, reply.text).toBe(200)
      return reply.body.items
    },
    async until(query, fits) {
      let last: AlarmView[] = []
      await vi
        .waitUntil(
          async () => {
            last = await self.alarms(query)
            return fits(last)
          },
          { timeout: 20_000, interval: 30 },
        )
        .catch(() => {
          throw new Error(`alarms of ${query} are ${JSON.stringify(last)}`)
        })
      return last
    },
    look: () => reader.look(),
    async factsJudged() {
      reader.look()
      const waiting = async () =>
        (await house.db.superuser.query('select 1 from trigger_signals where judged_at is null limit 1')).rows.length
      await vi.waitUntil(async () => (await waiting()) === 0, { timeout: 20_000, interval: 20 })
    },
    async timersFired() {
      const at = now()
      const acted = async () =>
        (
          await house.db.superuser.query('select 1 from trigger_engine where acted_at >= to_timestamp($1)', [
            at / 1_000,
          ])
        ).rows.length
      await vi.waitUntil(async () => (await acted()) === 1, { timeout: 20_000, interval: 20 })
    },
    async restart() {
      await reader.stop()
      await start()
    },
    async tidy() {
      for (const id of made.splice(0)) await house.call('DELETE', `/triggers/${id}`, house.owner)
    },
    async end() {
      await reader.stop()
      await pool.end()
      await house.stop()
    },
  }
  return self
}
