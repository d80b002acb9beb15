import { expect, it } from 'vitest'
import { capitalAmount } from './capital-amount.ts'
import words from './receipt-words.json' with { type: 'json' }

const { digits, places, groups, yuan, jiao, fen, even } = words.capitals
/** Written with Latin signs, so that the expected texts can be read here: `1S` is one thousand. */
const latin = (text: string) =>
  [...text]
    .map(sign => {
      const digit = digits.indexOf(sign)
      if (digit >= 0) return String(digit)
      const names: Record<string, string> = {
        [places[1]!]: 'T',
        [places[2]!]: 'H',
        [places[3]!]: 'K',
        [groups[1]!]: 'W',
        [groups[2]!]: 'Y',
        [yuan]: '.',
        [jiao]: 'j',
        [fen]: 'f',
        [even]: '!',
      }
      return names[sign] ?? '?'
    })
    .join('')

it.each([
  [1, '1f'],
  [50, '5j!'],
  [100, '1.!'],
  [105, '1.05f'],
  [123_450, '1K2H3T4.5j!'],
  [100_405, '1K04.05f'],
  [1_000_000, '1W.!'],
  [10_020_000, '1TW02H.!'],
  [1_200_000, '1W2K.!'],
  [100_000_000_000, '1TY.!'],
  [100_000_001_099, '1TY01T.9j9f'],
])('writes %d fen in capitals', (amount, expected) => {
  expect(latin(capitalAmount(amount))).toBe(expected)
})
