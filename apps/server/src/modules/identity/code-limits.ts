import { createHmac } from 'node:crypto'
import { addressKey } from '../../lib/client-address.ts'
import { deriveKey } from '../../lib/crypto/crypto-box.ts'
import type { SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { insertRequest, lockRequest, requestCounts, sentToday, sweepRequests } from './code-limits.repo.ts'
import type { LoginRow } from './identity.repo.ts'
import type { KnownBrowsers } from './known-browsers.ts'

/** Seconds between two messages of one asker to one address. */
export const RESEND_SECONDS = 60

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export type CodeChannel = 'sms' | 'mail' | 'link'

/**
 * Who has a code sent, or tries one. A stranger is known by his network; a browser in which the person signed in
 * before, somebody whose password was right (ticket) and somebody signed in have counts that no stranger reaches.
 */
export interface Asker {
  lane: 'stranger' | 'browser' | 'ticket' | 'signed_in'
  key: string
}

/** Where a request comes from: an address, with the cookie of its browser, or a login that is signed in. */
export type AskedFrom = { ip: string; browser?: string | undefined } | { loginId: string }

export function askerOf(browsers: KnownBrowsers, from: AskedFrom, login: Pick<LoginRow, 'id'> | null): Asker {
  if ('loginId' in from) return { lane: 'signed_in', key: from.loginId }
  const browser = login ? browsers.read(from.browser, login.id) : null
  return browser ? { lane: 'browser', key: browser } : { lane: 'stranger', key: addressKey(from.ip) }
}

/**
 * Codes to one address for one purpose in a day: for one asker, and for all askers of his lane; after that, one an
 * hour.
 */
const PER_ASKER = 10
const PER_ADDRESS = 20

/** What one asker may have sent to addresses of his choice: in an hour, before each waits longer; in a day. */
const SPREAD: Record<string, { free: number; day: number }> = {
  sign_in: { free: 20, day: 200 },
  register: { free: 3, day: 20 },
  reset: { free: 5, day: 30 },
  link: { free: 5, day: 30 },
  bind: { free: 5, day: 20 },
}
const FIRST_WAIT_MS = 30_000
const LONGEST_WAIT_MS = 600_000

/** Messages that strangers may cause in the whole installation in a day. */
export const CODES_PER_DAY: CodesPerDay = { sign_in: 5000, register: 500, reset: 1000, link: 1000 }
export type CodesPerDay = Record<'sign_in' | 'register' | 'reset' | 'link', number>

export interface CodeLimits {
  /**
   * Counts a message that is about to be sent.
   * @param sent false when nobody gets it, and only the answer is the same
   * @throws AppError auth.code_too_soon with the seconds to wait
   */
  take(
    scope: SystemScope,
    request: { channel: CodeChannel; purpose: string; asker: Asker; address: string; sent: boolean },
  ): Promise<void>
}

export function createCodeLimits(
  secretKey: string,
  now: () => number,
  perDay: Partial<CodesPerDay> = CODES_PER_DAY,
): CodeLimits {
  const key = deriveKey(secretKey, 'code-target')

  return {
    async take(scope, { channel, purpose, asker, address, sent }) {
      const at = now()
      const day = new Date(at - DAY_MS)
      const target = createHmac('sha256', key)
        .update(`${channel === 'sms' ? 'sms' : 'mail'}:${address}`)
        .digest()
      const request = { channel, purpose, asker, target, at: new Date(at) }
      await lockRequest(scope, request)
      const counts = await requestCounts(scope, request, { day, hour: new Date(at - HOUR_MS) })
      const until = [
        // Asking under another purpose does not shorten the wait: what reaches the person is one stream of messages.
        after(asker.lane === 'stranger' ? counts.laneLatest : counts.ownLatest, RESEND_SECONDS * 1000),
        counts.own >= PER_ASKER ? after(counts.ownOldest, DAY_MS) : 0,
        counts.lane >= PER_ADDRESS ? after(counts.laneLatestSame, HOUR_MS) : 0,
      ]
      const spread = asker.lane === 'stranger' || purpose === 'bind' ? SPREAD[purpose] : undefined
      if (spread) {
        const over = counts.askedHour - spread.free
        const growing = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, over))
        until.push(over >= 0 ? after(counts.askedLatest, growing) : 0)
        until.push(counts.asked >= spread.day ? after(counts.askedOldest, DAY_MS) : 0)
      }
      const most = asker.lane === 'stranger' ? perDay[purpose as keyof CodesPerDay] : undefined
      if (most !== undefined) {
        const all = await sentToday(scope, purpose, day)
        until.push(all.n >= most ? after(all.oldest, DAY_MS) : 0)
      }
      const wait = Math.max(...until) - at
      if (wait > 0) {
        const seconds = Math.ceil(wait / 1000)
        throw new AppError('auth.code_too_soon', { params: { seconds }, retryAfterSeconds: seconds })
      }
      await sweepRequests(scope, day)
      await insertRequest(scope, { ...request, sent })
    },
  }
}

function after(time: Date | null, ms: number): number {
  return time ? time.getTime() + ms : 0
}
