import type { AlarmView } from '@thingwright/contracts/alarms.contract'
import type { TriggerRunView, TriggerView } from '@thingwright/contracts/triggers.contract'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { JournalKind } from '../ingest/uplink.ts'
import { type TriggerHouse, triggerHouse } from './testing/trigger-house.ts'

let house: TriggerHouse
let device: string

beforeAll(async () => {
  house = await triggerHouse()
  device = await house.device('Cold room')
}, 120_000)
afterAll(() => house.end())
afterEach(() => house.tidy())

const create = (body: object) => house.trigger({ scope: { deviceIds: [device] }, ...body })
const say = (values: object, of = device) => house.say(of, values)
const alarms = (query: string) => house.alarms(query)
const until = (query: string, fits: (items: AlarmView[]) => boolean) => house.until(query, fits)
const newDevice = (name: string, over = {}) => house.device(name, over)

describe('a trigger', () => {
  it('raises an alarm, which is acknowledged and cleared', async () => {
    const trigger = await create({ kind: 'above', property: 'temperature', high: 8 })
    expect(trigger).toMatchObject({ state: 'enabled', devices: 1, openAlarms: 0, scopeNames: [expect.any(String)] })
    await say({ temperature: 8 })
    await say({ temperature: 8.1 })
    const [alarm] = await until(`triggerId=${trigger.id}`, items => items.length === 1)
    expect(alarm).toMatchObject({
      triggerId: trigger.id,
      target: { kind: 'device', id: device },
      deviceId: device,
      level: 3,
      active: true,
      acknowledged: false,
      work: 'open',
      count: 1,
      raiseValues: [{ deviceId: device, property: 'temperature', value: 8.1, ts: expect.any(Number) }],
      peak: 8.1,
    })
    expect((await house.call('GET', `/devices/${device}`, house.owner)).body).toMatchObject({ alarmLevel: 3 })
    const acked = await house.call<AlarmView>('POST', `/alarms/${alarm!.id}/ack`, house.owner, { text: 'seen' })
    expect(acked.body).toMatchObject({ acknowledged: true, active: true, acknowledgedName: 'owner' })
    await say({ temperature: 7.9 })
    const [cleared] = await until(`triggerId=${trigger.id}`, ([one]) => one?.active === false)
    expect(cleared).toMatchObject({
      clearedBy: 'condition',
      acknowledged: true,
      raiseValues: [{ value: 8.1 }],
      clearValues: [{ value: 7.9 }],
    })
    // It comes back as a new one.
    await say({ temperature: 9 })
    const both = await until(`triggerId=${trigger.id}`, items => items.length === 2)
    expect(both.map(one => one.active)).toEqual([true, false])
    const runs = await house.call<{ items: TriggerRunView[] }>('GET', `/triggers/${trigger.id}/runs`, house.owner)
    expect(runs.body.items.map(run => run.cause)).toEqual(['raised', 'cleared', 'raised'])
    const byHand = await house.call<AlarmView>('POST', `/alarms/${both[0]!.id}/clear`, house.owner, {})
    expect(byHand.body).toMatchObject({ active: false, clearedBy: 'person' })
    expect((await house.call('GET', `/devices/${device}`, house.owner)).body).toMatchObject({ alarmLevel: 0 })
    // What still holds is raised by the next value that says so.
    await house.factsJudged()
    await say({ temperature: 9.5 })
    await until(`triggerId=${trigger.id}`, items => items.length === 3)
    const events = await house.call<{ items: { kind: string }[] }>('GET', `/alarms/${alarm!.id}/events`, house.owner)
    expect(events.body.items.map(event => event.kind)).toEqual(['raised', 'acknowledged', 'cleared'])
  })

  it('that is switched off and on again raises anew, however fast, and without another message', async () => {
    const still = await newDevice('Quiet room')
    await say({ temperature: 30 }, still)
    const trigger = await create({
      kind: 'above',
      property: 'temperature',
      high: 8,
      scope: { deviceIds: [still] },
    })
    await until(`triggerId=${trigger.id}`, items => items.length === 1)
    for (const count of [2, 3, 4]) {
      const post = (what: string) => house.call('POST', `/triggers/${trigger.id}/${what}`, house.owner, {})
      expect((await post('disable')).status).toBe(200)
      expect((await post('enable')).status).toBe(200)
      const all = await until(`triggerId=${trigger.id}`, items => items.length === count)
      expect(all.filter(({ active }) => active)).toHaveLength(1)
    }
  })
})

/** Each kind at its limits: what is not enough, what raises, what does not clear yet, what clears. */
const KINDS: Record<string, { rule: object; calm: object[]; raise: object[]; stay: object[]; clear: object[] }> = {
  above: { rule: { high: 8 }, calm: [{ t: 8 }], raise: [{ t: 8.1 }], stay: [{ t: 9 }], clear: [{ t: 8 }] },
  below: { rule: { low: 2 }, calm: [{ t: 2 }], raise: [{ t: 1.9 }], stay: [{ t: 0 }], clear: [{ t: 2 }] },
  outside: {
    rule: { low: 2, high: 8 },
    calm: [{ t: 2 }, { t: 8 }],
    raise: [{ t: 8.1 }],
    stay: [{ t: 1.9 }],
    clear: [{ t: 2 }],
  },
  above_until_below: {
    rule: { high: 8, low: 4 },
    calm: [{ t: 8 }],
    raise: [{ t: 8.1 }],
    stay: [{ t: 4 }],
    clear: [{ t: 3.9 }],
  },
  below_until_above: {
    rule: { low: 2, high: 5 },
    calm: [{ t: 2 }],
    raise: [{ t: 1.9 }],
    stay: [{ t: 5 }],
    clear: [{ t: 5.1 }],
  },
  between: { rule: { low: 2, high: 8 }, calm: [{ t: 1.9 }], raise: [{ t: 2 }], stay: [{ t: 8 }], clear: [{ t: 8.1 }] },
  on: { rule: {}, calm: [{ p: false }], raise: [{ p: true }], stay: [{ p: true }], clear: [{ p: false }] },
  off: { rule: {}, calm: [{ p: true }], raise: [{ p: false }], stay: [{ p: false }], clear: [{ p: true }] },
  equal: { rule: { value: 5 }, calm: [{ t: 5.1 }], raise: [{ t: 5 }], stay: [{ t: 5 }], clear: [{ t: 4.9 }] },
  not_equal: { rule: { value: 5 }, calm: [{ t: 5 }], raise: [{ t: 5.1 }], stay: [{ t: 4 }], clear: [{ t: 5 }] },
}
/** The same after an hour, without a further message. */
const LASTING: Record<string, { rule: object; raise: object; clear: object }> = {
  above_for: { rule: { high: 8 }, raise: { t: 8.1 }, clear: { t: 8 } },
  below_for: { rule: { low: 2 }, raise: { t: 1.9 }, clear: { t: 2 } },
  outside_for: { rule: { low: 2, high: 8 }, raise: { t: 1 }, clear: { t: 3 } },
}
const valuesOf = ({ t, p }: { t?: number; p?: boolean }) => ({
  ...(t === undefined ? {} : { temperature: t }),
  ...(p === undefined ? {} : { pump: p }),
})

describe('the fifteen kinds', () => {
  it('raise and clear at their exact limits, from the device to the alarm', async () => {
    const all: { kind: string; device: string; trigger: string }[] = []
    for (const [kind, { rule }] of Object.entries(KINDS)) {
      const id = await newDevice(kind)
      const property = kind === 'on' || kind === 'off' ? 'pump' : 'temperature'
      all.push({
        kind,
        device: id,
        trigger: (await create({ kind, property, scope: { deviceIds: [id] }, ...rule })).id,
      })
    }
    const phase = async (name: 'calm' | 'raise' | 'stay' | 'clear') => {
      for (const { kind, device: of } of all) for (const values of KINDS[kind]![name]) await say(valuesOf(values), of)
    }
    const active = async () => {
      const items = await alarms('limit=100&active=1')
      return all.filter(({ trigger }) => items.some(one => one.triggerId === trigger)).map(({ kind }) => kind)
    }
    await phase('calm')
    await phase('raise')
    await vi
      .waitUntil(async () => (await active()).length === all.length, { timeout: 20_000, interval: 50 })
      .catch(() => {})
    expect(await active()).toEqual(all.map(({ kind }) => kind))
    await phase('stay')
    await phase('clear')
    await vi.waitUntil(async () => (await active()).length === 0, { timeout: 20_000, interval: 50 }).catch(() => {})
    expect(await active()).toEqual([])
    for (const { kind, trigger } of all) {
      const items = await alarms(`triggerId=${trigger}`)
      expect(
        items.map(({ raiseValues, clearValues }) => [raiseValues[0]?.value, clearValues[0]?.value]),
        kind,
      ).toEqual([[Object.values(KINDS[kind]!.raise.at(-1)!)[0], Object.values(KINDS[kind]!.clear[0]!)[0]]])
    }
  }, 120_000)

  it('that last fire when their minutes are reached, without a further message and over a restart', async () => {
    const all: { kind: string; device: string; trigger: string }[] = []
    for (const [kind, { rule }] of Object.entries(LASTING)) {
      const id = await newDevice(kind)
      const made = await create({ kind, property: 'temperature', minutes: 60, scope: { deviceIds: [id] }, ...rule })
      all.push({ kind, device: id, trigger: made.id })
    }
    const gone = await newDevice('offline')
    const silent = await newDevice('offline for')
    const offline = await create({ kind: 'offline', scope: { deviceIds: [gone] } })
    const offlineFor = await create({ kind: 'offline_for', minutes: 60, scope: { deviceIds: [silent] } })
    const link = (of: string, kind: number) => house.say(of, {}, { kind })
    for (const { kind, device: of } of all) await say(valuesOf(LASTING[kind]!.raise), of)
    await link(gone, JournalKind.offline)
    await link(silent, JournalKind.offline)
    await until(`triggerId=${offline.id}`, items => items.length === 1)
    // A minute is left, which even the slowest machine does not need for what is looked at before.
    house.forward(59 * 60_000)
    await house.timersFired()
    for (const { trigger } of all) expect(await alarms(`triggerId=${trigger}`)).toEqual([])
    expect(await alarms(`triggerId=${offlineFor.id}`)).toEqual([])
    await house.restart()
    await house.timersFired()
    for (const { trigger } of all) expect(await alarms(`triggerId=${trigger}`)).toEqual([])
    house.forward(60_000)
    for (const { trigger, kind } of all) {
      const [alarm] = await until(`triggerId=${trigger}`, items => items.length === 1)
      expect(alarm, kind).toMatchObject({ active: true, count: 1 })
    }
    await until(`triggerId=${offlineFor.id}`, items => items.length === 1)
    const { body } = await house.call<{ items: TriggerRunView[] }>(
      'GET',
      `/triggers/${all[0]!.trigger}/runs`,
      house.owner,
    )
    expect(body.items[0]).toMatchObject({ by: 'timer', cause: 'raised' })
    for (const { kind, device: of } of all) await say(valuesOf(LASTING[kind]!.clear), of)
    await link(gone, JournalKind.online)
    await link(silent, JournalKind.online)
    for (const id of [...all.map(one => one.trigger), offline.id, offlineFor.id])
      await until(`triggerId=${id}`, items => items.length === 1 && !items[0]!.active)
  }, 120_000)
})

describe('a general trigger', () => {
  it('judges groups of conditions, values of other devices, events and buttons', async () => {
    const [one, other] = [await newDevice('one'), await newDevice('other')]
    const both = await create({
      kind: 'general',
      scope: { deviceIds: [one] },
      condition: {
        type: 'all',
        of: [
          { type: 'compare', property: 'temperature', op: 'gt', value: 5 },
          { type: 'compare', property: 'temperature', op: 'gt', with: { property: 'limit', device: other } },
        ],
      },
    })
    await say({ temperature: 10 }, one)
    await say({ limit: 12 }, other)
    await say({ limit: 9 }, other)
    const [alarm] = await until(`triggerId=${both.id}`, items => items.length === 1)
    expect(alarm!.raiseValues.map(({ deviceId, property, value }) => [deviceId, property, value])).toEqual([
      [one, 'temperature', 10],
      [other, 'limit', 9],
    ])
    const leak = await create({
      kind: 'general',
      scope: { deviceIds: [one] },
      condition: { type: 'event', identifier: 'leak' },
    })
    const event = { identifier: 'leak', level: 'warning', params: {} }
    await house.say(one, event, { kind: JournalKind.event })
    await until(`triggerId=${leak.id}`, items => items.length === 1)
    const help = await create({
      kind: 'general',
      scope: { deviceIds: [one, other] },
      condition: { type: 'button', key: 'help' },
    })
    const press = (key: string) =>
      house.call('POST', `/triggers/${help.id}/signal`, house.owner, { kind: 'button', key, deviceId: other })
    expect((await press('fire')).body.code).toBe('trigger.signal_unknown')
    expect((await press('help')).status).toBe(202)
    house.look()
    const [pressed] = await until(`triggerId=${help.id}`, items => items.length === 1)
    expect(pressed!.deviceId).toBe(other)
  }, 60_000)

  it('raises one alarm for a whole scope, and watches who joins it', async () => {
    const group = await house.call<{ id: string }>('POST', '/groups', house.owner, { kind: 'device', name: 'Hall 7' })
    const one = await newDevice('of hall 7', { groupId: group.body.id })
    const trigger = await create({
      kind: 'above',
      property: 'temperature',
      high: 8,
      per: 'scope',
      scope: { groupIds: [group.body.id] },
    })
    await say({ temperature: 9 }, one)
    const [alarm] = await until(`triggerId=${trigger.id}`, items => items.length === 1)
    expect(alarm).toMatchObject({ target: { kind: 'scope', id: trigger.id }, deviceId: null })
    const two = await newDevice('joins hall 7', { groupId: group.body.id })
    await vi.waitUntil(() => house.container.triggers.catalogue.about(trigger.id)?.targets.length === 2, {
      timeout: 10_000,
    })
    await say({ temperature: 9 }, two)
    await say({ temperature: 7 }, one)
    const [still] = await until(`triggerId=${trigger.id}`, items => items.length === 1)
    expect(still!.active).toBe(true)
    await say({ temperature: 7 }, two)
    await until(`triggerId=${trigger.id}`, items => items[0]?.active === false)
  }, 60_000)
})

describe('what is refused', () => {
  it.each([
    ['a missing property', { kind: 'above', property: 'pressure', high: 1 }, 'property', 'trigger.property_unknown'],
    ['a type that does not fit', { kind: 'above', property: 'note', high: 1 }, 'property', 'trigger.type_unfit'],
    [
      'limits the wrong way round',
      { kind: 'between', property: 'temperature', low: 9, high: 1 },
      'low',
      'rule.low_not_below_high',
    ],
    [
      'a field that nobody reads',
      { kind: 'above', property: 'temperature', high: 1, low: 0 },
      'low',
      'rule.field_unknown',
    ],
    ['no limit', { kind: 'above', property: 'temperature' }, 'high', 'rule.field_missing'],
    [
      'no alarm and no action',
      { kind: 'above', property: 'temperature', high: 1, alarm: undefined },
      'alarm',
      'trigger.does_nothing',
    ],
    [
      'a contradiction',
      {
        kind: 'general',
        condition: {
          type: 'all',
          of: [
            { type: 'compare', property: 'temperature', op: 'gt', value: 9 },
            { type: 'compare', property: 'temperature', op: 'lt', value: 5 },
          ],
        },
      },
      'condition',
      'trigger.never_fires',
    ],
    [
      'an action that there is not',
      { kind: 'above', property: 'temperature', high: 1, actions: [{ kind: 'sim' }] },
      'actions[0].kind',
      'model.choice_unknown',
    ],
    [
      'a webhook into our own network',
      { kind: 'above', property: 'temperature', high: 1, actions: [{ kind: 'webhook', url: 'https://10.0.0.1/in' }] },
      'actions[0].url',
      'outbound.internal',
    ],
  ])('%s, with the field', async (_what, body, field, code) => {
    const id = await newDevice('refused')
    const reply = await house.call<{ fields: Record<string, { code: string; message: string }> }>(
      'POST',
      '/triggers',
      house.owner,
      { name: 'Bad', scope: { deviceIds: [id] }, alarm: { level: 3 }, ...body },
    )
    expect(reply.status, reply.text).toBe(422)
    expect(reply.body.fields[field]?.code, reply.text).toBe(code)
    expect(reply.body.fields[field]?.message).not.toBe('')
  })

  it('a property that was deleted puts a trigger into the state error, which says why', async () => {
    const product = await house.call<{ id: string }>('POST', '/products', house.owner, {
      name: 'Loses one',
      linkType: 'mqtt',
      thingModel: {
        properties: ['a', 'b'].map(identifier => ({
          identifier,
          name: identifier,
          dataType: { type: 'double' },
          access: 'r',
        })),
      },
    })
    await house.call('POST', '/devices', house.owner, { productId: product.body.id, name: 'loses one' })
    const trigger = await create({ kind: 'above', property: 'b', high: 1, scope: { productIds: [product.body.id] } })
    const kept = [{ identifier: 'a', name: 'a', dataType: { type: 'double' }, access: 'r' }]
    const model = await house.call('PUT', `/products/${product.body.id}/thing-model`, house.owner, { properties: kept })
    expect(model.status, model.text).toBe(200)
    const published = await house.call('POST', `/products/${product.body.id}/publish`, house.owner, {})
    expect(published.status, published.text).toBeLessThan(300)
    await vi.waitUntil(
      async () => (await house.call<TriggerView>('GET', `/triggers/${trigger.id}`, house.owner)).body.state === 'error',
      { timeout: 15_000, interval: 100 },
    )
    const { body } = await house.call<TriggerView>('GET', `/triggers/${trigger.id}`, house.owner)
    expect(body.fault).toMatchObject({ code: 'property_gone', message: expect.stringContaining('b') })
  }, 60_000)
})
