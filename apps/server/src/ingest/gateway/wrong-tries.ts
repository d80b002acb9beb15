import { addressKey } from '../../lib/client-address.ts'
import type { Clock } from '../../lib/clock.ts'
import { Lru } from '../memory/lru.ts'
import type { SignInRefusal, SignInRequest } from '../sign-in-request.ts'

/** Refusals that may be guesses. */
const GUESSES: ReadonlySet<SignInRefusal> = new Set([
  'unknown_device',
  'wrong_secret',
  'wrong_token',
  'wrong_signature',
  'wrong_product_secret',
])
/** Wrong tries that are answered at once; a building of devices with an old secret stands behind one address. */
const FREE = { device: 5, address: 20 }
const FIRST_MS = 250
const LONGEST_MS = 8_000
/** After so long without a wrong try the count starts again. */
const FORGET_MS = 10 * 60_000
const REMEMBERED = 50_000

interface Tries {
  count: number
  /** When the last one was, and when the answer to the last one leaves. */
  last: number
  until: number
}

export interface WrongTriesOptions {
  /** Time that never jumps. */
  clock: Clock
  /** Resolves after so many ms; a timer that holds no process up when absent. */
  hold?: ((ms: number) => Promise<void>) | undefined
}

/**
 * Slows guessing of devices' secrets: the answer to a wrong one waits, ever longer, by device and by address, and of
 * many at once one after the other. Nothing is refused because of it: the secret is looked at first, and a right one is
 * answered at once, so nobody keeps a device out by guessing at it.
 */
export class WrongTries {
  private readonly tries = new Lru<string, Tries>(REMEMBERED)
  private readonly hold: (ms: number) => Promise<void>

  constructor(private readonly options: WrongTriesOptions) {
    this.hold = options.hold ?? (ms => new Promise(resolve => void setTimeout(resolve, ms).unref()))
  }

  /** To be waited for before a refusal is answered. */
  async refused(request: SignInRequest, reason: SignInRefusal): Promise<void> {
    if (!GUESSES.has(reason)) return
    const device =
      'deviceNo' in request && request.deviceNo !== null ? `${request.productKey ?? ''}/${request.deviceNo}` : null
    await this.wrong(device, request.address)
  }

  /** The same for what is no device. @param name what was guessed at; null: it is not known */
  async wrong(name: string | null, address: string): Promise<void> {
    const ms = Math.max(
      name === null ? 0 : this.count(`name:${name}`, FREE.device),
      this.count(`address:${addressKey(withoutPort(address))}`, FREE.address),
    )
    if (ms > 0) await this.hold(ms)
  }

  private count(key: string, free: number): number {
    const now = this.options.clock.now()
    const before = this.tries.get(key)
    const tries = before && now - before.last < FORGET_MS ? before : { count: 0, last: now, until: now }
    tries.count += 1
    tries.last = now
    this.tries.set(key, tries)
    const over = tries.count - free
    if (over <= 0) return 0
    const delay = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(10, over - 1))
    // Behind the answer before it, as far as anybody can be made to wait.
    tries.until = Math.min(Math.max(now, tries.until) + delay, now + LONGEST_MS)
    return tries.until - now
  }
}

/** `ip:port`, `[ip]:port`, or the address alone. */
function withoutPort(address: string): string {
  const bracketed = /^\[(.+)\](?::\d+)?$/.exec(address)
  if (bracketed) return bracketed[1]!
  return /^[^:]+:\d+$/.test(address) || /^::ffff:[\d.]+:\d+$/i.test(address)
    ? address.slice(0, address.lastIndexOf(':'))
    : address
}
