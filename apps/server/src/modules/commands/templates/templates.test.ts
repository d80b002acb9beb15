import type { CommandPayload, TemplateBody } from '@thingwright/contracts/command-schemas'
import { describe, expect, it } from 'vitest'
import { checksumOf, endsWithChecksum } from './checksums.ts'
import { renderHex, renderJson, renderText } from './fields.ts'
import { checkTemplate, renderTemplate } from './render.ts'
import { compileReply } from './reply-pattern.ts'

const hex = (template: string, values: Record<string, unknown> = {}) => renderHex(template, values).toString('hex')
const CHECK = Buffer.from('123456789')

describe('checksums', () => {
  // The catalogue's check values of "123456789".
  it.each([
    ['crc16_modbus_lohi', '374b'],
    ['crc16_modbus_hilo', '4b37'],
    ['crc16_ccitt', '29b1'],
    ['crc32_be', 'cbf43926'],
    ['crc32_le', '2639f4cb'],
    ['sum8', 'dd'],
    ['xor8', '31'],
    ['none', ''],
  ] as const)('%s of the check text is %s', (kind, expected) => {
    expect(checksumOf(kind, CHECK).toString('hex')).toBe(expected)
    expect(endsWithChecksum(kind, Buffer.concat([CHECK, Buffer.from(expected, 'hex')]))).toBe(true)
    if (kind !== 'none') expect(endsWithChecksum(kind, Buffer.concat([CHECK, Buffer.alloc(4)]))).toBe(false)
  })
})

describe('fields', () => {
  it.each([
    ['01 06 {{v:uint16be}}', 1500, '010605dc'],
    ['{{v:uint16le}}', 1500, 'dc05'],
    ['{{v*10:int16be}}', -2.55, 'ffe7'],
    ['{{v/2+1:uint8}}', 8, '05'],
    ['{{v:uint32cdab}}', 0x01020304, '03040102'],
    ['{{v:uint32badc}}', 0x01020304, '02010403'],
    ['{{v:float32be}}', 1.5, '3fc00000'],
    ['{{v:float64le}}', 1.5, '000000000000f83f'],
    ['{{v:int64be}}', '-9007199254740993', 'ffdfffffffffffff'],
    ['{{v:bcd3}}', 1234, '001234'],
    ['{{v:ascii4}}', 'ab', '61620000'],
    ['{{v:hex}}', 'c0ffee', 'c0ffee'],
    ['{{v:coil}}', true, 'ff00'],
    ['{{v:coil}}', false, '0000'],
    ['0xAA,{{v:bool8}}-0d', true, 'aa010d'],
  ])('%s with %s is %s', (template, v, expected) => {
    expect(hex(template, { v })).toBe(expected)
  })

  it.each([
    ['{{v:uint8}}', 256, 'range'],
    ['{{v:int8}}', -129, 'range'],
    ['{{v:uint16be}}', 'x', 'number'],
    ['{{v:uint16be}}', undefined, 'missing'],
    ['{{v:nothing}}', 1, 'type'],
    ['{{v:hex}}', 'abc', 'hex'],
    ['0{{v:uint8}}', 1, 'hex'],
    ['{{v:ascii2}}', 'abc', 'too_long'],
  ])('%s with %s is refused: %s', (template, v, reason) => {
    expect(() => hex(template, { v })).toThrow(reason)
  })

  it('are written into text, whose escapes are read, and into JSON as values', () => {
    expect(renderText('SET {{v*10}}\\r\\n\\x02', { v: 0.3 }).toString('latin1')).toBe('SET 3\r\n\x02')
    expect(renderJson({ a: '{{v}}', b: ['x{{v}}'], c: 1 }, { v: true })).toEqual({ a: true, b: ['xtrue'], c: 1 })
  })
})

describe('templates', () => {
  const body = (payload: CommandPayload, over: Partial<TemplateBody> = {}): TemplateBody => ({
    params: [{ identifier: 'speed', name: 'speed', dataType: { type: 'int32', min: 0, max: 3000 }, default: 100 }],
    payload,
    ...over,
  })
  const context = { deviceNo: 'SN-1', subAddress: '17', now: 1_700_000_000_000 }
  const bytes = (payload: CommandPayload, params = {}) =>
    renderTemplate(body(payload), params, context).bytes!.toString('hex')

  // Frames of MODBUS Application Protocol 1.1b3, with the CRC of an independent calculator.
  it('write Modbus frames and know what answers them', () => {
    expect(bytes({ kind: 'modbus', slave: 17, function: 3, address: 0x6b, quantity: 3 })).toBe('1103006b00037687')
    expect(bytes({ kind: 'modbus', function: 5, address: 0xac, data: 'ff00' })).toBe('110500acff004e8b')
    expect(bytes({ kind: 'modbus', function: 6, address: 1, data: '{{speed:uint16be}}' }, { speed: 3 })).toBe(
      '1106000100039a9b',
    )
    const write = renderTemplate(
      body({ kind: 'modbus', slave: 17, function: 16, address: 1, data: '000a0102' }),
      {},
      context,
    )
    expect(write.bytes!.toString('hex')).toBe('11100001000204000a0102c6f0')
    const answer = compileReply(write.expects!)
    expect(answer.matches(Buffer.from('1110000100021298', 'hex'))).toBe(true)
    expect(answer.matches(Buffer.from('1110000100031298', 'hex'))).toBe(false)
    expect(bytes({ kind: 'modbus', slave: 1, function: 3, address: 0, quantity: 1, framing: 'tcp' })).toBe(
      '000100000006010300000001',
    )
  })

  it('know the device, put defaults in and check what they are given', () => {
    expect(
      bytes({ kind: 'hex', template: '{{slave:uint8}} {{deviceNo:ascii}} {{speed:uint16be}} {{now:uint32be}}' }),
    ).toBe('11534e2d3100646553f100')
    expect(bytes({ kind: 'hex', template: 'aa 01 02', checksum: 'sum8', checksumFrom: 1, tail: '0d' })).toBe(
      'aa0102030d',
    )
    const set = body({ kind: 'property_set', values: { motor: '{{speed/100}}' } })
    expect(renderTemplate(set, { speed: 250 }, context)).toMatchObject({ kind: 'property_set', params: { motor: 2.5 } })
    for (const params of [{ speed: 3001 }, { speed: 'fast' }])
      expect(() => renderTemplate(set, params, context)).toThrow('command.params_invalid')
  })

  it.each([
    ['an unknown parameter', body({ kind: 'hex', template: '{{nope:uint8}}' }), 'param_unknown'],
    ['a field that cannot be read', body({ kind: 'hex', template: '{{speed uint8}}' }), 'field_unreadable'],
    ['an answer that says nothing', body({ kind: 'hex', template: '00' }, { expects: {} }), 'empty'],
    ['bytes to be read back', body({ kind: 'hex', template: '00' }, { confirm: 'read_back' }), 'read_back'],
    [
      'a parameter twice',
      {
        ...body({ kind: 'hex', template: '00' }),
        params: [...body({ kind: 'text', template: 'x' }).params, ...body({ kind: 'text', template: 'x' }).params],
      },
      'duplicate',
    ],
  ])('are refused with %s', (_, template, reason) => {
    try {
      checkTemplate(template)
      expect.unreachable('was taken')
    } catch (error) {
      expect(error).toMatchObject({ code: 'command_template.invalid' })
      expect(JSON.stringify((error as { params: unknown }).params)).toContain(reason)
    }
  })

  it('whose answer has an expression that the engine does not know are refused when saved and when used', () => {
    for (const [regex, code] of [
      ['(?=a)', 'pattern.look_around'],
      ['(a)\\1', 'pattern.back_reference'],
      ['a{1001}', 'pattern.repeats'],
      ['[', 'pattern.not_readable'],
    ] as const) {
      const stored = body({ kind: 'hex', template: '00' }, { expects: { regex } })
      expect(() => checkTemplate(stored), regex).toThrow(code)
      expect(() => renderTemplate(stored, { speed: 1 }, context), regex).toThrow(code)
      expect(compileReply({ regex }).matches(Buffer.from('a')), regex).toBe(false)
    }
    expect(() => checkTemplate(body({ kind: 'hex', template: '00' }, { expects: { regex: '(a+)+b' } }))).not.toThrow()
  })
})

describe('answers', () => {
  it('are recognised by everything their pattern says', () => {
    const pattern = compileReply({ prefix: '4f4b', regex: '^OK \\d{1,4}$', minLength: 4, maxLength: 8 })
    expect(pattern.matches(Buffer.from('OK 12'))).toBe(true)
    for (const other of ['OK x', 'ok 12', 'OK', 'OK 123456'])
      expect(pattern.matches(Buffer.from(other)), other).toBe(false)
    expect(compileReply({ equals: '06' }).matches(Buffer.from([6]))).toBe(true)
    expect(compileReply({ equals: '06' }).matches(Buffer.from([6, 6]))).toBe(false)
  })
})
