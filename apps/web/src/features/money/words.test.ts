import { describe, expect, it } from 'vitest'
import { fenOf } from './words.ts'

describe('an amount that somebody types', () => {
  it('is read to the fen, and nothing is rounded', () => {
    for (const [text, fen] of [
      ['1', 100],
      ['0.1', 10],
      ['12.34', 1234],
      [' 500000 ', 50_000_000],
      ['1.005', null],
      ['1,000', null],
      ['-1', null],
      ['1e3', null],
      ['', null],
      ['.5', null],
      // Typed with a Chinese input method.
      ['１２．５', 1250],
      ['一百', null],
    ] as const)
      expect([text, fenOf(text)]).toEqual([text, fen])
  })
})
