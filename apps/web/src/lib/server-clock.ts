/** Milliseconds that the server's clock is ahead of this computer's. */
let offset = 0
/** The header `Date` counts whole seconds: a difference below this says nothing. */
const UNSURE_MS = 1_500

/**
 * Epoch ms by the server's clock, as far as its last answer told. A computer whose clock is wrong asks for the same
 * ranges, shows the same ages and renews its token as late as any other.
 */
export function serverNow(): number {
  return Date.now() + offset
}

/**
 * Learns from an answer of the server.
 * @param date its header `Date`
 * @param sentAt epoch ms of this computer when the request left; the answer was made between then and now
 */
export function learnServerTime(date: string | null, sentAt: number): void {
  const said = date === null ? Number.NaN : Date.parse(date)
  if (!Number.isFinite(said)) return
  // The second that the header names has begun when the answer was made: in the middle it is half a second on.
  const found = said + 500 - (sentAt + Date.now()) / 2
  if (Math.abs(found - offset) > UNSURE_MS + (Date.now() - sentAt) / 2) offset = Math.abs(found) < UNSURE_MS ? 0 : found
}
