import { describe, expect, it } from 'vitest'
import fc from '../../../lib/testing/fast-check.ts'
import { parseLabel } from './label-grammar.ts'

const shown = (label: string) => {
  const parsed = parseLabel(label)
  if (!parsed.ok) return parsed.detail
  return parsed.tokens
    .map(token => (token.kind === 'data' ? `D${token.width ?? '?'}` : `${token.kind}:${token.bytes.toString('hex')}`))
    .join(' ')
}

describe('a protocol label', () => {
  it.each([
    ['[H:#],[D?],[S:,],[D?],[T:#]', 'head:23 D? separator:2c D? tail:23'],
    ['[H:0x68],[D?],[T:0x16]', 'head:68 D? tail:16'],
    ['[H:0x68 01],[D4],[T:0x0D0A]', 'head:6801 D4 tail:0d0a'],
    ['[D?]', 'D?'],
    [' [H:a] [D?] ', 'head:61 D?'],
    ['[H:[a]],[D?],[T:]]', 'head:5b615d D? tail:5d'],
    ['[D?],[T:\\r\\n\\x00\\\\]', 'D? tail:0d0a005c'],
    ['[H:温],[D?]', 'head:e6b8a9 D?'],
    ['[H:0x6],[D?]', 'head:307836 D?'],
  ])('%s is read', (label, tokens) => {
    expect(shown(label)).toBe(tokens)
  })

  it.each([
    ['', 'no data field'],
    ['[H:#]', 'no data field'],
    ['#[D?]', 'no element at character 1'],
    ['[D?],[D?]', 'two data fields with nothing between them'],
    ['[D?],[H:#]', 'the head does not come first'],
    ['[T:#],[D?]', 'the tail does not come last'],
    ['[D0]', 'a data field of no characters'],
    ['[H:],[D?]', 'an empty head at character 1'],
    ['[X:1],[D?]', 'no element at character 1'],
  ])('%s is refused', (label, detail) => {
    expect(shown(label)).toBe(detail)
  })

  it('of any text is read or refused', () => {
    fc.assert(fc.property(fc.string({ maxLength: 60 }), label => void parseLabel(label)))
  })
})
