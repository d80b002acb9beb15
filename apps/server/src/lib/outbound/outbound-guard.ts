import dns, { type LookupAddress } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { trimmedEnd } from '../trimmed.ts'

/** Why nothing came back. */
export type OutboundFailure =
  /** The address is one that is never asked. */
  | 'blocked'
  | 'timeout'
  /** The caller did not want to wait any longer. */
  | 'aborted'
  /** Name not found, connection refused or cut. */
  | 'unreachable'
  | 'tls'
  /** More bytes than wanted. */
  | 'too_long'

/** An address was asked for that must not be reached from here, or something did not answer as it should. */
export class OutboundError extends Error {
  override name = 'OutboundError'

  constructor(
    message: string,
    readonly failure: OutboundFailure,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** IPv4 that is no public unicast: IANA special-purpose registry (RFC 6890 and its updates), multicast, and Azure's own host. */
const INTERNAL_4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10', // also Alibaba Cloud's metadata, 100.100.100.200
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]

/** Of IPv6 only global unicast is public … */
const PUBLIC_6 = ['2000::/3']
/** … without protocol assignments (Teredo, ORCHID), documentation, 6to4 and AS112. */
const INTERNAL_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']

/** Services that take lines of text and would read a request as commands; nobody receives messages there. */
const OTHER_SERVICES = new Set([
  1719, 1720, 1723, 2049, 3306, 3659, 4045, 4190, 5060, 5061, 5432, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10080, 11211, 27017,
])

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

const internal4 = listOf(INTERNAL_4)
const internal6 = listOf(INTERNAL_6)
const public6 = listOf(PUBLIC_6)

/**
 * Which addresses may be reached with requests that people typed in (CWE-918). Without TLS only what was allowed by
 * name. Every way out asks the same guard: before the look-up, in it, and once more on the connected socket.
 */
export interface AddressGuard {
  /** An IP address in any spelling the system gives. */
  permits(address: string | undefined, encrypted: boolean): boolean
  /** @throws OutboundError when the host is an address that is not permitted, or the port belongs to another service */
  check(host: string, port: number, encrypted: boolean): void
  /** For `net.connect`: fails when one of the name's addresses is not permitted. */
  lookup(encrypted: boolean): LookupFunction
  /**
   * The permitted addresses of a host, for clients that open their sockets themselves: given an address in place of the
   * name, what was checked is what they connect to, because there is no second look-up.
   * @throws OutboundError
   */
  resolve(host: string, port: number, encrypted: boolean): Promise<string[]>
}

export function createAddressGuard(
  allow: readonly string[],
  resolver: LookupFunction = dns.lookup as LookupFunction,
): AddressGuard {
  const allowed = listOf(allow)

  function permits(address: string | undefined, encrypted: boolean): boolean {
    const family = address === undefined ? 0 : isIP(address)
    // An address with a zone belongs to a link of this machine.
    if (address === undefined || family === 0 || address.includes('%')) return false
    const kind = family === 6 ? 'ipv6' : 'ipv4'
    if (allowed.check(address, kind)) return true
    if (!encrypted) return false
    if (family === 4) return !internal4.check(address, 'ipv4')
    return public6.check(address, 'ipv6') && !internal6.check(address, 'ipv6')
  }

  // The error must not reveal which internal address a name has: it repeats only the host that was typed in.
  const refused = (host: string) => new OutboundError(`${host} is not asked`, 'blocked')

  function check(host: string, port: number, encrypted: boolean): void {
    const bare = host.startsWith('[') ? host.slice(1, -1) : host
    if (isIP(bare) !== 0 && !permits(bare, encrypted)) throw refused(bare)
    const other = port < 1024 ? port !== 443 && port !== 80 : OTHER_SERVICES.has(port)
    if (other || port > 65_535) throw new OutboundError(`port ${port} is not asked`, 'blocked')
  }

  const lookup =
    (encrypted: boolean): LookupFunction =>
    (host, options, callback) => {
      resolver(host, { ...options, all: true }, (error, found) => {
        if (error) {
          callback(error, '')
          return
        }
        const addresses = found as unknown as LookupAddress[]
        const [first] = addresses
        if (addresses.some(({ address }) => !permits(address, encrypted))) callback(refused(host), '')
        else if (options.all) callback(null, addresses)
        else if (first) callback(null, first.address, first.family)
        else callback(Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' }), '')
      })
    }

  return {
    permits,
    check,
    lookup,
    async resolve(host, port, encrypted) {
      check(host, port, encrypted)
      const bare = host.startsWith('[') ? host.slice(1, -1) : host
      if (isIP(bare) !== 0) return [bare]
      const addresses = await new Promise<LookupAddress[]>((resolve, reject) =>
        lookup(encrypted)(bare, { all: true }, (error, found) =>
          error ? reject(outboundError(error)) : resolve(found as unknown as LookupAddress[]),
        ),
      )
      // Not every machine has a way out over IPv6.
      return addresses.sort((a, b) => a.family - b.family).map(({ address }) => address)
    },
  }
}

const TLS_CODES = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|EPROTO|HOSTNAME_MISMATCH|INVALID_CA)/

/** What went wrong on the way out, in one of the words of {@link OutboundFailure}. */
export function outboundError(error: Error): OutboundError {
  if (error instanceof OutboundError) return error
  const { code = '' } = error as NodeJS.ErrnoException
  // Several addresses were tried and none answered: the first one's reason.
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return outboundError(error.errors[0])
  const failure = TLS_CODES.test(code) ? 'tls' : code === 'ETIMEDOUT' ? 'timeout' : 'unreachable'
  // The system's own words name the address that a name stood for, or the names in a certificate.
  return new OutboundError(SAID[code] ?? (code || 'no connection'), failure, { cause: error })
}

const SAID: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused (ECONNREFUSED)',
  ECONNRESET: 'the connection was cut (ECONNRESET)',
  EPIPE: 'the connection was cut (EPIPE)',
  EHOSTUNREACH: 'there is no way there (EHOSTUNREACH)',
  ENETUNREACH: 'there is no way there (ENETUNREACH)',
  ENOTFOUND: 'the name was not found (ENOTFOUND)',
  EAI_AGAIN: 'the name could not be looked up (EAI_AGAIN)',
  ETIMEDOUT: 'no answer in time (ETIMEDOUT)',
}

/** What may be an IPv4 or IPv6 address in a sentence, with its zone and port. */
const ADDRESS = /(\[?)([0-9a-f:.]+)((?:%\w+)?\]?(?::\d+)?)/gi
/** Longer ones are none, whatever their zone. */
const LONGEST_ADDRESS = 256

/** What a client of a library says, without the addresses it was given in place of a name. */
export function withoutAddresses(text: string): string {
  return text.replace(ADDRESS, (whole: string, bracket: string, run: string, rest: string) => {
    if (whole.length > LONGEST_ADDRESS) return whole
    // What ends a sentence is no part of the address before it.
    const digits = trimmedEnd(run, /[:.]/)
    const found = bracket + digits + (digits === run ? rest : '')
    const after = whole.slice(found.length)
    const bare = found.replace(/%\w+/, '').replace(/^\[|\](:\d+)?$/g, '')
    const host = bare.replace(/:\d+$/, '')
    return isIP(bare) !== 0 || isIP(host) !== 0 ? `…${after}` : whole
  })
}
