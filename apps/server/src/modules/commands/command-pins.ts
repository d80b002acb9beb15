import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { AppError } from '../../lib/errors.ts'

const derive = promisify(scrypt) as (pin: string, salt: Buffer, length: number) => Promise<Buffer>
const LENGTH = 32
const TRIES = 5
const LOCK_MS = 300_000
const REMEMBERED = 10_000

/** `salt$hash` of a PIN, both base64url. */
export async function hashPin(pin: string): Promise<string> {
  const salt = randomBytes(16)
  return `${salt.toString('base64url')}$${(await derive(pin, salt, LENGTH)).toString('base64url')}`
}

/** Checks PINs and counts wrong ones: five at a product, then five minutes of nothing. */
export class CommandPins {
  private readonly wrong = new Map<string, { tries: number; until: number }>()

  constructor(private readonly now: () => number) {}

  /** @throws AppError command.pin_wrong, command.pin_locked */
  async check(loginId: string, productId: string, stored: string, pin: string): Promise<void> {
    const key = `${loginId} ${productId}`
    const before = this.wrong.get(key)
    if (before && before.tries >= TRIES) {
      const left = before.until - this.now()
      if (left > 0) throw new AppError('command.pin_locked', { params: { seconds: Math.ceil(left / 1000) } })
      this.wrong.delete(key)
    }
    // Counted before it is known: many at once are still no more than five.
    const tries = (this.wrong.get(key)?.tries ?? 0) + 1
    this.wrong.delete(key)
    this.wrong.set(key, { tries, until: this.now() + LOCK_MS })
    if (this.wrong.size > REMEMBERED) this.wrong.delete(this.wrong.keys().next().value!)
    const [salt = '', hash = ''] = stored.split('$')
    const seen = await derive(pin, Buffer.from(salt, 'base64url'), LENGTH)
    const known = Buffer.from(hash, 'base64url')
    if (known.length !== seen.length || !timingSafeEqual(known, seen)) throw new AppError('command.pin_wrong')
    this.wrong.delete(key)
  }
}
