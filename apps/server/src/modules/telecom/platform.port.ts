import { parseExact } from '../../lib/exact-json.ts'
import type { Outbound, OutboundRequest } from '../../lib/outbound/outbound.ts'
import { OutboundError } from '../../lib/outbound/outbound-guard.ts'

export type PlatformKind = 'ctwing' | 'onenet'

/** With what a platform lets us in. */
export interface PlatformAccess {
  baseUrl: string
  /** appKey of CTWing, id of a user or product of OneNET. */
  account: string
  /** What `account` is at OneNET. */
  auth: 'user' | 'product'
  /** appSecret of CTWing, access key of OneNET (Base64). */
  appSecret: string
}

/** A product as its platform knows it. */
export interface PlatformProduct {
  platformProduct: string
  /** Master-APIkey of CTWing; empty: none. */
  masterKey: string
}

/** What a device is made of at its platform. */
export interface NewPlatformDevice {
  name: string
  deviceNo: string
  imei: string
  imsi: string | null
  psk: string | null
}

/** A device at its platform. */
export interface PlatformDevice {
  platformDevice: string
  deviceNo: string
  imei: string
}

/** What a device is told through its platform. */
export interface PlatformCommand {
  kind: 'property_set' | 'service' | 'raw'
  identifier: string | null
  params: Record<string, unknown>
  /** The bytes of a product that speaks bytes; null: it speaks names and values. */
  bytes: Buffer | null
  /** How long the platform may keep it for a device that sleeps. */
  ttlSeconds: number
}

/** Where a command is, as its platform says it. */
export interface PlatformCommandState {
  state: 'saved' | 'sent' | 'delivered' | 'succeeded' | 'failed' | 'expired' | 'cancelled'
  /** The platform's own words. */
  text: string
  code?: string
  data?: unknown
}

export type PlatformFault =
  /** The key is not let in: number, secret, signature, time. */
  | 'credentials'
  /** There is no such device, product or command. */
  | 'unknown'
  /** It is there already. */
  | 'exists'
  /** The device is away, and the platform keeps nothing for it. */
  | 'away'
  /** Too many requests: later. */
  | 'frequency'
  /** No answer, half an answer, busy: later. */
  | 'unavailable'
  /** It did not answer in time: whether it did what it was told is not known. */
  | 'timeout'
  /** It says no. */
  | 'refused'
  /** It cannot do this at all. */
  | 'unsupported'
  /** What it answered is not what its documents say. */
  | 'answer'

/** A platform that did not do what it was asked. */
export class PlatformError extends Error {
  /**
   * @param text the platform's own words, never translated
   * @param code its own code
   */
  constructor(
    readonly fault: PlatformFault,
    readonly text: string,
    readonly code: string = '',
  ) {
    super(`${fault}${code ? ` ${code}` : ''}: ${text}`)
    this.name = 'PlatformError'
  }

  /** Asking again later may help. */
  get passing(): boolean {
    return this.fault === 'frequency' || this.fault === 'unavailable' || this.fault === 'timeout'
  }

  /** Code and words as people read them. */
  get said(): string {
    return [this.code, this.text].filter(Boolean).join(' ')
  }
}

/** One key at a platform. Every method fails with PlatformError. */
export interface TelecomPlatform {
  /** A signed call that changes nothing. @param product one of the platform's; CTWing needs none */
  verify(product: string | null): Promise<void>
  /** @returns the platform's id of the device */
  createDevice(product: PlatformProduct, device: NewPlatformDevice): Promise<string>
  /** @returns null: the platform has no such device */
  findDevice(product: PlatformProduct, device: NewPlatformDevice): Promise<string | null>
  deleteDevice(product: PlatformProduct, device: PlatformDevice): Promise<void>
  /** @returns the platform's number of the command, or how it ended at once */
  send(
    product: PlatformProduct,
    device: PlatformDevice,
    command: PlatformCommand,
  ): Promise<{ platformNo: string } | { ended: PlatformCommandState }>
  /** @returns null: this platform cannot be asked */
  stateOf(product: PlatformProduct, device: PlatformDevice, platformNo: string): Promise<PlatformCommandState | null>
}

/** Makes the platform of a key. */
export type PlatformFactory = (kind: PlatformKind, access: PlatformAccess, simulated: boolean) => TelecomPlatform

/**
 * Sends a request to a platform and reads its answer whole.
 * @throws PlatformError timeout, unavailable, credentials (HTTP 401 and 403), frequency (429)
 */
export async function askPlatform(
  outbound: Pick<Outbound, 'fetch'>,
  url: string | URL,
  request: OutboundRequest,
): Promise<Record<string, unknown>> {
  let text: string
  let status: number
  try {
    const answer = await outbound.fetch(url, request)
    status = answer.status
    text = await answer.text()
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw new PlatformError(error.failure === 'timeout' ? 'timeout' : 'unavailable', error.message, error.failure)
  }
  const code = String(status)
  const begin = text.slice(0, 300)
  if (status === 401 || status === 403) throw new PlatformError('credentials', begin, code)
  if (status === 429) throw new PlatformError('frequency', begin, code)
  if (status < 200 || status >= 300) throw new PlatformError(status >= 500 ? 'unavailable' : 'refused', begin, code)
  let value: unknown
  try {
    value = parseExact(text)
  } catch {
    throw new PlatformError('answer', begin || 'an empty answer')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new PlatformError('answer', begin)
  return value as Record<string, unknown>
}
