import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../db/testing.ts'
import { ManualClock } from '../../../lib/clock.ts'
import { silentLogger } from '../../../lib/log.ts'
import type { Subscription } from './session.ts'
import type { SessionStore, StoredOutbound } from './session-store.ts'
import { createSessionStore } from './store.ts'
import { MemoryStore } from './testing/memory-store.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})

const clock = new ManualClock()
const subscription = (filter: string): Subscription => ({
  filter,
  qos: 1,
  noLocal: false,
  retainAsPublished: true,
  identifier: 7,
})
const message = (packetId: number, payload: string, qos = 1): StoredOutbound => ({
  packetId,
  tag: `018f0000-0000-7000-8000-${String(packetId).padStart(12, '0')}`,
  qos,
  released: false,
  suffix: 'property/set',
  payload: Buffer.from(payload),
  properties: null,
})

/** Each implementation, and what the journal's transaction does to it. */
const implementations: Record<
  string,
  () => { store: SessionStore; insertInbound(device: number, id: number): unknown }
> = {
  memory: () => {
    const store = new MemoryStore(() => clock.now())
    return { store, insertInbound: (device, id) => store.insertInbound(device, id) }
  },
  postgres: () => ({
    store: createSessionStore(db.database.telemetry, clock, silentLogger),
    insertInbound: (device, id) =>
      db.database.telemetry.query('insert into mqtt_inbound (device, packet_id) values ($1, $2)', [device, id]),
  }),
}

describe.each(Object.keys(implementations))('session store in %s', name => {
  let store: SessionStore
  let insertInbound: (device: number, id: number) => unknown
  let device = 1000

  beforeEach(() => {
    const made = implementations[name]!()
    store = made.store
    insertInbound = made.insertInbound
    device += 10
  })

  it('knows nothing of a device that was never there', async () => {
    expect(await store.load(device)).toBeNull()
  })

  it('gives back what was stored, messages in the order of their sending', async () => {
    await store.open(device, 60)
    await store.saveSubscriptions(device, [subscription('a/#'), subscription('b')])
    await insertInbound(device, 65_535)
    await store.addOutbound(device, message(9, 'first', 2))
    await store.addOutbound(device, message(2, 'second'))
    await store.releaseOutbound(device, 9)
    expect(await store.load(device)).toEqual({
      subscriptions: [subscription('a/#'), subscription('b')],
      inbound: [65_535],
      outbound: [{ ...message(9, 'first', 2), released: true }, message(2, 'second')],
    })
  })

  it('forgets single ids', async () => {
    await store.open(device, 60)
    await insertInbound(device, 1)
    await insertInbound(device, 2)
    await store.addOutbound(device, message(1, 'x'))
    await Promise.all([store.releaseInbound(device, 1), store.removeOutbound(device, 1)])
    expect(await store.load(device)).toMatchObject({ inbound: [2], outbound: [] })
  })

  it('clears one device and no other', async () => {
    for (const one of [device, device + 1]) {
      await store.open(one, 60)
      await insertInbound(one, 1)
      await store.addOutbound(one, message(1, 'x'))
    }
    await store.clear(device)
    expect(await store.load(device)).toBeNull()
    expect(await store.load(device + 1)).toMatchObject({ inbound: [1], outbound: [message(1, 'x')] })
    await store.open(device, 60)
    expect(await store.load(device)).toEqual({ subscriptions: [], inbound: [], outbound: [] })
  })

  it('lets a closed session expire, and an opened one live', async () => {
    await store.open(device, 60)
    await insertInbound(device, 1)
    await store.close(device, 60, clock.now() + 60_000)
    clock.advance(59_999)
    expect(await store.load(device)).not.toBeNull()
    await store.open(device, 60)
    clock.advance(3600_000)
    expect(await store.load(device)).not.toBeNull()
    await store.close(device, 60, clock.now())
    expect(await store.load(device)).toBeNull()
    await store.open(device, 60)
    expect(await store.load(device)).toMatchObject({ inbound: [] })
  })

  it('keeps subscriptions when a session is opened again, but not after a clear that came later', async () => {
    await store.open(device, 60)
    await store.saveSubscriptions(device, [subscription('a')])
    await store.open(device, 90)
    expect(await store.load(device)).toMatchObject({ subscriptions: [subscription('a')] })
    // not awaited one by one: a connection that was taken over leaves such calls behind
    const pending = [
      store.saveSubscriptions(device, [subscription('b')]),
      store.addOutbound(device, message(5, 'late')),
      store.close(device, 60, clock.now() + 60_000),
      store.clear(device),
    ]
    await Promise.all(pending)
    await store.open(device, 60)
    expect(await store.load(device)).toEqual({ subscriptions: [], inbound: [], outbound: [] })
  })

  it('takes effect in the order of the calls of a device, many devices at once', async () => {
    const devices = Array.from({ length: 300 }, (_, i) => device + 10_000 + i)
    await Promise.all(
      devices.map(async one => {
        await store.open(one, 60)
        await Promise.all([
          store.saveSubscriptions(one, [subscription('old')]),
          store.saveSubscriptions(one, [subscription('new')]),
          store.addOutbound(one, message(1, 'x')),
          store.releaseOutbound(one, 1),
        ])
        const loaded = await store.load(one)
        expect(loaded).toMatchObject({ subscriptions: [subscription('new')], outbound: [{ released: true }] })
      }),
    )
  })
})

describe('session store in postgres', () => {
  const fresh = () => createSessionStore(db.database.telemetry, clock, silentLogger)
  const rows = (device: number) =>
    db.superuser.query('select expires_at from mqtt_sessions where device = $1', [device]).then(result => result.rows)

  it('counts the expiry of sessions that a crash left open from the next start, and removes expired ones', async () => {
    const store = fresh()
    await store.open(1, 60)
    await store.open(2, 60)
    await store.close(2, 60, clock.now() - 1)
    const next = fresh()
    await next.start()
    expect(await rows(1)).toEqual([{ expires_at: new Date(clock.now() + 60_000) }])
    expect(await rows(2)).toEqual([])
    await next.stop()
  })

  it('serves a storm of 3,000 devices with tens of statements', async () => {
    let statements = 0
    const { telemetry } = db.database
    const query = (...args: [string, unknown[]]) => {
      statements++
      return telemetry.query(...args)
    }
    const store = createSessionStore({ query } as unknown as typeof telemetry, clock, silentLogger)
    const devices = Array.from({ length: 3000 }, (_, i) => 50_000 + i)
    await Promise.all(
      devices.map(async one => {
        expect(await store.load(one)).toBeNull()
        await store.open(one, 60)
        await store.saveSubscriptions(one, [subscription('x')])
        await store.close(one, 60, clock.now() + 60_000)
        expect(await store.load(one)).toMatchObject({ subscriptions: [subscription('x')] })
        await store.clear(one)
      }),
    )
    expect(statements).toBeLessThan(60)
  })

  it('rejects what it could not write, and works on afterwards', async () => {
    const store = fresh()
    await store.open(3, 60)
    await expect(store.addOutbound(3, { ...message(1, 'x'), tag: 'no uuid' })).rejects.toThrow('uuid')
    await store.addOutbound(3, message(1, 'x'))
    expect(await store.load(3)).toMatchObject({ outbound: [message(1, 'x')] })
  })

  it('waits at its stop for what was asked', async () => {
    const store = fresh()
    const asked = store.open(4, 60)
    await store.stop()
    expect(await rows(4)).toEqual([{ expires_at: null }])
    await asked
  })
})
