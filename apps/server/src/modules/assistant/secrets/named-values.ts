import words from '../assistant-words.json' with { type: 'json' }

const { keys, harmlessKeys, numericKeys, phraseKeys, proseWords, valueHalf } = words.secrets

/** Called by a name that tells a secret. */
const SECRET_NAME = new RegExp(`^(?:${keys})$`, 'iu')
const HARMLESS_NAME = new RegExp(harmlessKeys, 'i')
const NUMERIC_NAME = new RegExp(numericKeys, 'i')
/** Stands in for a secret in manuals. */
const PLACEHOLDER = /^(?:[A-Z][A-Z_]*|[*•.…x]+|\$.*|<.*|\{.*|[yY]our[_-].*|null|none|true|false|undefined|\[secret\]?)$/
const NUMBER = /^[-+]?\d+(?:\.\d+)?$/

/** Whether a value of that name may be shown: it says nothing, or the name counts and dates a secret only. */
export function isHarmless(name: string, value: string): boolean {
  if (value === '' || HARMLESS_NAME.test(name) || PLACEHOLDER.test(value)) return true
  return NUMBER.test(value) && !(NUMERIC_NAME.test(name) && /^\d{4,}$/.test(value))
}

/** Whether something is called by a name that tells a secret: `password`, `DB_PASSWORD`, `密码`. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name.trim()) && !HARMLESS_NAME.test(name.trim())

/** What names the other half of a pair of name and value. */
const NAME_HALF = 'key|name|field|param|parameter|property|attribute|identifier|label|header|k|n'
const NAMES_HALF = new RegExp(`^(?:${NAME_HALF})$`, 'i')
const VALUES_HALF = new RegExp(`^(?:${valueHalf})$`, 'i')

/** The keys of an object whose values are secrets because another of its values says so. */
export function toldByNeighbour(value: Readonly<Record<string, unknown>>): string[] {
  const entries = Object.entries(value)
  const tells = entries.some(([key, told]) => NAMES_HALF.test(key) && typeof told === 'string' && isSecretName(told))
  return tells ? entries.flatMap(([key]) => (VALUES_HALF.test(key) ? [key] : [])) : []
}

type Groups = Record<'before' | 'key' | 'between' | 'value' | 'after', string>

/** Each has `key` and `value`; `before`, `between` and `after` stay as they are. */
const SHAPES: readonly RegExp[] = [
  // <password>…</password>, also within CDATA
  new RegExp(
    `(?<before><(?:[\\w-]{1,40}:)?)(?<key>${keys})(?<between>(?:\\s[^<>]{0,200})?>\\s{0,40}(?:<!\\[CDATA\\[)?)(?<value>[^<>\\s](?:[^<>\\]]{0,500}[^<>\\]\\s])?)(?<after>\\s{0,40}(?:\\]\\]>)?\\s{0,40}<\\/)`,
    'giu',
  ),
  // {"key":"password","value":"…"}, <add key="password" value="…"/>, - name: PASSWORD ⏎ value: …
  new RegExp(
    `(?<before>(?<![\\w-])\\\\?["']?(?:${NAME_HALF})\\\\?["']?\\s{0,8}[:=]\\s{0,8}\\\\?["']?)(?<key>${keys})(?<between>\\\\?["']?\\s{0,40},?\\s{0,40}\\\\?["']?(?:${valueHalf})\\\\?["']?\\s{0,8}[:=]\\s{0,8}\\\\?["']?)(?<value>[^\\s"'\\\\,}<>]{1,500})(?<after>)`,
    'giu',
  ),
  // <property name="password">…<
  new RegExp(
    `(?<before>\\s(?:${NAME_HALF})=["'])(?<key>${keys})(?<between>["'][^<>]{0,200}>\\s{0,40})(?<value>[^<>\\s][^<>]{0,500}?)(?<after>\\s{0,40}<)`,
    'giu',
  ),
]
/** {"value":"…","key":"password"} */
const REVERSED = new RegExp(
  `(\\\\?["'](?:${valueHalf})\\\\?["']\\s{0,8}:\\s{0,8}\\\\?["'])([^\\s"'\\\\,}]{1,500})(\\\\?["']\\s{0,8},\\s{0,8}\\\\?["'](?:${NAME_HALF})\\\\?["']\\s{0,8}:\\s{0,8}\\\\?["'])(${keys})(?=\\\\?["'])`,
  'giu',
)
/** `密码 Admin@2024`, `password hunter2`: nothing stands between but a blank, or in Chinese not even that. */
const SPACED = new RegExp(
  `(?<![A-Za-z0-9])(?<key>${keys})(?<between>(?<=[\\p{L}])[ \\t\\u3000]{1,8}|(?<=[\\p{Script=Han}])[ \\t\\u3000]{0,8})(?<value>[\\x21\\x23-\\x26\\x2a-\\x2b\\x2d-\\x3a\\x3d-\\x5a\\x5e-\\x7a\\x7e]{4,128})(?![A-Za-z0-9])`,
  'giu',
)
/** `passphrase: correct horse battery` */
const PHRASE = new RegExp(
  `(?<![A-Za-z0-9])(?<key>${phraseKeys})(?<between>\\\\?["']?\\s{0,8}[:=：]\\s{0,8}|\\s{1,8}(?:is|are)\\s{1,8})(?<value>[\\p{L}\\p{N}]{2,24}(?:[ -][\\p{L}\\p{N}]{2,24}){2,23})(?=[ \\t]*(?:$|[\\n.,;!?"'\\\\，。；！？]))`,
  'gimu',
)
const PROSE = new RegExp(`^(?:${proseWords})$`, 'i')
/** Names of methods and formats have letters and digits too. */
const METHOD =
  /^(?:sha-?\d+|md5|aes-?\d+\S*|base64\S*|oauth2?|utf-?8|[ehr]s\d{3}|v\d[\d.]*|ipv[46]|x\.?509|http2?|wpa[23]\S*)[.:]?$/i

/** The text without values that stand beside a name that tells a secret, whatever stands between the two. */
export function withoutNamedValues(text: string, blank: string): string {
  let clean = text
  for (const shape of SHAPES)
    clean = clean.replaceAll(shape, (whole, ...rest) => {
      const { before, key, between, value, after } = rest.at(-1) as Groups
      return isHarmless(key, value) ? whole : before + key + between + blank + after
    })
  clean = clean.replaceAll(REVERSED, (whole, before: string, value: string, between: string, key: string) =>
    isHarmless(key, value) ? whole : before + blank + between + key,
  )
  clean = clean.replaceAll(PHRASE, (whole, ...rest) => {
    const { key, between, value } = rest.at(-1) as Groups
    return value.split(/[ -]/).some(word => PROSE.test(word)) ? whole : key + between + blank
  })
  return clean.replaceAll(SPACED, (whole, ...rest) => {
    const { key, between, value } = rest.at(-1) as Groups
    const bare = value.replace(/[.:!?]{1,3}$/, '')
    if (isHarmless(key, bare) || METHOD.test(bare)) return whole
    const isNumber = /^\d{4,10}$/.test(bare)
    const isMixed = bare.length >= 5 && /[A-Za-z]/.test(bare) && /\d/.test(bare) && !/^[\w-]+=/.test(bare)
    return isNumber || isMixed ? key + between + blank + value.slice(bare.length) : whole
  })
}
