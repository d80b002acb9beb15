import Bowser from 'bowser'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Reads an address; IPv4 inside IPv6 becomes IPv4, a zone is cut off. Null: not an address. */
function read(ip: string): Address | null {
  const text = ip.replace(/%.*$/, '')
  // Only the dotted form of four parts: `10.1` and `0x7f000001` are addresses to some programs and typos to people.
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text) && !text.includes(':')) return null
  return ipaddr.isValid(text) ? ipaddr.process(text) : null
}

/** Where an address is, as far as can be told without a data set. */
export function placeOf(ip: string): 'this_machine' | 'intranet' | 'unknown' {
  const range = read(ip)?.range()
  if (range === 'loopback') return 'this_machine'
  return range === 'private' || range === 'uniqueLocal' || range === 'linkLocal' || range === 'carrierGradeNat'
    ? 'intranet'
    : 'unknown'
}

/** The network an address belongs to for telling “from here before”: IPv4 /24, IPv6 /48. */
export function networkOf(ip: string): string {
  const address = read(ip)
  if (!address) return ip
  const bits = address.kind() === 'ipv4' ? 24 : 48
  const bytes = address.toByteArray().map((byte, at) => (at * 8 < bits ? byte : 0))
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`
}

/** A network as it is stored: `192.0.2.0/24`, `2001:db8::/32`; a bare address stays one. Null: neither. */
export function readNetwork(text: string): string | null {
  const [host = '', bits, rest] = text.trim().split('/')
  if (rest !== undefined) return null
  const address = read(host)
  if (!address) return null
  if (bits === undefined) return address.toString()
  const width = address.kind() === 'ipv4' ? 32 : 128
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > width) return null
  const keep = Number(bits)
  const bytes = address.toByteArray().map((byte, at) => {
    const kept = Math.max(0, Math.min(8, keep - at * 8))
    return byte & (0xff << (8 - kept)) & 0xff
  })
  return `${ipaddr.fromByteArray(bytes).toString()}/${keep}`
}

/** Whether an address may come in: an empty list lets everybody in, an address that cannot be read nobody. */
export function allowedBy(list: readonly string[], ip: string): boolean {
  if (list.length === 0) return true
  const address = read(ip)
  if (!address) return false
  return list.some(entry => {
    const [host = '', bits] = entry.split('/')
    const network = read(host)
    if (!network || network.kind() !== address.kind()) return false
    const width = network.kind() === 'ipv4' ? 32 : 128
    return address.match(network as never, bits === undefined ? width : Number(bits))
  })
}

export interface ClientFacts {
  /** Browser and system without versions, or the first word of a program's name: `Chrome · Windows`, `curl`. */
  name: string
  device: 'desktop' | 'mobile' | 'tablet' | 'program' | 'unknown'
}

/** What a User-Agent says, shortened: it is told by the client and only shown, never trusted. */
export function clientOf(userAgent: string): ClientFacts {
  const text = userAgent.slice(0, 300)
  if (text === '') return { name: '', device: 'unknown' }
  if (!/^Mozilla\/|^Opera\//.test(text)) {
    const word = /^[\w.+-]{1,40}/.exec(text)?.[0].replace(/\/.*$/, '') ?? ''
    return { name: word, device: 'program' }
  }
  const parsed = Bowser.parse(text)
  const names = [parsed.browser.name, parsed.os.name].filter((part): part is string => Boolean(part))
  const kind = parsed.platform.type
  return {
    name: names.join(' · ').slice(0, 80),
    device: kind === 'desktop' || kind === 'mobile' || kind === 'tablet' ? kind : 'unknown',
  }
}
