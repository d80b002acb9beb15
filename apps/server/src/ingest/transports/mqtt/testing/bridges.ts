import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { createWebSocketStream, WebSocket } from 'ws'

/** Plain TCP doors in front of TLS and WebSocket, for suites that only speak TCP. Each resolves with its port. */
export const bridgeToTls = (port: number): Promise<{ port: number; close(): void }> =>
  bridge(() => connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }))

export const bridgeToWebSocket = (port: number): Promise<{ port: number; close(): void }> =>
  bridge(() => createWebSocketStream(new WebSocket(`ws://127.0.0.1:${port}/mqtt`, 'mqtt')))

async function bridge(
  open: () => NodeJS.ReadWriteStream & { destroy(): void },
): Promise<{ port: number; close(): void }> {
  const server: Server = createServer(socket => {
    const inner = open()
    socket.on('error', () => {})
    inner.on('error', () => socket.destroy())
    inner.on('close', () => socket.end())
    socket.on('close', () => inner.destroy())
    socket.pipe(inner).pipe(socket)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}
