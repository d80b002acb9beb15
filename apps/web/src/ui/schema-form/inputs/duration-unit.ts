/** Units a length of time is typed in. */
export const UNITS = [
  { key: 'day', seconds: 86_400 },
  { key: 'hour', seconds: 3600 },
  { key: 'minute', seconds: 60 },
  { key: 'second', seconds: 1 },
] as const

/** The largest unit in which so many seconds are a whole number. */
export function unitFor(seconds: unknown): number {
  if (typeof seconds !== 'number' || seconds === 0) return 60
  return UNITS.find(unit => seconds % unit.seconds === 0)?.seconds ?? 1
}
