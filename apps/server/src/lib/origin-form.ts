import type { IncomingMessage } from 'node:http'

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i

/**
 * Brings a request whose target is a whole address (`POST http://host/device/v1/…`, as clients behind a proxy and some
 * modems send it) to the usual form. Its authority counts instead of the Host header (RFC 9112 §3.2.2).
 */
export function toOriginForm(request: Pick<IncomingMessage, 'url' | 'headers'>): void {
  const absolute = ABSOLUTE.exec(request.url ?? '')
  if (!absolute) return
  const rest = (request.url ?? '').slice(absolute[0].length)
  request.url = rest.startsWith('/') ? rest : `/${rest}`
  const host = absolute[1]!.slice(absolute[1]!.lastIndexOf('@') + 1)
  if (host !== '') request.headers.host = host
}
