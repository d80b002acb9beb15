/**
 * JSON as devices write it when their program does not know JSON: printed by `printf`, `str(dict)` or by hand.
 *
 * One unreadable value must not cost its neighbours. What can be read in one way only is read: `+1`, `.5`, `5.`, a comma
 * before the closing bracket, names without quotes, texts in single quotes, `True`, `None`, line breaks inside a text,
 * several objects one after the other (as the elements of a list). Digits behind a leading zero become a text of these
 * digits. Everything else in the place of a value (`NaN`, `inf`, `1.#QNAN`, `--`, nothing at all) becomes `1e999`: no
 * finite number, which the thing model refuses by itself, with the name of the property.
 *
 * @param text the message, which is not JSON
 * @returns JSON, or null where brackets, quotes or colons do not fit together, or nothing in it is an object
 */
export function mendJson(text: string): string | null {
  const mender = new Mender(text)
  const values: string[] = []
  while (!mender.atEnd()) {
    const value = mender.value()
    // Texts and numbers one after the other are no message.
    if (value === null || (!value.startsWith('{') && !value.startsWith('['))) return null
    values.push(value)
    mender.comma()
  }
  if (!values.some(value => value.includes('{'))) return null
  return values.length === 1 ? (values[0] as string) : `[${values.join(',')}]`
}

/** Written for a value that cannot be read: too large for a number, so never a value of a property. */
const UNREADABLE = '1e999'
const DEEPEST = 64
const BLANK = /\s/
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const LOOSE_NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d+)?$/
const WORDS: Record<string, string> = {
  true: 'true',
  false: 'false',
  null: 'null',
  none: 'null',
  nil: 'null',
  undefined: 'null',
}

class Mender {
  private at = 0
  private depth = 0
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  atEnd(): boolean {
    this.blanks()
    return this.at >= this.text.length
  }

  comma(): boolean {
    this.blanks()
    if (this.text[this.at] !== ',') return false
    this.at++
    return true
  }

  /** The next value as JSON; null where the text does not go on as one. */
  value(): string | null {
    this.blanks()
    const sign = this.text[this.at]
    if (sign === '{') return this.nested('}', () => this.member())
    if (sign === '[') return this.nested(']', () => this.value())
    if (sign === '"' || sign === "'") return this.quoted(sign)
    const from = this.at
    while (this.at < this.text.length && !'{}[],:"\''.includes(this.text[this.at] as string)) this.at++
    return scalar(this.text.slice(from, this.at).trim())
  }

  private nested(end: string, part: () => string | null): string | null {
    if (++this.depth > DEEPEST) return null
    const begin = this.text[this.at++] as string
    const parts: string[] = []
    for (;;) {
      this.blanks()
      if (this.text[this.at] === end) break
      const one = part()
      if (one === null) return null
      parts.push(one)
      this.blanks()
      if (!this.comma() && this.text[this.at] !== end) return null
    }
    this.at++
    this.depth--
    return `${begin}${parts.join(',')}${end}`
  }

  private member(): string | null {
    const sign = this.text[this.at]
    const name = sign === '"' || sign === "'" ? this.quoted(sign) : this.bareName()
    this.blanks()
    if (name === null || name === UNREADABLE || this.text[this.at] !== ':') return null
    this.at++
    const value = this.value()
    return value === null ? null : `${name}:${value}`
  }

  private bareName(): string | null {
    const [name] = /^[\p{L}_$][\p{L}\p{N}_$.-]*/u.exec(this.text.slice(this.at, this.at + 128)) ?? []
    if (name === undefined) return null
    this.at += name.length
    return JSON.stringify(name)
  }

  /** A text with its quotes; control characters are escaped. Unreadable when an escape is none of JSON's. */
  private quoted(quote: string): string | null {
    const from = ++this.at
    while (this.at < this.text.length && this.text[this.at] !== quote) this.at += this.text[this.at] === '\\' ? 2 : 1
    if (this.at >= this.text.length) return null
    const inner = this.text.slice(from, this.at++)
    const written = quote === '"' ? inner : inner.replaceAll("\\'", "'").replace(/(?<!\\)"/g, '\\"')
    const escaped = `"${written.replace(/[\0-\x1f]/g, sign => JSON.stringify(sign).slice(1, -1))}"`
    try {
      JSON.parse(escaped)
      // What stood here were bytes that are not UTF-8.
      return escaped.includes('\ufffd') ? UNREADABLE : escaped
    } catch {
      return UNREADABLE
    }
  }

  private blanks(): void {
    while (this.at < this.text.length && BLANK.test(this.text[this.at] as string)) this.at++
  }
}

/** A value without quotes: a number, one of the words of JSON, or unreadable. */
function scalar(token: string): string {
  if (NUMBER.test(token)) return token
  const word = WORDS[token.toLowerCase()]
  if (word !== undefined) return word
  const [, sign, whole = '', fraction, exponent = ''] = LOOSE_NUMBER.exec(token) ?? []
  if (sign === undefined || (whole === '' && !fraction)) return UNREADABLE
  // 007 is a number of an object as often as it is seven: the digits are kept, the property's type decides.
  if (/^0\d/.test(whole)) return JSON.stringify(token)
  return `${sign === '-' ? '-' : ''}${whole || '0'}${fraction ? `.${fraction}` : ''}${exponent}`
}
