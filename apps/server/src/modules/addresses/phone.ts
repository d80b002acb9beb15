import words from './words.json' with { type: 'json' }

/** Phone numbers as they are kept: mainland numbers as digits (landlines `0571-88888888`, with `-123` for an extension), others with `+`. */

const MOBILE = /^1[3-9]\d{9}$/
const EXTENSION = `(?:-|${words.extension})`
const VIRTUAL = new RegExp(`^(1[3-9]\\d{9})${EXTENSION}(\\d{1,6})$`)
const LANDLINE = new RegExp(`^(010|02\\d|0[3-9]\\d{2})-?(\\d{7,8})(?:${EXTENSION}(\\d{1,6}))?$`)
/** In the order in which they are tried. */
const IN_TEXT = [
  new RegExp(`(?<!\\d)(?:\\+?86[- ]?)?1[3-9]\\d[- ]?\\d{4}[- ]?\\d{4}(?:${EXTENSION}\\d{1,6})?(?!\\d)`, 'g'),
  new RegExp(
    `(?<!\\d)(?:\\+?86[- ]?)?\\(?0(?:10|2\\d|[3-9]\\d{2})\\)?[- ]?\\d{7,8}(?:${EXTENSION}\\d{1,6})?(?!\\d)`,
    'g',
  ),
  /(?<!\d)[48]00[- ]?\d{3}[- ]?\d{4}(?!\d)/g,
  /\+[1-9][\d -]{6,18}\d/g,
]

/** One form for what people write; null when it is no phone number. */
export function normalisePhone(written: string): string | null {
  const text = written
    .normalize('NFKC')
    .replaceAll(/[\s().\u2010-\u2015]/g, character => (/[\u2010-\u2015]/.test(character) ? '-' : ''))
    .replace(/^00(?=[1-9])/, '+')
  const home = text.replace(/^\+?86-?(?=1[3-9]|0\d|[48]00)/, '')
  const bare = home.replaceAll('-', '')
  if (MOBILE.test(bare)) return bare
  // A number for the parcel only: the mobile number of the platform with an extension.
  const virtual = VIRTUAL.exec(home)
  if (virtual) return `${virtual[1]}-${virtual[2]}`
  if (/^[48]00\d{7}$/.test(bare)) return bare
  const landline = LANDLINE.exec(home)
  if (landline) return `${landline[1]}-${landline[2]}${landline[3] ? `-${landline[3]}` : ''}`
  if (/^\+[1-9]\d{6,14}$/.test(bare) && !bare.startsWith('+86')) return bare
  return null
}

/** The first phone number in a text, and where it stands. */
export function findPhone(text: string): { phone: string; start: number; end: number } | null {
  for (const pattern of IN_TEXT) {
    for (const match of text.matchAll(pattern)) {
      const phone = normalisePhone(match[0])
      if (phone !== null) return { phone, start: match.index, end: match.index + match[0].length }
    }
  }
  return null
}
