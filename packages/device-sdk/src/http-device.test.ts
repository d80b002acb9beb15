import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectDevice, type DeviceOptions } from './connect.ts'
import type { Device } from './device.ts'
import { NotSupportedError, RefusedError, SignInRefusedError } from './errors.ts'

interface Seen {
  method: string
  path: string
  body: string
}

/** The device path over HTTP, as far as a device sees it. */
class FakePlatform {
  readonly seen: Seen[] = []
  secret = 'secret'
  /** Answer to the next posts; 200 when empty. */
  readonly statuses: { status: number; body: object }[] = []
  commands: object[] = []
  #poll: ServerResponse | null = null
  readonly #server: Server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const path = request.url ?? ''
      const seen = { method: request.method ?? '', path, body: Buffer.concat(parts).toString() }
      if (request.headers.authorization !== `Bearer ${this.secret}`) return answer(response, 401, {})
      if (seen.method === 'GET') {
        if (path.endsWith('wait=0') || this.commands.length > 0) return this.#give(response)
        this.#poll = response
        return
      }
      this.seen.push(seen)
      const next = this.statuses.shift()
      answer(response, next?.status ?? 200, next?.body ?? { ok: true })
    })
  })

  async start(port = 0): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(port, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  command(command: object): void {
    this.commands.push(command)
    if (this.#poll) this.#give(this.#poll)
  }

  stop(): Promise<void> {
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()))
    this.#server.closeAllConnections()
    return closed
  }

  #give(response: ServerResponse): void {
    this.#poll = null
    answer(response, 200, { commands: this.commands })
    this.commands = []
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

let platform: FakePlatform
let url: string
let device: Device | null = null

beforeEach(async () => {
  platform = new FakePlatform()
  url = await platform.start()
})
afterEach(async () => {
  await device?.close()
  device = null
  await platform.stop()
})

async function connected(more: Partial<DeviceOptions> = {}): Promise<Device> {
  const options = { url, productKey: 'pk', deviceNo: 'd:1', deviceSecret: 'secret', random: () => 0, ...more }
  device = await connectDevice(options)
  return device
}

const paths = () => platform.seen.map(({ path }) => path)

describe('a device over HTTP', () => {
  it('posts properties and events to its own address with its secret', async () => {
    const d = await connected()
    await d.postProperties({ t: 1 }, 5)
    await d.postEvent('e', { a: 1 }, 6)
    expect(platform.seen).toEqual([
      { method: 'POST', path: '/device/v1/pk/d%3A1/property', body: '{"ts":5,"values":{"t":1}}' },
      { method: 'POST', path: '/device/v1/pk/d%3A1/event/e', body: '{"ts":6,"params":{"a":1}}' },
    ])
  })

  it('is told of refusals with their code', async () => {
    const d = await connected()
    platform.statuses.push({ status: 422, body: { code: 'device_path.refused', message: 'unknown property' } })
    const post = d.postProperties({ bad: 1 })
    await expect(post).rejects.toMatchObject({ status: 422, code: 'device_path.refused', message: 'unknown property' })
    await expect(post).rejects.toBeInstanceOf(RefusedError)
    expect(d.online).toBe(true)
  })

  it('tries again, in order, when the platform is busy', async () => {
    const d = await connected()
    platform.statuses.push({ status: 503, body: {} }, { status: 429, body: {} })
    await Promise.all([d.postProperties({ n: 1 }, 1), d.postProperties({ n: 2 }, 2)])
    const bodies = platform.seen.map(({ body }) => body)
    expect(bodies.at(-2)).toContain('"n":1')
    expect(bodies.at(-1)).toContain('"n":2')
    expect(bodies).toHaveLength(4)
  })

  it('fetches commands by long poll once it handles any, and replies', async () => {
    const d = await connected()
    d.onPropertySet(params => params)
    d.onService('flush', () => ({ litres: 3 }))
    platform.command({ kind: 'property_set', id: 'c1', params: { pump: true } })
    await expect.poll(paths).toContain('/device/v1/pk/d%3A1/commands/c1/reply')
    platform.command({ kind: 'service', identifier: 'flush', id: 'c2', params: {} })
    await expect.poll(paths).toContain('/device/v1/pk/d%3A1/commands/c2/reply')
    const reply = platform.seen.find(({ path }) => path.endsWith('c2/reply'))
    expect(JSON.parse(reply!.body)).toEqual({ id: 'c2', code: 0, data: { litres: 3 } })
  })

  it('has no shadow and no time to ask for', async () => {
    const d = await connected()
    await expect(d.getShadow()).rejects.toBeInstanceOf(NotSupportedError)
    await expect(d.syncTime()).rejects.toBeInstanceOf(NotSupportedError)
  })

  it('rejects at once when the secret is wrong', async () => {
    platform.secret = 'other'
    await expect(connected()).rejects.toBeInstanceOf(SignInRefusedError)
  })

  it('closes although a poll is open', async () => {
    const d = await connected({ pollSeconds: 50 })
    d.onPropertySet(() => {})
    await d.postProperties({ n: 1 })
    await d.close()
    expect(d.online).toBe(false)
  })
})
