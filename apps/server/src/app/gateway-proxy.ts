import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { PEER_HEADER } from '../ingest/channel/ipc.ts'
import { readBody } from '../ingest/transports/http/body.ts'
import { callOf, writeAnswer } from '../ingest/transports/http/node-adapter.ts'
import { refusal } from '../ingest/transports/http/replies.ts'
import { GatewayChannel } from './gateway-channel.ts'

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

/**
 * Takes devices' HTTP and the WebSocket of /mqtt to the gateway: requests over one channel, bodies bounded; the WebSocket
 * as bytes both ways with back-pressure. While the gateway is down: 503.
 */
export function createGatewayProxy(options: GatewayProxyOptions): GatewayProxy {
  const channel = new GatewayChannel(options.socketPath)

  return {
    request(request, response) {
      readBody(request, ({ bytes, whole }) => {
        const language = request.headers['accept-language'] ?? ''
        const sent =
          options.isUp() &&
          channel.send(callOf(request, options.addressOf(request), bytes), answer =>
            writeAnswer(response, answer ?? refusal(language, 'server.unavailable', { retryAfter: 1 }), !whole),
          )
        if (!sent) {
          writeAnswer(response, refusal(language, 'server.unavailable', { retryAfter: 1 }), !whole)
          return
        }
        response.once('close', () => {
          if (!response.writableFinished) sent()
        })
      })
    },
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy())
      if (!options.isUp()) {
        refuseUpgrade(socket)
        return
      }
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
    close: () => channel.close(),
  }
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
