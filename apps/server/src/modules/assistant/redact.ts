import words from './assistant-words.json' with { type: 'json' }
import { isHarmless, toldByNeighbour } from './secrets/named-values.ts'

/** Keys whose values nobody gets to see through the assistant: as in the operation log (lib/audit.ts). */
const SECRET_KEY = new RegExp(words.redact.keys, 'i')
/** A number, a flag or a time under such a key is no secret: `passwordChangedAt`, `tokensUsed`. */
const HARMLESS_KEY = new RegExp(words.redact.harmlessKeys, 'i')
/** Texts that are secrets wherever they stand: our API keys, PEM private keys; JSON web tokens besides. */
const SECRET_TEXT =
  /twk_[A-Za-z0-9_-]{8,}|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g

export const BLANK = '[secret]'

/** The text without what looks like a key of ours. */
export function redactText(text: string): string {
  return withoutTokens(text).replaceAll(SECRET_TEXT, BLANK)
}

/** What a token and the texts around it are made of. */
const DOTTED = /[A-Za-z0-9_.-]+/g
const TOKEN_BEGINS = 'eyJ'
const SHORTEST = 8

/** JSON web tokens: `eyJ…`, a dot, eight characters or more, a dot, and the rest. Every character is looked at once. */
function withoutTokens(text: string): string {
  if (!text.includes(TOKEN_BEGINS)) return text
  return text.replaceAll(DOTTED, run => {
    const parts = run.split('.')
    const kept: string[] = []
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i]!
      const at = part.indexOf(TOKEN_BEGINS)
      const long = at >= 0 && part.length - at - TOKEN_BEGINS.length >= SHORTEST
      const token = long && i + 2 < parts.length && parts[i + 1]!.length >= SHORTEST
      kept.push(token ? part.slice(0, at) + BLANK : part)
      if (token) i += 2
    }
    return kept.join('.')
  })
}

/** A copy without secrets: neither values under telling keys nor texts that are keys. */
export function redact<T>(value: T): T {
  return clean(value, 0) as T
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value)
  if (value === null || typeof value !== 'object') return value
  if (depth > 40) return null
  if (Array.isArray(value)) return value.map(item => clean(item, depth + 1))
  if (value instanceof Date) return value.toISOString()
  const told = new Set(toldByNeighbour(value as Record<string, unknown>))
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      isSecret(key, inner) || (told.has(key) && isSaying(inner)) ? BLANK : clean(inner, depth + 1),
    ]),
  )
}

function isSecret(key: string, value: unknown): boolean {
  if (!SECRET_KEY.test(key) || HARMLESS_KEY.test(key)) return false
  // `{"password": 12345678}`, `{"pin": 4821}`: digits under a name of secrets that are digits.
  return typeof value === 'number' ? !isHarmless(key, String(value)) : isSaying(value)
}

function isSaying(value: unknown): boolean {
  if (typeof value === 'number') return /^\d{4,}$/.test(String(value))
  return value !== null && value !== '' && typeof value !== 'boolean'
}
