import { chmodSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from '../../lib/log.ts'
import { DEVICE_FRAMES } from '../channel/device-frames.ts'
import { PEER_HEADER } from '../channel/ipc.ts'

export interface InternalListenerOptions {
  socketPath: string
  logger: Logger
  /** Requests below /device/. */
  device(request: IncomingMessage, response: ServerResponse): void
  /** The API process's channel for devices' requests. */
  frames(socket: Duplex): void
  /** WebSocket upgrades of /mqtt. */
  mqtt(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** WebSocket upgrades of /device/ws. */
  devices(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

export interface InternalListener {
  start(): Promise<void>
  /** Takes no new connection and ends those that do nothing. */
  stop(): void
}

/**
 * The listener behind the front door: a socket file that only this user can open. Slow senders are cut by time; a kept
 * connection outlives the front door's own idle limit, so that it never closes under a request.
 */
export function createInternalListener(options: InternalListenerOptions): InternalListener {
  const server = createServer(
    { maxHeaderSize: 16_384, headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 75_000, noDelay: true },
    (request, response) => options.device(request, response),
  )
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    // What the front door passes on carries its sender's address: the channel is for the front door itself.
    if (request.headers.upgrade === DEVICE_FRAMES && request.headers[PEER_HEADER] === undefined) {
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${DEVICE_FRAMES}\r\n\r\n`)
      options.frames(socket)
      if (head.length > 0) socket.unshift(head)
    } else if (request.url === '/mqtt' || request.url?.startsWith('/mqtt?')) options.mqtt(request, socket, head)
    else if (request.url === '/device/ws' || request.url?.startsWith('/device/ws?'))
      options.devices(request, socket, head)
    else socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  })
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    else socket.destroy()
  })
  server.on('error', error => options.logger.error({ err: error }, 'internal listener'))
  return {
    start: () =>
      new Promise((resolve, reject) => {
        // Left behind by a life that was killed; two servers on one folder are refused long before.
        rmSync(options.socketPath, { force: true })
        server.once('error', reject)
        server.listen({ path: options.socketPath, backlog: 1_024 }, () => {
          server.removeListener('error', reject)
          chmodSync(options.socketPath, 0o600)
          resolve()
        })
      }),
    stop() {
      server.close()
      server.closeIdleConnections()
    },
  }
}
