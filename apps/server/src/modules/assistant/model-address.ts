import type { Locale } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import { addressProblem } from '../../lib/outbound/outbound-address.ts'
import { portOf } from '../../lib/outbound/port-of.ts'
import words from './settings-words.json' with { type: 'json' }

export type SettingsProblem = keyof typeof words.problems

/** @returns assistant.model_invalid, saying in the caller's language what is wrong with the field */
export function settingsProblem(locale: Locale, problem: SettingsProblem, field: string): AppError {
  const params = { detail: words.problems[problem][locale] }
  return new AppError('assistant.model_invalid', {
    params,
    fields: { [field]: { code: 'assistant.model_invalid', params } },
  })
}

/**
 * An address of a model as a person typed it, in the one form it is kept in: without `/chat/completions` and without a
 * slash at its end. Names are not looked up here: that is done where the connection is made, each time.
 * @param allow CIDRs of OUTBOUND_ALLOW
 * @throws AppError assistant.model_invalid
 */
export function readModelAddress(locale: Locale, text: string, allow: readonly string[]): string {
  const bad = (problem: SettingsProblem) => settingsProblem(locale, problem, 'baseUrl')
  const given = text.trim()
  if (!URL.canParse(given)) throw bad('addressNoUrl')
  const url = new URL(given)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw bad('addressScheme')
  const encrypted = url.protocol === 'https:'
  if (!encrypted && allow.length === 0) throw bad('addressScheme')
  if (url.username || url.password || url.search || url.hash) throw bad('addressParts')
  const address = { host: url.hostname, port: portOf(url, encrypted ? 443 : 80), encrypted }
  if (addressProblem(allow, address) !== null) throw bad('addressBlocked')
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')
}

/** Whether a key that was given for one address may be sent to the other: only to the same server. */
export function sameServer(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin
}
