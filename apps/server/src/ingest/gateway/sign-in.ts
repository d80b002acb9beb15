import type { Clock } from '../../lib/clock.ts'
import { secretMatches } from '../../lib/crypto.ts'
import type { Logger } from '../../lib/log.ts'
import type { SignInRequest, SignInResult } from '../transports/transport.ts'
import type { Directory, DirectoryEntry } from './directory.ts'

export interface SignInOptions {
  directory: Directory
  clock: Clock
  logger: Logger
}

/**
 * Checks a device's name and secret. A secret is 32 random bytes, so one SHA-256 is enough and 5,000 reconnects cost
 * milliseconds; the previous secret is good for its time after a rotation. Whether a device is disabled is told only
 * to who knows its secret.
 */
export async function signIn(options: SignInOptions, request: SignInRequest): Promise<SignInResult> {
  let entry: DirectoryEntry | null
  try {
    entry = await options.directory.find(request.productKey, request.deviceNo)
  } catch (error) {
    options.logger.warn({ err: error }, 'device directory not readable')
    return { ok: false, reason: 'unavailable' }
  }
  if (!entry) return { ok: false, reason: 'unknown_device' }
  if (!isSecretOf(entry, request.secret, options.clock.now())) return { ok: false, reason: 'wrong_secret' }
  if (!entry.record.enabled) return { ok: false, reason: 'disabled' }
  if (!entry.published) return { ok: false, reason: 'not_published' }
  return { ok: true, device: entry.record }
}

/** Both are compared, whichever matches first. */
function isSecretOf(entry: DirectoryEntry, secret: Buffer, now: number): boolean {
  const current = secretMatches(secret, entry.secretHash)
  const previous = secretMatches(secret, entry.previousSecretHash)
  return current || (previous && now < entry.previousSecretUntil)
}
