import { createHmac, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../../lib/crypto/crypto-box.ts'

/** An address is good for one to two of these, seconds: it stays the same within one, so that browsers can cache. */
const WINDOW_SECONDS = 600

export type LinkState = 'valid' | 'expired' | 'invalid'

/** Addresses of private materials that work without a header, for `img`, `audio` and `video`. */
export interface MediaLinks {
  /** Path and query, for the material or its small picture. @param version changes with the bytes */
  sign(id: string, now: number, version: string): { url: string; thumbUrl: string }
  /** @param e epoch seconds of the end, @param s signature, both as they stand in the address */
  check(id: string, e: number | undefined, s: string | undefined, now: number): LinkState
}

/** @param secretKey the installation's secret; a key of its own is derived from it */
export function createMediaLinks(secretKey: string): MediaLinks {
  const key = deriveKey(secretKey, 'media-links')
  const signature = (id: string, e: number) =>
    createHmac('sha256', key).update(`${id.toLowerCase()}:${e}`).digest().subarray(0, 18)

  return {
    sign(id, now, version) {
      const e = (Math.floor(now / 1000 / WINDOW_SECONDS) + 2) * WINDOW_SECONDS
      const query = `v=${version}&e=${e}&s=${signature(id, e).toString('base64url')}`
      return { url: `/media/${id}?${query}`, thumbUrl: `/media/${id}/thumb?${query}` }
    },
    check(id, e, s, now) {
      if (e === undefined || s === undefined || !Number.isSafeInteger(e)) return 'invalid'
      const given = Buffer.from(s, 'base64url')
      const expected = signature(id, e)
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'invalid'
      return e * 1000 > now ? 'valid' : 'expired'
    },
  }
}
