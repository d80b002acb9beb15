import type { MqttClient } from 'mqtt'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SubscriberAnswer, SubscriberMessage } from '../../../modules/subscriptions/subscriber.port.ts'
import { connectClient, credentials, type Harness, startHarness, until } from './testing/harness.ts'
import { RawClient } from './testing/raw-client.ts'

const ID = '0190b6c2-7b1e-7aaa-8000-00000000000a'
const OTHER = '0190b6c2-7b1e-7aaa-8000-00000000000b'
const ready: string[] = []
let available = true
let harness: Harness
let url: string
const clients: MqttClient[] = []

beforeAll(async () => {
  harness = await startHarness({
    subscribers: {
      signIn: async ({ subscriptionId, password }) => (available ? password === `password-of-${subscriptionId}` : null),
      ready: id => void ready.push(id),
    },
  })
  harness.ingest.addDevice(1)
  url = `mqtt://127.0.0.1:${harness.port}`
})
afterAll(() => harness.stop())
beforeEach(async () => {
  for (const client of clients.splice(0)) await client.endAsync(true)
  await until(() => harness.transport.connections().signedIn === 0)
  ready.length = 0
  available = true
})

const account = (id = ID) => ({ username: `sub/${id}`, password: `password-of-${id}` })

async function client(options: object = {}): Promise<MqttClient> {
  const made = await connectClient(url, { ...account(), ...options })
  clients.push(made)
  return made
}

const message = (n: number, type = 'property'): SubscriberMessage => ({
  key: n,
  topic: `subscriptions/${ID}/${type}/pk/d1`,
  payload: `{"n":${n}}`,
})

let flows = 0
const deliverIn = (flow: string, messages: readonly SubscriberMessage[]): Promise<SubscriberAnswer> =>
  new Promise(resolve => harness.transport.subscribers.deliver(ID, flow, messages, resolve))
const deliver = (...messages: SubscriberMessage[]): Promise<SubscriberAnswer> => deliverIn(`flow ${++flows}`, messages)

describe('accounts of subscriptions', () => {
  it('are nobody without their password, and have no will', async () => {
    for (const options of [
      { ...account(), password: 'guessed' },
      { ...account(OTHER), password: account().password },
      { username: 'sub/not-an-id', password: 'x' },
      {
        ...account(),
        will: { topic: `subscriptions/${ID}/x`, payload: Buffer.from('x'), qos: 0 as const, retain: false },
      },
    ])
      await expect(connectClient(url, options)).rejects.toThrow(/[Nn]ot authorized/)
    available = false
    await expect(connectClient(url, account())).rejects.toThrow(/[Uu]navailable/)
  })

  it.each([4, 5] as const)(
    'read what is theirs alone, at QoS 1 at most, and publish nothing (level %i)',
    async level => {
      const raw = await signedIn(level)
      const filters = [
        `subscriptions/${ID}/#`,
        `subscriptions/${ID}/+/pk/d1`,
        '#',
        'subscriptions/#',
        `subscriptions/${OTHER}/#`,
        'subscriptions/+/property/pk/d1',
        'things/P1/d1/#',
        `subscriptions/${ID}`,
      ]
      raw.send({ cmd: 'subscribe', messageId: 1, subscriptions: filters.map(topic => ({ topic, qos: 2 })) })
      const { granted } = await raw.next('suback')
      const no = level === 5 ? 0x87 : 0x80
      expect(granted).toEqual([1, 1, no, no, no, no, no, no])
      raw.send({
        cmd: 'publish',
        topic: `subscriptions/${ID}/property/pk/d1`,
        payload: 'x',
        qos: 1,
        messageId: 2,
        dup: false,
        retain: false,
      })
      await raw.ended()
      expect(harness.ingest.waiting).toEqual([])
    },
  )

  it('get nothing before they subscribe, and are announced when they do', async () => {
    expect(await deliver(message(1))).toEqual({ kind: 'away' })
    const mine = await client()
    expect(await deliver(message(1))).toEqual({ kind: 'away' })
    expect(ready).toEqual([])
    await mine.subscribeAsync(`subscriptions/${ID}/#`, { qos: 1 })
    expect(ready).toEqual([ID])
    const got: string[] = []
    mine.on('message', (topic, payload) => void got.push(`${topic} ${payload}`))
    expect(await deliver(message(1), message(2, 'event'))).toEqual({ kind: 'acknowledged', acknowledged: 2 })
    expect(got).toEqual([`subscriptions/${ID}/property/pk/d1 {"n":1}`, `subscriptions/${ID}/event/pk/d1 {"n":2}`])
  })

  it('are spared what they did not ask for', async () => {
    const mine = await client()
    await mine.subscribeAsync(`subscriptions/${ID}/event/#`, { qos: 1 })
    const got: string[] = []
    mine.on('message', (_topic, payload) => void got.push(String(payload)))
    expect(await deliver(message(1), message(2, 'event'), message(3))).toEqual({
      kind: 'acknowledged',
      acknowledged: 3,
    })
    expect(got).toEqual(['{"n":2}'])
  })

  it('have delivered what they acknowledged, in order, and no more when they go', async () => {
    const raw = await signedIn(4)
    raw.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: `subscriptions/${ID}/#`, qos: 1 }] })
    await raw.next('suback')
    const answer = deliver(...Array.from({ length: 100 }, (_, n) => message(n)))
    const ids: number[] = []
    for (let n = 0; n < 100; n++) {
      const publish = (await raw.next('publish')) as { messageId: number; payload: Buffer }
      expect(String(publish.payload)).toBe(`{"n":${n}}`)
      ids.push(publish.messageId)
    }
    // The third is missing: what is behind it does not count.
    for (const n of [0, 1, 3, 4]) raw.send({ cmd: 'puback', messageId: ids[n]! })
    raw.send({ cmd: 'pingreq' })
    await raw.next('pingresp')
    raw.destroy()
    expect(await answer).toEqual({ kind: 'acknowledged', acknowledged: 2 })

    // Nothing is kept for the session: it comes from the queue again, once.
    const again = await signedIn(4)
    again.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: `subscriptions/${ID}/#`, qos: 1 }] })
    await again.next('suback')
    const rest = deliver(message(2))
    const publish = (await again.next('publish')) as { messageId: number; payload: Buffer; dup: boolean }
    expect([String(publish.payload), publish.dup]).toEqual(['{"n":2}', false])
    again.send({ cmd: 'puback', messageId: publish.messageId })
    expect(await rest).toEqual({ kind: 'acknowledged', acknowledged: 1 })
    again.destroy()
  })

  it('have one connection: the second takes over, and is asked for by the queue', async () => {
    const first = await client({ clientId: 'a' })
    await first.subscribeAsync(`subscriptions/${ID}/#`, { qos: 1 })
    const closed = new Promise<void>(resolve => first.once('close', () => resolve()))
    const second = await client({ clientId: 'b' })
    await closed
    expect(await deliver(message(1))).toEqual({ kind: 'away' })
    await second.subscribeAsync(`subscriptions/${ID}/#`, { qos: 0 })
    expect(await deliver(message(1))).toEqual({ kind: 'acknowledged', acknowledged: 1 })
    expect(harness.transport.subscribers.count()).toBe(1)
    const kicked = new Promise<void>(resolve => second.once('close', () => resolve()))
    harness.transport.subscribers.kick(ID)
    await kicked
    expect(await deliver(message(1))).toEqual({ kind: 'away' })
  })

  it('answer with an error what they cannot keep, or cannot take so long', async () => {
    const mine = await client({
      protocolVersion: 5,
      properties: { maximumPacketSize: 300, sessionExpiryInterval: 3600 },
      customHandleAcks: (_topic: string, payload: Buffer, _packet: object, done: (code: number) => void) =>
        done(String(payload) === '{"n":2}' ? 0x97 : 0),
    })
    await mine.subscribeAsync(`subscriptions/${ID}/#`, { qos: 1 })
    expect(await deliver(message(1), message(2), message(3))).toEqual({
      kind: 'refused',
      acknowledged: 1,
      reason: 0x97,
    })
    const long = { ...message(4), payload: 'x'.repeat(400) }
    expect(await deliver(message(1), long)).toEqual({ kind: 'refused', acknowledged: 1, reason: 0x95 })
    expect(await deliver(long)).toEqual({ kind: 'refused', acknowledged: 0, reason: 0x95 })
  })

  it('are asked for more before the last is acknowledged, and get nothing twice', async () => {
    const raw = await signedIn(4)
    raw.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: `subscriptions/${ID}/#`, qos: 1 }] })
    await raw.next('suback')
    const all = Array.from({ length: 140 }, (_, n) => message(n))
    const got: string[] = []
    const read = async (count: number) => {
      const ids: number[] = []
      for (let n = 0; n < count; n++) {
        const publish = (await raw.next('publish')) as { messageId: number; payload: Buffer }
        got.push(String(publish.payload))
        ids.push(publish.messageId)
      }
      return ids
    }
    const acknowledge = (ids: number[]) => {
      for (const messageId of ids) raw.send({ cmd: 'puback', messageId })
    }
    const first = deliverIn('one', all.slice(0, 100))
    const ids = await read(100)
    acknowledge(ids.slice(0, 60))
    const { acknowledged = 0 } = (await first) as { acknowledged?: number }
    expect(acknowledged).toBeGreaterThanOrEqual(50)
    // What is behind that stands in front of the next ones, and is not sent again, whether it has arrived by now or not.
    acknowledge(ids.slice(60, 80))
    const second = deliverIn('one', all.slice(acknowledged))
    const more = await read(40)
    acknowledge(ids.slice(80))
    acknowledge(more)
    expect((await second).kind).toBe('acknowledged')
    expect(got).toEqual(all.map(({ payload }) => payload))
    // Another flow knows nothing of this one: a replay is sent, though the places are the same.
    const replay = deliverIn('two', all.slice(0, 30))
    acknowledge(await read(30))
    expect((await replay).kind).toBe('acknowledged')
    expect(got.slice(140)).toEqual(got.slice(0, 30))
    raw.destroy()
  })

  it('leave devices alone', async () => {
    const device = await connectClient(url, credentials(1))
    clients.push(device)
    await expect(device.subscribeAsync(`subscriptions/${ID}/#`, { qos: 1 })).rejects.toThrow()
    const mine = await client()
    await mine.subscribeAsync(`subscriptions/${ID}/#`, { qos: 1 })
    expect(await deliver(message(1))).toEqual({ kind: 'acknowledged', acknowledged: 1 })
    expect(harness.store.sessions.size).toBeLessThanOrEqual(1)
  })
})

/** A client that asks for a session, and is told that there is none. */
async function signedIn(level: 4 | 5): Promise<RawClient> {
  const raw = await RawClient.open(harness.port, level)
  const { username, password } = account()
  raw.connect(0, { clean: false, clientId: 'c', keepalive: 0, username, password: Buffer.from(password) })
  expect(await raw.next('connack')).toMatchObject({ sessionPresent: false })
  return raw
}
