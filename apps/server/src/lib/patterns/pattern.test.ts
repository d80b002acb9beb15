import { describe, expect, it } from 'vitest'
import fc from '../testing/fast-check.ts'
import { compilePattern, LARGEST_PATTERN, PATTERN_BYTES, PatternError, patternOrProblem } from './pattern.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')
const first = (source: string, text: string) => compilePattern(source).first(bytes(text))

describe('expressions of people', () => {
  const pieces = fc.constantFrom(
    ...['a', 'b', '.', '[ab]', '[^a]', '\\d', '\\w', '(a)', '(?:b|a)', 'a*', 'b+?', '[0-9]{1,2}', 'a?', '\\x61', '\\b'],
  )
  it('agree with the engine of JavaScript where both know them', () =>
    fc.assert(
      fc.property(
        fc.array(pieces, { minLength: 1, maxLength: 5 }),
        fc.string({ unit: fc.constantFrom('a', 'b', '1', '\n', 'c'), maxLength: 12 }),
        fc.boolean(),
        (parts, input, anchored) => {
          const source = `${anchored ? '^' : ''}(${parts.join('')}|b1)`
          expect(first(source, input)).toBe(new RegExp(source).exec(input)?.[1] ?? null)
          expect(compilePattern(source).test(bytes(input))).toBe(new RegExp(source).test(input))
        },
      ),
      { numRuns: 500 },
    ))

  it.each(['^(?:a?){60}b', '^((a|a)*)*b$', '(a*)*b', '(?:a?){500}b', '(.*a){40}b'])(
    '%s ends, though a backtracking engine would not live to see it',
    source => {
      const pattern = compilePattern(source)
      for (const input of ['a'.repeat(512), 'ab'.repeat(128), '\xff'.repeat(300)])
        for (let i = 0; i < 20; i++) {
          pattern.test(bytes(input))
          pattern.first(bytes(input))
        }
      expect(pattern.test(bytes('a'.repeat(60)))).toBe(false)
    },
  )

  it('see the first 256 bytes, each as one sign', () => {
    expect(compilePattern('b').test(bytes(`${'a'.repeat(PATTERN_BYTES)}b`))).toBe(false)
    expect(compilePattern('b').test(bytes(`${'a'.repeat(PATTERN_BYTES - 1)}b`))).toBe(true)
    expect(compilePattern('^\\xff\\x00.$').test(Buffer.from([0xff, 0, 0x80]))).toBe(true)
    expect(first('IMEI[:=](?<imei>\\d{15})', '+REG IMEI:861234567890123;v2')).toBe('861234567890123')
    expect(first('\\d+', 'a12')).toBe('12')
  })

  it.each([
    ['(?=a)', 'look_around', '(?='],
    ['(?!a)', 'look_around', '(?!'],
    ['(?<=a)b', 'look_around', '(?<='],
    ['(?<!a)b', 'look_around', '(?<!'],
    ['(a)\\1', 'back_reference', '\\1'],
    ['(?<n>a)\\k<n>', 'back_reference', '\\k'],
    ['a{1001}', 'repeats', '{1001}'],
    ['(?:a{500}){3}', 'repeats', '{3}'],
    ['(?:(?:ab|cd|ef){100}){10}', 'too_large', '(?:(?:ab|cd|ef){100}){10}'],
    ['(', 'not_readable', '('],
    ['[a', 'not_readable', '[a'],
    ['a++', 'not_readable', '++'],
    ['\\', 'not_readable', '\\'],
  ])('%s is refused: %s', (source, problem, part) => {
    expect(patternOrProblem(source)).toMatchObject({ problem, part })
    expect(() => compilePattern(source)).toThrow(PatternError)
  })

  it('as many repeats as the engine knows are let through', () => {
    expect(compilePattern('^[0-9A-F]{0,1000}$').size).toBeLessThanOrEqual(LARGEST_PATTERN)
    expect(compilePattern('a{1000}').test(bytes('a'.repeat(256)))).toBe(false)
  })

  it('no text and no bytes make them throw', () =>
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.uint8Array({ maxLength: 300 }), (source, input) => {
        const pattern = patternOrProblem(source)
        if (pattern instanceof PatternError) return
        pattern.test(Buffer.from(input))
        pattern.first(Buffer.from(input))
      }),
      { numRuns: 500 },
    ))
})
