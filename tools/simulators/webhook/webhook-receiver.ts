import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedItem {
  id: string
  type: string
  ts: number
  productKey: string
  deviceNo: string
  deviceId: string
  data: Record<string, unknown>
}

/** How the receiver behaves from now on. */
export type Behaviour =
  | { kind: 'take' }
  /** Answers this status and takes nothing. */
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: string }
  /** Reads the request, takes nothing, and never answers. */
  | { kind: 'hang' }
  /** Takes everything, but only after so long; once it has taken `most` items in all, it hangs. */
  | { kind: 'slow'; ms: number; most?: number }
  /** Cuts the connection in the middle of an answer. */
  | { kind: 'cut' }

export interface WebhookReceiver {
  readonly url: string
  readonly port: number
  /** What was taken, in order of arrival, duplicates included. */
  readonly items: ReceivedItem[]
  /** Requests that came, whatever became of them. */
  readonly requests: number
  /** What no honest sender does: wrong signature, a nonce twice, an old time, a body that is none. */
  readonly faults: string[]
  /** Items again under an id that was taken. */
  readonly duplicates: number
  /** Every item of this type and device came after the ones that were sent before it, duplicates left out. */
  outOfOrder(sequenceOf: (item: ReceivedItem) => number): string[]
  behave(behaviour: Behaviour): void
  close(): Promise<void>
}

/** Clocks may differ by this much (reference/reliability.md H6). */
const WINDOW_MS = 5 * 60_000
const MOST_BYTES = 8 * 1024 * 1024

/**
 * A customer's receiver, written from the documentation alone: it checks the signature, the time and the nonce of every
 * request before it believes a word.
 */
export async function startWebhookReceiver(options: {
  secret: string
  port?: number
  host?: string
  path?: string
  now?: () => number
}): Promise<WebhookReceiver> {
  const { secret, host = '127.0.0.1', path = '/hook', now = Date.now } = options
  const items: ReceivedItem[] = []
  const faults: string[] = []
  const nonces = new Set<string>()
  const taken = new Map<string, string>()
  let duplicates = 0
  let requests = 0
  let behaviour: Behaviour = { kind: 'take' }

  /** Null: it may be believed. */
  function doubt(signature: string, body: Buffer): string | null {
    const fields = signature.split(',').map(field => {
      const at = field.indexOf('=')
      return [field.slice(0, at), field.slice(at + 1)] as const
    })
    const time = fields.find(([name]) => name === 't')?.[1] ?? ''
    const nonce = fields.find(([name]) => name === 'n')?.[1] ?? ''
    if (!/^\d{13}$/.test(time) || Math.abs(now() - Number(time)) > WINDOW_MS) return 'the time is not now'
    if (nonce.length < 16) return 'no nonce'
    if (nonces.has(nonce)) return 'a nonce came twice'
    const hash = createHmac('sha256', secret)
    hash.update(`${time}.${nonce}.`)
    hash.update(body)
    const wanted = hash.digest()
    const fits = fields.some(([name, value]) => {
      const given = name === 'v1' ? Buffer.from(value, 'hex') : Buffer.alloc(0)
      return given.length === wanted.length && timingSafeEqual(given, wanted)
    })
    if (!fits) return 'the signature does not fit'
    nonces.add(nonce)
    return null
  }

  function take(body: Buffer): string | null {
    let parsed: { items?: unknown }
    try {
      parsed = JSON.parse(body.toString())
    } catch {
      return 'the body is no JSON'
    }
    const list = parsed.items
    if (!Array.isArray(list) || list.length === 0 || list.length > 100) return 'no list of 1 to 100 items'
    for (const item of list as ReceivedItem[]) {
      if (typeof item.id !== 'string' || typeof item.ts !== 'number' || typeof item.deviceNo !== 'string')
        return 'an item without id, time or device'
      const print = createHash('sha1').update(JSON.stringify(item)).digest('base64')
      const before = taken.get(item.id)
      if (before !== undefined) duplicates += 1
      if (before !== undefined && before !== print) return `item ${item.id} came again with other content`
      taken.set(item.id, print)
      items.push(item)
    }
    return null
  }

  function answer(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    requests += 1
    const doubtful = doubt(String(request.headers['thingwright-signature'] ?? ''), body)
    if (doubtful) {
      faults.push(doubtful)
      response.writeHead(401).end(doubtful)
      return
    }
    if (behaviour.kind === 'status') {
      response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body)
      return
    }
    if (behaviour.kind === 'hang' || (behaviour.kind === 'slow' && items.length >= (behaviour.most ?? Infinity))) return
    if (behaviour.kind === 'cut') {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half of')
      setImmediate(() => request.socket.destroy())
      return
    }
    const wrong = take(body)
    if (wrong) {
      faults.push(wrong)
      response.writeHead(422).end(wrong)
      return
    }
    if (behaviour.kind === 'slow') setTimeout(() => response.end('{"ok":true}'), behaviour.ms)
    else response.end('{"ok":true}')
  }

  const server = createServer((request, response) => {
    if (request.method !== 'POST' || request.url?.split('?')[0] !== path) {
      faults.push(`${request.method} ${request.url}`)
      response.writeHead(404).end()
      return
    }
    const parts: Buffer[] = []
    let size = 0
    request.on('data', (part: Buffer) => {
      size += part.length
      if (size <= MOST_BYTES) parts.push(part)
      else request.destroy()
    })
    request.on('error', () => undefined)
    request.on('end', () => answer(request, response, Buffer.concat(parts)))
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, host, resolve)
  })
  const { port } = server.address() as AddressInfo

  return {
    url: `http://${host}:${port}${path}`,
    port,
    items,
    faults,
    get requests() {
      return requests
    },
    get duplicates() {
      return duplicates
    },
    outOfOrder(sequenceOf) {
      const last = new Map<string, number>()
      const seen = new Set<string>()
      const wrong: string[] = []
      for (const item of items) {
        if (seen.has(item.id)) continue
        seen.add(item.id)
        const device = `${item.productKey}/${item.deviceNo}`
        const sequence = sequenceOf(item)
        if (sequence <= (last.get(device) ?? Number.NEGATIVE_INFINITY)) wrong.push(item.id)
        last.set(device, Math.max(sequence, last.get(device) ?? Number.NEGATIVE_INFINITY))
      }
      return wrong
    },
    behave: next => {
      behaviour = next
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
