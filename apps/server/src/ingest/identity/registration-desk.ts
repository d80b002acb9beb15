import type { Clock } from '../../lib/clock.ts'
import type { RegistrationAnswer, RegistrationRequest } from '../../modules/device-identity/registration.port.ts'
import { Lru } from '../memory/lru.ts'
import type { RegistrationSignIn } from '../sign-in-request.ts'

export interface RegistrationDeskOptions {
  /** Asks the API process, which makes the device (quotas, operation log). Null: nobody answers. */
  ask(request: RegistrationRequest): Promise<RegistrationAnswer | null>
  clock: Clock
  /** Requests a minute from one address, and of one product; a burst may be as large. */
  perAddress?: number
  perProduct?: number
  /** Requests under way at the same time. */
  parallel?: number
}

const PER_ADDRESS = 60
const PER_PRODUCT = 1_200
const PARALLEL = 16

interface Bucket {
  tokens: number
  at: number
}

/**
 * Where devices without a secret of their own ask for one. Everybody may knock here, so the gateway counts before it
 * asks: by address, by product, and how many at once.
 */
export class RegistrationDesk {
  private readonly buckets = new Lru<string, Bucket>(20_000)
  private open = 0

  constructor(private readonly options: RegistrationDeskOptions) {}

  async register(request: RegistrationSignIn): Promise<RegistrationAnswer> {
    const { perAddress = PER_ADDRESS, perProduct = PER_PRODUCT, parallel = PARALLEL } = this.options
    const { productKey, deviceNo, address } = request
    const host = address.slice(0, address.lastIndexOf(':'))
    if (this.open >= parallel || !this.take(`a ${host}`, perAddress) || !this.take(`p ${productKey}`, perProduct)) {
      return { ok: false, reason: 'rate_limited' }
    }
    this.open++
    try {
      const productSecret = request.productSecret.toString()
      const answer = await this.options.ask({ productKey, deviceNo, productSecret, address: host })
      return answer ?? { ok: false, reason: 'unavailable' }
    } finally {
      this.open--
    }
  }

  private take(key: string, perMinute: number): boolean {
    const now = this.options.clock.now()
    const bucket = this.buckets.get(key) ?? { tokens: perMinute, at: now }
    bucket.tokens = Math.min(perMinute, bucket.tokens + ((now - bucket.at) * perMinute) / 60_000)
    bucket.at = now
    this.buckets.set(key, bucket)
    if (bucket.tokens < 1) return false
    bucket.tokens--
    return true
  }
}
