import { describe, expect, it } from 'vitest'
import { seal } from './cipher.ts'

describe("the carrier's side of the cipher", () => {
  it('makes the vectors of its documents', () => {
    expect(seal('abcd', 'abc')).toBe('F04D08D326548A5C')
    expect(seal('a', 'abc')).toBe('63135E5A519F1737')
    expect(seal('abcd', 'abc', '123', 'ABC')).toBe('6FD852BAC68D66F5')
    expect(seal('password', 'abc', '123', 'ABC')).toBe('6837D5D1820031B808D0F66ED99990A7')
    expect(seal('demo_pass', 'abc', '123', 'ABC')).toBe('3B91B2199C189BF98F36CAB1DF5304C339B338C720AF5CB1')
  })
})
