import { describe, expect, it } from 'vitest'
import fc from '../testing/fast-check.ts'
import { linkProblems } from './check.ts'
import { pathSteps, readRegistration } from './register-packet.ts'
import { bytesOf } from './written-bytes.ts'

const range = { from: 6100, to: 6199 }
const read = (rule: Parameters<typeof readRegistration>[0], text: string) =>
  readRegistration(rule, Buffer.from(text, 'latin1'))

describe('register packets', () => {
  it('a line of three parts, also where another kind is asked for', () => {
    const line = { kind: 'line', productKey: 'pk', deviceNo: 'd-1', secret: Buffer.from('s3') }
    expect(read({ kind: 'line' }, 'pk/d-1/s3\r')).toEqual(line)
    expect(read({ kind: 'text' }, ' pk/d-1/s3 ')).toEqual(line)
    for (const wrong of ['', 'pk/d-1', 'pk/d-1/s/t', 'p k/d/s', '//'])
      expect(read({ kind: 'line' }, wrong)).toBe('not_a_line')
  })

  it('a number as text, hex, regex capture and JSON path', () => {
    expect(read({ kind: 'text' }, '\0SN-001\r\n\0')).toEqual({ kind: 'number', deviceNos: ['SN-001'] })
    expect(readRegistration({ kind: 'hex' }, Buffer.from('00af12', 'hex'))).toEqual({
      kind: 'number',
      deviceNos: ['00AF12', '00af12'],
    })
    expect(read({ kind: 'regex', pattern: 'IMEI[:=](\\d{15})' }, '+REG IMEI:861234567890123;v2')).toEqual({
      kind: 'number',
      deviceNos: ['861234567890123'],
    })
    expect(read({ kind: 'json', path: '$.dev.ids[1]' }, '{"dev":{"ids":["a",77]}}')).toEqual({
      kind: 'number',
      deviceNos: ['77'],
    })
  })

  it('says why it names nobody', () => {
    expect(read({ kind: 'regex', pattern: '(\\d{15})' }, 'hello')).toBe('no_match')
    expect(read({ kind: 'regex', pattern: '(?=x)(\\d+)' }, '12')).toBe('pattern_refused')
    expect(read({ kind: 'regex', pattern: '(\\d)$' }, `${' '.repeat(256)}7`)).toBe('no_match')
    expect(read({ kind: 'json', path: '$.iccid' }, '{"iccid":89860319457500012345}')).toEqual({
      kind: 'number',
      deviceNos: ['89860319457500012345'],
    })
    expect(read({ kind: 'json', path: '$.sn' }, 'hello')).toBe('not_json')
    expect(read({ kind: 'json', path: '$.sn' }, '{"sn":{}}')).toBe('path_empty')
    expect(read({ kind: 'json', path: '$.__proto__' }, '{}')).toBe('path_empty')
    expect(read({ kind: 'text' }, 'two words')).toBe('not_a_number')
    expect(read({ kind: 'text' }, 'x'.repeat(600))).toBe('too_long')
  })

  it('no bytes make it throw', () =>
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 600 }),
        fc.constantFrom('line', 'text', 'hex', 'regex', 'json'),
        (b, kind) => {
          readRegistration({ kind, pattern: '(a*)*b', path: '$.a' } as never, Buffer.from(b))
        },
      ),
      { numRuns: 300 },
    ))
})

describe('checks of link settings', () => {
  it('names every problem with its place', () => {
    expect(
      linkProblems(
        {
          register: { kind: 'regex', pattern: '\\d+', end: 'length' },
          heartbeat: { packet: { encoding: 'hex', value: 'ABC' }, reply: { encoding: 'text', value: 'ok' } },
          framing: { kind: 'fixed', length: 500 },
          maxFrameBytes: 100,
          port: { mode: 'own', number: 80 },
        },
        range,
      ).map(({ path, code }) => [path, code]),
    ).toEqual([
      ['register.length', 'link.required'],
      ['register.pattern', 'link.pattern_group'],
      ['heartbeat.packet.value', 'link.hex_invalid'],
      ['framing.length', 'link.longer_than_frame'],
      ['port.number', 'link.port_out_of_range'],
    ])
    expect(linkProblems({ register: { kind: 'json', path: 'a..b' } }, range)).toMatchObject([
      { code: 'link.path_invalid' },
    ])
    expect(linkProblems({}, range)).toEqual([])
    expect(linkProblems({ register: { kind: 'regex', pattern: '(a)\\1' } }, range)).toEqual([
      { path: 'register.pattern', code: 'pattern.back_reference', params: { part: '\\1' } },
    ])
  })

  it('bytes as they are written', () => {
    expect(bytesOf({ encoding: 'text', value: '\\r\\n\\x7e\\\\' })).toEqual(Buffer.from('\r\n~\\'))
    expect(bytesOf({ encoding: 'text', value: '心跳' })).toEqual(Buffer.from('心跳'))
    expect(bytesOf({ encoding: 'hex', value: '0d 0A' })).toEqual(Buffer.from('\r\n'))
    expect(bytesOf({ encoding: 'hex', value: '0' })).toBeNull()
  })

  it('JSON paths', () => {
    expect(pathSteps('$.a[0].b')).toEqual(['a', 0, 'b'])
    expect(pathSteps('sn')).toEqual(['sn'])
    for (const wrong of ['a..b', '$.', 'a[x]', 'a.[0]']) expect(pathSteps(wrong)).toBeNull()
  })
})
