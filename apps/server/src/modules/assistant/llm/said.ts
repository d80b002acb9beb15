import type { Locale } from '../../../lib/context.ts'
import type { LlmError } from '../llm.port.ts'
import words from '../settings-words.json' with { type: 'json' }

/** Why there is no answer, for whoever asked: without the provider's own words, which may tell of its owner. */
export function failureText(error: LlmError, locale: Locale): string {
  return words.failures[isKeyRefused(error) ? 'key' : error.reason][locale]
}

/** The service takes requests, but not with this key. */
export function isKeyRefused(error: LlmError): boolean {
  return error.reason === 'refused' && (error.status === 401 || error.status === 403)
}
