import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ManualClock } from '../../../lib/clock.ts'
import { A_COMMAND } from '../../testing/entries.ts'
import type { DeviceRecord } from '../../uplink.ts'
import { type Harness, startHarness, until } from './testing/harness.ts'
import { RawClient } from './testing/raw-client.ts'

let harness: Harness
let device: DeviceRecord
let num = 0
const clock = new ManualClock()

beforeAll(async () => {
  harness = await startHarness({ clock })
})
afterAll(() => harness.stop())
beforeEach(() => {
  device = harness.ingest.addDevice(++num)
})

const signIn = (version: 4 | 5 = 4, options = {}) => RawClient.signedIn(harness.port, num, version, options)
const persistent = (version: 4 | 5, seconds = 3600) =>
  version === 5 ? { clean: false, properties: { sessionExpiryInterval: seconds } } : { clean: false }
const topic = (suffix: string) => `things/P1/d${num}/${suffix}`
const events = () =>
  harness.ingest.events.filter(event => event.split(' ')[1] === `d${num}`).map(event => event.replace(/ [\d.]+$/, ''))
const texts = () => harness.ingest.journal.filter(row => row.device === num).map(row => row.text)

async function subscribe(client: RawClient, filter: string, qos: 0 | 1 | 2, messageId = 1) {
  client.send({ cmd: 'subscribe', messageId, subscriptions: [{ topic: filter, qos }] })
  return client.next('suback')
}
async function resume(version: 4 | 5, options = {}): Promise<{ client: RawClient; sessionPresent: boolean }> {
  const client = await RawClient.open(harness.port, version)
  client.connect(num, { ...persistent(version), ...options })
  const { sessionPresent } = await client.next('connack')
  return { client, sessionPresent }
}
const away = () => until(() => harness.transport.session(num) === null)
const stored = () => harness.store.sessions.get(num)
const deliver = (id: string, suffix = 'property/set', delivered = () => {}) =>
  harness.transport.deliver(device, { commandId: id, suffix, payload: Buffer.from(id), command: A_COMMAND }, delivered)

describe.each([4, 5] as const)('session state, level %i', version => {
  it('keeps subscriptions over a reconnect and a restart, and says so', async () => {
    const first = await signIn(version, persistent(version))
    await subscribe(first, topic('property/set'), 1)
    first.destroy()
    await away()
    const second = await resume(version)
    expect(second.sessionPresent).toBe(true)
    second.client.destroy()
    await harness.restart()
    const third = await resume(version)
    expect(third.sessionPresent).toBe(true)
    expect(deliver('c')).toBe('sent_confirmed_later')
    expect(events().filter(event => event.startsWith('ready'))).toHaveLength(3)
    third.client.destroy()
  })

  it('discards it with a clean start', async () => {
    const first = await signIn(version, persistent(version))
    await subscribe(first, topic('#'), 1)
    first.destroy()
    await away()
    const second = await signIn(version)
    expect(harness.transport.session(num)?.subscriptions).toEqual([])
    expect(stored()).toBeUndefined()
    second.destroy()
    await away()
    const third = await resume(version)
    expect(third.sessionPresent).toBe(false)
    third.client.destroy()
  })

  it('acknowledges a subscription only once it is stored', async () => {
    const client = await signIn(version, persistent(version))
    harness.store.failing = new Error('database gone')
    await expect(subscribe(client, topic('#'), 1)).rejects.toThrow(version === 5 ? 'disconnect' : 'ended')
    await client.ended()
    harness.store.failing = null
  })

  it('refuses the connection while the session cannot be read', async () => {
    harness.store.failing = new Error('database gone')
    const client = await RawClient.open(harness.port, version)
    client.connect(num, persistent(version))
    expect(await client.next('connack')).toMatchObject(version === 5 ? { reasonCode: 0x88 } : { returnCode: 3 })
    harness.store.failing = null
  })

  it('takes over whatever the client id', async () => {
    const first = await signIn(version, { clientId: 'one' })
    const second = await signIn(version, { clientId: 'two' })
    await first.ended()
    if (version === 5) expect(await first.next('disconnect')).toMatchObject({ reasonCode: 0x8e })
    expect(events()).toEqual([`opened d${num}`, `closed d${num} taken_over`, `opened d${num}`])
    second.destroy()
  })

  it('ends with exactly one session when many connections of a device come at once', async () => {
    const clients = await Promise.all(Array.from({ length: 12 }, () => RawClient.open(harness.port, version)))
    for (const client of clients) client.connect(num, persistent(version))
    await until(() => clients.filter(client => !client.closed).length === 1)
    expect(await clients.find(client => !client.closed)!.alive()).toBe(true)
    const opened = events().filter(event => event.startsWith('opened')).length
    expect(events().filter(event => event.startsWith('closed')).length).toBe(opened - 1)
    for (const client of clients) client.destroy()
  })

  it('drops the second CONNECT of a connection', async () => {
    const client = await signIn(version)
    client.connect(num)
    await client.ended()
    expect(events().at(-1)).toBe(`closed d${num} protocol_error`)
  })

  it('bounds subscriptions', async () => {
    const client = await signIn(version)
    const subscriptions = Array.from({ length: 101 }, (_, i) => ({
      topic: topic(`service/s${i}/invoke`),
      qos: 1 as const,
    }))
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions })
    const { granted } = await client.next('suback')
    expect(granted.slice(0, 100)).toEqual(Array(100).fill(1))
    expect(granted[100]).toBe(version === 5 ? 0x97 : 0x80)
    client.destroy()
  })
})

describe('session expiry', () => {
  it('ends 3.1.1 sessions after seven days, 5.0 sessions when they said', async () => {
    for (const [version, seconds] of [
      [4, 7 * 24 * 3600],
      [5, 3600],
    ] as const) {
      const first = await signIn(version, persistent(version))
      first.destroy()
      await until(() => stored()?.expiresAt === clock.now() + seconds * 1000)
      clock.advance(seconds * 1000 - 1)
      const inTime = await resume(version)
      expect(inTime.sessionPresent).toBe(true)
      inTime.client.destroy()
      await until(() => typeof stored()?.expiresAt === 'number')
      clock.advance(seconds * 1000)
      const late = await resume(version, { clean: false })
      expect(late.sessionPresent).toBe(false)
      late.client.send({ cmd: 'disconnect' })
      await late.client.ended()
    }
  })

  it('of a server that crashed begins with its next start', async () => {
    const client = await signIn(5, persistent(5))
    expect(stored()).toMatchObject({ expirySeconds: 3600, expiresAt: null })
    client.destroy()
  })

  it('can be changed by DISCONNECT, but not from nothing', async () => {
    const first = await signIn(5, persistent(5))
    first.send({ cmd: 'disconnect', reasonCode: 0, properties: { sessionExpiryInterval: 0 } })
    await first.ended()
    await until(() => stored() === undefined)
    const second = await signIn(5)
    second.send({ cmd: 'disconnect', reasonCode: 0, properties: { sessionExpiryInterval: 5 } })
    expect(await second.next('disconnect')).toMatchObject({ reasonCode: 0x82 })
  })

  it('0 ends a resumed session with its connection', async () => {
    const first = await signIn(5, persistent(5))
    first.destroy()
    await away()
    const second = await resume(5, { properties: {} })
    expect(second.sessionPresent).toBe(true)
    second.client.destroy()
    await until(() => stored() === undefined)
  })
})

describe.each([4, 5] as const)('wills, level %i', version => {
  const will = (payload: string, delay = 0, name = topic('property/post')) => ({
    will: {
      topic: name,
      payload: Buffer.from(payload),
      qos: 1 as const,
      retain: false,
      ...(version === 5 ? { properties: { willDelayInterval: delay } } : {}),
    },
  })

  it('are uplinks of a connection that was lost, told before the device is offline', async () => {
    const client = await signIn(version, will('gone'))
    client.socket.resetAndDestroy()
    await until(() => texts().includes('gone'))
    expect(events().at(-1)).toBe(`closed d${num} connection_lost`)
  })

  it('are forgotten by a goodbye', async () => {
    const client = await signIn(version, will('gone'))
    client.send({ cmd: 'disconnect' })
    await client.ended()
    await away()
    const next = await signIn(version)
    next.publish(num, 'property/post', 'after', 1, 1)
    await next.next('puback')
    expect(texts()).toEqual(['after'])
    next.destroy()
  })

  it('are published when the server ends the connection', async () => {
    const client = await signIn(version, will('wrong'))
    client.bytes('00 00')
    await client.ended()
    await until(() => texts().includes('wrong'))
    const other = await signIn(version, will('taken'))
    const next = await signIn(version)
    await other.ended()
    await until(() => texts().includes('taken'))
    next.destroy()
  })

  it.each(['$CONTROL/x', 'things/P1/other/property/post', 'shadow/get', 'x'])('may not go to %s', async name => {
    const client = await RawClient.open(harness.port, version)
    client.connect(num, will('x', 0, name))
    expect(await client.next('connack')).toMatchObject(version === 5 ? { reasonCode: 0x87 } : { returnCode: 5 })
    await client.ended()
    expect(harness.ingest.notes.at(-1)).toMatchObject({ event: 'will_refused', detail: { topic: name } })
  })

  if (version === 5) {
    it('wait for their delay, and are withdrawn by a return in time', async () => {
      const first = await signIn(5, { ...persistent(5), ...will('never', 60) })
      first.destroy()
      await away()
      const second = await resume(5, will('delayed', 1))
      second.client.destroy()
      await away()
      expect(texts()).toEqual([])
      await until(() => texts().length === 1)
      expect(texts()).toEqual(['delayed'])
    })

    it('come at once when the session ends first', async () => {
      const first = await signIn(5, will('end', 60))
      first.destroy()
      await until(() => texts().includes('end'))
      const second = await signIn(5, { ...persistent(5), ...will('replaced', 60) })
      second.destroy()
      await away()
      const third = await signIn(5)
      await until(() => texts().includes('replaced'))
      third.destroy()
    })

    it('come with "disconnect with will message"', async () => {
      const client = await signIn(5, will('last words'))
      client.send({ cmd: 'disconnect', reasonCode: 4 })
      await until(() => texts().includes('last words'))
    })

    it('cannot be retained', async () => {
      const client = await RawClient.open(harness.port, 5)
      const wanted = will('x')
      client.connect(num, { will: { ...wanted.will, retain: true } })
      expect(await client.next('connack')).toMatchObject({ reasonCode: 0x9a })
    })
  }
})

describe.each([4, 5] as const)('messages to devices, level %i', version => {
  it.each([1, 2] as const)('at QoS %i are sent again with DUP and the same id until confirmed', async qos => {
    const first = await signIn(version, persistent(version))
    await subscribe(first, topic('property/set'), qos)
    let called = 0
    expect(deliver('c1', 'property/set', () => called++)).toBe('sent_confirmed_later')
    const sent = await first.next('publish')
    expect(sent).toMatchObject({ qos, dup: false, topic: topic('property/set') })
    first.destroy()
    await away()
    await harness.restart()
    const second = await resume(version)
    const again = await second.client.next('publish')
    expect(again).toMatchObject({ qos, dup: true, messageId: sent.messageId, topic: topic('property/set') })
    expect(again.payload.toString()).toBe('c1')
    if (qos === 1) second.client.send({ cmd: 'puback', messageId: sent.messageId! })
    else {
      second.client.send({ cmd: 'pubrec', messageId: sent.messageId! })
      await second.client.next('pubrel')
      second.client.send({ cmd: 'pubcomp', messageId: sent.messageId! })
    }
    await until(() => harness.confirmed.includes('c1'))
    harness.confirmed.length = 0
    expect(called).toBe(0)
    await until(() => harness.store.outbound.get(num)?.size === 0)
    second.client.destroy()
  })

  it('keep the PUBREC phase: only PUBREL is sent again', async () => {
    const first = await signIn(version, persistent(version))
    await subscribe(first, topic('property/set'), 2)
    deliver('c1')
    const { messageId } = await first.next('publish')
    first.send({ cmd: 'pubrec', messageId: messageId! })
    await first.next('pubrel')
    first.destroy()
    await away()
    await harness.restart()
    const second = await resume(version)
    expect(await second.client.next('pubrel')).toMatchObject({ messageId })
    second.client.send({ cmd: 'pubcomp', messageId: messageId! })
    await until(() => harness.confirmed.includes('c1'))
    harness.confirmed.length = 0
    expect(await second.client.alive()).toBe(true)
    expect(second.client.received).toEqual([])
    second.client.destroy()
  })

  it('wait with PUBREL until the phase is stored', async () => {
    const client = await signIn(version, persistent(version))
    await subscribe(client, topic('property/set'), 2)
    deliver('c1')
    const { messageId } = await client.next('publish')
    harness.store.failing = new Error('database gone')
    client.send({ cmd: 'pubrec', messageId: messageId! })
    // A client tells a PUBREC again on its next connection only.
    await client.ended()
    expect(client.received.filter(packet => packet.cmd === 'pubrel')).toEqual([])
    harness.store.failing = null
    await away()
    const again = (await resume(version)).client
    expect(await again.next('publish')).toMatchObject({ messageId, dup: true })
    again.send({ cmd: 'pubrec', messageId: messageId! })
    await again.next('pubrel')
    again.destroy()
  })

  it('are not sent when they cannot be stored', async () => {
    const client = await signIn(version, persistent(version))
    await subscribe(client, topic('property/set'), 1)
    harness.store.failing = new Error('database gone')
    deliver('lost')
    expect(await client.alive()).toBe(true)
    harness.store.failing = null
    deliver('kept')
    expect((await client.next('publish')).payload.toString()).toBe('kept')
    client.destroy()
  })

  it('leave a window of 32; a confirmation makes the device ready again', async () => {
    const client = await signIn(version)
    await subscribe(client, topic('property/set'), 1)
    for (let i = 0; i < 32; i++) expect(deliver(`c${i}`)).toBe('sent_confirmed_later')
    expect(deliver('too many')).toBe('not_reachable')
    const ready = events().filter(event => event.startsWith('ready')).length
    client.send({ cmd: 'puback', messageId: (await client.next('publish')).messageId! })
    await until(() => events().filter(event => event.startsWith('ready')).length === ready + 1)
    expect(deliver('now')).toBe('sent_confirmed_later')
    client.destroy()
  })

  it.each([
    ['PUBREC for QoS 1', 1, 'pubrec'],
    ['PUBACK for QoS 2', 2, 'puback'],
    ['PUBCOMP before PUBREC', 2, 'pubcomp'],
  ] as const)('end on %s', async (_name, qos, cmd) => {
    const client = await signIn(version)
    await subscribe(client, topic('property/set'), qos)
    deliver('c')
    const { messageId } = await client.next('publish')
    client.send({ cmd, messageId: messageId! })
    if (version === 5) expect(await client.next('disconnect')).toMatchObject({ reasonCode: 0x82 })
    await client.ended()
  })

  it('are not reachable for a device that does not read, which is cut', async () => {
    const own = await startHarness({ limits: { maxWriteBacklogBytes: 20_000, writeStallMs: 200 } })
    const slow = own.ingest.addDevice(1)
    const client = await RawClient.signedIn(own.port, 1, version)
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'things/P1/d1/#', qos: 0 }] })
    await client.next('suback')
    client.socket.pause()
    const message = { commandId: 'c', suffix: 'property/set', payload: Buffer.alloc(500_000), command: A_COMMAND }
    await until(() => own.transport.deliver(slow, message, () => {}) === 'not_reachable')
    await until(() => own.transport.session(1) === null)
    expect(own.ingest.events.at(-1)).toBe('closed d1 connection_lost')
    client.destroy()
    await own.stop()
  })
})

describe('messages to 5.0 devices', () => {
  it('respect Receive Maximum', async () => {
    const client = await signIn(5, { properties: { receiveMaximum: 2 } })
    await subscribe(client, topic('property/set'), 1)
    expect([deliver('1'), deliver('2'), deliver('3')]).toEqual([
      'sent_confirmed_later',
      'sent_confirmed_later',
      'not_reachable',
    ])
    client.destroy()
  })

  it('respect it when many are sent again', async () => {
    const first = await signIn(5, persistent(5))
    await subscribe(first, topic('property/set'), 1)
    for (let i = 0; i < 4; i++) deliver(`c${i}`)
    for (let i = 0; i < 4; i++) await first.next('publish')
    first.destroy()
    await away()
    const { client } = await resume(5, { properties: { sessionExpiryInterval: 60, receiveMaximum: 1 } })
    for (let i = 0; i < 4; i++) {
      const publish = await client.next('publish')
      expect(publish.payload.toString()).toBe(`c${i}`)
      expect(await client.alive()).toBe(true)
      expect(client.received).toEqual([])
      client.send({ cmd: 'puback', messageId: publish.messageId! })
    }
    client.destroy()
  })

  it('respect Maximum Packet Size: what is too long counts as sent', async () => {
    const client = await signIn(5, { properties: { maximumPacketSize: 60 } })
    await subscribe(client, topic('property/set'), 1)
    expect(deliver('x'.repeat(100))).toBe('sent')
    expect(deliver('short')).toBe('sent_confirmed_later')
    expect((await client.next('publish')).payload.toString()).toBe('short')
    client.destroy()
  })

  it('use topic aliases as far as the device allows', async () => {
    const client = await signIn(5, { properties: { topicAliasMaximum: 1 } })
    await subscribe(client, topic('#'), 1)
    deliver('1')
    deliver('2')
    deliver('3', 'service/x/invoke')
    const [one, two, three] = [await client.next('publish'), await client.next('publish'), await client.next('publish')]
    expect([one.topic, one.properties?.topicAlias]).toEqual([topic('property/set'), 1])
    expect([two.topic, two.properties?.topicAlias]).toEqual(['', 1])
    expect([three.topic, three.properties?.topicAlias]).toEqual([topic('service/x/invoke'), undefined])
    client.destroy()
  })

  it('carry the identifiers of all matching subscriptions, at the highest granted QoS', async () => {
    const client = await signIn(5)
    for (const [identifier, filter, qos] of [
      [7, 'property/set', 0],
      [300, '#', 1],
      [9, 'service/#', 2],
    ] as const) {
      client.send({
        cmd: 'subscribe',
        messageId: identifier,
        subscriptions: [{ topic: topic(filter), qos }],
        properties: { subscriptionIdentifier: identifier },
      })
      await client.next('suback')
    }
    deliver('c')
    const publish = await client.next('publish')
    expect(publish.qos).toBe(1)
    expect(publish.properties?.subscriptionIdentifier).toEqual([7, 300])
    client.destroy()
  })

  it('that the device refuses are not delivered', async () => {
    const client = await signIn(5)
    await subscribe(client, topic('property/set'), 1)
    let delivered = 0
    deliver('c', 'property/set', () => delivered++)
    client.send({ cmd: 'puback', messageId: (await client.next('publish')).messageId!, reasonCode: 0x83 })
    expect(await client.alive()).toBe(true)
    expect(delivered).toBe(0)
    client.destroy()
  })
})

it('leaves the reserved byte of a 3.1 CONNACK 0, although its session was kept', async () => {
  const first = await signIn(4, persistent(4))
  await subscribe(first, topic('property/set'), 1)
  first.destroy()
  await away()
  const again = await RawClient.open(harness.port, 4)
  again.connect(num, { clean: false, protocolId: 'MQIsdp', protocolVersion: 3 })
  expect(await again.next('connack')).toMatchObject({ sessionPresent: false, returnCode: 0 })
  expect(harness.transport.session(num)?.subscriptions).toHaveLength(1)
  again.destroy()
})
