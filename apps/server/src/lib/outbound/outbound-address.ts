import { isIP } from 'node:net'
import { AppError } from '../errors.ts'
import { createAddressGuard, OutboundError } from './outbound-guard.ts'
import { portOf } from './port-of.ts'

/** An address that a person wants to keep, as it was typed. */
export interface TypedAddress {
  /** Name or IP address in any spelling that a resolver takes for one, with or without the brackets of IPv6. */
  host: string
  port: number
  encrypted: boolean
}

type Problem = 'outbound.internal' | 'outbound.unencrypted' | 'outbound.port'

/**
 * What can be said of an address without asking anybody. A name is not looked up when it is saved, for what it means may
 * change at any time: it is where the connection is made, each time ({@link createAddressGuard}).
 * @param allow networks of OUTBOUND_ALLOW
 * @returns null: nothing can be said against it
 */
export function addressProblem(allow: readonly string[], { host, port, encrypted }: TypedAddress): Problem | null {
  const guard = createAddressGuard(allow)
  const literal = literalOf(host)
  if (literal === undefined) {
    // Without TLS only what was allowed is asked; where nothing was, no name can lead there.
    if (!encrypted && allow.length === 0) return 'outbound.unencrypted'
  } else if (!guard.permits(literal, encrypted))
    return guard.permits(literal, true) ? 'outbound.unencrypted' : 'outbound.internal'
  try {
    guard.check('name.invalid', port, encrypted)
    return null
  } catch {
    return 'outbound.port'
  }
}

/**
 * @param field of the form the address was typed into
 * @throws AppError outbound.internal, outbound.unencrypted, outbound.port
 */
export function checkAddress(allow: readonly string[], address: TypedAddress, field: string): void {
  const code = addressProblem(allow, address)
  if (code) throw new AppError(code, { fields: { [field]: { code } } })
}

/**
 * The same of the whole address of a service, for callers that name the reason in an error of their own.
 * @returns the address, read
 * @throws OutboundError when it is none, holds a user or another protocol than HTTP, or something can be said against its host,
 * port or missing encryption
 */
export function checkServiceUrl(allow: readonly string[], text: string): URL {
  // A port above 65535 is a URI all the same, so no schema refuses it.
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null) throw new OutboundError('no address', 'blocked')
  const encrypted = url.protocol === 'https:'
  if (url.username || url.password) throw new OutboundError('user', 'blocked')
  if (!encrypted && url.protocol !== 'http:') throw new OutboundError(url.protocol, 'blocked')
  const port = portOf(url, encrypted ? 443 : 80)
  const problem = addressProblem(allow, { host: url.hostname, port, encrypted })
  if (problem === 'outbound.port') throw new OutboundError(`port ${port} is not asked`, 'blocked')
  if (problem === 'outbound.unencrypted') throw new OutboundError('http', 'blocked')
  if (problem !== null) throw new OutboundError(`${url.hostname} is not asked`, 'blocked')
  return url
}

/** The IP address that the host is, in its usual spelling; undefined: a name. What is neither is an address of nobody. */
function literalOf(host: string): string | undefined {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  // RFC 6761: this name means this machine whoever is asked.
  if (/^(.+\.)?localhost\.?$/i.test(bare)) return '127.0.0.1'
  if (isIP(bare) !== 0) return bare
  try {
    // The URL standard reads 0x7f.1, 2130706433, 0177.0.0.1 and full-width digits as a resolver would.
    const read = new URL(`http://${bare.includes(':') ? `[${bare}]` : bare}`).hostname.replace(/^\[(.*)\]$/, '$1')
    return isIP(read) === 0 ? undefined : read
  } catch {
    return 'none'
  }
}
