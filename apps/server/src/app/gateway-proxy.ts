import {
  Agent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { ERROR_STATUS } from '@thingwright/contracts/errors'
import { errorText, localeOf } from '../lib/i18n.ts'
import { newId } from '../lib/ids.ts'
import { PEER_HEADER } from '../lib/ipc.ts'

export interface GatewayProxyOptions {
  socketPath: string
  isUp(): boolean
  addressOf(request: IncomingMessage): string
}

export interface GatewayProxy {
  request(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close(): void
}

/** The only headers of a device's request that the gateway reads; nothing else crosses. */
const FORWARDED = [
  'authorization',
  'content-type',
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'accept-language',
] as const

/** Hop-by-hop headers of an answer, which this hop makes itself (RFC 9110 §7.6.1). */
const HOP = new Set(['connection', 'keep-alive', 'transfer-encoding'])

/**
 * Pipes devices' HTTP and the WebSocket of /mqtt to the gateway's internal listener. Bodies flow with back-pressure and
 * are never held whole here. While the gateway is down: 503.
 */
export function createGatewayProxy(options: GatewayProxyOptions): GatewayProxy {
  // Long polls hold a connection each, so the number is not bounded here; the front door bounds its own connections.
  const agent = new Agent({
    keepAlive: true,
    keepAliveMsecs: 30_000,
    maxFreeSockets: 256,
    scheduling: 'lifo',
    timeout: 30_000,
  })

  function forward(request: IncomingMessage, response: ServerResponse, mayRetry: boolean): void {
    const headers: OutgoingHttpHeaders = { host: 'gateway', [PEER_HEADER]: options.addressOf(request) }
    for (const name of FORWARDED) {
      const value = request.headers[name]
      if (value !== undefined) headers[name] = value
    }
    const upstream = httpRequest({
      agent,
      socketPath: options.socketPath,
      method: request.method,
      path: request.url,
      headers,
      setHost: false,
    })
    upstream.on('response', answer => {
      const out: OutgoingHttpHeaders = {}
      for (const [name, value] of Object.entries(answer.headers)) {
        if (value !== undefined && !HOP.has(name)) out[name] = value
      }
      // The gateway cut the body short (too large): what is left of it must not be taken for the next request.
      if (answer.headers.connection === 'close' && !request.complete) out.connection = 'close'
      response.writeHead(answer.statusCode ?? 502, out)
      answer.pipe(response)
      answer.on('error', () => response.destroy())
    })
    upstream.on('error', (error: NodeJS.ErrnoException) => {
      if (response.headersSent || response.destroyed) return void response.destroy()
      // A kept connection that the gateway had just closed; the request never reached it, and nothing of a body was read.
      if (mayRetry && upstream.reusedSocket && error.code === 'ECONNRESET' && !hasBody(request))
        return forward(request, response, false)
      unavailable(request, response)
    })
    response.on('close', () => {
      if (!response.writableFinished) upstream.destroy()
    })
    if (hasBody(request)) request.pipe(upstream)
    else upstream.end()
  }

  return {
    request(request, response) {
      if (!options.isUp()) return unavailable(request, response)
      forward(request, response, true)
    },
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy())
      if (!options.isUp()) return refuseUpgrade(socket)
      const upstream = connect(options.socketPath)
      upstream.on('connect', () => {
        upstream.write(headOf(request, options.addressOf(request)), 'latin1')
        if (head.length > 0) upstream.write(head)
        socket.pipe(upstream)
        upstream.pipe(socket)
      })
      let reached = false
      upstream.once('data', () => {
        reached = true
      })
      upstream.on('error', () => {
        if (reached) socket.destroy()
        else refuseUpgrade(socket)
      })
      upstream.on('close', () => socket.destroy())
      socket.on('close', () => upstream.destroy())
    },
    close: () => agent.destroy(),
  }
}

function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
}

/** The request head again, as it came, with the peer's address in our own header. */
function headOf(request: IncomingMessage, address: string): string {
  const lines = [`${request.method} ${request.url} HTTP/1.1`]
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i]!
    if (name.toLowerCase() !== PEER_HEADER) lines.push(`${name}: ${request.rawHeaders[i + 1]}`)
  }
  lines.push(`${PEER_HEADER}: ${address}`, '', '')
  return lines.join('\r\n')
}

function refuseUpgrade(socket: Duplex): void {
  socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
}

function unavailable(request: IncomingMessage, response: ServerResponse): void {
  const code = 'server.unavailable'
  const body = JSON.stringify({
    code,
    message: errorText(localeOf(request.headers['accept-language']), code),
    requestId: newId(),
  })
  // The body is not read: the connection cannot be used again.
  response.writeHead(ERROR_STATUS[code], {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'retry-after': '1',
    ...(hasBody(request) ? { connection: 'close' } : {}),
  })
  response.end(body)
}
