import { afterEach, describe, expect, it } from 'vitest'
import type { MqttLimits } from './limits.ts'
import { type Harness, startHarness, until } from './testing/harness.ts'
import { RawClient } from './testing/raw-client.ts'

const running: Harness[] = []
async function start(limits: Partial<MqttLimits> = {}, monotonic?: () => number): Promise<Harness> {
  const harness = await startHarness({ limits, ...(monotonic ? { monotonic } : {}) })
  harness.ingest.addDevice(1)
  running.push(harness)
  return harness
}
afterEach(async () => {
  await Promise.all(running.splice(0).map(harness => harness.stop()))
})

describe('strangers', () => {
  it('have a limited time for their CONNECT', async () => {
    const { port, transport } = await start({ connectTimeoutMs: 200 })
    const silent = await RawClient.open(port)
    const slow = await RawClient.open(port)
    slow.bytes('10 20 00 04')
    await Promise.all([silent.ended(), slow.ended()])
    await until(() => transport.connections().strangers === 0)
  })

  it('are limited per address and in all; signing in makes room', async () => {
    const { port, transport } = await start({ maxUnauthenticatedPerAddress: 2 })
    const first = await RawClient.open(port)
    const second = await RawClient.open(port)
    await until(() => transport.connections().strangers === 2)
    await (await RawClient.open(port)).ended()
    first.connect(1)
    await first.next('connack')
    expect(transport.connections()).toEqual({ signedIn: 1, strangers: 1 })
    const third = await RawClient.open(port)
    expect(await RawClient.signedIn(port, 1).catch((error: Error) => error)).toBeInstanceOf(Error)
    for (const client of [first, second, third]) client.destroy()
    await until(() => transport.connections().strangers === 0)
  })

  it('share a bound for half-received bytes', async () => {
    const { port } = await start({ maxUnauthenticatedBytes: 3000 })
    const one = await RawClient.open(port)
    one.socket.write(Buffer.concat([Buffer.from([0x10, 0xff, 0x7f]), Buffer.alloc(2000)]))
    const two = await RawClient.open(port)
    two.socket.write(Buffer.concat([Buffer.from([0x10, 0xff, 0x7f]), Buffer.alloc(2000)]))
    await two.ended()
    expect(one.closed).toBe(false)
    one.destroy()
    const three = await RawClient.open(port)
    await until(() => one.closed)
    three.socket.write(Buffer.concat([Buffer.from([0x10, 0xff, 0x7f]), Buffer.alloc(2000)]))
    three.bytes('00')
    three.destroy()
  })

  it.each([
    ['another packet first', '30 03 0001 61'],
    ['nonsense', '47455420 2f20 485454502f312e310d0a'],
    ['a CONNECT of 256 MB', '10 FF FF FF 7F'],
  ])('that send %s are dropped at once', async (_name, bytes) => {
    // Not because their time is over.
    const { port } = await start({ connectTimeoutMs: 600_000 })
    const client = await RawClient.open(port)
    client.bytes(bytes)
    await client.ended()
    expect(client.received).toEqual([])
  })

  it('with an unknown protocol level are told the 3.1.1 way', async () => {
    const { port } = await start()
    const client = await RawClient.open(port)
    client.bytes('10 0D 0004 4D515454 06 02 000A 0001 70')
    expect(await client.next('connack')).toMatchObject({ returnCode: 1 })
    await client.ended()
  })

  it.each([
    ['no user name', { username: undefined, password: undefined }],
    ['no slash', { username: 'P1d1' }],
    ['two slashes', { username: 'P1/d1/x' }],
    ['a wildcard', { username: 'P1/+' }],
    ['a hash', { username: 'P1/#' }],
    ['$SYS', { username: '$SYS/d1' }],
    ['a template', { username: 'P1/%u' }],
    ['an empty device', { username: 'P1/' }],
    ['65,535 bytes', { username: `P1/${'d'.repeat(65_532)}` }],
    ['another device', { username: 'P1/d2' }],
  ])('cannot sign in with %s', async (_name, options) => {
    const { port } = await start()
    const client = await RawClient.open(port)
    client.connect(1, options)
    expect(await client.next('connack')).toMatchObject({ returnCode: 5 })
    await client.ended()
  })

  it('may have any client id of up to 65,535 bytes', async () => {
    const { port, transport } = await start()
    for (const clientId of ['+/#', '$SYS', '你好', 'x'.repeat(65_535)]) {
      const client = await RawClient.signedIn(port, 1, 4, { clientId })
      expect(transport.session(1)?.clientId).toBe(clientId)
      client.destroy()
    }
  })
})

describe('keep-alive', () => {
  it.each([4, 5] as const)(
    'ends a silent client after one and a half intervals, not before (level %i)',
    async version => {
      const { port, ingest } = await start()
      const began = performance.now()
      const client = await RawClient.signedIn(port, 1, version, { keepalive: 1 })
      if (version === 5) expect(await client.next('disconnect')).toMatchObject({ reasonCode: 0x8d })
      await client.ended()
      expect(performance.now() - began).toBeGreaterThan(1400)
      expect(ingest.events.at(-1)).toBe('closed d1 keep_alive_timeout')
    },
  )

  it.each([4, 5] as const)('gives one and a half intervals and nothing more (level %i)', async version => {
    let now = 1_000_000
    let looks = 0
    const { port, ingest } = await start({}, () => {
      looks++
      return now
    })
    const looked = async (times: number) => {
      const from = looks
      await until(() => looks >= from + times)
    }
    const client = await RawClient.signedIn(port, 1, version, { keepalive: 60 })
    await looked(2)
    now += 89_999
    await looked(2)
    expect(client.closed).toBe(false)
    now += 2
    await looked(3)
    expect(ingest.events.at(-1)).toBe('closed d1 keep_alive_timeout')
    await client.ended()
  })

  it('does not blame a client for what we do not read', async () => {
    const { port, ingest } = await start()
    const client = await RawClient.signedIn(port, 1, 4, { keepalive: 1 })
    ingest.room = false
    client.publish(1, 'property/post', '1', 1, 1)
    await client.next('puback')
    // as long as a silent client would have been given, and more
    const began = performance.now()
    await until(() => performance.now() - began > 2300)
    expect(client.closed).toBe(false)
    ingest.drain()
    expect(await client.alive()).toBe(true)
    client.destroy()
  })
})

describe('packets', () => {
  it.each([
    [
      'a topic of 129 levels',
      0x81,
      (client: RawClient) =>
        client.send({ cmd: 'publish', topic: 'a/'.repeat(128), payload: '', qos: 0, retain: false, dup: false }),
    ],
    [
      '10,000 user properties',
      0x97,
      (client: RawClient) =>
        client.send({
          cmd: 'publish',
          topic: 'a',
          payload: '',
          qos: 0,
          retain: false,
          dup: false,
          properties: { userProperties: { k: Array(10_000).fill('v') } },
        }),
    ],
    ['268 MB announced', 0x95, (client: RawClient) => client.bytes('30 FF FF FF 7F')],
    ['AUTH', 0x82, (client: RawClient) => client.bytes('F0 00')],
    ['a truncated response topic', 0x81, (client: RawClient) => client.bytes('32 0B 0001 74 0001 04 08 0005 74 70')],
  ])('with %s end the connection with a reason', async (_name, reasonCode, send) => {
    const { port } = await start()
    const client = await RawClient.signedIn(port, 1, 5)
    send(client)
    expect(await client.next('disconnect')).toMatchObject({ reasonCode })
    await client.ended()
  })

  it('may follow CONNECT before it is answered, and may come byte by byte', async () => {
    const { port, ingest } = await start()
    const client = await RawClient.open(port)
    client.connect(1)
    client.publish(1, 'property/post', 'early', 1, 1)
    await client.next('connack')
    await client.next('puback')
    const bytes = Buffer.concat([
      Buffer.from([0x32, 32]),
      Buffer.from([0, 26]),
      Buffer.from('things/P1/d1/property/post'),
      Buffer.from([0, 2]),
      Buffer.from('{}'),
    ])
    for (const byte of bytes) client.socket.write(Buffer.from([byte]))
    await client.next('puback')
    expect(ingest.journal.map(row => row.text)).toEqual(['early', '{}'])
    client.destroy()
  })
})

describe('a bridge of Mosquitto', () => {
  it('comes in with the will by which it says whether it is there', async () => {
    const { port, ingest } = await start()
    const client = await RawClient.signedIn(port, 1, 4, {
      will: { topic: '$SYS/broker/connection/site.1/state', payload: Buffer.from('0'), qos: 1, retain: true },
    })
    client.publish(1, 'property/post', 'bridged', 1, 1)
    await client.next('puback')
    client.destroy()
    await until(() => ingest.events.some(event => event.startsWith('closed d1')))
    expect(ingest.journal.map(row => row.text)).toEqual(['bridged'])
  })
})

describe('stopping', () => {
  it.each([4, 5] as const)('acknowledges what was taken, then says goodbye (level %i)', async version => {
    const harness = await start()
    const { port, ingest, transport } = harness
    running.length = 0
    ingest.automatic = false
    const client = await RawClient.signedIn(port, 1, version, {
      will: { topic: 'things/P1/d1/property/post', payload: Buffer.from('will'), qos: 0, retain: false },
    })
    client.publish(1, 'property/post', 'last', 1, 1)
    await until(() => ingest.waiting.length === 1)
    const stranger = await RawClient.open(port)
    const stopped = harness.stop()
    client.publish(1, 'property/post', 'not read any more', 1, 2)
    ingest.commit()
    expect(await client.next('puback')).toMatchObject({ messageId: 1 })
    if (version === 5) expect(await client.next('disconnect')).toMatchObject({ reasonCode: 0x8b })
    await Promise.all([client.ended(), stranger.ended(), stopped])
    expect(ingest.journal.map(row => row.text)).toEqual(['last'])
    expect(ingest.events.at(-1)).toBe('closed d1 server_stopping')
    expect(transport.connections()).toEqual({ signedIn: 0, strangers: 0 })
    await expect(RawClient.open(port)).rejects.toThrow()
  })

  it('does not wait for ever', async () => {
    const harness = await start({ drainTimeoutMs: 100 })
    running.length = 0
    harness.ingest.automatic = false
    const client = await RawClient.signedIn(harness.port, 1)
    client.publish(1, 'property/post', 'x', 1, 1)
    await until(() => harness.ingest.waiting.length === 1)
    await harness.stop()
    await client.ended()
    expect(client.received).toEqual([])
  })
})
