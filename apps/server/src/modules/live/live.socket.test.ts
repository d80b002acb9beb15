import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type MemberActor, WHOLE_COMPANY } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import { silentLogger } from '../../lib/log.ts'
import { createLiveHub, type LiveHub } from './live.hub.ts'
import { createLiveSocket, type LiveCaller, type LiveSocketServer } from './live.socket.ts'

const READER: MemberActor = {
  kind: 'member',
  loginId: 'l',
  username: 'reader',
  displayName: 'Reader',
  permissions: new Set(['device:read', 'telemetry:read']),
  dataScope: WHOLE_COMPANY,
}
const TOPIC = 'device/01a20458-2f8b-7e89-b861-2c6d18c042c0/properties'

describe('the live socket', () => {
  let hub: LiveHub
  let live: LiveSocketServer
  let server: Server
  let client: WebSocket
  /** Reads of a state that wait for the test to answer them. */
  let reads: ((snapshot: object) => void)[]
  let heard: Record<string, unknown>[]

  beforeEach(async () => {
    reads = []
    heard = []
    hub = createLiveHub()
    live = createLiveSocket({
      hub,
      logger: silentLogger,
      authenticate: async () => ({
        tenantId: 't',
        actor: READER,
        accountState: 2,
        expiresAt: Number.MAX_SAFE_INTEGER,
      }),
      source: {
        resolve: async () => 'hub-topic',
        snapshot: () => new Promise(resolve => reads.push(resolve)),
        visible: async (_caller, ids) => new Set(ids),
      },
      now: Date.now,
    })
    server = createServer().on('upgrade', (request, socket, head) => live.upgrade(request, socket, head))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    client.on('message', data => heard.push(JSON.parse(String(data))))
    await once(client, 'open')
    client.send(JSON.stringify({ op: 'auth', token: 'x' }))
    await expect.poll(() => heard).toEqual([{ op: 'ready' }])
    client.send(JSON.stringify({ op: 'ping' }))
    await expect.poll(() => heard.splice(1)).toEqual([{ op: 'pong' }])
    client.send(JSON.stringify({ op: 'subscribe', topics: [TOPIC] }))
    await expect.poll(() => reads.length).toBe(1)
    heard = []
  })
  afterEach(async () => {
    client.terminate()
    live.close()
    server.close()
    await once(server, 'close')
  })

  const change = (value: number) => hub.publish('hub-topic', { type: 'patch', id: 'd', patch: { value }, ts: value })

  it('tells a state first and after it what changed while it was read', async () => {
    change(2)
    reads[0]!({ value: 1 })
    await expect.poll(() => heard.length).toBe(2)
    expect(heard).toMatchObject([
      { op: 'subscribed', topic: TOPIC, snapshot: { value: 1 } },
      { topic: TOPIC, patch: { value: 2 } },
    ])
    change(3)
    await expect.poll(() => heard.at(-1)).toMatchObject({ patch: { value: 3 } })
  })

  it('tells an older state never after a newer one', async () => {
    live.refresh(['hub-topic'])
    reads[0]!({ value: 1 })
    await expect.poll(() => reads.length).toBe(2)
    reads[1]!({ value: 2 })
    await expect.poll(() => heard).toMatchObject([{ snapshot: { value: 1 } }, { snapshot: { value: 2 } }])
    // Left while its state is read, and followed again.
    client.send(JSON.stringify({ op: 'unsubscribe', topics: [TOPIC] }))
    client.send(JSON.stringify({ op: 'subscribe', topics: [TOPIC] }))
    await expect.poll(() => reads.length).toBe(3)
    client.send(JSON.stringify({ op: 'unsubscribe', topics: [TOPIC] }))
    client.send(JSON.stringify({ op: 'subscribe', topics: [TOPIC] }))
    await expect.poll(() => reads.length).toBe(4)
    reads[3]!({ value: 4 })
    await expect.poll(() => heard.slice(2)).toMatchObject([{ snapshot: { value: 4 } }])
    reads[2]!({ value: 3 })
    change(5)
    await expect.poll(() => heard.slice(2)).toMatchObject([{ snapshot: { value: 4 } }, { patch: { value: 5 } }])
  })

  it('does the same when it tells the state again', async () => {
    reads[0]!({ value: 1 })
    await expect.poll(() => heard.length).toBe(1)
    live.refresh(['hub-topic'])
    await expect.poll(() => reads.length).toBe(2)
    change(3)
    reads[1]!({ value: 2 })
    await expect.poll(() => heard.slice(1)).toMatchObject([{ snapshot: { value: 2 } }, { patch: { value: 3 } }])
  })
})

describe('messages of one live socket', () => {
  const FIRST = 'device/01a20458-2f8b-7e89-b861-2c6d18c042c1/state'
  const SECOND = 'device/01a20458-2f8b-7e89-b861-2c6d18c042c2/state'
  let live: LiveSocketServer
  let hub: LiveHub
  let server: Server
  let client: WebSocket
  let heard: Record<string, unknown>[]
  let signIns: (() => void)[]
  /** Topics whose name is being looked up, and the answers to that. */
  let lookUps: { id: string; answer: () => void }[]

  beforeEach(async () => {
    heard = []
    signIns = []
    lookUps = []
    hub = createLiveHub()
    live = createLiveSocket({
      hub,
      logger: silentLogger,
      authenticate: token =>
        new Promise((resolve, reject) =>
          signIns.push(() =>
            token === 'bad'
              ? reject(new AppError('auth.token_invalid'))
              : resolve({ tenantId: 't', actor: READER, accountState: 2, expiresAt: Number.MAX_SAFE_INTEGER }),
          ),
        ),
      source: {
        resolve: (_caller, _pattern, id) =>
          new Promise(resolve => lookUps.push({ id: id ?? '', answer: () => resolve(`hub/${id}`) })),
        snapshot: async () => ({ link: 'online' }),
        visible: async (_caller, ids) => new Set(ids),
      },
      now: Date.now,
    })
    server = createServer().on('upgrade', (request, socket, head) => live.upgrade(request, socket, head))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    client.on('message', data => heard.push(JSON.parse(String(data))))
    await once(client, 'open')
  })
  afterEach(async () => {
    client.terminate()
    live.close()
    server.close()
    await once(server, 'close')
  })

  /** Several messages in one write, as a program sends them that waits for nothing. */
  const together = (...messages: object[]) => {
    const stream = (client as unknown as { _socket: Duplex })._socket
    stream.cork()
    for (const message of messages) client.send(JSON.stringify(message))
    stream.uncork()
  }
  const next = async <T>(from: T[]): Promise<T> => {
    await expect.poll(() => from.length).toBeGreaterThan(0)
    return from.shift()!
  }

  it('are served in their order: sign-in and subscription may come together', async () => {
    together({ op: 'auth', token: 'x' }, { op: 'subscribe', topics: [FIRST] })
    ;(await next(signIns))()
    ;(await next(lookUps)).answer()
    await expect
      .poll(() => heard)
      .toEqual([{ op: 'ready' }, { op: 'subscribed', topic: FIRST, snapshot: { link: 'online' } }])
  })

  it('that stand behind a refused sign-in are not answered', async () => {
    const closed = once(client, 'close')
    together({ op: 'auth', token: 'bad' }, { op: 'subscribe', topics: [FIRST] }, { op: 'nonsense' })
    ;(await next(signIns))()
    expect((await closed)[0]).toBe(4401)
    expect(heard).toEqual([])
    expect(lookUps).toEqual([])
  })

  it('leave a topic that is left in the same breath, and follow one that is taken up again', async () => {
    together({ op: 'auth', token: 'x' })
    ;(await next(signIns))()
    together(
      { op: 'subscribe', topics: [FIRST, SECOND] },
      { op: 'unsubscribe', topics: [FIRST, SECOND] },
      { op: 'subscribe', topics: [SECOND] },
      { op: 'nonsense' },
    )
    for (const _ of [1, 2, 3]) (await next(lookUps)).answer()
    await expect.poll(() => heard).toContainEqual({ op: 'error', code: 'live.malformed' })
    await expect.poll(() => heard).toContainEqual({ op: 'subscribed', topic: SECOND, snapshot: { link: 'online' } })
    expect(hub.topics('hub/')).toEqual([`hub/${SECOND.split('/')[1]}`])
  })

  it('do not bring a topic back after the socket is gone', async () => {
    together({ op: 'auth', token: 'x' }, { op: 'subscribe', topics: [FIRST] })
    ;(await next(signIns))()
    const lookUp = await next(lookUps)
    client.terminate()
    await expect.poll(() => live.connections()).toBe(0)
    lookUp.answer()
    await new Promise(resolve => setImmediate(resolve))
    expect(hub.size()).toBe(0)
  })

  it('are taken one after another however many come at once', async () => {
    together({ op: 'auth', token: 'x' }, ...Array.from({ length: 1000 }, (_, n) => ({ op: `nonsense${n}` })))
    ;(await next(signIns))()
    await expect.poll(() => heard.length).toBe(1001)
    expect(heard[0]).toEqual({ op: 'ready' })
  })
})

describe('answers and first states of one live socket', () => {
  const topicOf = (n: number) => `device/01a20458-2f8b-7e89-b861-2c6d18c042d${n}/state`
  const idOf = (topic: string) => topic.split('/')[1]!
  const [SLOW, QUICK] = [topicOf(1), topicOf(2)]
  const LIST = 'devices/state'
  const device = '01a20458-2f8b-7e89-b861-2c6d18c042d7'
  /** A question of the socket that waits for the test. */
  interface Asked<T> {
    about: string
    answer(value: T): void
    refuse(error: Error): void
  }
  let hub: LiveHub
  let live: LiveSocketServer
  let server: Server
  let client: WebSocket
  let heard: Record<string, unknown>[]
  let closed: number | null
  let signIns: Asked<LiveCaller>[]
  let lookUps: Asked<string | null>[]
  let reads: Asked<unknown>[]
  let looks: Asked<ReadonlySet<string>>[]

  const asking = <T>(list: Asked<T>[], about: string) =>
    new Promise<T>((answer, refuse) => list.push({ about, answer, refuse }))
  const caller = (over: Partial<MemberActor> = {}): LiveCaller => ({
    tenantId: 't',
    actor: { ...READER, ...over },
    accountState: 2,
    expiresAt: Number.MAX_SAFE_INTEGER,
  })
  const say = (...messages: object[]) => {
    for (const message of messages) client.send(JSON.stringify(message))
  }
  const next = async <T>(from: Asked<T>[], about?: string): Promise<Asked<T>> => {
    const place = () => from.findIndex(asked => about === undefined || asked.about === about)
    await expect.poll(place).toBeGreaterThanOrEqual(0)
    return from.splice(place(), 1)[0]!
  }
  /** Whatever was sent so far has been served: this is refused behind it. */
  const served = async () => {
    const refused = () => heard.filter(message => message.code === 'live.malformed').length
    const before = refused()
    say({ op: 'nonsense' })
    await expect.poll(refused).toBe(before + 1)
  }
  const told = () => heard.filter(message => message.code !== 'live.malformed' && message.op !== 'ready')

  beforeEach(async () => {
    heard = []
    closed = null
    signIns = []
    lookUps = []
    reads = []
    looks = []
    hub = createLiveHub()
    live = createLiveSocket({
      hub,
      logger: silentLogger,
      authenticate: token => asking(signIns, token),
      source: {
        resolve: (_caller, pattern, id) => asking(lookUps, id ?? pattern),
        snapshot: (_caller, pattern, id) => asking(reads, id ?? pattern),
        visible: (_caller, ids) => asking(looks, ids.join()),
      },
      now: Date.now,
    })
    server = createServer().on('upgrade', (request, socket, head) => live.upgrade(request, socket, head))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    client.on('message', data => heard.push(JSON.parse(String(data))))
    const own = client
    client.on('close', code => {
      if (own === client) closed = code
    })
    await once(client, 'open')
  })
  afterEach(async () => {
    client.terminate()
    live.close()
    server.close()
    await once(server, 'close')
  })
  async function signIn(as = caller(), token = 'first'): Promise<void> {
    const before = heard.length
    say({ op: 'auth', token })
    ;(await next(signIns, token)).answer(as)
    await expect.poll(() => heard.slice(before)).toContainEqual({ op: 'ready' })
  }
  async function follow(topic: string): Promise<void> {
    say({ op: 'subscribe', topics: [topic] })
    ;(await next(lookUps, topic === LIST ? topic : idOf(topic))).answer(`hub/${topic}`)
  }
  const change = (topic: string, value: number, id = 'd') =>
    hub.publish(`hub/${topic}`, { type: 'patch', id, patch: { value }, ts: value })

  it('a state that is read slowly holds up no other topic, and of each topic the state comes before its changes', async () => {
    await signIn()
    await follow(SLOW)
    const slow = await next(reads, idOf(SLOW))
    await follow(QUICK)
    const quick = await next(reads, idOf(QUICK))
    change(SLOW, 1)
    change(QUICK, 2)
    quick.answer('quick')
    await expect.poll(() => told().length).toBe(2)
    slow.answer('slow')
    await expect.poll(() => told().length).toBe(4)
    expect(told()).toMatchObject([
      { op: 'subscribed', topic: QUICK, snapshot: 'quick' },
      { topic: QUICK, patch: { value: 2 } },
      { op: 'subscribed', topic: SLOW, snapshot: 'slow' },
      { topic: SLOW, patch: { value: 1 } },
    ])
  })

  it('a topic that is left while its state is read is not answered any more, neither with it nor with a refusal', async () => {
    await signIn()
    for (const end of [
      (read: Asked<unknown>) => read.answer('late'),
      (read: Asked<unknown>) => read.refuse(new AppError('device.not_found')),
    ]) {
      await follow(SLOW)
      const read = await next(reads)
      say({ op: 'unsubscribe', topics: [SLOW] })
      await served()
      change(SLOW, 1)
      end(read)
      await served()
      expect(told()).toEqual([])
      expect(hub.size()).toBe(0)
    }
  })

  it('a sign-in waits for the subscription before it, which is answered for whom it was asked', async () => {
    await signIn()
    say({ op: 'subscribe', topics: [SLOW] }, { op: 'auth', token: 'second' }, { op: 'subscribe', topics: [QUICK] })
    const lookUp = await next(lookUps)
    expect([signIns, lookUps]).toEqual([[], []])
    lookUp.answer(`hub/${SLOW}`)
    ;(await next(reads)).answer('one')
    ;(await next(signIns, 'second')).answer(caller())
    ;(await next(lookUps, idOf(QUICK))).answer(`hub/${QUICK}`)
    ;(await next(reads)).answer('two')
    await expect.poll(() => told().length).toBe(2)
    expect(heard).toMatchObject([
      { op: 'ready' },
      { op: 'subscribed', topic: SLOW },
      { op: 'ready' },
      { op: 'subscribed', topic: QUICK },
    ])
  })

  it('a look at the rights of an older token says nothing of whoever has signed in anew meanwhile', async () => {
    await signIn(caller({ permissions: new Set() }))
    live.recheck([READER.loginId])
    const look = await next(signIns, 'first')
    live.recheck([READER.loginId])
    const another = await next(signIns, 'first')
    await signIn(caller(), 'second')
    look.answer(caller({ permissions: new Set() }))
    another.refuse(new AppError('auth.token_invalid'))
    await served()
    await follow(SLOW)
    ;(await next(reads)).answer('seen')
    await expect.poll(told).toEqual([{ op: 'subscribed', topic: SLOW, snapshot: 'seen' }])
    expect(closed).toBeNull()
  })

  it('a new sign-in takes along what may no longer be followed', async () => {
    await signIn()
    await follow(SLOW)
    ;(await next(reads)).answer('seen')
    await expect.poll(() => told().length).toBe(1)
    await signIn(caller({ permissions: new Set() }), 'second')
    await expect.poll(() => told().at(-1)).toEqual({ op: 'revoked', topic: SLOW })
    expect(hub.size()).toBe(0)
  })

  it('of two looks at his rights the later one counts, whichever is over first', async () => {
    await signIn()
    live.recheck([READER.loginId])
    const earlier = await next(signIns)
    live.recheck([READER.loginId])
    ;(await next(signIns)).answer(caller({ permissions: new Set() }))
    await served()
    earlier.answer(caller())
    await served()
    say({ op: 'subscribe', topics: [SLOW] })
    await expect.poll(told).toEqual([{ op: 'denied', topic: SLOW, code: 'permission.denied' }])
  })

  it('a right that goes while a topic is looked up is gone for it', async () => {
    await signIn()
    say({ op: 'subscribe', topics: [SLOW] })
    const lookUp = await next(lookUps)
    live.recheck([READER.loginId])
    ;(await next(signIns)).answer(caller({ permissions: new Set() }))
    await new Promise(resolve => setImmediate(resolve))
    lookUp.answer(`hub/${SLOW}`)
    await expect.poll(told).toEqual([{ op: 'denied', topic: SLOW, code: 'permission.denied' }])
    expect(hub.size()).toBe(0)
  })

  it('what a data scope showed before it became narrower is not passed on after', async () => {
    const limited = (groups: string[]) =>
      caller({ dataScope: { kind: 'limited', groupIds: groups, productIds: [], own: false } })
    await signIn(limited(['wide']))
    await follow(LIST)
    ;(await next(reads)).answer({})
    await expect.poll(() => told().length).toBe(1)
    change(LIST, 1, device)
    const before = await next(looks)
    live.recheck([READER.loginId])
    ;(await next(signIns)).answer(limited(['narrow']))
    await served()
    before.answer(new Set([device]))
    ;(await next(looks)).answer(new Set())
    change(LIST, 2, device)
    await served()
    expect(told()).toHaveLength(1)
  })
})
