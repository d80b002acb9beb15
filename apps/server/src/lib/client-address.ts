import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'

/** The same for Fastify (`trustProxy`): so many hops are believed, counted from here, and not one more. */
export function believedHops(proxies: number): false | ((address: string, hop: number) => boolean) {
  return proxies === 0 ? false : (_address, hop) => hop < proxies
}

/**
 * The address a request came from. Each proxy in front appends the address it was asked from, so with n of them the
 * n-th entry from the end is the client; what stands before it the client may have written itself.
 * @param proxies number of proxies that are believed (TRUST_PROXY)
 */
export function clientAddress(
  request: Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } },
  proxies: number,
): string {
  const own = request.socket.remoteAddress ?? ''
  if (proxies === 0) return own
  const header = request.headers['x-forwarded-for']
  const entries = (Array.isArray(header) ? header.join(',') : (header ?? ''))
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '')
  return entries.slice(-proxies)[0] ?? own
}

/** IPv4 whole, IPv6 by its /64: one customer has a whole such network (RFC 6177). */
export function addressKey(ip: string): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '').replace(/%.*$/, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.toLowerCase().split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups =
    tail === undefined ? left : [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]
  return `${groups
    .slice(0, 4)
    .map(group => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
