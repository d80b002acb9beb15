/** Names of fields whose values nobody finds in a log. */
const SECRET_NAME =
  /secret|passw|passphrase|token|credential|authori[sz]ation|cipher|private.?key|api.?key|access.?key|cookie|signature|^(pin|otp|code|captcha|key|pem|hash|sas|psk|pwd)$/i
/** Values that are secrets whatever they are called: our keys, bearer tokens and signed tokens, keys in PEM form. */
const SECRET_VALUE =
  /twk_[a-z0-9]{8}_[\w-]+|\bbearer\s+[\w.~+/=-]{8,}|\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gi
/** Name and password inside an address. */
const USER_INFO = /([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@"']{1,1000}@/gi
const MAYBE_SECRET = /twk_|bearer|eyj|-----begin|:\/\//i
const MASK = '***'
/** The stable words of an error and of a property are no secrets though they are called `code` and `key`. */
const WORD_CODE = /^[a-z_]+(\.[a-z_]+)+$/

/** Longest text that is kept of a body, in characters. */
export const KEPT_CHARS = 8192
/** Longer bodies are not read as JSON: their text is masked by its looks. */
const PARSED_CHARS = 262_144

/** Names come again and again: what was thought of one is remembered. */
const verdicts = new Map<string, boolean>()

function soundsSecret(name: string): boolean {
  let verdict = verdicts.get(name)
  if (verdict === undefined) {
    verdict = SECRET_NAME.test(name)
    if (verdicts.size < 5000 && name.length <= 64) verdicts.set(name, verdict)
  }
  return verdict
}

/** A body as it may be kept: JSON with secrets masked, its beginning only. */
export function maskedBody(body: unknown): string | null {
  if (body === undefined || body === null || body === '') return null
  if (typeof body !== 'string') return shortened(masked(body))
  if (body.length <= PARSED_CHARS) {
    try {
      return shortened(masked(JSON.parse(body)))
    } catch {
      // Not JSON, or cut off: masked below by its looks.
    }
  }
  return maskedText(body.slice(0, KEPT_CHARS + 1024)).slice(0, KEPT_CHARS)
}

function shortened(value: unknown): string | null {
  return (JSON.stringify(value) ?? '').slice(0, KEPT_CHARS) || null
}

function masked(value: unknown, name = '', depth = 0): unknown {
  if (name !== '' && soundsSecret(name) && !isHarmless(value)) return MASK
  if (typeof value === 'string') return maskedValue(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > 20) return MASK
  if (Array.isArray(value)) return value.map(item => masked(item, '', depth + 1))
  const kept = Object.create(null) as Record<string, unknown>
  for (const key in value) kept[key] = masked((value as Record<string, unknown>)[key], key, depth + 1)
  return kept
}

function isHarmless(value: unknown): boolean {
  return (
    value === null || typeof value === 'boolean' || value === '' || (typeof value === 'string' && WORD_CODE.test(value))
  )
}

function maskedValue(text: string): string {
  // Nearly every value is a name, a number, a time: one look is enough.
  if (!MAYBE_SECRET.test(text)) return text
  return text.replaceAll(SECRET_VALUE, MASK).replaceAll(USER_INFO, `$1${MASK}@`)
}

/** Text that is no whole JSON: what stands behind a name that sounds like a secret goes. */
function maskedText(text: string): string {
  const named = text.replaceAll(
    /(["']?)([\w.-]{1,64})\1(\s*[:=]\s*)("(?:[^"\\]|\\.)*(?:"|$)|[^\s,;&}\]"']+)/g,
    (whole, quote: string, name: string, between: string, value: string) =>
      SECRET_NAME.test(name) && !WORD_CODE.test(value.replaceAll('"', ''))
        ? `${quote}${name}${quote}${between}${value.startsWith('"') ? `"${MASK}"` : MASK}`
        : whole,
  )
  return maskedValue(named)
}

/** An address with its query, values that sound like secrets masked. */
export function maskedPath(url: string): string {
  const at = url.indexOf('?')
  if (at < 0) return maskedValue(url).slice(0, 1000)
  const query = new URLSearchParams(url.slice(at + 1))
  for (const [name, value] of [...query]) query.set(name, SECRET_NAME.test(name) ? MASK : maskedValue(value))
  return `${maskedValue(url.slice(0, at))}?${decodeMask(query.toString())}`.slice(0, 1000)
}

/** `***` stays readable in a query. */
const decodeMask = (text: string) => text.replaceAll('%2A%2A%2A', MASK)
