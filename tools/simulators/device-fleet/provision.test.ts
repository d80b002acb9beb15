import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ApiClient } from './api-client.ts'
import { readCatalogue } from './catalogue-files.ts'
import { provision } from './provision.ts'

interface Row {
  id: string
  [field: string]: unknown
}

/** The few routes of the public API that provisioning uses, over rows in memory. */
class FakeApi {
  readonly products: Row[] = []
  readonly devices: Row[] = []
  readonly requests: string[] = []
  /** Requests to be answered with 429 first. */
  busy = 0
  token = 'token-1'
  #server: Server | null = null

  async start(): Promise<string> {
    this.#server = createServer((request, response) => {
      const answer = (body: string) => {
        const url = new URL(request.url ?? '', 'http://x')
        this.requests.push(`${request.method} ${url.pathname}`)
        const { status, reply } = this.#answer(request, url, body)
        response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0.01' })
        response.end(JSON.stringify(reply))
      }
      readBody(request)
        .then(answer)
        .catch((error: Error) => response.destroy(error))
    })
    await new Promise<void>(resolve => this.#server!.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  stop(): void {
    this.#server?.close()
    this.#server?.closeAllConnections()
  }

  #answer(request: IncomingMessage, url: URL, text: string): { status: number; reply: unknown } {
    if (url.pathname === '/oauth/token') {
      const form = new URLSearchParams(text)
      const right = request.headers.authorization === 'Basic Y2xpOmNsaQ==' && form.get('password') === 'right'
      return right
        ? { status: 200, reply: { access_token: this.token, token_type: 'bearer' } }
        : { status: 401, reply: { error: 'invalid_grant', code: 'auth.wrong_credentials', message: 'wrong' } }
    }
    if (request.headers.authorization !== `Bearer ${this.token}`) {
      return { status: 401, reply: { code: 'auth.token_expired', message: 'expired' } }
    }
    if (this.busy > 0) {
      this.busy--
      return { status: 429, reply: { code: 'rate.limited', message: 'slow down' } }
    }
    return this.#route(request.method ?? '', url, text === '' ? {} : (JSON.parse(text) as Record<string, unknown>))
  }

  #route(method: string, url: URL, body: Record<string, unknown>): { status: number; reply: unknown } {
    const [, , , resource, id, action] = url.pathname.split('/')
    const rows = resource === 'products' ? this.products : this.devices
    if (method === 'GET' && id) return { status: 200, reply: rows.find(row => row.id === id) }
    if (method === 'GET') {
      const q = url.searchParams.get('q') ?? ''
      const fitting = rows.filter(row => `${String(row.name)} ${String(row.deviceNo)}`.includes(q))
      const from = Number(url.searchParams.get('cursor') ?? 0)
      // Small pages, so that paging is needed.
      const nextCursor = from + 2 < fitting.length ? String(from + 2) : null
      return { status: 200, reply: { items: fitting.slice(from, from + 2), nextCursor } }
    }
    if (action === 'rotate-secret') return { status: 200, reply: { id, deviceSecret: `rotated-${id}` } }
    const made: Row = { ...body, id: `${resource}-${rows.length + 1}` }
    if (resource === 'products') {
      Object.assign(made, { productKey: `pk${rows.length}`, status: 'published', publishedModel: body.thingModel })
    } else Object.assign(made, { deviceSecret: `secret-${made.id}`, lifecycle: 'inactive' })
    rows.push(made)
    return { status: 201, reply: made }
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

const products = readCatalogue(new URL('../../../apps/server/src/db/seeds/demo/products', import.meta.url).pathname)
let api: FakeApi
let url: string
let folder: string

beforeEach(async () => {
  api = new FakeApi()
  url = await api.start()
  folder = mkdtempSync(join(tmpdir(), 'fleet-provision-'))
})
afterEach(() => {
  api.stop()
  rmSync(folder, { recursive: true })
})

async function prepared(devices: number, credentials = 'a.json') {
  const client = new ApiClient({ url, user: 'demo', password: 'right' })
  await client.signIn()
  const credentialsFile = join(folder, credentials)
  return provision({ api: client, products, devices, english: false, credentialsFile, progress: () => {} })
}

describe('preparing an installation for a fleet', () => {
  it('makes the products and devices that are missing, with their secrets', async () => {
    const { devices, anyDeviceId } = await prepared(12)
    expect(api.products.map(product => product.name)).toEqual(products.map(product => product.name))
    expect(api.devices).toHaveLength(12)
    expect(devices).toHaveLength(12)
    expect(api.devices.map(device => device.id)).toContain(anyDeviceId)
    for (const device of devices) {
      const row = api.devices.find(candidate => candidate.deviceNo === device.deviceNo)
      expect(device.deviceSecret).toBe(row?.deviceSecret)
    }
  })

  it('changes nothing the second time', async () => {
    const first = await prepared(12)
    api.requests.length = 0
    const second = await prepared(12)
    expect(api.requests.filter(request => request.startsWith('POST /api'))).toEqual([])
    const byNumber = (list: typeof first.devices) => list.toSorted((a, b) => (a.deviceNo < b.deviceNo ? -1 : 1))
    expect(byNumber(second.devices)).toEqual(byNumber(first.devices))
  })

  it('gets new secrets for devices whose secrets it does not know', async () => {
    await prepared(6)
    const { devices } = await prepared(6, 'lost.json')
    expect(api.devices).toHaveLength(6)
    expect(devices.every(device => device.deviceSecret.startsWith('rotated-'))).toBe(true)
  })

  it('leaves a product of the same name alone when it does not take our values', async () => {
    const publishedModel = { properties: [{ identifier: 'other' }] }
    const other = { id: 'mine', name: products[0]!.name, status: 'published', linkType: 'mqtt', publishedModel }
    api.products.push(other)
    await prepared(6)
    expect(api.products.map(product => product.name)).toContain(`${products[0]!.name} (SIM)`)
    expect(api.devices.some(device => device.productId === 'mine')).toBe(false)
  })

  it('waits when asked to, and signs in again when its token has run out', async () => {
    api.busy = 3
    const client = new ApiClient({ url, user: 'demo', password: 'right' })
    await client.signIn()
    api.token = 'token-2'
    await expect(client.get('/products')).resolves.toEqual({ items: [], nextCursor: null })
  })

  it('says what the server said when it cannot sign in', async () => {
    await expect(new ApiClient({ url, user: 'demo', password: 'wrong' }).signIn()).rejects.toThrow('wrong')
    await expect(new ApiClient({ url }).signIn()).rejects.toThrow('--token')
  })
})
