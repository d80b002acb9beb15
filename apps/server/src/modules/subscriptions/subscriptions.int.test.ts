import type { SubscriptionItem } from '@thingwright/contracts/subscriptions.contract'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type DeviceFixture,
  insertDevice,
  insertProduct,
  insertTenant,
  type ProductFixture,
} from '../../db/fixtures.ts'
import { refusal } from '../../db/testing/management.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { rowsConsumer } from '../../ingest/consumers/consumer.ts'
import { createConsumerRunner } from '../../ingest/consumers/consumer-runner.ts'
import { createJournalStream } from '../../ingest/consumers/journal-stream.ts'
import { insertRows, type RowFixture, until } from '../../ingest/testing/journal-rows.ts'
import { JournalKind } from '../../ingest/uplink.ts'
import type { Ctx, DataScope, MemberActor } from '../../lib/context.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { runner } from '../../lib/sql/statement.ts'
import type { Notice } from '../notifications/index.ts'
import { append, readAfter } from './queue.repo.ts'
import { createSubscriptionsModule, type SubscriptionsModule } from './subscriptions.module.ts'
import { FAILED, ManualTiming, MemoryTarget, OK } from './testing.ts'

let db: TestDatabase
let ctx: Ctx
let stranger: Ctx
let product: ProductFixture
let pump: DeviceFixture
let valve: DeviceFixture
let module: SubscriptionsModule
let target: MemoryTarget
let timing: ManualTiming
let ended: string[]
let stopConsumer: () => Promise<void>
const notices: Notice[] = []
/** What makers of subscriptions may see now; others as when they made them. */
const scopesNow = new Map<string, DataScope | null>()

const YEAR_MS = 366 * 86_400_000
const SECRET = 'a-secret-of-the-receiver'
const WEBHOOK = { kind: 'webhook' as const, url: 'https://receiver.example/in' }

const contextOf = (tenantId: string, dataScope: DataScope = { kind: 'all' }, loginId = newId()): Ctx => {
  const actor: MemberActor = {
    kind: 'member',
    loginId,
    username: 'li',
    displayName: 'Li',
    permissions: new Set(),
    dataScope,
  }
  return {
    tenantId,
    actor,
    locale: 'en',
    requestId: 'r',
    get now() {
      return timing.now()
    },
  }
}

/** The worker and the deliverers, as one process has them. */
async function start(): Promise<void> {
  module = createSubscriptionsModule({
    database: db.database,
    queuePool: db.database.telemetry,
    adapters: { webhook: target, mqtt: target },
    mqtt: () => ({ host: 'localhost', port: 1883 }),
    outboundAllow: [],
    scopeNow: async (_tenantId, loginId) => scopesNow.get(loginId),
    box: createCryptoBox('a secret of the installation, long enough', 'subscriptions'),
    inbox: { notify: async (scope, notice) => scope.afterCommit(() => notices.push(notice)) },
    latest: async () => ({ items: [{ identifier: 'temperature', value: 21.5, ts: 1_700_000_000_000 }] }),
    lastEvent: async () => null,
    logger: silentLogger,
    timing,
    // The test says when.
    rounds: { sweepMs: YEAR_MS, pollMs: YEAR_MS },
  })
  const runner = createConsumerRunner({
    consumers: module.consumers.map(rowsConsumer),
    stream: createJournalStream(db.database.telemetry),
    db: db.database.telemetry,
    logger: silentLogger,
    headsEveryMs: 10,
  })
  await module.deliverers.start()
  await runner.start()
  stopConsumer = () => runner.stop()
}

async function stop(): Promise<void> {
  await stopConsumer()
  await module.stop()
}

beforeAll(async () => {
  db = await testDatabase()
  timing = new ManualTiming(Date.now())
  target = new MemoryTarget()
  ended = []
  db.database.news.hear({ 'subscription.account_ended': ({ id }) => void ended.push(id) })
  const tenant = await insertTenant(db.superuser)
  ctx = contextOf(tenant.id)
  stranger = contextOf((await insertTenant(db.superuser)).id)
  product = await insertProduct(db.superuser, tenant)
  pump = await insertDevice(db.superuser, product, { deviceNo: 'pump' })
  valve = await insertDevice(db.superuser, product, { deviceNo: 'valve' })
  await db.superuser.query('create table journal_other_days partition of journal default')
  await start()
  return stop
})

// Each test begins with nothing, whatever became of the one before.
afterEach(async () => {
  target.answer = () => OK
  for (const who of [ctx, stranger])
    for (const { id } of (await module.service.list(who, { limit: 100 })).items) await module.service.remove(who, id)
  notices.length = 0
})

const post = (...rows: RowFixture[]) =>
  insertRows(
    db,
    rows.map(row => ({ arrivedAt: timing.now(), ...row })),
    false,
  )
const count = async (sql: string, ...params: unknown[]): Promise<number> =>
  Number((await db.superuser.query<{ n: string }>(`select count(*) as n from ${sql}`, params)).rows[0]!.n)
/** Everything in the journal was seen by the consumer. */
const consumed = () =>
  until(
    async () =>
      (await count(`(select lane, max(seq) as top from journal group by lane) j
        where top > coalesce((select seq from consumer_cursors c where consumer = 'subscriptions' and c.lane = j.lane), 0)`)) ===
      0,
  )
const sentTo = (id: string): SubscriptionItem[] =>
  target.batches
    .filter(batch => batch.subscriptionId === id)
    .flatMap(batch => (JSON.parse(batch.body) as { items: SubscriptionItem[] }).items)
const advance = (ms: number) => timing.advance(ms, () => module.deliverers.settled())
/** Until nothing is noted any more; transactions of other databases of the server are waited for, too. */
const moved = () =>
  until(async () => {
    await module.outbox.step()
    return (await count('domain_events')) === 0
  })
/**
 * Until everything was seen and the first of it was tried: what the consumer has written down may be read before it has
 * woken the deliverer, and time that passes before that is not waited through.
 */
async function offered(id: string): Promise<void> {
  await consumed()
  await until(() => sentTo(id).length > 0)
}
/** Until everything queued for the subscription has been offered. */
async function delivered(id: string): Promise<SubscriptionItem[]> {
  await consumed()
  await moved()
  await until(async () => (await module.service.get(ctx, id)).backlog === 0)
  return sentTo(id)
}
const create = (over: Partial<Parameters<SubscriptionsModule['service']['create']>[1]> = {}, as = ctx) =>
  module.service.create(as, { name: newId(), kinds: ['property'], target: WEBHOOK, ...over })

describe('a subscription', () => {
  it('gets what it asked for from its beginning on, in the order of each device', async () => {
    await post({ device: pump.num, values: { temperature: 1 } })
    await advance(1)
    const all = await create({ kinds: ['property', 'event', 'state'] })
    const narrow = await create({
      filter: {
        deviceIds: [valve.id],
        condition: { match: 'all', rules: [{ identifier: 'count', op: 'gt', value: 1 }] },
      },
    })
    const others = await create({ kinds: ['property', 'event', 'state'] }, stranger)
    await post(
      { device: pump.num, values: { transport: 'mqtt', address: '192.0.2.1' }, kind: JournalKind.online },
      { device: pump.num, values: { temperature: 2 } },
      { device: valve.num, values: { count: 1 } },
      { device: valve.num, values: { count: 2 }, kind: JournalKind.latest },
      {
        device: pump.num,
        values: { identifier: 'overheat', level: 'warning', params: { t: 9 } },
        kind: JournalKind.event,
      },
      { device: pump.num, values: {}, kind: JournalKind.refused, refusedReason: 'json_invalid' },
    )
    const items = await delivered(all.id)
    expect(items.filter(item => item.deviceNo === 'pump')).toEqual([
      expect.objectContaining({ type: 'state', data: { link: 'online', transport: 'mqtt' } }),
      expect.objectContaining({
        type: 'property',
        data: { temperature: 2 },
        productKey: product.productKey,
        deviceId: pump.id,
      }),
      expect.objectContaining({ type: 'event', data: { identifier: 'overheat', level: 'warning', params: { t: 9 } } }),
    ])
    expect(items.filter(item => item.deviceNo === 'valve').map(item => item.data)).toEqual([{ count: 1 }, { count: 2 }])
    expect((await delivered(narrow.id)).map(item => item.data)).toEqual([{ count: 2 }])
    expect(sentTo(others.id)).toEqual([])
    // One row is the same item for everybody.
    expect(sentTo(narrow.id)[0]!.id).toBe(items.find(item => item.data.count === 2)!.id)
  })

  it('takes what triggers note of commands, devices and firmware, once and in commit order', async () => {
    const made = await create({ kinds: ['command', 'lifecycle'], filter: { productIds: [product.id] } })
    expect(await count('domain_events')).toBe(0)
    const device = await insertDevice(db.superuser, product, { deviceNo: 'fan' })
    const command = newId()
    await db.superuser.query(
      `insert into commands (id, tenant_id, device_id, device, kind, params, expires_at) values ($1, $2, $3, $4, 'property_set', '{"switch":true}', now())`,
      [command, ctx.tenantId, device.id, device.num],
    )
    for (const state of ['sent', 'delivered', 'succeeded'])
      await db.superuser.query('update commands set state = $2 where id = $1', [command, state])
    for (const lifecycle of ['active', 'disabled', 'active', 'recycled'])
      await db.superuser.query(
        `update devices set lifecycle = $2, recycled_at = case when $2 = 'recycled' then now() end where id = $1`,
        [device.id, lifecycle],
      )
    await db.superuser.query('delete from devices where id = $1', [device.id])
    const items = await delivered(made.id)
    expect(items.map(({ type, data }) => [type, data.change ?? data.state])).toEqual([
      ['lifecycle', 'created'],
      ['command', 'succeeded'],
      ['lifecycle', 'activated'],
      ['lifecycle', 'disabled'],
      ['lifecycle', 'enabled'],
      ['lifecycle', 'recycled'],
      ['lifecycle', 'deleted'],
    ])
    expect(items[1]).toMatchObject({
      deviceNo: 'fan',
      deviceId: device.id,
      data: { commandId: command, params: { switch: true } },
    })
    expect(new Set(items.map(({ id }) => id)).size).toBe(7)
    expect(await count('domain_events')).toBe(0)
    await module.service.update(ctx, made.id, { version: made.version, kinds: ['lifecycle', 'firmware', 'alarm'] })
    const [firmware, campaign, job] = [newId(), newId(), newId()]
    const [tenant, of] = [ctx.tenantId, product.id]
    await db.superuser.query(
      `insert into firmware_packages (id, tenant_id, product_id, name, kind, version, order_no, file_name, object_key, size, sha256, created_by_name)
       values ($1, $2, $3, 'f', 'full', '2', 2, 'f.bin', 'key', 1, decode(repeat('00', 32), 'hex'), 'li')`,
      [firmware, tenant, of],
    )
    await db.superuser.query(
      `insert into ota_campaigns (id, tenant_id, product_id, package_id, name, state, scope, plan, next_at, counted_from, owner_name, actor, created_at)
       values ($1, $2, $3, $4, 'c', 'running', '{}', '{}', now(), now(), 'li', '{}', now())`,
      [campaign, tenant, of, firmware],
    )
    await db.superuser.query(
      `insert into ota_jobs (id, tenant_id, campaign_id, product_id, device_id, device, module, to_version, steps, package_id, state, created_at, changed_at, next_at)
       values ($1, $2, $3, $4, $5, $6, 'default', '2', '[]', $7, 'pending', now(), now(), now())`,
      [job, tenant, campaign, of, pump.id, pump.num, firmware],
    )
    await db.superuser.query("update ota_jobs set percent = 50, state = 'downloading' where id = $1", [job])
    await db.superuser.query('update ota_jobs set percent = 60 where id = $1', [job])
    expect((await delivered(made.id)).slice(7).map(({ type, data }) => [type, data.state, data.percent])).toEqual([
      ['firmware', 'pending', 0],
      ['firmware', 'downloading', 50],
    ])
    const alarm = newId()
    await db.superuser.query(
      `insert into alarms (id, tenant_id, trigger_name, origin, target_kind, target_id, device, device_id, level, raised_at, last_at)
       values ($1, $2, 'hot', 'o', 'device', $3::text, $4, $3::uuid, 4, now(), now())`,
      [alarm, tenant, pump.id, pump.num],
    )
    await db.superuser.query('update alarms set acknowledged_at = now() where id = $1', [alarm])
    await db.superuser.query('update alarms set comments = 1 where id = $1', [alarm])
    await db.superuser.query('update alarms set active = false, cleared_at = now() where id = $1', [alarm])
    expect(
      (await delivered(made.id)).slice(9).map(({ type, data }) => [type, data.change, data.alarmId, data.active]),
    ).toEqual([
      ['alarm', 'raised', alarm, true],
      ['alarm', 'acknowledged', alarm, true],
      ['alarm', 'cleared', alarm, false],
    ])
    target.batches.length = 0
    // What a transaction that is still open did comes with those behind it, in order.
    const slow = await db.superuser.connect()
    await slow.query('begin')
    await slow.query(`update devices set lifecycle = 'disabled' where id = $1`, [valve.id])
    await db.superuser.query(`update devices set lifecycle = 'disabled' where id = $1`, [pump.id])
    await module.outbox.step()
    expect(sentTo(made.id).length).toBe(0)
    await slow.query('commit')
    slow.release()
    expect((await delivered(made.id)).map(({ deviceNo }) => deviceNo)).toEqual(['valve', 'pump'])
    await db.superuser.query(`update devices set lifecycle = 'inactive'`)
    await module.service.remove(ctx, made.id)
    // Nobody wants them any more: they go, and new ones are not even written.
    await moved()
    await db.superuser.query(`update devices set lifecycle = 'active' where id = $1`, [pump.id])
    expect(await count('domain_events')).toBe(0)
  })

  it('narrowed to an end user has nothing from before a hand-over without history, also where it is read later', async () => {
    const [first, second] = [newId(), newId()]
    for (const id of [first, second]) {
      await db.superuser.query(
        "insert into logins (id, tenant_id, kind, username) values ($1::uuid, $2, 'end_user', $1::text)",
        [id, ctx.tenantId],
      )
      await db.superuser.query(
        "insert into end_users (id, tenant_id, path, rights) values ($1::uuid, $2, array[$1::uuid], '{view}')",
        [id, ctx.tenantId],
      )
    }
    const give = (to: string | null, historyFrom: number | null) =>
      db.superuser.query(
        'update devices set owner_id = $2, history_from = to_timestamp($3::numeric / 1000) where id = $1',
        [pump.id, to, historyFrom],
      )
    await give(first, null)
    const [ofFirst, ofSecond, ofAll] = [
      await create({ kinds: ['property', 'alarm'], filter: { userIds: [first] } }),
      await create({ kinds: ['property', 'alarm'], filter: { userIds: [second] } }),
      await create(),
    ]
    await post({ device: pump.num, values: { temperature: 1 } })
    expect((await delivered(ofFirst.id)).map(({ data }) => data)).toEqual([{ temperature: 1 }])
    // What comes while nobody reads is read when the device is the second one's.
    await stop()
    const alarm = (raisedBy: string) =>
      db.superuser.query(
        `insert into alarms (id, tenant_id, trigger_name, origin, target_kind, target_id, device, device_id, level, raised_at, last_at)
         values (gen_random_uuid(), $1, $2, $2, 'device', $3::text, $4, $3::uuid, 4, now(), now())`,
        [ctx.tenantId, raisedBy, pump.id, pump.num],
      )
    await advance(1_000)
    await post({ device: pump.num, values: { temperature: 2 } })
    await alarm('before')
    await advance(1_000)
    await give(second, Math.max(timing.now(), Date.now() + 1))
    await advance(Math.max(1_000, Date.now() - timing.now() + 1_000))
    await post({ device: pump.num, values: { temperature: 3 } })
    // A value from before that a device sends late is from before too.
    await post({ device: pump.num, values: { temperature: 4 }, ts: timing.now() - 3_600_000, late: true })
    await start()
    expect((await delivered(ofAll.id)).map(({ data }) => data.temperature)).toEqual([1, 2, 3, 4])
    expect((await delivered(ofSecond.id)).map(({ data }) => data)).toEqual([{ temperature: 3 }])
    // What was queued for the first one before stays his company's to replay; what came later never was.
    expect((await delivered(ofFirst.id)).map(({ data }) => data)).toEqual([{ temperature: 1 }])
    target.batches.length = 0
    await module.queue.replay(ctx, ofSecond.id, timing.now() - 3_600_000)
    expect((await delivered(ofSecond.id)).map(({ data }) => data)).toEqual([{ temperature: 3 }])
    await give(null, null)
  })

  it('goes on after a kill between delivering and writing down: nothing lost, ids constant, order kept', async () => {
    const made = await create()
    target.answer = () => FAILED
    await post(
      ...Array.from({ length: 250 }, (_, n) => ({ device: n % 2 ? pump.num : valve.num, values: { count: n } })),
    )
    await offered(made.id)
    await advance(0)
    // As if the process ended here: the next one begins with what the database knows.
    await stop()
    target.answer = () => OK
    await start()
    await advance(60_000)
    await delivered(made.id)
    const arrived = sentTo(made.id)
    const unique = [...new Map(arrived.map(item => [item.id, item])).values()]
    expect(unique.length).toBe(250)
    for (const device of ['pump', 'valve']) {
      const counts = unique.filter(item => item.deviceNo === device).map(item => Number(item.data.count))
      expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    }
    expect(arrived.length).toBeGreaterThan(250)
  })

  it('is paused after 50 failures with a notice, collects on, and is resumed with nothing lost', async () => {
    const made = await create({ batching: { maxItems: 1 } })
    target.answer = () => FAILED
    await post(...[1, 2, 3].map(n => ({ device: pump.num, values: { count: n } })))
    await offered(made.id)
    await advance(60 * 3_600_000)
    await until(() => notices.length > 0)
    expect(notices.splice(0)).toMatchObject([{ kind: 'subscription.paused', to: { permission: 'subscription:write' } }])
    const paused = await module.service.get(ctx, made.id)
    expect(paused).toMatchObject({ state: 'paused', pausedReason: 'failures', health: 'down', deadLetters: 1 })
    const lines = async () =>
      (
        await db.superuser.query(
          `select actor_kind, after->>'pausedReason' as reason from audit_logs
           where action = 'subscription.pause' and object_id = $1 order by at, id`,
          [made.id],
        )
      ).rows
    expect(await lines()).toEqual([{ actor_kind: 'system', reason: 'failures' }])
    // Who pauses what stands still already leaves his line too.
    const asked = { ...ctx, audited: false }
    expect(await module.service.pause(asked, made.id)).toMatchObject({ state: 'paused', pausedReason: 'user' })
    expect(asked.audited).toBe(true)
    expect(await lines()).toHaveLength(2)
    await post({ device: pump.num, values: { count: 4 } })
    await consumed()
    expect((await module.service.get(ctx, made.id)).backlog).toBe(3)
    const before = sentTo(made.id).length
    target.answer = () => OK
    await module.service.resume(ctx, made.id)
    await delivered(made.id)
    expect(
      sentTo(made.id)
        .slice(before)
        .map(item => item.data.count),
    ).toEqual([2, 3, 4])
    // Its dead letter is put behind with the id it had.
    const { items } = await module.queue.deadLetters(ctx, made.id, {})
    expect(items).toMatchObject([{ reason: 'status', status: 500, item: { data: { count: 1 } } }])
    expect((await refusal(module.queue.deadLetters(stranger, made.id, {}))).code).toBe('subscription.not_found')
    expect(await module.queue.replayDeadLetters(ctx, made.id, [items[0]!.id])).toEqual({ items: 1 })
    await delivered(made.id)
    expect(sentTo(made.id).at(-1)!.id).toBe(items[0]!.item.id)
    expect(await module.service.get(ctx, made.id)).toMatchObject({ state: 'active', health: 'healthy', deadLetters: 0 })
    const log = await module.queue.log(ctx, made.id, { failed: '1', limit: 100 })
    expect(log.items.map(line => line.result)).toContain('dead')
    expect(log.items.every(line => line.result !== 'ok')).toBe(true)
  })

  it('is delivered again from a time, and drops the oldest beyond its cap with a notice', async () => {
    const made = await create()
    await post({ device: pump.num, values: { count: 1 } })
    await delivered(made.id)
    await advance(60_000)
    const at = timing.now()
    await post({ device: pump.num, values: { count: 2 } }, { device: pump.num, values: { count: 3 } })
    const first = await delivered(made.id)
    expect(await module.queue.replay(ctx, made.id, at)).toEqual({ items: 2, from: new Date(at).toISOString() })
    await delivered(made.id)
    expect(sentTo(made.id).map(({ id }) => id)).toEqual([...first, ...first.slice(1)].map(({ id }) => id))
    expect((await refusal(module.queue.replay(ctx, made.id, at + 1))).code).toBe('subscription.replay_nothing')
    await module.service.pause(ctx, made.id)
    await post(...Array.from({ length: 10 }, (_, n) => ({ device: pump.num, values: { count: 10 + n } })))
    await consumed()
    module.deliverers.cap = 4
    await module.deliverers.sweep()
    module.deliverers.cap = 2_000_000
    expect(await module.service.get(ctx, made.id)).toMatchObject({ backlog: 4, dropped: 6, health: 'healthy' })
    expect(notices.splice(0)).toMatchObject([{ kind: 'subscription.backlog' }])
    await module.service.resume(ctx, made.id)
    await delivered(made.id)
    expect(
      sentTo(made.id)
        .slice(-4)
        .map(item => item.data.count),
    ).toEqual([16, 17, 18, 19])
    // What was delivered three days ago is kept no longer.
    expect(await count('subscription_items where subscription_id = $1', made.id)).toBe(13)
    await advance(4 * 86_400_000)
    await module.deliverers.sweep()
    expect(await count('subscription_items where subscription_id = $1', made.id)).toBe(0)
    expect((await module.service.get(ctx, made.id)).replayFrom).toBeNull()
  })

  it('shows its items in the order of their numbers, without gaps, whoever appends at once', async () => {
    const made = await create({ target: { kind: 'pull' } })
    const item = (n: number) => ({ subscriptionId: made.id, at: timing.now(), device: pump.num, item: `{"n":${n}}` })
    const seen = async () =>
      (await readAfter(db.database.telemetry, made.id, 0, 10)).map(({ seq, item }) => [seq, item])
    const [one, two] = await Promise.all([db.database.telemetry.connect(), db.database.telemetry.connect()])
    try {
      await one.query('begin')
      await append(one, [item(1), item(2)])
      await two.query('begin')
      const waiting = append(two, [item(3)]).then(() => two.query('commit'))
      // The second lane has no number yet, so nothing of it can be seen before the first.
      await until(async () => (await count('pg_locks where not granted')) > 0)
      expect(await seen()).toEqual([])
      await one.query('rollback')
      await waiting
      expect(await seen()).toEqual([[1, '{"n":3}']])
    } finally {
      one.release()
      two.release()
    }
  })

  it('that hangs delays nobody', async () => {
    const hanging = await create()
    const healthy = await create()
    target.answer = ({ subscriptionId }) => (subscriptionId === hanging.id ? new Promise(() => {}) : OK)
    await post(...Array.from({ length: 20 }, (_, n) => ({ device: pump.num, values: { count: n } })))
    await delivered(healthy.id)
    expect(sentTo(healthy.id).map(item => item.data.count)).toEqual(Array.from({ length: 20 }, (_, n) => n))
    expect((await module.service.get(ctx, hanging.id)).backlog).toBe(20)
    target.answer = () => OK
    await module.deliverers.sweep()
  })
})

describe('people and programs', () => {
  it('see a secret once, and never in what is stored or told', async () => {
    const made = await create({ target: { ...WEBHOOK, secret: SECRET, headers: { 'X-Key': 'canary-header' } } })
    expect(made.credentials).toEqual({ secret: SECRET })
    expect(target.settings.at(-1)).toMatchObject({
      secrets: [SECRET],
      target: { url: WEBHOOK.url, headers: { 'X-Key': 'canary-header' } },
    })
    const view = await module.service.get(ctx, made.id)
    expect(view.target).toEqual({ kind: 'webhook', url: WEBHOOK.url, headers: ['X-Key'] })
    const rotated = await module.service.rotateSecret(ctx, made.id, {})
    expect(target.settings.at(-1)!.secrets).toEqual([rotated.credentials!.secret, SECRET])
    // Another place does not get what was given for this one.
    const moved = { kind: 'webhook' as const, url: 'https://elsewhere.example/' }
    const change = { version: rotated.version, target: moved }
    expect((await refusal(module.service.update(ctx, made.id, change))).code).toBe('subscription.secret_needed')
    const same = await module.service.update(ctx, made.id, {
      ...change,
      target: { ...WEBHOOK, url: `${WEBHOOK.url}/2` },
    })
    expect(same.target.headers).toEqual(['X-Key'])
    expect(target.settings.at(-1)!.target).toMatchObject({ headers: { 'X-Key': 'canary-header' } })
    const dump = JSON.stringify([
      (await db.superuser.query('select * from subscriptions')).rows.map(row => ({ ...row, secrets_cipher: null })),
      (await db.superuser.query('select before, after from audit_logs')).rows,
    ])
    for (const canary of [SECRET, 'canary-header', rotated.credentials!.secret!]) expect(dump).not.toContain(canary)
    // After a day the old one no longer signs.
    await advance(86_400_001)
    await module.deliverers.sync(made.id)
    expect(target.settings.at(-1)!.secrets).toEqual([rotated.credentials!.secret])
    const account = await create({ target: { kind: 'mqtt' } })
    expect(account.credentials).toMatchObject({ username: `sub/${account.id}` })
    expect(account.target.topicFilter).toBe(`subscriptions/${account.id}/#`)
    ended.length = 0
    await module.service.rotateSecret(ctx, account.id, {})
    await module.service.remove(ctx, account.id)
    expect(ended).toEqual([account.id, account.id])
  })

  it('get no more devices than their maker sees, and see no more subscriptions', async () => {
    const hall = newId()
    await db.superuser.query(`insert into groups (id, tenant_id, kind, name) values ($1, $2, 'device', 'hall')`, [
      hall,
      ctx.tenantId,
    ])
    await db.superuser.query('update devices set group_id = $1 where id = $2', [hall, pump.id])
    const loginId = newId()
    const scoped = contextOf(ctx.tenantId, { kind: 'limited', groupIds: [hall], productIds: [], own: false }, loginId)
    const wide = await create()
    const made = await create({}, scoped)
    await advance(20_000)
    await post({ device: pump.num, values: { count: 1 } }, { device: valve.num, values: { count: 2 } })
    await delivered(wide.id)
    expect((await delivered(made.id)).map(item => item.deviceNo)).toEqual(['pump'])
    expect((await module.service.list(scoped, {})).items.map(({ id }) => id)).toEqual([made.id])
    expect((await refusal(module.service.get(scoped, wide.id))).code).toBe('subscription.not_found')
    // Another key of the same person that reaches less does not get at it either.
    const less = contextOf(ctx.tenantId, { kind: 'limited', groupIds: [], productIds: [], own: true }, loginId)
    expect((await refusal(module.service.get(less, made.id))).code).toBe('subscription.not_found')
    expect((await module.service.list(ctx, { total: '1' })).total).toBe(2)
    // Who leaves hands over his subscription; it carries what it carried.
    const heir = newId()
    const scope = { ...runner(db.superuser), afterCommit: () => {} }
    expect(await module.owned[0].count(scope as never, loginId)).toBe(1)
    expect(await module.owned[0].handOver(scope as never, loginId, heir)).toBe(1)
    expect((await refusal(module.service.get(scoped, made.id))).code).toBe('subscription.not_found')
  })

  it('pull with a cursor, wait for what comes, and go back to what was not acknowledged', async () => {
    const made = await create({ target: { kind: 'pull' } })
    const waiting = module.queue.items(ctx, made.id, { wait: 30 })
    await post({ device: pump.num, values: { count: 1 } }, { device: pump.num, values: { count: 2 } })
    const first = await waiting
    expect(first.items).toMatchObject(
      [{ type: 'property', data: { count: 1 } }, { data: { count: 2 } }].slice(0, first.items.length),
    )
    await consumed()
    const all = await module.queue.items(ctx, made.id, {})
    expect(all).toMatchObject({ items: [{ data: { count: 1 } }, { data: { count: 2 } }], cursor: 2, backlog: 2 })
    expect(await module.queue.items(ctx, made.id, { cursor: 1, limit: 1 })).toMatchObject({
      items: [{ data: { count: 2 } }],
      cursor: 2,
    })
    expect(await module.queue.acknowledge(ctx, made.id, 2)).toEqual({ cursor: 2, backlog: 0 })
    expect(await module.queue.acknowledge(ctx, made.id, 1)).toEqual({ cursor: 2, backlog: 0 })
    expect(await module.queue.items(ctx, made.id, {})).toEqual({ items: [], cursor: 2, backlog: 0 })
    expect((await refusal(module.queue.acknowledge(ctx, made.id, 3))).code).toBe('subscription.cursor_ahead')
    const pushed = await create()
    expect((await refusal(module.queue.items(ctx, pushed.id, {}))).code).toBe('subscription.not_pull')
  })

  it('try a payload on a real item, and a target with a marked one', async () => {
    const template = { format: 'template' as const, template: '{"d":"{{deviceNo}}","t":{{data.temperature}}}' }
    const preview = await module.queue.preview(ctx, { payload: template, filter: { deviceIds: [valve.id] } })
    expect(preview).toMatchObject({ real: true, message: '{"d":"valve","t":21.5}', problems: [] })
    expect(await module.queue.preview(stranger, { payload: { format: 'envelope' } })).toMatchObject({ real: false })
    const broken = await module.queue.preview(ctx, { payload: { ...template, template: '{{nobody}}' } })
    expect(broken).toMatchObject({ message: '', problems: [{ code: 'unknown', text: 'nobody' }] })
    const made = await create({ payload: template, name: 'Tried' })
    target.answer = () => ({ ...OK, answer: 'thanks' })
    const trial = await module.queue.test(ctx, made.id)
    expect(trial).toMatchObject({ result: 'ok', status: 200, answer: 'thanks' })
    expect(target.batches.at(-1)!.items[0]!.id).toMatch(/^test-/)
    target.answer = () => OK
    const refused = async (over: object) => (await refusal(create(over as never))).code
    expect(await refused({ name: 'Tried' })).toBe('subscription.name_taken')
    expect(await refused({ target: { kind: 'nats', url: 'nats://x:4222', subject: 'a' } })).toBe(
      'subscription.target_not_available',
    )
    for (const url of ['ftp://x.example/', 'https://user:pw@x.example/', 'nonsense'])
      expect(await refused({ target: { ...WEBHOOK, url } })).toBe('subscription.target_invalid')
    expect(await refused({ payload: { format: 'template', template: '{{#if x}}' } })).toBe(
      'subscription.template_invalid',
    )
    expect(await refused({ kinds: ['event'], payload: { format: 'tlink' } })).toBe('subscription.filter_invalid')
    expect(
      await refused({ filter: { condition: { match: 'all', rules: [{ identifier: 'a', op: 'gt', value: 'warm' }] } } }),
    ).toBe('subscription.filter_invalid')
  })

  it('keep no address that is internal in any spelling, without TLS or of another service: 422 with its field', async () => {
    const hook = (url: string) => ({ ...WEBHOOK, url })
    const internal = [
      'https://127.0.0.1/',
      'https://127.1/',
      'https://0x7f.1/',
      'https://0177.0.0.1/',
      'https://2130706433/',
      'https://１２７.０.０.１/',
      'https://127.0.0.1./',
      'https://localhost/',
      'https://db.localhost./',
      'https://10.0.0.8/',
      'https://192.168.1.1:8443/',
      'https://169.254.169.254/latest',
      'https://100.100.100.200/',
      'https://0.0.0.0/',
      'https://[::1]/',
      'https://[::]/',
      'https://[::ffff:10.0.0.1]/',
      'https://[fd00::1]/',
      'https://[fe80::1]/',
      'https://[64:ff9b::a00:1]/',
      'https://[2002:7f00:1::]/',
    ]
    const refused = async (target: object) => {
      const error = await refusal(create({ target: target as never }))
      return [error.code, Object.keys(error.fields ?? {})]
    }
    for (const url of internal) expect(await refused(hook(url)), url).toEqual(['outbound.internal', ['target.url']])
    for (const url of ['http://receiver.example/', 'http://1.1.1.1/', 'http://receiver.example:8080/'])
      expect(await refused(hook(url)), url).toEqual(['outbound.unencrypted', ['target.url']])
    for (const port of [22, 25, 1023, 5432, 6379, 11211])
      expect(await refused(hook(`https://receiver.example:${port}/`)), `${port}`).toEqual([
        'outbound.port',
        ['target.url'],
      ])
    // Changing an address is no way around.
    const made = await create()
    for (const [url, code] of [
      ['https://127.0.0.1/', 'outbound.internal'],
      ['http://receiver.example/', 'outbound.unencrypted'],
      ['https://receiver.example:22/', 'outbound.port'],
    ] as const)
      expect((await refusal(module.service.update(ctx, made.id, { version: 1, target: hook(url) }))).code).toBe(code)
    expect((await module.service.get(ctx, made.id)).target.url).toBe(WEBHOOK.url)
  })

  it('carry what their maker may see at each moment, and nothing once he may see nothing', async () => {
    const actor = ctx.actor as MemberActor
    const made = await create()
    await post({ device: pump.num, values: { count: 1 } })
    expect(await delivered(made.id)).toHaveLength(1)
    const look = () => advance(5_000)
    try {
      scopesNow.set(actor.loginId, { kind: 'limited', groupIds: [], productIds: [newId()], own: false })
      await look()
      await post({ device: pump.num, values: { count: 2 } })
      await consumed()
      scopesNow.set(actor.loginId, { kind: 'limited', groupIds: [], productIds: [product.id], own: false })
      module.catalogue.changed()
      await post({ device: pump.num, values: { count: 3 } })
      await consumed()
      scopesNow.set(actor.loginId, null)
      await look()
      await post({ device: pump.num, values: { count: 4 } })
      const items = await delivered(made.id)
      expect(items.map(({ data }) => data)).toEqual([{ count: 1 }, { count: 3 }])
    } finally {
      scopesNow.clear()
    }
  })

  it('cost a company without subscriptions nothing: no row is looked into, none is queued', async () => {
    expect((await module.service.list(ctx, {})).items).toEqual([])
    await module.deliverers.sweep()
    await post({ device: pump.num, values: { count: 1 } })
    await consumed()
    expect(module.catalogue.wants(pump.num, 'property', timing.now())).toBe(false)
    await create({}, stranger)
    await post({ device: pump.num, values: { count: 2 } })
    await consumed()
    // Looked up once, then known to be nobody's.
    expect(module.catalogue.wants(pump.num, 'property', timing.now() + 3_600_000)).toBe(false)
    expect(await count('subscription_items')).toBe(0)
  })
})
