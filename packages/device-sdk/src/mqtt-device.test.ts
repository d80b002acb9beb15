import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectDevice, createDevice, type DeviceOptions } from './connect.ts'
import type { Device, Point } from './device.ts'
import {
  BufferFullError,
  ClosedError,
  CommandRefusal,
  RefusedError,
  SignInRefusedError,
  TimeoutError,
} from './errors.ts'
import { TinyMqttServer } from './testing/mqtt-server.ts'

const PREFIX = 'things/pk/d1/'
let server: TinyMqttServer
const devices: Device[] = []
const unhandled: unknown[] = []
const note = (reason: unknown) => unhandled.push(reason)

beforeEach(async () => {
  server = await TinyMqttServer.start()
  process.on('unhandledRejection', note)
})
afterEach(async () => {
  await Promise.all(devices.splice(0).map(device => device.close()))
  await server.stop()
  process.removeListener('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

function optionsOf(more: Partial<DeviceOptions> = {}): DeviceOptions {
  // Shortest pauses: the jitter's lower end.
  return { url: server.url, productKey: 'pk', deviceNo: 'd1', deviceSecret: 'secret', random: () => 0, ...more }
}

async function connected(more: Partial<DeviceOptions> = {}): Promise<Device> {
  const device = await connectDevice(optionsOf(more))
  devices.push(device)
  return device
}

const bodies = (suffix: string) =>
  server.received.filter(({ topic }) => topic === PREFIX + suffix).map(({ payload }) => JSON.parse(payload) as unknown)
const values = () => (bodies('property/post') as Point[]).map(point => point.values)

describe.each([4, 5] as const)('a device over MQTT (version %i)', protocolVersion => {
  it('carries out what waited for it and comes with the sign-in, by handlers that are named once it is connected', async () => {
    server.options.waiting = { topic: `${PREFIX}property/set`, body: { id: 'early', params: { pump: true } } }
    const device = await connected({ protocolVersion })
    device.onPropertySet(({ pump }) => ({ pump }))
    await server.until(() => bodies('property/set_reply').length > 0)
    expect(bodies('property/set_reply')).toEqual([{ id: 'early', code: 0 }])
  })

  it('signs in with its own name and secret and posts at QoS 1 with the time', async () => {
    const passwords: string[] = []
    server.options.signIn = (_, password) => {
      passwords.push(password)
      return 0
    }
    const device = await connected({ protocolVersion })
    await device.postProperties({ temperature: 21.5 })
    await device.postEvent('overheated', { temperature: 90 }, 1_767_225_600_000)
    await device.postBatch([
      { ts: 1, values: { a: 1 } },
      { ts: 2, values: { a: 2 } },
    ])
    expect(server.connects[0]).toMatchObject({ username: 'pk/d1', protocolVersion, clean: true })
    expect(passwords).toEqual(['secret'])
    expect(server.received.every(({ qos }) => qos === 1)).toBe(true)
    const [post, batch] = bodies('property/post') as [Point, Point[]]
    expect(post.values).toEqual({ temperature: 21.5 })
    expect(Math.abs(Date.now() - post.ts)).toBeLessThan(60_000)
    expect(batch.map(({ ts }) => ts)).toEqual([1, 2])
    expect(bodies('event/overheated/post')).toEqual([{ ts: 1_767_225_600_000, params: { temperature: 90 } }])
  })

  it('carries out a property set, replies and reports what the handler gives back', async () => {
    const device = await connected({ protocolVersion })
    device.onPropertySet(params => ({ pump: params.pump }))
    await server.send('pk/d1', `${PREFIX}property/set`, { id: 'c1', params: { pump: true } })
    await server.until(() => bodies('property/set_reply').length > 0 && values().length > 0)
    expect(bodies('property/set_reply')).toEqual([{ id: 'c1', code: 0 }])
    expect(values()).toEqual([{ pump: true }])
  })

  it('sends again, with the same time, what was not acknowledged when the connection broke', async () => {
    server.options.onPublish = () => 'silent'
    const device = await connected({ protocolVersion })
    const post = device.postProperties({ n: 1 })
    await server.until(() => values().length === 1)
    server.options.onPublish = () => 'ack'
    server.cut()
    await post
    const [first, second] = bodies('property/post')
    expect(second).toEqual(first)
    expect(device.pending).toBe(0)
  })
})

describe('commands', () => {
  it('reach the handler of their service; its result is the output', async () => {
    const device = await connected()
    device.onService('flush', async ({ seconds }) => ({ litres: Number(seconds) * 2 }))
    device.onService('reset', () => {})
    await server.send('pk/d1', `${PREFIX}service/flush/invoke`, { id: 'a', params: { seconds: 5 } })
    await server.send('pk/d1', `${PREFIX}service/reset/invoke`, { id: 'b' })
    await server.until(() => bodies('service/reset/invoke_reply').length > 0)
    expect(bodies('service/flush/invoke_reply')).toEqual([{ id: 'a', code: 0, data: { litres: 10 } }])
    expect(bodies('service/reset/invoke_reply')).toEqual([{ id: 'b', code: 0 }])
  })

  it('can be refused, can fail, can be unknown: each has its reply', async () => {
    const device = await connected()
    device.onService('refuse', () => {
      throw new CommandRefusal(7, 'door open')
    })
    device.onService('fail', () => Promise.reject(new Error('broken')))
    for (const name of ['refuse', 'fail', 'unknown']) {
      await server.send('pk/d1', `${PREFIX}service/${name}/invoke`, { id: name, params: {} })
    }
    await server.send('pk/d1', `${PREFIX}property/set`, { id: 'set', params: { a: 1 } })
    await server.until(() => bodies('property/set_reply').length > 0)
    expect(bodies('service/refuse/invoke_reply')).toEqual([{ id: 'refuse', code: 7, message: 'door open' }])
    expect(bodies('service/fail/invoke_reply')).toEqual([{ id: 'fail', code: 500, message: 'broken' }])
    expect(bodies('service/unknown/invoke_reply')).toMatchObject([{ code: 404 }])
    expect(bodies('property/set_reply')).toMatchObject([{ code: 404 }])
  })

  it('are carried out once, however often they are delivered, and answered each time', async () => {
    const device = await connected()
    let calls = 0
    device.onService('count', () => ({ calls: ++calls }))
    for (let i = 0; i < 3; i++) await server.send('pk/d1', `${PREFIX}service/count/invoke`, { id: 'same', params: {} })
    await server.until(() => bodies('service/count/invoke_reply').length === 3)
    expect(calls).toBe(1)
    expect(new Set(bodies('service/count/invoke_reply').map(reply => JSON.stringify(reply))).size).toBe(1)
  })

  it('that are malformed are left alone', async () => {
    const device = await connected()
    let calls = 0
    device.onPropertySet(() => calls++)
    for (const body of ['', 'null', '[]', '{"params":{}}', '{"id":5}']) {
      await server.send('pk/d1', `${PREFIX}property/set`, body)
    }
    await server.send('pk/d1', `${PREFIX}property/set`, { id: 'ok', params: {} })
    await server.until(() => bodies('property/set_reply').length > 0)
    expect(calls).toBe(1)
    expect(bodies('property/set_reply')).toHaveLength(1)
  })
})

describe('posts', () => {
  it('that are refused reject (MQTT 5.0), and the next ones go on', async () => {
    server.options.onPublish = ({ payload }) => (payload.includes('bad') ? 'refuse' : 'ack')
    const device = await connected()
    const bad = device.postProperties({ bad: 1 })
    await device.postProperties({ good: 1 })
    await expect(bad).rejects.toBeInstanceOf(RefusedError)
    await expect(bad).rejects.toMatchObject({ status: 0x99 })
  })

  it('need not be awaited: a refusal then ends nothing', async () => {
    server.options.onPublish = () => 'refuse'
    const device = await connected()
    const posts: Promise<void>[] = []
    posts.push(device.postProperties({ bad: 1 }))
    await server.until(() => values().length === 1)
    await expect.poll(() => device.pending).toBe(0)
  })

  it('made without a connection go out in order, with their own times, when there is one', async () => {
    const device = await connected()
    server.away = true
    server.cut()
    await expect.poll(() => device.online).toBe(false)
    const posts = [1, 2, 3].map(n => device.postProperties({ n }, 1_000 + n))
    expect(device.pending).toBe(3)
    server.away = false
    await Promise.all(posts)
    expect(bodies('property/post')).toEqual([1, 2, 3].map(n => ({ ts: 1_000 + n, values: { n } })))
  })

  it('beyond the buffer cost the oldest', async () => {
    const options = optionsOf({ buffer: { messages: 2 } })
    await server.stop()
    const device = createDevice(options)
    devices.push(device)
    const posts = [1, 2, 3].map(n => device.postProperties({ n }))
    await expect(posts[0]).rejects.toBeInstanceOf(BufferFullError)
    expect(device.pending).toBe(2)
    const large = device.postProperties({ text: 'x'.repeat(2_000_000) })
    await expect(Promise.all(posts.slice(1))).rejects.toBeInstanceOf(BufferFullError)
    await expect(large).rejects.toBeInstanceOf(BufferFullError)
    server = await TinyMqttServer.start()
  })

  it('under way are waited for on closing; what stays unconfirmed rejects', async () => {
    const device = await connected()
    const post = device.postProperties({ n: 1 })
    await device.close()
    await expect(post).resolves.toBeUndefined()
    await expect(device.postProperties({ n: 2 })).rejects.toBeInstanceOf(ClosedError)
  })
})

describe('questions', () => {
  it('the shadow', async () => {
    const device = await connected()
    const shadow = device.getShadow()
    await server.until(() => bodies('shadow/get').length > 0)
    const answer = { reported: { pump: { value: true } }, desired: { pump: true }, version: 4 }
    await server.send('pk/d1', `${PREFIX}shadow/get_reply`, answer)
    expect(await shadow).toEqual(answer)
  })

  it('the time: posts are dated by the platform’s clock afterwards', async () => {
    const device = await connected()
    const synced = device.syncTime()
    await server.until(() => bodies('ntp/request').length > 0)
    const { t0 } = bodies('ntp/request')[0] as { t0: number }
    const ahead = 3_600_000
    await server.send('pk/d1', `${PREFIX}ntp/response`, { t0, t1: Date.now() + ahead, t2: Date.now() + ahead })
    const { offsetMs, roundTripMs } = await synced
    // As far off as question and answer may have taken unequally long, and a rounding.
    expect(Math.abs(offsetMs - ahead)).toBeLessThanOrEqual(roundTripMs / 2 + 1)
    expect(roundTripMs).toBeGreaterThanOrEqual(0)
    await device.postProperties({ n: 1 })
    expect((bodies('property/post')[0] as Point).ts - Date.now()).toBeGreaterThan(ahead - 60_000)
  })
})

describe('connecting', () => {
  it('rejects at once when the credentials are refused', async () => {
    server.options.signIn = () => 0x87
    await expect(connectDevice(optionsOf())).rejects.toBeInstanceOf(SignInRefusedError)
    await expect(connectDevice(optionsOf({ protocolVersion: 4 }))).rejects.toBeInstanceOf(SignInRefusedError)
  })

  it('rejects in time when nobody answers', async () => {
    const silent = createServer(() => {})
    await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    const attempt = connectDevice(optionsOf({ url: `mqtt://127.0.0.1:${port}`, timeoutMs: 100 }))
    await expect(attempt).rejects.toBeInstanceOf(TimeoutError)
    silent.close()
  })

  it('knows no other transports', () => {
    expect(() => createDevice(optionsOf({ url: 'ftp://x' }))).toThrow(TypeError)
  })

  it('tells of every change of state', async () => {
    const device = await connected()
    const states: string[] = []
    const leave = device.onState(state => states.push(state))
    server.cut()
    await expect.poll(() => states).toEqual(['offline', 'online'])
    leave()
    server.cut()
    await expect.poll(() => device.online).toBe(false)
    expect(states).toHaveLength(2)
  })
})
