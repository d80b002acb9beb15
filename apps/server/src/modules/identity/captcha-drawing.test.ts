import { randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { CAPTCHA_LETTERS, drawCaptcha } from './captcha-drawing.ts'
import { gridReader, linesOf, type Reader, type Sample, strokeReader } from './testing/captcha-readers.ts'

const sample = (): Sample => {
  const text = Array.from({ length: 5 }, () => CAPTCHA_LETTERS[randomInt(CAPTCHA_LETTERS.length)]).join('')
  return { text, image: drawCaptcha(text) }
}
const samples = (count: number) => Array.from({ length: count }, sample)

/**
 * Of 100 pictures, how many a reader gets right as a whole, and how many letters of 500. They are drawn by chance: of
 * 1,600 the better reader had 5, so that more than 4 of 100 is no bad luck.
 */
function score(read: Reader): { pictures: number; letters: number } {
  let [pictures, letters] = [0, 0]
  for (const { text, image } of samples(100)) {
    const answer = read(image)
    if (answer === text) pictures++
    for (const [i, letter] of [...text].entries()) if (answer[i] === letter) letters++
  }
  return { pictures, letters }
}

describe('the picture', () => {
  const seen = samples(200)

  it.each([
    ['strokes', strokeReader],
    ['the drawn picture', gridReader],
  ])('is not read by a program that learned from 200 of them by %s', (_name, reader) => {
    const { pictures, letters } = score(reader(seen))
    process.stdout.write(`${_name}: ${pictures} of 100 pictures, ${letters} of 500 letters\n`)
    expect(pictures).toBeLessThanOrEqual(4)
    expect(letters).toBeLessThan(200)
  })

  it('has no text, no path of one letter, and no number, width or colour that tells letters from the rest', () => {
    for (const { image } of seen.slice(0, 50)) {
      expect(image).not.toMatch(/<text|<tspan|<title|font|id=|class=/)
      const width = Number(/width="(\d+)"/.exec(image)![1])
      // A path reaches over more than one letter.
      const reaches = [...image.matchAll(/<path d="([^"]+)"/g)].map(([, d]) => {
        const xs = (d!.match(/-?[\d.]+/g) ?? []).filter((_, i) => i % 2 === 0).map(Number)
        return Math.max(...xs) - Math.min(...xs)
      })
      expect(reaches.reduce((a, b) => a + b, 0) / reaches.length).toBeGreaterThan(width / 2)
      const pieces = linesOf(image).map(({ points }) => points.length)
      expect(new Set(pieces).size).toBeGreaterThan(1)
      expect(image.length).toBeLessThan(40_000)
    }
  })
})
