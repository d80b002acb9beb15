import { compileModel, parseModel } from '@thingwright/thing-model'
import { describe, expect, it } from 'vitest'
import fc from '../../lib/testing/fast-check.ts'
import { aDevice } from '../testing/entries.ts'
import { JournalKind, Quality, type UplinkChannel } from '../uplink.ts'
import { LATE_MS, NEWEST_MS, OLDEST_MS } from './times.ts'
import { validate } from './validate.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const device = aDevice(7)
const property = (identifier: string, dataType: object, access = 'r') => ({
  identifier,
  name: identifier,
  dataType,
  access,
})
const parsed = parseModel({
  properties: [
    property('t', { type: 'double' }),
    property('n', { type: 'int32', min: 0, max: 100 }),
    property('big', { type: 'int64' }),
    property('on', { type: 'bool' }, 'rw'),
    property('note', { type: 'string' }),
    property('doc', { type: 'json' }),
    property('hidden', { type: 'int32' }, 'w'),
  ],
  events: [
    {
      identifier: 'alert',
      name: 'alert',
      level: 'error',
      params: [{ identifier: 'why', name: 'why', dataType: { type: 'string' } }],
    },
  ],
  services: [
    {
      identifier: 'reset',
      name: 'reset',
      input: [],
      output: [
        { identifier: 'reason', name: 'reason', dataType: { type: 'string' } },
        { identifier: 'path', name: 'path', dataType: { type: 'string' } },
        { identifier: 'detail', name: 'detail', dataType: { type: 'string' } },
      ],
    },
  ],
})
if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
const model = compileModel(parsed.model)

function take(payload: string | Buffer, channel: UplinkChannel = { kind: 'property' }) {
  return validate({ raw: { device, channel, payload: Buffer.from(payload), arrivedAt: NOW }, model })
}

function refused(payload: string | Buffer, channel?: UplinkChannel) {
  const entries = take(payload, channel)
  expect(entries).toHaveLength(1)
  const entry = entries[0]!
  expect(entry.kind).toBe(JournalKind.refused)
  return {
    reason: entry.refusedReason,
    raw: entry.raw,
    ...(JSON.parse(entry.values!) as { path: string; detail: string }),
  }
}

const valuesOf = (payload: string) => take(payload).map(entry => JSON.parse(entry.values!))

describe('a property post', () => {
  it('is taken bare, in an envelope, and as an array of both', () => {
    expect(take('{"t":21.5,"on":1}')).toMatchObject([
      {
        kind: JournalKind.property,
        ts: NOW,
        deviceTs: null,
        quality: Quality.good,
        late: false,
        values: '{"t":21.5,"on":true}',
        properties: { t: 21.5, on: true },
        raw: null,
        refusedReason: null,
      },
    ])
    expect(take(`{"ts":${NOW - 5},"values":{"n":1}}`)).toMatchObject([{ ts: NOW - 5, values: '{"n":1}' }])
    expect(take(`[{"n":1},{"ts":${NOW - 9},"values":{"n":2}},{"values":{"n":3}}]`).map(e => [e.ts, e.values])).toEqual([
      [NOW, '{"n":1}'],
      [NOW - 9, '{"n":2}'],
      [NOW, '{"n":3}'],
    ])
    expect(take('{}')).toMatchObject([{ kind: JournalKind.property, values: '{}' }])
  })

  it('with one bad element in an array is refused whole, and the place is named', () => {
    expect(refused('[{"n":1},{"n":101}]')).toMatchObject({ reason: 'property_range', path: '[1].n' })
    expect(refused('[{"n":1},7]')).toMatchObject({ reason: 'payload_shape', path: '[1]' })
    expect(refused('[{"n":1},[{"n":1}]]')).toMatchObject({ reason: 'payload_shape', path: '[1]' })
    expect(refused('[]')).toMatchObject({ reason: 'payload_shape' })
    expect(refused(`[${Array(1_001).fill('{}').join(',')}]`)).toMatchObject({ reason: 'too_large' })
  })

  it.each([
    ['{"t":', 'json_invalid'],
    ['', 'json_invalid'],
    ['null', 'payload_shape'],
    ['7', 'payload_shape'],
    ['"t"', 'payload_shape'],
    ['{"values":7}', 'payload_shape'],
    ['{"ts":1}', 'payload_shape'],
    ['{"ts":"yesterday","values":{}}', 'payload_shape'],
    ['{"ts":{},"values":{}}', 'payload_shape'],
    ['{"ts":1,"values":{},"more":1}', 'payload_shape'],
    ['{"ts":1e400,"values":{}}', 'number_not_finite'],
    ['{"nope":1}', 'property_unknown'],
    ['{"hidden":1}', 'property_unknown'],
    ['{"__proto__":{"t":1}}', 'property_unknown'],
    ['{"constructor":1}', 'property_unknown'],
    ['{"t":"21"}', 'property_type'],
    ['{"t":null}', 'property_type'],
    ['{"t":1e400}', 'number_not_finite'],
    ['{"n":1.5}', 'property_type'],
    ['{"n":101}', 'property_range'],
    ['{"big":9223372036854775808}', 'property_range'],
    ['{"t":9007199254740993}', 'property_range'],
    ['{"t":"9007199254740993"}', 'property_range'],
    ['{"note":"a\\u0000b"}', 'text_not_storable'],
    ['{"note":"\\ud800"}', 'text_not_storable'],
    ['{"doc":{"a":"\\udc00"}}', 'text_not_storable'],
    ['{"doc":{"a\\u0000":1}}', 'text_not_storable'],
    [`{"doc":${'['.repeat(40)}${']'.repeat(40)}}`, 'too_large'],
    [`{"doc":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 'too_large'],
    [`{${Array.from({ length: 5_000 }, (_, i) => `"k${i}":1`).join(',')}}`, 'property_unknown'],
    [`{"note":"${'x'.repeat(65_530)}"}`, 'too_large'],
  ])('%.60s… is refused as %s', (payload, reason) => {
    expect(refused(payload).reason).toBe(reason)
  })

  it('that is not UTF-8 is refused, whatever the ill-formed bytes', () => {
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]])
      expect(refused(Buffer.from([0x7b, 0x22, ...bytes, 0x22, 0x7d])).reason).toBe('json_invalid')
    expect(take(Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d, 0, 0, 0x0a]))[0]!.values).toBe('{}')
    expect(refused('{"n":1}\0{"n":2}').reason).toBe('json_invalid')
  })

  it('keeps the first 8 KB of what was refused, in a copy of its own', () => {
    const payload = Buffer.alloc(70_000, 0x61)
    const { raw } = refused(payload)
    expect(raw).toHaveLength(8_192)
    payload.fill(0)
    expect(raw![0]).toBe(0x61)
  })

  it('never quotes what a refused payload held', () => {
    expect(JSON.stringify(refused('{"t": "secret" oops}'))).not.toContain('secret" oops')
    expect(refused('{"t": "secret" oops}').detail).toMatch(/^unexpected character at position \d+$/)
  })

  it('keeps 64 bits exactly, as digits', () => {
    expect(valuesOf('{"big":"9223372036854775807"}')).toEqual([{ big: '9223372036854775807' }])
    expect(valuesOf('{"big":"12"}')).toEqual([{ big: 12 }])
    expect(valuesOf('{"big":9223372036854775807}')).toEqual([{ big: '9223372036854775807' }])
    expect(valuesOf('{"big":-9007199254740993,"t":9007199254740992}')).toEqual([
      { big: '-9007199254740993', t: 9_007_199_254_740_992 },
    ])
    expect(valuesOf('{"doc":{"iccid":89860319457500012345,"note":"1 \\" 89860319457500012345"}}')).toEqual([
      { doc: { iccid: '89860319457500012345', note: '1 " 89860319457500012345' } },
    ])
  })

  it('counts the last of a name that stands twice, also behind an escape', () => {
    expect(valuesOf('{"n":1,"n":2}')).toEqual([{ n: 2 }])
    const entry = take('{"note":"\\u0000","note":"fine"}')[0]!
    expect(entry.values).toBe('{"note":"fine"}')
  })

  it('stores zero without a sign', () => {
    expect(Object.is(take('{"t":-0}')[0]!.properties!.t, 0)).toBe(true)
    expect(take('{"t":-0}')[0]!.values).toBe('{"t":0}')
  })

  it('stores every double as it was sent', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), t => {
        const entry = take(JSON.stringify({ t }))[0]!
        expect(JSON.parse(entry.values!).t).toBe(t + 0)
      }),
    )
  })

  it('makes rows or a refusal of any bytes, never an error', () => {
    const payload = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
      fc.json({ maxDepth: 6 }).map(text => Buffer.from(text)),
      fc
        .dictionary(fc.constantFrom('t', 'n', 'big', 'on', 'note', 'doc', 'ts', 'values', '__proto__'), fc.jsonValue())
        .map(o => Buffer.from(JSON.stringify(o))),
    )
    const channel = fc.constantFrom<UplinkChannel>(
      { kind: 'property' },
      { kind: 'event', identifier: 'alert' },
      { kind: 'service_reply', identifier: 'reset' },
      { kind: 'property_set_reply' },
    )
    fc.assert(
      fc.property(payload, channel, (bytes, through) => {
        for (const entry of take(bytes, through)) {
          expect(() => JSON.parse(entry.values!)).not.toThrow()
          expect(entry.values).not.toContain('\\u0000')
          expect(Number.isInteger(entry.ts)).toBe(true)
        }
      }),
      { numRuns: 500 },
    )
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

describe('the time of a post', () => {
  const timed = (ts: number) => take(`{"ts":${ts},"values":{"n":1}}`)[0]!

  it('is the device’s own between a year ago and five minutes ahead', () => {
    for (const ts of [NOW - OLDEST_MS, NOW, NOW + NEWEST_MS])
      expect(timed(ts)).toMatchObject({ ts, deviceTs: null, quality: Quality.good })
    expect(timed(NOW - 0.4)).toMatchObject({ ts: NOW })
  })

  it.each([NOW - OLDEST_MS - 1, NOW + NEWEST_MS + 1, 0, -1, NOW / 1_000, 4_102_444_800_000])(
    'beyond that (%d) is the time of arrival; the device’s is kept and the quality uncertain',
    ts => {
      expect(timed(ts)).toMatchObject({ ts: NOW, deviceTs: Math.round(ts), quality: Quality.uncertain, late: false })
    },
  )

  it('that no date can hold is kept as the last date', () => {
    expect(timed(1e300)).toMatchObject({ ts: NOW, deviceTs: 8.64e15, quality: Quality.uncertain })
  })

  it('marks data as late when it is older than ten minutes at its arrival', () => {
    expect(timed(NOW - LATE_MS).late).toBe(false)
    expect(timed(NOW - LATE_MS - 1).late).toBe(true)
  })
})

describe('events and replies', () => {
  const alert: UplinkChannel = { kind: 'event', identifier: 'alert' }
  const reset: UplinkChannel = { kind: 'service_reply', identifier: 'reset' }
  const set: UplinkChannel = { kind: 'property_set_reply' }

  it('an event is stored with its level and checked parameters', () => {
    expect(JSON.parse(take('{"params":{"why":"hot"}}', alert)[0]!.values!)).toEqual({
      identifier: 'alert',
      level: 'error',
      params: { why: 'hot' },
    })
    expect(take(`{"ts":${NOW - 1}}`, alert)[0]).toMatchObject({ kind: JournalKind.event, ts: NOW - 1 })
    expect(refused('{"params":{"why":1}}', alert)).toMatchObject({ reason: 'property_type', path: 'why' })
    expect(refused('{"why":"hot"}', alert).reason).toBe('payload_shape')
    expect(refused('{}', { kind: 'event', identifier: '__proto__' }).reason).toBe('event_unknown')
  })

  it('a reply carries id, code, message and checked output', () => {
    const read = (text: string, channel: UplinkChannel = set) => JSON.parse(take(text, channel)[0]!.values!)
    expect(read('{"id":"c1","code":0,"more":1}')).toEqual({ commandId: 'c1', code: 0, message: null, data: null })
    expect(read('{"id":"c1","code":5,"message":"busy","data":7}', reset)).toMatchObject({
      code: 5,
      message: 'busy',
      data: null,
    })
    // Output whose names are those of a refusal is data like any other.
    const data = { reason: 'a', path: 'b', detail: 'c' }
    expect(read(JSON.stringify({ id: 'c1', code: 0, data }), reset)).toMatchObject({ data })
    expect(refused('{"id":"c1","code":0,"data":{"reason":1}}', reset)).toMatchObject({
      reason: 'property_type',
      path: 'data.reason',
    })
    expect(refused('{"id":1,"code":0}', set)).toMatchObject({ reason: 'payload_shape', path: 'id' })
    expect(refused('{"id":"c1"}', set)).toMatchObject({ reason: 'payload_shape', path: 'code' })
    expect(refused('{"id":"c1","code":0}', { kind: 'service_reply', identifier: 'nope' }).reason).toBe(
      'service_unknown',
    )
    expect(refused('{"id":"c1","code":1,"message":"\\u0000"}', set).reason).toBe('text_not_storable')
  })

  it('a topic nobody may use is refused with its name', () => {
    expect(refused('{}', { kind: 'unknown', topic: 'a/b\u0000' })).toMatchObject({
      reason: 'topic_unknown',
      detail: 'a/b\uFFFD',
    })
  })
})
