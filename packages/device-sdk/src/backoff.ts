const SHORTEST_MS = 500
const LONGEST_MS = 60_000
/** After a refusal of the credentials: somebody must act first. */
const REFUSED_MS = 30_000

/**
 * Pause before the given attempt (0 is the first repetition). Fully jittered, so that a fleet that lost its server
 * together does not come back together.
 */
export function reconnectDelay(attempt: number, refused: boolean, random: () => number): number {
  const ceiling = Math.min(LONGEST_MS, Math.max(refused ? REFUSED_MS : 1_000, 1_000 * 2 ** Math.min(attempt, 10)))
  const floor = refused ? ceiling / 2 : SHORTEST_MS
  return floor + (ceiling - floor) * random()
}
