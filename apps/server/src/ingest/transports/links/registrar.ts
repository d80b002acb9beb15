import { readRegistration } from '../../../lib/links/register-packet.ts'
import { linkSettings } from '../../../lib/links/settings.ts'
import type { IngestPort, SignInResult, TransportName } from '../../transport.port.ts'
import type { LinkDirectory, LinkedProduct } from './link-directory.ts'

export interface RegistrarOptions {
  port: Pick<IngestPort, 'signIn' | 'settingsOf' | 'note'>
  products: Pick<LinkDirectory, 'rules'>
  transport: TransportName
  /** Whether devices of this link type come in here. */
  has(linkType: string): boolean
}

export type Registered = SignInResult | { ok: false; reason: 'not_readable' }

/** Rules of other products tried on one packet at a shared port. */
const MOST_RULES = 500
const RULES_AT_ONCE = 4

/** Finds out from its register packet who connects (interfaces.md §4, other ways in). */
export class Registrar {
  constructor(private readonly options: RegistrarOptions) {}

  /** @param own the product whose port it is; null: the shared port */
  async register(packet: Buffer, own: LinkedProduct | null, address: string): Promise<Registered> {
    const { port, transport } = this.options
    const peer = { address, transport }
    const rule = own?.settings.register ?? { kind: 'text' as const }
    const found = readRegistration(rule, packet)
    if (typeof found !== 'string' && found.kind === 'line') {
      const { productKey, deviceNo, secret } = found
      if (own && own.productKey !== productKey) return { ok: false, reason: 'not_allowed' }
      const result = await port.signIn({ kind: 'secret', productKey, deviceNo, secret, ...peer })
      if (!result.ok) this.note(productKey, deviceNo, result.reason, address)
      return result
    }
    if (own) {
      if (typeof found === 'string') return { ok: false, reason: 'not_readable' }
      return this.firstOf(found.deviceNos, own.productKey, peer)
    }
    return this.byNumber(packet, peer)
  }

  /** Tries the numbers until one is known. */
  private async firstOf(
    deviceNos: readonly string[],
    productKey: string | null,
    peer: { address: string; transport: TransportName },
  ): Promise<SignInResult> {
    let result: SignInResult = { ok: false, reason: 'unknown_device' }
    for (const deviceNo of deviceNos) {
      result = await this.options.port.signIn({ kind: 'number', productKey, deviceNo, ...peer })
      if (result.ok || result.reason !== 'unknown_device') {
        if (!result.ok && productKey !== null) this.note(productKey, deviceNo, result.reason, peer.address)
        return result
      }
    }
    return result
  }

  /** On the shared port: every way to read the packet is tried, and the product found must be read in that very way. */
  private async byNumber(packet: Buffer, peer: { address: string; transport: TransportName }): Promise<Registered> {
    const numbers = new Set<string>()
    const add = (rule: Parameters<typeof readRegistration>[0]) => {
      const found = readRegistration(rule, packet)
      if (typeof found !== 'string' && found.kind === 'number') for (const no of found.deviceNos) numbers.add(no)
    }
    add({ kind: 'text' })
    add({ kind: 'hex' })
    for (const [i, { settings }] of this.options.products.rules(this.options.has).slice(0, MOST_RULES).entries()) {
      // Other devices have their turn between the expressions of many companies.
      if (i > 0 && i % RULES_AT_ONCE === 0) await new Promise(setImmediate)
      add(settings.register)
    }
    if (numbers.size === 0) return { ok: false, reason: 'not_readable' }
    let last: Registered = { ok: false, reason: 'unknown_device' }
    for (const deviceNo of [...numbers].slice(0, MOST_NUMBERS)) {
      const result = await this.options.port.signIn({ kind: 'number', productKey: null, deviceNo, ...peer })
      if (result.ok) {
        if (this.isReadAs(result.device, packet, deviceNo)) return result
        last = { ok: false, reason: 'not_allowed' }
      } else if (result.reason !== 'unknown_device') last = result
    }
    return last
  }

  private isReadAs(device: Parameters<IngestPort['settingsOf']>[0], packet: Buffer, deviceNo: string): boolean {
    const settings = this.options.port.settingsOf(device)
    if (!settings || !this.options.has(settings.linkType)) return false
    const found = readRegistration(linkSettings(settings.link, settings.format.kind).register, packet)
    return typeof found !== 'string' && found.kind === 'number' && found.deviceNos.includes(deviceNo)
  }

  private note(productKey: string, deviceNo: string, reason: string, address: string): void {
    if (reason === 'unavailable' || reason === 'unknown_device') return
    this.options.port.note(productKey, deviceNo, 'sign_in_refused', {
      reason,
      address,
      transport: this.options.transport,
    })
  }
}

/** Different numbers tried for one packet. */
const MOST_NUMBERS = 16

/** The register packet as it may be shown: of a line only product and number. */
export function withoutSecret(packet: Buffer): Buffer {
  const text = packet.toString('latin1')
  const parts = text.split('/')
  return parts.length === 3 ? Buffer.from(`${parts[0]}/${parts[1]}/***`, 'latin1') : packet
}
