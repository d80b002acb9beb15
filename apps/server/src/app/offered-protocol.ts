import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { toOriginForm } from '../lib/origin-form.ts'

/** Fields that speak of this connection alone and go with the offer (RFC 9110 §7.6.1, RFC 7540 §3.2.1). */
const OFFER = new Set(['upgrade', 'http2-settings', 'connection'])

/**
 * Changes connections to WebSocket where a client asks for it. Whatever else is offered beside a request is not taken up,
 * and the request is answered in HTTP/1.1 as if nothing had been offered (RFC 9110 §7.8): Java's own client and
 * `curl --http2` offer HTTP/2 with every first request. Node gives away all such connections as soon as somebody listens
 * for one; here it gets them back, with the request as it came but without its offer.
 */
export function takeWebSockets(
  server: Server,
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): void {
  server.on('upgrade', (request, socket, head) => {
    toOriginForm(request)
    if (asksForWebSocket(request)) {
      upgrade(request, socket, head)
      return
    }
    socket.unshift(Buffer.concat([Buffer.from(withoutOffer(request), 'latin1'), head]))
    server.emit('connection', socket)
  })
}

function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return tokens(headers.upgrade).includes('websocket')
}

const tokens = (field: string | undefined): string[] =>
  (field ?? '').split(',').map(token => token.trim().toLowerCase())

/** The head of the request again; what it says of keeping the connection stays. */
function withoutOffer({ method, url, httpVersion, rawHeaders, headers }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (!OFFER.has(rawHeaders[at]!.toLowerCase())) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
  const kept = tokens(headers.connection).filter(token => token !== '' && !OFFER.has(token))
  if (kept.length > 0) lines.push(`Connection: ${kept.join(', ')}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
