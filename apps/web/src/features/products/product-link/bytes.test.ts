import { describe, expect, it } from 'vitest'
import { spaced, toHex } from './bytes.ts'

describe('bytes as people type them', () => {
  it('text with escapes, UTF-8 beyond Latin', () => {
    expect(toHex({ encoding: 'text', value: 'A\\r\\n\\x7e' })).toBe('410d0a7e')
    expect(toHex({ encoding: 'text', value: '心' })).toBe('e5bf83')
  })
  it('hex with blanks, or not hex', () => {
    expect(toHex({ encoding: 'hex', value: '0D 0a' })).toBe('0d0a')
    expect(toHex({ encoding: 'hex', value: '0D0' })).toBeNull()
    expect(spaced('0d0a')).toBe('0D 0A')
  })
})
