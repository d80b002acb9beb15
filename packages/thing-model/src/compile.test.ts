import { describe, expect, it } from 'vitest'
import { modelOf, modelWith } from '../testing/arbitraries.ts'
import { compileModel } from './compile.ts'

/** What a property of the type makes of a value that came as JSON text. */
function check(dataType: unknown, json: string) {
  return compileModel(modelWith(dataType)).checkProperties({ p: JSON.parse(json) as unknown })
}

const PAIRS = { type: 'enum', items: [{ value: 0, name: 'off' }, { value: 1, name: 'on' }, { value: 'auto' }] }
const POINT = {
  type: 'struct',
  fields: [
    { identifier: 'x', dataType: { type: 'int32' }, required: true },
    { identifier: 'on', dataType: { type: 'bool' } },
  ],
}

describe('values that are taken, and the form they are stored in', () => {
  it.each([
    ['bool', { type: 'bool' }, 'true', true],
    ['bool as 1', { type: 'bool' }, '1', true],
    ['bool as 0', { type: 'bool' }, '0', false],
    ['int32 written 1.0', { type: 'int32' }, '1.0', 1],
    ['int32 lowest', { type: 'int32' }, '-2147483648', -2147483648],
    ['int32 minus zero', { type: 'int32' }, '-0', 0],
    ['int64 safe', { type: 'int64' }, '9007199254740991', 9007199254740991],
    ['int64 small digits', { type: 'int64' }, '"42"', 42],
    ['int64 2^53 + 1 as digits', { type: 'int64' }, '"9007199254740993"', '9007199254740993'],
    ['int64 highest', { type: 'int64' }, '"9223372036854775807"', '9223372036854775807'],
    ['int64 lowest', { type: 'int64' }, '"-9223372036854775808"', '-9223372036854775808'],
    ['int64 leading zeros', { type: 'int64' }, '"007"', 7],
    ['float keeps its digits', { type: 'float' }, '0.1', 0.1],
    ['double minus zero', { type: 'double' }, '-0.0', 0],
    ['double at its bounds', { type: 'double', min: 0, max: 10 }, '10', 10],
    ['double smallest', { type: 'double' }, '5e-324', 5e-324],
    ['string', { type: 'string', maxLength: 2 }, '"\\u6c34\\u7bb1"', '水箱'],
    ['string with a whole pair', { type: 'string' }, '"\\ud83d\\ude9a"', '🚚'],
    ['string empty', { type: 'string' }, '""', ''],
    ['enum number', PAIRS, '1', 1],
    ['enum minus zero', PAIRS, '-0', 0],
    ['enum text', PAIRS, '"auto"', 'auto'],
    ['date', { type: 'date' }, '1767225600000', 1767225600000],
    ['date before 1970', { type: 'date' }, '-1', -1],
    ['geo', { type: 'geo' }, '{"lng":120.1,"lat":30.2}', { lng: 120.1, lat: 30.2 }],
    ['geo with height', { type: 'geo' }, '{"lng":0,"lat":-90,"alt":12}', { lng: 0, lat: -90, alt: 12 }],
    ['struct', POINT, '{"x":1,"on":1}', { x: 1, on: true }],
    ['array', { type: 'array', element: { type: 'bool' } }, '[1,false]', [true, false]],
    ['file', { type: 'file' }, '"https://example.com/a.jpg"', 'https://example.com/a.jpg'],
    ['file path', { type: 'file' }, '"/media/1.jpg"', '/media/1.jpg'],
    ['json', { type: 'json' }, '{"a":[1,null,{"b":"c"}]}', { a: [1, null, { b: 'c' }] }],
    ['json null', { type: 'json' }, 'null', null],
    ['bytes in small letters', { type: 'bytes' }, '"DEADbeef"', 'deadbeef'],
    ['bytes empty', { type: 'bytes' }, '""', ''],
  ])('%s', (_name, dataType, json, stored) => {
    const result = check(dataType, json)
    expect(result).toEqual({ ok: true, values: { p: stored } })
    if (result.ok) expect(Object.is(result.values.p, -0)).toBe(false)
  })
})

describe('values that are refused, with the reason', () => {
  it.each([
    ['bool text', { type: 'bool' }, '"true"', 'property_type'],
    ['bool 2', { type: 'bool' }, '2', 'property_type'],
    ['bool null', { type: 'bool' }, 'null', 'property_type'],
    ['int32 text', { type: 'int32' }, '"1"', 'property_type'],
    ['int32 fraction', { type: 'int32' }, '1.5', 'property_type'],
    ['int32 too large', { type: 'int32' }, '2147483648', 'property_range'],
    ['int32 below min', { type: 'int32', min: 0 }, '-1', 'property_range'],
    ['int64 2^53 as a number', { type: 'int64' }, '9007199254740992', 'property_range'],
    ['int64 2^53 + 1 as a number', { type: 'int64' }, '9007199254740993', 'property_range'],
    ['int64 2^63', { type: 'int64' }, '"9223372036854775808"', 'property_range'],
    ['int64 fraction', { type: 'int64' }, '0.5', 'property_type'],
    ['int64 not digits', { type: 'int64' }, '"0x10"', 'property_type'],
    ['int64 exponent text', { type: 'int64' }, '"1e3"', 'property_type'],
    ['int64 below its text bound', { type: 'int64', min: '9007199254740993' }, '"9007199254740992"', 'property_range'],
    ['float over 32 bits', { type: 'float' }, '1e39', 'property_range'],
    ['double text', { type: 'double' }, '"21.5"', 'property_type'],
    ['double 1e400', { type: 'double' }, '1e400', 'number_not_finite'],
    ['double -1e400', { type: 'double' }, '-1e400', 'number_not_finite'],
    ['double above max', { type: 'double', max: 10 }, '10.000001', 'property_range'],
    ['double in an array', { type: 'double' }, '[1]', 'property_type'],
    ['string number', { type: 'string' }, '1', 'property_type'],
    ['string too long', { type: 'string', maxLength: 2 }, '"abc"', 'property_range'],
    ['string with NUL', { type: 'string' }, '"a\\u0000b"', 'text_not_storable'],
    ['string with a high half', { type: 'string' }, '"a\\ud800"', 'text_not_storable'],
    ['string with a low half', { type: 'string' }, '"\\udc00a"', 'text_not_storable'],
    ['enum other number', PAIRS, '2', 'property_range'],
    ['enum number as text', PAIRS, '"1"', 'property_range'],
    ['enum name', PAIRS, '"on"', 'property_range'],
    ['enum bool', PAIRS, 'true', 'property_type'],
    ['date text', { type: 'date' }, '"2026-01-01"', 'property_type'],
    ['date out of reach', { type: 'date' }, '8.65e15', 'property_range'],
    ['date too long ago', { type: 'date' }, '-8.65e15', 'property_range'],
    ['date fraction', { type: 'date' }, '1.5', 'property_type'],
    ['geo without lat', { type: 'geo' }, '{"lng":1}', 'payload_shape'],
    ['geo swapped', { type: 'geo' }, '{"lng":30,"lat":120}', 'property_range'],
    ['geo pair', { type: 'geo' }, '[120,30]', 'property_type'],
    ['struct unknown field', POINT, '{"x":1,"y":2}', 'property_unknown'],
    ['struct missing field', POINT, '{"on":true}', 'payload_shape'],
    ['array too long', { type: 'array', element: { type: 'bool' }, maxItems: 1 }, '[1,1]', 'property_range'],
    ['array object', { type: 'array', element: { type: 'bool' } }, '{"0":1}', 'property_type'],
    ['file script', { type: 'file' }, '"javascript:alert(1)"', 'property_type'],
    ['file other host without scheme', { type: 'file' }, '"//evil.example/a"', 'property_type'],
    ['json with NUL', { type: 'json' }, '{"a":"\\u0000"}', 'text_not_storable'],
    ['json with NUL in a key', { type: 'json' }, '{"\\u0000":1}', 'text_not_storable'],
    ['json 1e400', { type: 'json' }, '[[1e400]]', 'number_not_finite'],
    ['json __proto__', { type: 'json' }, '{"a":{"__proto__":{"polluted":1}}}', 'property_type'],
    ['bytes odd', { type: 'bytes' }, '"abc"', 'property_type'],
    ['bytes not hex', { type: 'bytes' }, '"zz"', 'property_type'],
    ['bytes too long', { type: 'bytes', maxLength: 1 }, '"0102"', 'property_range'],
  ])('%s', (_name, dataType, json, reason) => {
    expect(check(dataType, json)).toMatchObject({ ok: false, reason })
  })

  it('names the place down to the item', () => {
    const nested = {
      type: 'array',
      element: { type: 'struct', fields: [{ identifier: 'speed', dataType: { type: 'int32' } }] },
    }
    expect(check(nested, '[{"speed":1},{"speed":"fast"}]')).toEqual({
      ok: false,
      reason: 'property_type',
      path: 'p[1].speed',
      detail: 'expects int32, got string',
    })
  })
})

const tank = compileModel(
  modelOf({
    properties: [
      { identifier: 'level', name: 'Level', dataType: { type: 'double' }, access: 'r', required: true },
      { identifier: 'pump', name: 'Pump', dataType: { type: 'bool' }, access: 'rw' },
      { identifier: 'pin', name: 'Pin', dataType: { type: 'string' }, access: 'w' },
    ],
    events: [
      {
        identifier: 'overflow',
        name: 'Overflow',
        level: 'error',
        params: [{ identifier: 'level', name: 'Level', dataType: { type: 'double' }, required: true }],
      },
      { identifier: 'started', name: 'Started', params: [] },
    ],
    services: [
      {
        identifier: 'flush',
        name: 'Flush',
        input: [{ identifier: 'seconds', name: 'Seconds', dataType: { type: 'int32', min: 1 }, required: true }],
        output: [{ identifier: 'litres', name: 'Litres', dataType: { type: 'double' } }],
      },
    ],
  }),
)

describe('a property post', () => {
  it('may hold any subset, even of required properties', () => {
    expect(tank.checkProperties({ pump: true })).toEqual({ ok: true, values: { pump: true } })
    expect(tank.checkProperties({})).toEqual({ ok: true, values: {} })
  })
  it('gives back the very object when nothing had to be changed', () => {
    const values = { level: 1.5, pump: true }
    const result = tank.checkProperties(values)
    expect(result.ok && result.values).toBe(values)
  })
  it('leaves the object handed in as it was', () => {
    const values = Object.freeze({ level: -0, pump: 1 })
    expect(tank.checkProperties(values)).toEqual({ ok: true, values: { level: 0, pump: true } })
    expect(values).toEqual({ level: -0, pump: 1 })
  })
  it('does not take a write-only property', () => {
    expect(tank.checkProperties({ pin: '1' })).toMatchObject({
      reason: 'property_unknown',
      path: 'pin',
      detail: 'write-only property',
    })
  })
  it.each([null, undefined, 1, 'x', true, [], [{ level: 1 }]])('must be an object, not %j', values => {
    expect(tank.checkProperties(values)).toMatchObject({ ok: false, reason: 'payload_shape', path: '' })
  })
})

describe('a property set', () => {
  it('takes writable and write-only properties', () => {
    expect(tank.checkPropertySet({ pump: 0, pin: '1234' })).toEqual({ ok: true, values: { pump: false, pin: '1234' } })
  })
  it('does not take a read-only property, nor nothing at all', () => {
    expect(tank.checkPropertySet({ level: 1 })).toMatchObject({ path: 'level', detail: 'read-only property' })
    expect(tank.checkPropertySet({})).toEqual({ ok: false, reason: 'payload_shape', path: '', detail: 'no property' })
  })
})

describe('events and services', () => {
  it('gives the level of the event with its checked params', () => {
    expect(tank.checkEvent('overflow', { level: 2 })).toEqual({ ok: true, values: { level: 2 }, level: 'error' })
    expect(tank.checkEvent('started', undefined)).toEqual({ ok: true, values: {}, level: 'info' })
  })
  it('refuses unknown identifiers, also those every object has', () => {
    for (const identifier of ['nothing', '__proto__', 'constructor', 'toString', '']) {
      expect(tank.checkEvent(identifier, {})).toMatchObject({ ok: false, reason: 'event_unknown' })
      expect(tank.checkServiceInput(identifier, {})).toMatchObject({ ok: false, reason: 'service_unknown' })
    }
  })
  it('asks for required params', () => {
    expect(tank.checkEvent('overflow', {})).toMatchObject({ reason: 'payload_shape', path: 'level' })
    expect(tank.checkServiceInput('flush', {})).toMatchObject({ reason: 'payload_shape', path: 'seconds' })
  })
  it('checks what goes in and what comes out', () => {
    expect(tank.checkServiceInput('flush', { seconds: 5 })).toMatchObject({ ok: true })
    expect(tank.checkServiceInput('flush', { seconds: 0 })).toMatchObject({ reason: 'property_range' })
    expect(tank.checkServiceOutput('flush', { litres: 3.5 })).toMatchObject({ ok: true })
    expect(tank.checkServiceOutput('flush', { litres: 'many' })).toMatchObject({ reason: 'property_type' })
  })
})
