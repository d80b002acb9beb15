import { describe, expect, it } from 'vitest'
import { isCreditCode } from './credit-code.ts'

describe('the unified social credit code', () => {
  // Published codes of large companies.
  it('takes real codes', () => {
    for (const code of ['91440300708461136T', '91330100799655058B', '914403001922038216'])
      expect(isCreditCode(code), code).toBe(true)
  })

  // Tried: each character of a real code replaced, two neighbours exchanged, small letters, other lengths, letters that are not used.
  it('refuses what was mistyped', () => {
    const code = '91440300708461136T'
    for (let at = 0; at < 18; at++) {
      const other = code[at] === '1' ? '2' : '1'
      expect(isCreditCode(code.slice(0, at) + other + code.slice(at + 1)), String(at)).toBe(false)
    }
    for (const wrong of ['19440300708461136T', code.toLowerCase(), code.slice(1), `${code}0`, '9144030070846113OT', ''])
      expect(isCreditCode(wrong), wrong).toBe(false)
  })
})
