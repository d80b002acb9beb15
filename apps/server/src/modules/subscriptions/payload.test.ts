import type { SubscriptionFilter, SubscriptionItem } from '@thingwright/contracts/subscriptions.contract'
import { describe, expect, it } from 'vitest'
import { envelope } from './items.ts'
import { type DeviceFacts, Matcher, satisfies } from './matcher.ts'
import { createPayloadWriter, trialProblems } from './payload.ts'
import { parseTemplate, renderTemplate } from './template.ts'

const ITEM: SubscriptionItem = {
  id: 'j0-7',
  type: 'property',
  ts: Date.UTC(2026, 0, 2, 3, 4, 5),
  productKey: 'Pk',
  deviceNo: 'dev-1',
  deviceId: '01234567-89ab-7cde-8f01-23456789abcd',
  data: { temperature: 21.5, on: true, note: 'a "quoted"\n{{deviceNo}}', place: { lng: 120, lat: 30 } },
}
const stored = (item: SubscriptionItem) => ({ seq: 7, at: item.ts, device: 3, item: JSON.stringify(item) })
const CONTEXT = {
  tenantId: '01234567-89ab-7cde-8f01-0000000000ff',
  sensors: () => new Map([['temperature', { num: 5, type: 1 }]]),
}

describe('a template', () => {
  const fill = (text: string, json = true) => renderTemplate(parseTemplate(text), ITEM, json)

  it('reads values, JSON, times and what stands for an absent value', () => {
    expect(fill('{"t":{{data.temperature}},"d":"{{deviceNo}}","p":{{json data.place}},"at":"{{iso ts}}"}')).toBe(
      '{"t":21.5,"d":"dev-1","p":{"lng":120,"lat":30},"at":"2026-01-02T03:04:05.000Z"}',
    )
    expect(fill('{{data.lng}}|{{data.lng | "none"}}|{{json data.lng}}|{{data.place.lat}}|\\{{id}}', false)).toBe(
      '|none|null|30|{{id}}',
    )
  })

  it('lets no value out of its quotes, and fills nothing twice', () => {
    const text = fill('{"note":"{{data.note}}"}')
    expect(JSON.parse(text)).toEqual({ note: ITEM.data.note })
    expect(fill('{{data.note}}', false)).toBe(ITEM.data.note)
  })

  it('reaches the data and nothing else', () => {
    for (const path of ['data.constructor', 'data.__proto__.polluted', 'data.note.length', 'data.toString'])
      expect(fill(`[{{${path}}}]`, false)).toBe('[]')
    for (const text of [
      '{{process.env}}',
      '{{constructor}}',
      '{{#each data}}',
      '{{data[0]}}',
      '{{1+1}}',
      '{{f()}}',
      '{{',
      '{{data..x}}',
      '{{}}',
    ])
      expect(parseTemplate(text).problems, text).not.toEqual([])
    expect(parseTemplate('a{{nobody}}').problems).toEqual([{ at: 1, code: 'unknown', text: 'nobody' }])
  })

  it('cannot make a huge body of little text', () => {
    const item = { ...ITEM, data: { big: 'x'.repeat(60_000) } }
    expect(renderTemplate(parseTemplate('{{data.big}}'.repeat(400)), item, false).length).toBe(262_144)
    expect(parseTemplate('{{id}}'.repeat(501)).problems.length).toBe(1)
  })
})

describe('payloads', () => {
  it('are the own envelope, byte for byte what was queued', () => {
    const writer = createPayloadWriter({ format: 'envelope' }, CONTEXT)
    const { data, ...head } = ITEM
    const text = envelope(head, JSON.stringify(data))
    expect(JSON.parse(text)).toEqual(ITEM)
    const message = writer.message({ ...stored(ITEM), item: text }, ITEM)
    expect(message).toBe(text)
    expect(JSON.parse(writer.body([message, message]))).toEqual({ items: [ITEM, ITEM] })
  })

  it('are as the TLINK family pushes', () => {
    const writer = createPayloadWriter({ format: 'tlink' }, CONTEXT)
    expect(writer.maxItems).toBe(1)
    const text = writer.message(stored(ITEM), ITEM)
    expect(JSON.parse(text)).toMatchObject({
      flag: '00',
      deviceUserid: 255,
      parentUserId: '255',
      deviceId: 3,
      deviceNo: 'dev-1',
      isLine: 1,
      time: '2026-01-02 11:04:05',
      rawData: '',
      sensorsDates: [
        {
          times: '11:04:05',
          sensorsId: 12_000_005,
          sensorsTypeId: 1,
          isAlarm: '0',
          isLine: 1,
          reVal: '21.5',
          value: '21.5',
        },
        { identifier: 'on', value: '1' },
        { identifier: 'note' },
        { identifier: 'place', value: '{"lng":120,"lat":30}' },
      ],
    })
    const offline: SubscriptionItem = { ...ITEM, type: 'state', data: { link: 'offline' } }
    expect(JSON.parse(writer.message(stored(offline), offline))).toMatchObject({ isLine: 0, sensorsDates: [] })
  })

  it('are templates: one alone, several as a list or as lines; a trial tells what is wrong', () => {
    const json = { format: 'template' as const, template: '{"v":{{data.temperature}}}' }
    const writer = createPayloadWriter(json, CONTEXT)
    const message = writer.message(stored(ITEM), ITEM)
    expect([writer.body([message]), writer.body([message, message])]).toEqual(['{"v":21.5}', '[{"v":21.5},{"v":21.5}]'])
    const lines = createPayloadWriter(
      { ...json, template: '{{deviceNo}},{{data.temperature}}', contentType: 'text/csv' },
      CONTEXT,
    )
    expect(lines.body(['a', 'b'])).toBe('a\nb')
    expect(trialProblems(json, ITEM)).toEqual([])
    expect(trialProblems({ ...json, template: '{"v":{{data.nothing}}}' }, ITEM)).toMatchObject([
      { code: 'missing', at: 5, text: 'data.nothing' },
      { code: 'not_json' },
    ])
  })
})

describe('a filter', () => {
  const DEVICE: DeviceFacts = {
    num: 3,
    id: 'd',
    tenantId: 't',
    deviceNo: 'dev-1',
    productId: 'p',
    productKey: 'Pk',
    groupIds: ['g', 'root'],
    tags: ['hall 1'],
    createdBy: 'li',
    ownerPath: ['top', 'below'],
    historyFrom: null,
  }
  const matcher = (filter: SubscriptionFilter, over: object = {}) =>
    new Matcher({
      id: 's',
      tenantId: 't',
      kinds: ['property', 'event', 'state'],
      filter,
      dataScope: { kind: 'all' },
      createdBy: 'li',
      since: 100,
      ...over,
    })
  const limited = (over: object) => ({ kind: 'limited', groupIds: [], productIds: [], own: false, ...over })
  const take = (
    m: Matcher,
    data: object,
    arrivedAt = 1_000,
    kind: 'property' | 'event' = 'property',
    seq = arrivedAt,
  ) => m.take(kind, { device: 3, seq, arrivedAt }, JSON.stringify(data), () => data as Record<string, unknown>)

  it('chooses devices by product, device, group and tag, never beyond its maker’s scope', () => {
    const takes = (filter: SubscriptionFilter, over?: object) => matcher(filter, over).takesDevice(DEVICE)
    expect(
      [
        {},
        { productIds: ['p'] },
        { deviceIds: ['d'] },
        { groupIds: ['root'] },
        { userIds: ['top'] },
        { userIds: ['below', 'x'] },
        { tags: ['x', 'hall 1'] },
      ].map(f => takes(f)),
    ).toEqual(Array(7).fill(true))
    expect(
      [
        { productIds: ['q'] },
        { groupIds: ['h'] },
        { userIds: ['x'] },
        { tags: ['x'] },
        { productIds: ['p'], tags: ['x'] },
        { productIds: ['p'], userIds: ['x'] },
      ].map(f => takes(f)),
    ).toEqual(Array(6).fill(false))
    expect(takes({ productIds: ['q'], groupIds: ['g'] })).toBe(true)
    expect(takes({}, { tenantId: 'other' })).toBe(false)
    for (const scope of [{ groupIds: ['g'] }, { productIds: ['p'] }, { own: true }])
      expect(takes({}, { dataScope: limited(scope) })).toBe(true)
    for (const scope of [{}, { groupIds: ['h'] }, { productIds: ['q'] }])
      expect(takes({ deviceIds: ['d'] }, { dataScope: limited(scope) })).toBe(false)
    expect(takes({}, { dataScope: limited({ own: true }), createdBy: 'wang' })).toBe(false)
    expect(takes({}, { dataScope: limited({ own: true }), createdBy: null })).toBe(false)
  })

  it('passes rows on unread where nothing is asked of them, from its beginning on', () => {
    const m = matcher({})
    const never = () => {
      throw new Error('it was parsed')
    }
    expect(m.take('property', { device: 3, seq: 1, arrivedAt: 100 }, '{"a":1}', never)).toBe('{"a":1}')
    expect(m.take('property', { device: 3, seq: 1, arrivedAt: 99 }, '{"a":1}', never)).toBeNull()
    expect(m.take('command', { device: 3, seq: 1, arrivedAt: 100 }, '{}', never)).toBeNull()
  })

  it('narrows to properties, events and conditions', () => {
    expect(take(matcher({ identifiers: ['a'] }), { a: 1, b: 2 })).toBe('{"a":1}')
    expect(take(matcher({ identifiers: ['a'] }), { b: 2 })).toBeNull()
    expect(take(matcher({ events: ['hot'] }), { identifier: 'hot' }, 1_000, 'event')).not.toBeNull()
    expect(take(matcher({ events: ['hot'] }), { identifier: 'cold' }, 1_000, 'event')).toBeNull()
    const rules = [
      { identifier: 'a', op: 'gt', value: 10 },
      { identifier: 'b', op: 'eq', value: 'x' },
    ] as const
    const all = matcher({ condition: { match: 'all', rules: [...rules] } })
    const any = matcher({ condition: { match: 'any', rules: [...rules] } })
    expect(
      [{ a: 11, b: 'x' }, { a: 11 }, { a: 10, b: 'y' }].map(data => [
        take(all, data) !== null,
        take(any, data) !== null,
      ]),
    ).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ])
  })

  it.each([
    ['eq', 5, 5, true],
    ['eq', '5', 5, true],
    ['ne', 5, 6, true],
    ['gte', 5, 5, true],
    ['lt', 5, 5, false],
    ['lte', '9007199254740993', 5, false],
    ['gt', true, 0, false],
    ['contains', 'abc', 'b', true],
    ['contains', [1, 2], 2, true],
    ['exists', 0, undefined, true],
    ['exists', null, undefined, false],
    ['gt', { a: 1 }, 0, false],
  ] as const)('%s of %j and %j is %s', (op, found, value, expected) => {
    const rule = { identifier: 'params.x', op, ...(value === undefined ? {} : { value }) }
    expect(satisfies({ params: { x: found } }, rule as never)).toBe(expected)
    expect(satisfies({ 'params.x': found }, rule as never)).toBe(expected)
  })

  it('samples each property once in a stretch of time, and lets a repeated row through again', () => {
    const m = matcher({ everySeconds: 10 })
    expect(take(m, { a: 1, b: 1 }, 20_000)).toBe('{"a":1,"b":1}')
    expect(take(m, { a: 2, c: 1 }, 25_000)).toBe('{"c":1}')
    expect(take(m, { a: 3 }, 29_999)).toBeNull()
    expect(take(m, { a: 4 }, 30_000)).toBe('{"a":4}')
    // The transaction failed and its rows come again.
    expect(take(m, { a: 1, b: 1 }, 20_000)).toBe('{"a":1,"b":1}')
    expect(take(m, { a: 2 }, 25_000)).toBeNull()
    expect(take(m, { a: 4 }, 30_000)).toBe('{"a":4}')
  })
})
