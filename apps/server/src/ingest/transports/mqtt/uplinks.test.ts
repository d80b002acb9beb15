import { connect, type Socket } from 'node:net'
import mqttPacket, { type Packet } from 'mqtt-packet'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { credentials, type Harness, startHarness, until } from './testing/harness.ts'
import { RawClient } from './testing/raw-client.ts'

let harness: Harness
let num = 0

beforeAll(async () => {
  harness = await startHarness({ limits: { receiveMaximum: 8, maxInFlight: 4, maxUnreleased: 20 } })
})
afterAll(() => harness.stop())
beforeEach(() => {
  harness.ingest.addDevice(++num)
  harness.ingest.automatic = false
})
afterEach(() => {
  harness.ingest.commit()
  harness.ingest.automatic = true
  harness.ingest.outcomeOf = uplink => (uplink.channel.kind === 'unknown' ? 'refused' : 'stored')
})

const signIn = (version: 4 | 5 = 4, options = {}) => RawClient.signedIn(harness.port, num, version, options)
const texts = () => harness.ingest.journal.filter(row => row.device === num).map(row => row.text)
const waiting = (count: number) => until(() => harness.ingest.waiting.length === count)
const persistent = (version: 4 | 5) =>
  version === 5 ? { clean: false, properties: { sessionExpiryInterval: 3600 } } : { clean: false }

describe('a short connection', () => {
  const sent = (packets: object[]) =>
    Buffer.concat(packets.map(packet => mqttPacket.generate(packet as Packet, { protocolVersion: 4 })))
  const hello = () => ({
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 4,
    clean: true,
    clientId: `short-${num}`,
    keepalive: 60,
    username: credentials(num).username,
    password: Buffer.from(credentials(num).password),
  })
  const post = (payload: string, qos: 0 | 1) => ({
    cmd: 'publish',
    topic: `things/P1/d${num}/property/post`,
    payload,
    qos,
    retain: false,
    dup: false,
    ...(qos === 0 ? {} : { messageId: 1 }),
  })
  const end = (socket: Socket) =>
    new Promise<void>(resolve => void socket.on('error', () => {}).once('close', () => resolve()))

  it.each([0, 1] as const)('that signs in, sends at QoS %i and closes in one segment has sent', async qos => {
    harness.ingest.automatic = true
    for (let i = 0; i < 10; i++) {
      const socket = connect(harness.port, '127.0.0.1')
      socket.end(sent([hello(), post(`one ${i}`, qos)]))
      socket.resume()
      await end(socket)
    }
    await until(() => texts().length === 10)
  })

  it('that goes without reading its answers has sent, also what waits for commits', async () => {
    const socket = connect(harness.port, '127.0.0.1')
    socket.write(sent([hello(), ...Array.from({ length: 9 }, (_, i) => ({ ...post(`n ${i}`, 1), messageId: i + 1 }))]))
    await waiting(4)
    socket.resetAndDestroy()
    await end(socket)
    // Whoever sent four has to wait for these, even when nobody is there any more.
    for (const count of [4, 4, 1]) {
      await waiting(count)
      harness.ingest.commit()
    }
    await until(() => texts().length === 9)
  })
})

describe.each([4, 5] as const)('acknowledgements, level %i', version => {
  it('come only after the commit', async () => {
    const client = await signIn(version)
    client.publish(num, 'property/post', '1', 1, 7)
    client.publish(num, 'property/post', '2', 2, 8)
    await waiting(2)
    expect(await client.alive()).toBe(true)
    expect(client.received).toEqual([])
    harness.ingest.commit()
    expect(await client.next('puback')).toMatchObject({ messageId: 7 })
    expect(await client.next('pubrec')).toMatchObject({ messageId: 8 })
    client.destroy()
  })

  it('come in the order of the publishes, answered queries and repeated ids included', async () => {
    const client = await signIn(version, persistent(version))
    client.publish(num, 'property/post', 'a', 2, 1)
    await waiting(1)
    harness.ingest.commit()
    await client.next('pubrec')
    client.publish(num, 'property/post', 'b', 1, 2)
    client.publish(num, 'ntp/request', '{}', 1, 3)
    client.publish(num, 'property/post', 'a', 2, 1, true)
    client.publish(num, 'property/post', 'c', 1, 4)
    await waiting(2)
    expect(await client.alive()).toBe(true)
    expect(client.received).toEqual([])
    harness.ingest.commit()
    const order = [await client.next(), await client.next(), await client.next(), await client.next()]
    expect(order.map(packet => [packet.cmd, packet.messageId])).toEqual([
      ['puback', 2],
      ['puback', 3],
      ['pubrec', 1],
      ['puback', 4],
    ])
    expect(texts()).toEqual(['a', 'b', 'c'])
    client.destroy()
  })

  it('are not owed by a connection that took over: the old publishes are committed first', async () => {
    const first = await signIn(version)
    first.publish(num, 'property/post', 'old', 1, 1)
    await waiting(1)
    const second = await RawClient.open(harness.port, version)
    second.connect(num)
    if (version === 5) expect(await first.next('disconnect')).toMatchObject({ reasonCode: 0x8e })
    await first.ended()
    expect(second.received).toEqual([])
    harness.ingest.commit()
    expect(await second.next('connack')).toMatchObject({ sessionPresent: false })
    expect(texts()).toEqual(['old'])
    const ofDevice = harness.ingest.events.filter(event => event.includes(`d${num} `))
    expect(ofDevice.map(event => event.replace(/ \d.*$/, ''))).toEqual([
      `opened d${num}`,
      `closed d${num} taken_over`,
      `opened d${num}`,
    ])
    second.destroy()
  })
})

describe('refusals', () => {
  it('tell a 5.0 client why: 0x99 for bad data, 0x87 for a topic that is not its own', async () => {
    harness.ingest.outcomeOf = uplink => (uplink.payload.toString() === 'good' ? 'stored' : 'refused')
    const client = await signIn(5)
    client.publish(num, 'property/post', 'bad', 1, 1)
    client.publish(num, 'property/post', 'good', 1, 2)
    client.send({
      cmd: 'publish',
      topic: 'things/P1/other/property/post',
      payload: 'x',
      qos: 1,
      retain: false,
      dup: false,
      messageId: 3,
    })
    await waiting(3)
    harness.ingest.commit()
    expect(await client.next('puback')).toMatchObject({ messageId: 1, reasonCode: 0x99 })
    expect(await client.next('puback')).toMatchObject({ messageId: 2, reasonCode: 0 })
    expect(await client.next('puback')).toMatchObject({ messageId: 3, reasonCode: 0x87 })
    client.destroy()
  })

  it('acknowledge a 3.1.1 client and keep the message, in order', async () => {
    const client = await signIn(4)
    client.publish(num, 'property/post', '1', 1, 1)
    client.send({ cmd: 'publish', topic: '$SYS/x', payload: '2', qos: 1, retain: false, dup: false, messageId: 2 })
    client.publish(num, 'raw/down', '3', 1, 3)
    await waiting(3)
    harness.ingest.commit()
    for (const messageId of [1, 2, 3]) expect(await client.next('puback')).toMatchObject({ messageId })
    expect(harness.ingest.journal.filter(row => row.device === num).map(row => [row.channel, row.outcome])).toEqual([
      [{ kind: 'property' }, 'stored'],
      [{ kind: 'unknown', topic: '$SYS/x' }, 'refused'],
      [{ kind: 'unknown', topic: `things/P1/d${num}/raw/down` }, 'refused'],
    ])
    client.destroy()
  })

  it.each([
    ['session of this connection', {}],
    ['persistent session', persistent(5)],
  ])('of QoS 2 free the packet id (%s)', async (_name, options) => {
    harness.ingest.outcomeOf = uplink => (uplink.payload.toString() === 'good' ? 'stored' : 'refused')
    const client = await signIn(5, options)
    client.publish(num, 'property/post', 'bad', 2, 9)
    await waiting(1)
    harness.ingest.commit()
    expect(await client.next('pubrec')).toMatchObject({ messageId: 9, reasonCode: 0x99 })
    expect([...(harness.store.inbound.get(num) ?? [])]).toEqual([])
    client.publish(num, 'property/post', 'good', 2, 9)
    await waiting(1)
    harness.ingest.commit()
    expect(await client.next('pubrec')).toMatchObject({ messageId: 9, reasonCode: 0 })
    expect(texts()).toEqual(['bad', 'good'])
    client.destroy()
  })

  it.each([
    ['empty event identifier', 'event//post'],
    ['notice that only comes down', 'ota/notify'],
    ['down topic', 'property/set'],
    ['more levels', 'property/post/x'],
    ['fewer levels', 'property'],
    ['other case', 'Property/post'],
  ])('know the rights as a table: %s', async (_name, suffix) => {
    const client = await signIn(5)
    client.publish(num, suffix, '{}', 1, 1)
    await waiting(1)
    harness.ingest.commit()
    expect(await client.next('puback')).toMatchObject({ reasonCode: 0x87 })
    client.destroy()
  })
})

describe.each([4, 5] as const)('QoS 2, level %i', version => {
  it('stores a repetition once, while its commit is pending and after it', async () => {
    const client = await signIn(version)
    client.publish(num, 'property/post', 'once', 2, 5)
    client.publish(num, 'property/post', 'once', 2, 5, true)
    await waiting(1)
    expect(await client.alive()).toBe(true)
    harness.ingest.commit()
    await client.next('pubrec')
    client.publish(num, 'property/post', 'once', 2, 5, true)
    await client.next('pubrec')
    client.send({ cmd: 'pubrel', messageId: 5 })
    await client.next('pubcomp')
    client.publish(num, 'property/post', 'again', 2, 5)
    await waiting(1)
    harness.ingest.commit()
    await client.next('pubrec')
    expect(texts()).toEqual(['once', 'again'])
    client.destroy()
  })

  it('remembers unreleased ids over a restart of the server', async () => {
    const first = await signIn(version, persistent(version))
    first.publish(num, 'property/post', 'once', 2, 5)
    await waiting(1)
    harness.ingest.commit()
    await first.next('pubrec')
    first.destroy()
    await until(() => harness.transport.session(num) === null)
    await harness.restart()
    const second = await RawClient.open(harness.port, version)
    second.connect(num, persistent(version))
    expect(await second.next('connack')).toMatchObject({ sessionPresent: true })
    second.publish(num, 'property/post', 'once', 2, 5, true)
    await second.next('pubrec')
    expect([...harness.store.inbound.get(num)!]).toEqual([5])
    second.send({ cmd: 'pubrel', messageId: 5 })
    await second.next('pubcomp')
    expect([...harness.store.inbound.get(num)!]).toEqual([])
    expect(texts()).toEqual(['once'])
    second.destroy()
  })

  it('forgets them with a clean start', async () => {
    const first = await signIn(version, persistent(version))
    first.publish(num, 'property/post', 'first', 2, 5)
    await waiting(1)
    harness.ingest.commit()
    await first.next('pubrec')
    first.destroy()
    const second = await signIn(version)
    second.publish(num, 'property/post', 'second', 2, 5)
    await waiting(1)
    harness.ingest.commit()
    await second.next('pubrec')
    expect(texts()).toEqual(['first', 'second'])
    second.destroy()
  })

  it('completes only when the id is forgotten', async () => {
    const client = await signIn(version, persistent(version))
    client.publish(num, 'property/post', 'x', 2, 5)
    await waiting(1)
    harness.ingest.commit()
    await client.next('pubrec')
    harness.store.failing = new Error('database gone')
    client.send({ cmd: 'pubrel', messageId: 5 })
    // The client asks again on its next connection, so it gets one.
    await client.ended()
    expect(client.received.filter(packet => packet.cmd === 'pubcomp')).toEqual([])
    harness.store.failing = null
    const again = await RawClient.open(harness.port, version)
    again.connect(num, persistent(version))
    await again.next('connack')
    again.send({ cmd: 'pubrel', messageId: 5 })
    await again.next('pubcomp')
    again.destroy()
    client.destroy()
  })

  it('answers PUBREL for an id it does not know', async () => {
    const client = await signIn(version)
    client.send({ cmd: 'pubrel', messageId: 77 })
    expect(await client.next('pubcomp')).toMatchObject({ messageId: 77 })
    client.destroy()
  })

  it('bounds the ids a client leaves unreleased', async () => {
    harness.ingest.automatic = true
    const client = await signIn(version)
    for (let id = 1; id <= 30; id++) client.publish(num, 'property/post', String(id), 2, id)
    await client.ended()
    const stored = version === 5 ? 8 : 20
    expect(texts().length).toBeLessThanOrEqual(stored)
    if (version === 5) expect(client.received.at(-1)).toMatchObject({ cmd: 'disconnect', reasonCode: 0x93 })
  })
})

describe('back-pressure', () => {
  it('reads no further than the in-flight bound, and goes on after commits', async () => {
    const client = await signIn()
    for (let id = 1; id <= 20; id++) client.publish(num, 'property/post', String(id), 1, id)
    await waiting(4)
    for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve))
    expect(harness.ingest.waiting).toHaveLength(4)
    harness.ingest.automatic = true
    harness.ingest.commit()
    for (let id = 1; id <= 20; id++) expect(await client.next('puback')).toMatchObject({ messageId: id })
    expect(texts()).toHaveLength(20)
    client.destroy()
  })

  it('stops reading while the lane is full', async () => {
    harness.ingest.automatic = true
    const client = await signIn()
    harness.ingest.room = false
    client.publish(num, 'property/post', '1', 1, 1)
    client.publish(num, 'property/post', '2', 1, 2)
    await client.next('puback')
    client.send({ cmd: 'pingreq' })
    for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve))
    expect(texts()).toEqual(['1'])
    expect(client.received).toEqual([])
    harness.ingest.drain()
    // PINGRESP does not wait for the commit of what came before it
    const after = [await client.next(), await client.next()]
    expect(after.map(packet => packet.cmd).toSorted()).toEqual(['pingresp', 'puback'])
    expect(texts()).toEqual(['1', '2'])
    client.destroy()
  })
})

describe('sizes', () => {
  it.each([4, 5] as const)('end the connection of a packet above 1 MB without holding it (level %i)', async version => {
    const client = await signIn(version)
    client.bytes('30 81 80 40')
    if (version === 5) expect(await client.next('disconnect')).toMatchObject({ reasonCode: 0x95 })
    await client.ended()
  })

  it('hand a payload above 64 KB on, to be refused in order', async () => {
    harness.ingest.automatic = true
    const client = await signIn(5)
    client.publish(num, 'property/post', 'x'.repeat(70_000), 1, 1)
    await client.next('puback')
    expect(texts()[0]).toHaveLength(70_000)
    client.destroy()
  })
})

describe('5.0 details', () => {
  it('announce what the server can and cannot do', async () => {
    const client = await RawClient.open(harness.port, 5)
    client.connect(num, { clientId: '', keepalive: 0, properties: { sessionExpiryInterval: 0xffffffff } })
    expect((await client.next('connack')).properties).toEqual({
      sessionExpiryInterval: 7 * 24 * 3600,
      receiveMaximum: 8,
      maximumPacketSize: 1024 * 1024,
      assignedClientIdentifier: `P1/d${num}`,
      topicAliasMaximum: 10,
      retainAvailable: false,
      wildcardSubscriptionAvailable: true,
      subscriptionIdentifiersAvailable: true,
      sharedSubscriptionAvailable: false,
      serverKeepAlive: 1200,
    })
    client.destroy()
  })

  it('resolve topic aliases, and end connections that use ones never set or too high', async () => {
    harness.ingest.automatic = true
    const client = await signIn(5)
    const publish = (topic: string, payload: string, topicAlias: number) =>
      client.send({ cmd: 'publish', topic, payload, qos: 0, retain: false, dup: false, properties: { topicAlias } })
    publish(`things/P1/d${num}/property/post`, '1', 1)
    publish(`things/P1/d${num}/event/e/post`, '2', 2)
    publish('', '3', 1)
    publish(`things/P1/d${num}/event/f/post`, '4', 1)
    publish('', '5', 1)
    publish('', '6', 3)
    expect(await client.next('disconnect')).toMatchObject({ reasonCode: 0x82 })
    await until(() => texts().length === 5)
    expect(harness.ingest.journal.filter(row => row.device === num).map(row => [row.text, row.channel.kind])).toEqual([
      ['1', 'property'],
      ['2', 'event'],
      ['3', 'property'],
      ['4', 'event'],
      ['5', 'event'],
    ])
    const next = await signIn(5)
    next.send({
      cmd: 'publish',
      topic: 'a',
      payload: '',
      qos: 0,
      retain: false,
      dup: false,
      properties: { topicAlias: 11 },
    })
    expect(await next.next('disconnect')).toMatchObject({ reasonCode: 0x94 })
  })

  it('end connections that retain or share although neither is available', async () => {
    const retaining = await signIn(5)
    retaining.send({
      cmd: 'publish',
      topic: `things/P1/d${num}/property/post`,
      payload: '',
      qos: 0,
      retain: true,
      dup: false,
    })
    expect(await retaining.next('disconnect')).toMatchObject({ reasonCode: 0x9a })
    const sharing = await signIn(5)
    sharing.bytes('82 10 1234 00 000A 2473686172652F702F70 00')
    expect(await sharing.next('disconnect')).toMatchObject({ reasonCode: 0x9e })
  })

  it('treat a retained publish of a 3.1.1 client as any other', async () => {
    harness.ingest.automatic = true
    const client = await signIn(4)
    client.send({
      cmd: 'publish',
      topic: `things/P1/d${num}/property/post`,
      payload: 'r',
      qos: 1,
      retain: true,
      dup: false,
      messageId: 1,
    })
    await client.next('puback')
    expect(texts()).toEqual(['r'])
    client.destroy()
  })
})
