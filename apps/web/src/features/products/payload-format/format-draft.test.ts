import { describe, expect, it } from 'vitest'
import { asHex, bytesOf, dataFieldsOf, emptyFormat, identifiersOf, KINDS, namesProperties } from './format-draft.ts'

describe('what a person pastes as hex', () => {
  it.each([
    ['01 03 0a', '01030a'],
    ['0x01, 0x03, 0x0A', '01030a'],
    ['01-03:0a', '01030a'],
    ['01030A', '01030a'],
  ])('%s', (text, hex) => expect(asHex(text)).toBe(hex))

  // Tried: nothing, half a byte, no hex, words.
  it.each(['', '   ', '123', 'xyz1', '{"a":1}'])('is nothing else: %s', text => expect(asHex(text)).toBeNull())

  it('becomes bytes, as text becomes UTF-8', () => {
    expect([...(bytesOf('01 ff', 'hex') ?? [])]).toEqual([1, 255])
    expect([...(bytesOf('é', 'text') ?? [])]).toEqual([0xc3, 0xa9])
    expect(bytesOf('zz', 'hex')).toBeNull()
  })
})

describe('a format', () => {
  it('of every kind starts with something of that kind', () => {
    for (const kind of KINDS) expect(emptyFormat(kind).kind).toBe(kind)
  })

  it('names the properties it fills', () => {
    expect([...identifiersOf({ kind: 'label', label: '[D?]', fields: ['a', '', 'b'] })]).toEqual(['a', 'b'])
    expect([
      ...identifiersOf({
        kind: 'label',
        frames: [
          {
            fields: [
              { type: 'int8', identifier: 'a' },
              { type: 'time_s', role: 'time' },
            ],
          },
          { event: 'e', fields: [{ type: 'int8', identifier: 'param' }] },
        ],
      }),
    ]).toEqual(['a'])
    expect(namesProperties({ kind: 'json' })).toBe(false)
    expect(namesProperties({ kind: 'script', source: '' })).toBe(false)
    expect(namesProperties({ kind: 'modbus', registers: [] })).toBe(true)
  })

  it('asks for as many data fields as its label has', () => {
    expect(dataFieldsOf('[H:#],[D?],[S:,],[D4],[T:#]')).toBe(2)
    expect(dataFieldsOf('')).toBe(0)
  })
})
