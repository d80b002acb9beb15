import type { Diagnosis } from '@thingwright/contracts/diagnosis.contract'
import type { Locale } from '../../lib/context.ts'
import words from './doctor-words.json' with { type: 'json' }

/** What the doctor found first, or that nothing is known to be wrong, in one sentence. */
export function causeText(locale: Locale, { cause, verdict }: Pick<Diagnosis, 'cause' | 'verdict'>): string {
  const text = words[locale]
  return cause === null ? text.verdict[verdict] : text.cause[cause]
}
