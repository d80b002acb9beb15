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
import { createLiveSocket, type LiveSocketServer } from './live.socket.ts'

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
