import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AuthoriseStream, StreamServer } from '../adapters/subscription-target/websocket/websocket-target.ts'
import type { LiveSocketServer } from '../modules/live/index.ts'
import type { GatewayClient } from './gateway-client.ts'

export interface UpgradesOptions {
  live: LiveSocketServer
  /** Streams of subscriptions. */
  streams: Pick<StreamServer, 'upgrade'>
  /** Checks whether the caller may read a stream. */
  authorise: AuthoriseStream
  gateway: Pick<GatewayClient, 'proxyUpgrade'>
  publicUrl: string | null
}

const STREAM = /^\/api\/v1\/subscriptions\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\/stream$/

/** Sends WebSocket upgrades where they belong: the browser's live socket and streams here, devices' MQTT to the gateway. */
export function createUpgrades({ live, streams, authorise, gateway, publicUrl }: UpgradesOptions) {
  return {
    handle(request: IncomingMessage, socket: Duplex, head: Buffer): void {
      socket.on('error', () => socket.destroy())
      const path = request.url?.split('?')[0]
      if (path === '/mqtt' || path === '/device/ws') {
        gateway.proxyUpgrade(request, socket, head)
        return
      }
      const stream = STREAM.exec(path ?? '')?.[1]
      if (path !== '/api/v1/live' && !stream) {
        refuse(socket, '404 Not Found')
        return
      }
      // A page of somebody else must not open a socket in the name of who looks at it; programs send no Origin.
      if (!sameOrigin(request, publicUrl)) refuse(socket, '403 Forbidden')
      else if (stream) streams.upgrade(request, socket, head, stream, authorise)
      else live.upgrade(request, socket, head)
    },
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

function sameOrigin(request: IncomingMessage, publicUrl: string | null): boolean {
  const { origin, host } = request.headers
  if (!origin) return true
  try {
    const from = new URL(origin)
    return (
      from.host === host ||
      (publicUrl !== null && from.origin === new URL(publicUrl).origin) ||
      (isLocal(from.hostname) && isLocal(new URL(`http://${host}`).hostname))
    )
  } catch {
    return false
  }
}

const isLocal = (name: string) => name === 'localhost' || name === '127.0.0.1' || name === '[::1]'
