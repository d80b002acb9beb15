import { trimmed } from './trimmed.ts'

/** Signs that show nothing where they are written: formats, zero-width joiners, fillers of Hangul and Braille's blank. */
const INVISIBLE = /[\p{Cf}\p{Z}\p{Cc}\u115F\u1160\u2800\u3164\uFFA0]/gu
/** Blanks and signs without width that people copy along with a name. U+200C and U+200D join letters and stay inside. */
const EDGE = /[\s\u200B-\u200D\u2060\uFEFF]/
/** Control characters, line separators and overrides of the writing direction: a name with one reads as another. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u

/**
 * A name as it is kept: without blanks at its ends; empty when it shows nothing at all.
 * @returns null when a control character is inside it
 */
export function writtenName(text: string): string | null {
  const inner = trimmed(text, EDGE)
  if (CONTROL.test(inner)) return null
  return inner.replace(INVISIBLE, '') === '' ? '' : inner
}
