import { describe, expect, it } from 'vitest'
import { crc16, hexBytes, textBytes, toHex, withEnding } from './bytes.ts'

describe('bytes that a person types', () => {
  it.each([
    ['01 03 00', [1, 3, 0]],
    ['010300', [1, 3, 0]],
    ['0x01, 0x03;A', [1, 3, 10]],
    ['', []],
    ['1 2', [1, 2]],
    ['123', null],
    ['xy', null],
  ])('hex %s', (text, bytes) => expect(hexBytes(text)).toEqual(bytes))

  it.each([
    ['AT\\r\\n', [65, 84, 13, 10]],
    ['\\x01\\xfF\\0\\\\', [1, 255, 0, 92]],
    ['中', [0xe4, 0xb8, 0xad]],
    ['a\\q', null],
    ['a\\', null],
  ])('text %s', (text, bytes) => expect(textBytes(text)).toEqual(bytes))

  it('get the checksum of a Modbus frame, low byte first', () => {
    // The example of the specification's appendix B: 02 07 → 41 12.
    expect(toHex(crc16([0x02, 0x07]))).toBe('4112')
    expect(toHex(withEnding([0x01, 0x03, 0x00, 0x00, 0x00, 0x0a], 'crc16'))).toBe('01030000000ac5cd')
    expect(withEnding([0xff, 0x02], 'sum8')).toEqual([0xff, 0x02, 0x01])
    expect(withEnding([1], 'crlf')).toEqual([1, 13, 10])
  })
})
