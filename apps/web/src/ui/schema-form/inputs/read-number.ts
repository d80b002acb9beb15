import { plainNumber } from '../../../lib/typed-number.ts'
import { Unreadable } from '../field.ts'

/** What a typed text means: a number, nothing, or something to be corrected. */
export function readNumber(text: string): number | undefined | Unreadable {
  const trimmed = plainNumber(text)
  if (trimmed === '') return undefined
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(trimmed)) return new Unreadable(text)
  const number = Number(trimmed)
  return Number.isFinite(number) ? number + 0 : new Unreadable(text)
}
