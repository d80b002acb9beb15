import { describe, expect, it } from 'vitest'
import { redactText } from '../modules/assistant/redact.ts'
import { displayName } from '../modules/media/file-names.ts'
import { firmwareFileName } from '../modules/ota/firmware-file.ts'
import { readLine } from '../modules/products/model-sheet.ts'
import { withoutAddresses } from './outbound/outbound-guard.ts'
import { trimmed, trimmedEnd } from './trimmed.ts'

/** Every text of these pieces up to a length. */
function* textsOf(pieces: readonly string[], length: number): Generator<string> {
  yield ''
  if (length === 0) return
  for (const rest of textsOf(pieces, length - 1)) for (const piece of pieces) yield rest + piece
}

describe('what was an expression', () => {
  it('trims as it did', () => {
    for (const text of textsOf(['a', ' ', '.', '\0', '。'], 5)) {
      expect(trimmedEnd(text, /[. 。]/)).toBe(text.replace(/[. 。]+$/, ''))
      expect(trimmed(text, /[\s\0]/)).toBe(text.replace(/^[\s\0]+|[\s\0]+$/g, ''))
    }
  })

  it('reads the points of a line as it did', () => {
    const before = (text: string) => text.split(/[\s,;；，>→-]*[,;；，>→\s]+/).filter(part => part !== '')
    for (const text of textsOf(['1', '-', ',', ' ', '→'], 6)) {
      const parts = before(text)
      const read = parts.length === 4 && parts.every(part => Number.isFinite(Number(part)))
      expect([text, readLine(text) !== null]).toEqual([text, read])
    }
    expect(readLine('-10, -5 → 4095; -100')).toEqual({ x1: -10, y1: -5, x2: 4095, y2: -100 })
  })

  it('takes tokens out as it did', () => {
    const before =
      /twk_[A-Za-z0-9_-]{8,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g
    for (const text of textsOf(['eyJ', '.', 'abcdefgh', ' ', 'x'], 6))
      expect([text, redactText(text)]).toEqual([text, text.replaceAll(before, '[secret]')])
    expect(redactText('Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln, and twk_0123456789')).toBe(
      'Bearer [secret], and [secret]',
    )
  })

  it('takes addresses out as it did', () => {
    const before = /\[?[0-9a-f]*[:.][0-9a-f:.]*[0-9a-f](?:%\w+)?\]?(?::\d+)?/gi
    const said = [
      'connect ECONNREFUSED 10.0.0.1:443.',
      'at [fe80::1%eth0]:8883, then ::1 and 192.0.2.7; also 192.0.2.7:80/x',
      'version 1.2.3 of module a.b: dead.beef (10.1.2.3)',
      'no address: 12:34:56.',
    ]
    for (const text of said) {
      const found = [...text.matchAll(before)].map(([each]) => each).filter(each => /\d+\.\d+\.\d+\.\d+|::/.test(each))
      let expected = text
      for (const each of found) expected = expected.replace(each, '…')
      expect(withoutAddresses(text)).toBe(expected)
    }
  })
})

describe('a long text from outside', () => {
  // Hundreds of thousands of characters: an expression that begins anew at each of them takes many minutes.
  const LONG = 400_000
  const CASES: [string, () => unknown][] = [
    ['dots in the name of a file', () => displayName(`${'.'.repeat(LONG)}x`)],
    ['dots in the name of a firmware', () => firmwareFileName(`a${'.'.repeat(LONG)}x`)],
    ['dashes in a cell', () => readLine('-'.repeat(LONG))],
    ['beginnings of tokens', () => redactText('eyJ'.repeat(LONG / 3))],
    ['digits in an error of somebody’s server', () => withoutAddresses('a'.repeat(LONG))],
    ['colons in an error of somebody’s server', () => withoutAddresses(`${'1:'.repeat(LONG / 2)}x`)],
    ['blanks before a letter', () => trimmed(`x${' '.repeat(LONG)}x`, /\s/)],
  ]
  it.each(CASES)('is answered: %s', (_, answer) => {
    expect(answer()).not.toBeUndefined()
  })
})
