import type { FormatBody } from '@thingwright/contracts/format-schemas'
import { parseModel, type ThingModel } from '@thingwright/thing-model'
import { afterAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../../lib/log.ts'
import { ScriptPool } from '../codecs/script/script-pool.ts'
import { createFormatTools } from './format-tools.ts'

const tools = createFormatTools(silentLogger)
const scripts = new ScriptPool({ logger: silentLogger, size: 1 })
afterAll(() => Promise.all([tools.stop(), scripts.stop()]))

const property = (identifier: string, type = 'double') => ({
  identifier,
  name: identifier,
  dataType: { type },
  access: 'rw',
})
const parsed = parseModel({
  properties: [property('temperature'), property('humidity'), property('place', 'geo')],
  events: [{ identifier: 'alarm', name: 'alarm', level: 'error', params: [property('code')] }],
  services: [{ identifier: 'reset', name: 'reset', input: [], output: [] }],
})
const model = (parsed.ok ? parsed.model : null) as ThingModel
const problemsOf = async (body: object) =>
  (await tools.check(body as FormatBody, [model])).problems.map(({ path, code }) => `${path} ${code}`)

describe('a format is checked', () => {
  it.each<[string, object, string[]]>([
    ['JSON without a mapping', { kind: 'json' }, []],
    [
      'fields of another kind',
      { kind: 'json', source: 'x', registers: [] },
      ['source field.of_other_kind', 'registers field.of_other_kind'],
    ],
    [
      'paths',
      { kind: 'json', values: [{ path: 'a..b', identifier: 'temperature' }], rows: '$..x' },
      ['values.0.path field.path_invalid', 'rows field.path_invalid'],
    ],
    [
      'properties',
      { kind: 'json', values: [{ path: 'a', identifier: 'nope' }], flags: [{ sensorId: 'no', flag: 'x' }] },
      ['values.0.identifier field.property_unknown', 'flags.0.sensorId field.property_unknown'],
    ],
    ['a label', { kind: 'label', label: '[H:#]' }, ['label field.label_invalid']],
    ['a label that is missing', { kind: 'label' }, ['label field.required']],
    ['fields of a label', { kind: 'label', label: '[D?]', fields: ['', 'nope'] }, ['fields.1 field.property_unknown']],
    [
      'frames',
      {
        kind: 'label',
        frames: [
          {
            fields: [
              { type: 'uint8' },
              { type: 'uint8', at: 0, identifier: 'nope' },
              { type: 'uint8', index: 0, identifier: 'humidity' },
            ],
          },
        ],
      },
      [
        'frames.0.fields.0.at field.required',
        'frames.0.fields.0.identifier field.required',
        'frames.0.fields.1.identifier field.property_unknown',
        'frames.0.fields.2.at field.required',
      ],
    ],
    [
      'frames of events',
      {
        kind: 'label',
        frames: [
          { event: 'alarm', fields: [{ type: 'uint8', at: 0, identifier: 'code' }] },
          { event: 'nope', fields: [] },
        ],
      },
      ['frames.1.event field.property_unknown'],
    ],
    [
      'frames of services',
      { kind: 'label', frames: [{ command: { kind: 'service', identifier: 'nope' }, fields: [] }] },
      ['frames.0.command.identifier field.property_unknown'],
    ],
    [
      'registers',
      {
        kind: 'modbus',
        registers: [
          { identifier: 'temperature', function: 1, address: 0, dataType: 'int16' },
          { identifier: 'humidity', function: 3, address: 65_535, dataType: 'float32', bit: 1, write: 'single' },
        ],
      },
      [
        'registers.0.dataType field.register_type',
        'registers.1.bit field.of_other_kind',
        'registers.1.address field.maximum',
        'registers.1.write field.register_single',
      ],
    ],
    ['an empty table', { kind: 'modbus' }, ['registers field.required']],
    [
      'channels',
      { kind: 'cayenne', channels: [{ channel: 1, type: 'nope', identifier: 'temperature' }] },
      ['channels.0.type field.enum'],
    ],
    ['a script', { kind: 'script', source: 'function decode() {' }, ['source field.script_invalid']],
    ['a script without functions', { kind: 'script', source: 'var a = 1' }, ['source field.script_empty']],
    ['a script that is missing', { kind: 'script' }, ['source field.required']],
    ['a script that can be used', { kind: 'script', source: 'function decodeUplink() {}' }, []],
  ])('%s', async (_name, body, problems) => {
    expect(await problemsOf(body)).toEqual(problems)
  })
})

const STRICT = { unknownKeys: 'refuse', lenientTypes: false, badValues: 'refuse' } as const

describe('a trial', () => {
  const up = (format: object, payload: string | Buffer, over = {}) =>
    tools.try({
      model,
      format: format as Record<string, unknown>,
      at: 1_000,
      intake: STRICT,
      direction: 'up',
      channel: { kind: 'raw' },
      payload: Buffer.from(payload as string),
      ...over,
    })

  it('says what stands where, also in a frame that is refused', async () => {
    const format = { kind: 'label', label: '[H:#],[D?],[S:,],[D?],[T:#]', fields: ['temperature', 'humidity'] }
    expect(await up(format, '#21.5,60#')).toMatchObject({
      ok: true,
      rows: [{ ts: 1_000, quality: 'good', values: { temperature: 21.5, humidity: 60 } }],
      fields: [
        { role: 'head', at: 0, length: 1, hex: '23' },
        { role: 'value', identifier: 'temperature', at: 1, length: 4, value: 21.5 },
        { role: 'separator', at: 5 },
        { identifier: 'humidity', at: 6, value: 60 },
        { role: 'tail', at: 8 },
      ],
    })
    expect(await up(format, '#21.5;60#')).toMatchObject({
      ok: false,
      reason: 'format_mismatch',
      path: 'D1',
      rows: [],
      fields: [{ role: 'head' }],
    })
  })

  it('of a script tells what it wrote and how long it took', async () => {
    const source =
      'function decode(i) {\n  console.log("got", i.bytes)\n  return [{ temperature: 1 }, { event: "alarm", params: { code: 2 } }, { sub: "x", values: { y: 3 } }]\n}'
    const reply = await up({ kind: 'script', source }, Buffer.from([1, 2]))
    expect(reply).toMatchObject({
      ok: true,
      rows: [{ values: { temperature: 1 } }, { values: { code: 2 }, event: 'alarm' }, { values: { y: 3 }, sub: 'x' }],
      logs: ['got [1,2]'],
    })
    expect(reply.tookMs).toBeGreaterThanOrEqual(0)
    expect(await up({ kind: 'script', source: '\nfunction decode() { x.y }' }, 'a')).toMatchObject({
      reason: 'script_error',
      path: 'line 2',
    })
  })

  it('of the standard topics passes no format', async () => {
    expect(
      await up({ kind: 'script', source: '' }, '{"temperature":1}', { channel: { kind: 'property' } }),
    ).toMatchObject({
      ok: true,
      rows: [{ values: { temperature: 1 } }],
    })
    const event = { channel: { kind: 'event', identifier: 'alarm' } }
    expect(await up({ kind: 'json' }, '{"params":{"code":1}}', event)).toMatchObject({
      rows: [{ event: 'alarm', values: { code: 1 } }],
    })
  })

  it('follows the rules of the product, and names the keys that its model does not know', async () => {
    const sent = '[{"temperature":1,"volts":3},{"humidity":"60","amps":1,"volts":4}]'
    const rows = [{ values: { temperature: 1 } }, { values: { humidity: 60 } }]
    for (const unknownKeys of ['ignore', 'collect'] as const) {
      const reply = await up({ kind: 'json' }, sent, { intake: { unknownKeys, lenientTypes: true } })
      expect(reply).toMatchObject({ ok: true, reason: null, rows, unknown: ['volts', 'amps'] })
      expect(
        await up({ kind: 'json' }, sent, { intake: { unknownKeys, lenientTypes: false, badValues: 'refuse' } }),
      ).toMatchObject({
        ok: false,
        reason: 'property_type',
        path: '[1].humidity',
      })
    }
    expect(await up({ kind: 'json' }, '{"temperature":1,"volts":3,"amps":1}')).toMatchObject({
      ok: false,
      reason: 'property_unknown',
      path: 'volts',
      unknown: ['volts', 'amps'],
    })
    const event = { channel: { kind: 'event', identifier: 'alarm' }, intake: { ...STRICT, unknownKeys: 'ignore' } }
    expect(await up({ kind: 'json' }, '{"params":{"code":1,"zone":"a"}}', event)).toMatchObject({
      ok: true,
      rows: [{ event: 'alarm', values: { code: 1 } }],
      unknown: ['event/alarm/zone'],
    })
    const source = 'function decode() { return { temperature: 1, volts: 3 } }'
    const collect = { intake: { ...STRICT, unknownKeys: 'collect' } }
    expect(await up({ kind: 'script', source }, 'x', collect)).toMatchObject({ ok: true, unknown: ['volts'] })
    expect(await up({ kind: 'json' }, '{"temperature":1}')).toMatchObject({ ok: true, unknown: [] })
  })

  it('downwards shows the frames', async () => {
    const down = (format: object) =>
      tools.try({
        model,
        format: format as Record<string, unknown>,
        at: 0,
        intake: STRICT,
        direction: 'down',
        command: { id: 'c', kind: 'property_set', identifier: null, params: { temperature: 20 } },
      })
    expect(await down({ kind: 'json' })).toMatchObject({ frames: [{ text: '{"id":"c","params":{"temperature":20}}' }] })
    const register = { identifier: 'temperature', function: 3, address: 1, dataType: 'int16' }
    expect(await down({ kind: 'modbus', registers: [register] })).toMatchObject({
      frames: [{ hex: expect.stringMatching(/^010600010014/), text: null }],
    })
    expect(await down({ kind: 'label', label: '[D?]', fields: ['humidity'] })).toMatchObject({
      ok: false,
      reason: 'not_encodable',
    })
  })
})

describe('a pasted frame is recognised', () => {
  const first = (payload: string | Buffer) => tools.detect(Buffer.from(payload as string), model)[0]!

  it('as the JSON of the standard topics', () => {
    expect(first('{"temperature":1}')).toMatchObject({ looksLike: 'json', format: { kind: 'json' } })
  })

  it('as JSON of its own, with time, device and rows', () => {
    expect(first('{"sn":"x","ts":1767225600,"data":{"Temperature":1,"other":[2]}}').format).toEqual({
      kind: 'json',
      device: 'sn',
      time: { path: 'ts' },
      values: [
        { path: 'data.Temperature', identifier: 'temperature' },
        { path: 'data.other[0]', identifier: '' },
      ],
    })
    expect(first('{"list":[{"id":1,"humidity":2}]}').format).toMatchObject({ rows: '$.list' })
  })

  it('as a label', () => {
    expect(first('#21.5,60#\r\n')).toMatchObject({
      looksLike: 'label_text',
      format: { label: '[H:#],[D?],[S:,],[D?],[T:#\\r\\n]', fields: ['temperature', 'humidity'] },
    })
    expect(first('#21.5,60#').fields.map(field => field.value)).toEqual([null, 21.5, null, 60, null])
  })

  it('as a place', () => {
    const found = first('$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A')
    expect(found).toMatchObject({ looksLike: 'nmea', fields: expect.arrayContaining([]) })
    expect(found.fields.find(field => field.identifier === 'place')?.value).toMatchObject({ lat: 48.1173 })
  })

  it('as an answer of a Modbus slave, as Cayenne LPP, as bytes with a checksum', () => {
    expect(first(Buffer.from('010304000100022a32', 'hex')).looksLike).toBe('modbus_rtu')
    expect(first(Buffer.from('03670110056700ff', 'hex'))).toMatchObject({ looksLike: 'cayenne' })
    const found = first(Buffer.from('6801020304050f16', 'hex'))
    expect(found).toMatchObject({
      looksLike: 'label_binary',
      format: { frames: [{ head: '68', tail: '16', checksum: { kind: 'sum8', at: -2, from: 1 } }] },
    })
    expect(found.fields.find(field => field.role === 'checksum')?.value).toBe(true)
  })
})
