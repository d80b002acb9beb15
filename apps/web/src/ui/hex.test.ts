import { expect, it } from 'vitest'
import { hexDump } from './hex.ts'

it('shows bytes with their offset and what of them can be printed', () => {
  const hex = '7b22743a32312e357d000aff80414243444546'
  expect(hexDump(hex).split('\n')).toEqual([
    '0000  7b 22 74 3a 32 31 2e 35  7d 00 0a ff 80 41 42 43  {"t:21.5}....ABC',
    `0010  44 45 46${' '.repeat(15)}  ${' '.repeat(23)}  DEF`,
  ])
  expect(hexDump('')).toBe('')
})
