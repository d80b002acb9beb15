import words from './receipt-words.json' with { type: 'json' }

const { digits, places, groups, yuan, jiao, fen, even } = words.capitals

/**
 * An amount in the Chinese capitals of cheques and receipts, which cannot be changed by a stroke of the pen.
 * @param amountFen whole fen, more than nothing and below a trillion yuan
 */
export function capitalAmount(amountFen: number): string {
  const whole = String(Math.floor(amountFen / 100))
  const [tens, ones] = [Math.floor(amountFen / 10) % 10, amountFen % 10]
  let text = ''
  let skipped = false
  let inGroup = false
  for (const [i, sign] of [...whole].entries()) {
    const place = whole.length - 1 - i
    if (sign === '0') skipped = text !== ''
    else {
      text += (skipped ? digits[0]! : '') + digits[Number(sign)]! + places[place % 4]!
      skipped = false
      inGroup = true
    }
    if (place % 4 === 0 && inGroup) {
      text += groups[place / 4]!
      inGroup = false
    }
  }
  if (text !== '') text += yuan
  if (tens > 0) text += digits[tens]! + jiao
  else if (ones > 0 && text !== '') text += digits[0]!
  return text + (ones > 0 ? digits[ones]! + fen : even)
}
