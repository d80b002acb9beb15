import type { Clock } from '../../lib/clock.ts'
import type { SignInRefusal } from '../../modules/diagnosis/diagnosis.port.ts'
import { Lru } from '../memory/lru.ts'

/** Refusals kept of one product; products kept. */
const PER_PRODUCT = 50
const PRODUCTS = 2_000
const LONGEST = 128

export type RefusedTry = Pick<
  SignInRefusal,
  'productKey' | 'deviceNo' | 'reason' | 'transport' | 'address' | 'previousSecret'
>

/**
 * The last refused sign-ins of each product, also of numbers that no device has: they stand in no device's log. Memory
 * only and bounded: whoever tries a million numbers pushes out his own tries, product by product.
 */
export class Refusals {
  private readonly products = new Lru<string, Map<string, SignInRefusal>>(PRODUCTS)

  constructor(private readonly clock: Clock) {}

  add(tried: RefusedTry): void {
    const now = this.clock.now()
    const productKey = cut(tried.productKey)
    const address = withoutPort(tried.address)
    let kept = this.products.get(productKey)
    if (!kept) {
      kept = new Map()
      this.products.set(productKey, kept)
    }
    const deviceNo = cut(tried.deviceNo)
    const key = `${tried.reason}/${tried.transport}/${address}/${deviceNo}`
    const before = kept.get(key)
    kept.delete(key)
    kept.set(key, {
      productKey,
      deviceNo,
      reason: tried.reason,
      transport: tried.transport,
      address,
      previousSecret: tried.previousSecret,
      firstAt: before?.firstAt ?? now,
      lastAt: now,
      count: (before?.count ?? 0) + 1,
    })
    if (kept.size > PER_PRODUCT) kept.delete(kept.keys().next().value!)
  }

  /** Newest first. */
  of(productKey: string): SignInRefusal[] {
    return [...(this.products.peek(productKey)?.values() ?? [])].reverse()
  }
}

function cut(text: string): string {
  return text.slice(0, LONGEST).toWellFormed().replaceAll('\0', '\uFFFD')
}

/** `1.2.3.4:5` → `1.2.3.4`, `[::1]:5` and `::1:5` → `::1`: one place however often it dials. */
export function withoutPort(address: string): string {
  const end = address.lastIndexOf(':')
  return (end > 0 ? address.slice(0, end) : address).replace(/^\[|\]$/g, '')
}
