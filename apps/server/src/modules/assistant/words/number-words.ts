import words from './time-phrases.json' with { type: 'json' }

const ENGLISH: Record<string, number> = words.englishNumbers
const DIGITS: Record<string, number> = words.digits

/**
 * A number as people write it: 12, 3.5, twelve, half an, 三, 二十五, 一百零五, 半, 两个半.
 * @returns null when it is none
 */
export function readNumber(text: string): number | null {
  const asked = text.trim().toLowerCase()
  if (/^[+-]?\d+(?:\.\d+)?$/.test(asked)) return Number(asked)
  if (Object.hasOwn(ENGLISH, asked)) return ENGLISH[asked]!
  const half = asked.endsWith(words.half) ? 0.5 : 0
  const whole = (half ? asked.slice(0, -1) : asked).replace(new RegExp(`${words.counter}$`, 'u'), '')
  if (whole === '') return half || null
  const bare = asked === words.half + words.counter ? 0.5 : chinese(whole)
  return bare === null ? null : bare + half
}

const D = `[${Object.keys(DIGITS).join('')}]`
const CHINESE = new RegExp(`^(?:(${D})${words.hundred})?${words.zero}?(?:(${D})?(${words.ten}))?(${D})?$`, 'u')

/** 0 to 999. */
function chinese(text: string): number | null {
  const read = text === '' ? null : CHINESE.exec(text)
  if (!read) return null
  const [, hundreds, tens, ten, ones] = read
  const digit = (of: string | undefined, otherwise = 0) => (of === undefined ? otherwise : DIGITS[of]!)
  return digit(hundreds) * 100 + (ten === undefined ? 0 : digit(tens, 1) * 10) + digit(ones)
}
