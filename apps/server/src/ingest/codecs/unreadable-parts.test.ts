import { compileModel, parseModel } from '@thingwright/thing-model'
import { describe, expect, it } from 'vitest'
import type { DecodeResult } from './codec.ts'
import { compileFormat } from './compile-format.ts'
import { buildRtu } from './modbus/adu.ts'

const property = (identifier: string, dataType: object) => ({ identifier, name: identifier, access: 'r', dataType })
const parsed = parseModel({
  properties: [
    property('t1', { type: 'double', min: -40, max: 125 }),
    property('t2', { type: 'double', min: -40, max: 125 }),
    property('name', { type: 'string' }),
    property('total', { type: 'int64' }),
    property('place', { type: 'geo' }),
    property('temperature_1', { type: 'double' }),
  ],
  events: [],
  services: [],
})
if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
const model = compileModel(parsed.model)
const noScripts = {
  open: () => {
    throw new Error('no scripts here')
  },
}

function read(format: object, frame: Buffer | string): DecodeResult {
  const codec = compileFormat(format as Record<string, unknown>, model, noScripts)!
  return codec.decode(Buffer.from(frame as string), { deviceNo: 'd', at: 0 }) as DecodeResult
}
const label = (fields: object[], over: object = {}) => ({ kind: 'label', frames: [{ fields, ...over }] })

describe('a part of a frame that cannot be read', () => {
  it('of a label leaves the other fields', () => {
    const format = label(
      [
        { identifier: 't1', type: 'ascii', index: 0 },
        { identifier: 't2', type: 'ascii', index: 1 },
      ],
      { separator: '2c' },
    )
    expect(read(format, '21.5,abc')).toEqual({
      ok: true,
      readings: [{ values: { t1: 21.5 } }],
      faults: [{ reason: 'format_mismatch', path: 't2', detail: 'not a number' }],
    })
    expect(read(format, '21.5')).toMatchObject({ readings: [{ values: { t1: 21.5 } }], faults: [{ path: 't2' }] })
    expect(read(format, 'abc,def')).toMatchObject({ ok: false, path: 't1' })
  })

  it('is the time: the values stay, without it', () => {
    const format = label(
      [
        { identifier: 't1', type: 'ascii', index: 0 },
        { role: 'time', type: 'time_text', index: 1 },
      ],
      { separator: '2c' },
    )
    expect(read(format, '21.5,soon')).toMatchObject({
      readings: [{ values: { t1: 21.5 }, ts: Number.NaN }],
      faults: [{ path: 'time', detail: 'not a time' }],
    })
  })

  it('of a register answer leaves the other lines', () => {
    const format = {
      kind: 'modbus',
      registers: [
        { identifier: 't1', function: 3, address: 0, dataType: 'int16', scale: 0.1 },
        { identifier: 'total', function: 3, address: 1, dataType: 'bcd16' },
      ],
    }
    expect(read(format, buildRtu(1, Buffer.from('030400d77fff', 'hex')))).toMatchObject({
      readings: [{ values: { t1: 21.5 } }],
      faults: [{ path: 'total', detail: 'not BCD' }],
    })
  })

  it('of Cayenne LPP leaves what stood before it', () => {
    expect(read({ kind: 'cayenne' }, Buffer.from('016700d702ff', 'hex'))).toMatchObject({
      readings: [{ values: { temperature_1: 21.5 } }],
      faults: [{ path: '@5' }],
    })
    expect(read({ kind: 'cayenne' }, Buffer.from('016700d70167', 'hex'))).toMatchObject({
      readings: [{ values: { temperature_1: 21.5 } }],
      faults: [{ detail: 'temperature ends too early' }],
    })
  })

  it('of mapped JSON leaves the other elements', () => {
    const format = {
      kind: 'json',
      rows: '$.list',
      device: 'sn',
      time: { path: 'at' },
      values: [{ path: 't', identifier: 't1' }],
    }
    const list = [
      { t: 1, sn: {} },
      { t: 2, at: 'soon' },
      { t: 3, sn: 89860319457500012345n },
    ]
    const text = JSON.stringify({ list }, (_, value) => (typeof value === 'bigint' ? `#${value}#` : value)).replaceAll(
      /"#|#"/g,
      '',
    )
    expect(read(format, text)).toMatchObject({
      readings: [
        { values: { t1: 2 }, ts: Number.NaN },
        { values: { t1: 3 }, sub: '89860319457500012345' },
      ],
      faults: [{ path: '[0].sn' }, { path: '[1].at' }],
    })
  })

  it('is none where JSON says null: the device was seen', () => {
    const format = { kind: 'json', values: [{ path: 'a', identifier: 't1' }] }
    expect(read(format, '{"a":null}')).toEqual({ ok: true, readings: [] })
    expect(read(format, '{"b":1}')).toMatchObject({ ok: false })
  })
})

describe('digits', () => {
  it('come as they were sent', () => {
    const format = {
      kind: 'json',
      values: [
        { path: 'iccid', identifier: 'name' },
        { path: 'n', identifier: 'total' },
      ],
    }
    expect(read(format, '{"iccid":89860319457500012345,"n":9223372036854775807}')).toEqual({
      ok: true,
      readings: [{ values: { name: '89860319457500012345', total: '9223372036854775807' } }],
    })
  })

  it('of a text keep their leading zeros', () => {
    const bcd = label([{ identifier: 'name', type: 'bcd', at: 0, length: 6 }])
    expect(read(bcd, Buffer.from('000012345678', 'hex'))).toMatchObject({
      readings: [{ values: { name: '000012345678' } }],
    })
    const text = label([{ identifier: 'name', type: 'ascii', index: 0 }], { separator: '2c' })
    expect(read(text, '0071,x')).toMatchObject({ readings: [{ values: { name: '0071' } }] })
  })

  it('that a number does not hold stay digits, or are refused where they are scaled', () => {
    const bcd = (over: object) => label([{ identifier: 'total', type: 'bcd', at: 0, length: 8, ...over }])
    const bytes = Buffer.from('9999999999999999', 'hex')
    expect(read(bcd({}), bytes)).toMatchObject({ readings: [{ values: { total: '9999999999999999' } }] })
    expect(read(bcd({ scale: 0.1 }), bytes)).toMatchObject({ ok: false, path: 'total' })
  })
})

describe('NMEA', () => {
  const place = label([{ identifier: 'place', type: 'nmea', at: 0 }])
  it.each([
    '$GPGGA,092750.000,5321.6802,N,00630.3372,W,0,8,1.03,61.7,M,55.2,M,,',
    '$GPGLL,5321.6802,N,00630.3372,W,092750.000,V,N',
    '$GNGLL,5321.6802,N,00630.3372,W,092750.000,A,N',
    '$GNGNS,092750.000,5321.6802,N,00630.3372,W,NN,8,1.03,61.7,55.2,,',
    '$GPRMC,092750.000,V,5321.6802,N,00630.3372,W,0.02,31.66,280511,,,N',
    '$GPRMC,092750.000,A,5321.6802,N,00630.3372,W,0.02,31.66,280511,,,N',
  ])('%s has no fix: no place', text => expect(read(place, text)).toEqual({ ok: true, readings: [] }))

  it.each([
    ['$GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,*76', 61.7],
    ['$GNGNS,092750.000,5321.6802,N,00630.3372,W,AN,8,1.03,61.7,55.2,,', 61.7],
    ['$GPGLL,5321.6802,N,00630.3372,W,092750.000,A,A', undefined],
    ['$GPRMC,092750.000,A,5321.6802,N,00630.3372,W,0.02,31.66,280511,,,A*43', undefined],
  ])('%s has a place', (text, alt) =>
    expect(read(place, text)).toEqual({
      ok: true,
      readings: [{ values: { place: { lng: -6.50562, lat: 53.3613367, ...(alt === undefined ? {} : { alt }) } } }],
    }),
  )

  it('with a wrong checksum is refused', () => {
    expect(read(place, '$GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,*77')).toMatchObject({
      ok: false,
      detail: 'the checksum of the sentence differs',
    })
  })
})
