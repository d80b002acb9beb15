import { compileModel, parseModel } from '@thingwright/thing-model'
import { describe, expect, it } from 'vitest'
import { aDevice } from '../testing/entries.ts'
import { JournalKind, Quality, type UplinkChannel } from '../uplink.ts'
import { isPart } from './refusals.ts'
import { validate, validateReadings } from './validate.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const device = aDevice(7)
const intake = { unknownKeys: 'collect', lenientTypes: false, badValues: 'drop' } as const
const parsed = parseModel({
  properties: [
    { identifier: 't', name: 't', access: 'r', dataType: { type: 'double', min: -40, max: 125 } },
    { identifier: 'humidity', name: 'humidity', access: 'r', dataType: { type: 'double' } },
    {
      identifier: 'level',
      name: 'level',
      access: 'r',
      dataType: { type: 'double', min: 0, max: 10 },
      mapping: { up: { x1: 0, y1: 0, x2: 100, y2: 10 } },
    },
  ],
  events: [{ identifier: 'alert', name: 'alert', level: 'error', params: [] }],
  services: [
    {
      identifier: 'reset',
      name: 'reset',
      input: [],
      output: [
        { identifier: 'left', name: 'left', dataType: { type: 'int32' } },
        { identifier: 'note', name: 'note', dataType: { type: 'string' } },
      ],
    },
  ],
})
if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
const model = compileModel(parsed.model)
const plain = compileModel({ ...parsed.model, properties: parsed.model.properties.slice(0, 2) })

/** What is stored as values, and what is listed as refused, of one message. */
function take(payload: unknown, over: { model?: typeof model; channel?: UplinkChannel; whole?: boolean } = {}) {
  const raw = {
    device,
    channel: over.channel ?? ({ kind: 'property' } as const),
    payload: Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
    arrivedAt: NOW,
  }
  const rule = over.whole ? { ...intake, badValues: 'refuse' as const } : intake
  return split(validate({ raw, model: over.model ?? plain, intake: rule }))
}

function split(entries: ReturnType<typeof validate>) {
  const stored = entries.filter(({ kind }) => kind !== JournalKind.refused)
  const refused = entries.filter(({ kind }) => kind === JournalKind.refused)
  expect(refused.length).toBeLessThanOrEqual(1)
  const detail = refused[0] && JSON.parse(refused[0].values!)
  const listed = detail && [
    `${refused[0]!.refusedReason} ${detail.path}`,
    ...(detail.more ?? []).map(({ reason, path }: { reason: string; path: string }) => `${reason} ${path}`),
  ]
  return {
    stored: stored.map(({ values }) => JSON.parse(values!)),
    listed: listed ?? [],
    qualities: stored.map(({ quality }) => quality),
    ts: stored.map(({ ts }) => ts),
    part: refused[0] ? isPart(refused[0].values) : null,
  }
}

describe('a message with a value that cannot be taken', () => {
  it.each([{ model }, { model: plain }])('keeps the others, with and without policies', ({ model: of }) => {
    expect(take({ t: 21.5, humidity: null }, { model: of })).toMatchObject({ stored: [{ t: 21.5 }], listed: [] })
    expect(take({ t: 21.5, humidity: 'wet' }, { model: of })).toMatchObject({
      stored: [{ t: 21.5 }],
      listed: ['property_type humidity'],
      part: true,
    })
    expect(take({ t: 3276.7, humidity: 40 }, { model: of })).toMatchObject({
      stored: [{ humidity: 40 }],
      listed: ['property_range t'],
    })
  })

  it('of which nothing is good is refused as ever', () => {
    expect(take({ t: 'x' })).toMatchObject({ stored: [], listed: ['property_type t'], part: false })
  })

  it('of no values at all shows that the device is there', () => {
    expect(take({ t: null, humidity: null })).toMatchObject({ stored: [{}], listed: [] })
  })

  it('is refused whole where the product says so; null is no value there too', () => {
    expect(take({ t: 21.5, humidity: 'wet' }, { whole: true })).toMatchObject({
      stored: [],
      listed: ['property_type humidity'],
    })
    expect(take({ t: 21.5, humidity: null }, { whole: true })).toMatchObject({ stored: [{ t: 21.5 }], listed: [] })
    expect(take([{ t: 1 }, { t: 'x' }], { whole: true })).toMatchObject({ stored: [], listed: ['property_type [1].t'] })
  })

  it('keeps the good elements of an array', () => {
    const sent = [{ t: 1 }, { t: 'x' }, 7, { ts: NOW - 1000, values: { t: 2, humidity: [] } }]
    expect(take(sent)).toMatchObject({
      stored: [{ t: 1 }, { t: 2 }],
      listed: ['property_type [1].t', 'payload_shape [2]', 'property_type [3].humidity'],
      part: false,
    })
  })

  it('maps what is kept', () => {
    expect(take({ level: 50, t: 'x' }, { model })).toMatchObject({ stored: [{ level: 5, 'level#raw': 50 }] })
  })

  it('keeps the reply to a command whose output is wrong', () => {
    const reply = { id: 'c1', code: 0, data: { left: 'many', note: 'done' } }
    const channel = { kind: 'service_reply', identifier: 'reset' } as const
    expect(take(reply, { channel })).toMatchObject({
      stored: [{ commandId: 'c1', code: 0, data: { note: 'done' } }],
      listed: ['property_type data.left'],
    })
    expect(take({ ...reply, data: 7 }, { channel })).toMatchObject({
      stored: [{ commandId: 'c1', code: 0, data: null }],
      listed: ['payload_shape data'],
    })
  })
})

describe('a time that cannot be read', () => {
  it('costs the time, not the values', () => {
    for (const ts of ['yesterday', {}, true])
      expect(take({ ts, values: { t: 1 } })).toMatchObject({
        stored: [{ t: 1 }],
        listed: ['payload_shape ts'],
        qualities: [Quality.uncertain],
        ts: [NOW],
      })
    expect(take({ ts: 'x', params: {} }, { channel: { kind: 'event', identifier: 'alert' } })).toMatchObject({
      stored: [{ identifier: 'alert' }],
      listed: ['payload_shape ts'],
    })
  })

  it('is not one that is written as text', () => {
    for (const ts of [
      String(NOW - 5000),
      '2026-11-21T11:59:55Z',
      '2026-11-21T19:59:55+08',
      '2026/11/21 19:59:55 +0800',
    ])
      expect(take({ ts, values: { t: 1 } })).toMatchObject({ ts: [NOW - 5000], listed: [], qualities: [Quality.good] })
    expect(take({ ts: null, values: { t: 1 } })).toMatchObject({ ts: [NOW], listed: [], qualities: [Quality.good] })
  })
})

describe('what a format could not read of a frame', () => {
  const raw = { device, channel: { kind: 'raw' } as const, payload: Buffer.from('ff', 'hex'), arrivedAt: NOW }
  const faults = [{ reason: 'format_mismatch' as const, path: 't2', detail: 'not a number' }]

  it('is listed beside what it could', () => {
    const made = split(validateReadings({ raw, model: plain, intake }, [{ values: { t: 21.5 } }], {}, faults))
    expect(made).toMatchObject({ stored: [{ t: 21.5 }], listed: ['format_mismatch t2'], part: true })
  })

  it('refuses the frame where the product says so, or where there is nothing else', () => {
    const whole = { ...intake, badValues: 'refuse' as const }
    expect(
      split(validateReadings({ raw, model: plain, intake: whole }, [{ values: { t: 1 } }], {}, faults)),
    ).toMatchObject({
      stored: [],
      listed: ['format_mismatch t2'],
    })
    expect(split(validateReadings({ raw, model: plain, intake }, [], {}, faults))).toMatchObject({
      stored: [],
      part: false,
    })
  })
})
