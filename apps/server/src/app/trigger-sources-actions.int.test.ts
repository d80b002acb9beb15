import type { AlarmEventView, AlarmView } from '@thingwright/contracts/alarms.contract'
import type { Diagnosis } from '@thingwright/contracts/diagnosis.contract'
import type { TriggerRunView, TriggerView } from '@thingwright/contracts/triggers.contract'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type TriggerHouse, triggerHouse } from './testing/trigger-house.ts'

let house: TriggerHouse
beforeAll(async () => {
  house = await triggerHouse()
  for (const run of house.container.triggers.runs ?? []) await run.start?.()
}, 120_000)
afterAll(async () => {
  for (const run of house.container.triggers.runs ?? []) await run.stop()
  await house.end()
})
afterEach(() => house.tidy())

const LONG = { timeout: 30_000, interval: 50 }
const general = (deviceId: string, condition: object, over: object = {}) =>
  house.trigger({ scope: { deviceIds: [deviceId] }, kind: 'general', condition, ...over })
const above = (deviceId: string, over: object = {}) =>
  house.trigger({ scope: { deviceIds: [deviceId] }, kind: 'above', property: 'temperature', high: 8, ...over })
const one = (trigger: string, fits: (alarm: AlarmView | undefined) => boolean = alarm => alarm !== undefined) =>
  house.until(`triggerId=${trigger}`, items => items.length <= 1 && fits(items[0])).then(items => items[0]!)
const runsOf = async (trigger: string) =>
  (await house.call<{ items: TriggerRunView[] }>('GET', `/triggers/${trigger}/runs`, house.owner)).body.items
/** The run that raised, once its actions up to this many are over. */
async function raisedRun(trigger: string, actions: number): Promise<TriggerRunView> {
  let found: TriggerRunView | undefined
  await vi.waitUntil(async () => {
    found = (await runsOf(trigger)).find(run => run.cause === 'raised')
    return found?.actions.length === actions && found.actions.every(action => action.result !== 'pending')
  }, LONG)
  return found!
}

describe('what a trigger can wait for', () => {
  it('a command that came to nothing, of the kind that was named', async () => {
    const device = await house.device('does not obey')
    const any = await general(device, { type: 'command_failed' })
    const other = await general(device, { type: 'command_failed', command: 'open' })
    const sent = await house.call<{ id: string }>('POST', `/devices/${device}/commands`, house.owner, {
      kind: 'property_set',
      params: { pump: true },
    })
    expect(sent.status, sent.text).toBeLessThan(300)
    await house.db.superuser.query(`update commands set state = 'timed_out' where id = $1`, [sent.body.id])
    await house.factsJudged()
    expect(await one(any.id)).toMatchObject({ deviceId: device, active: true })
    expect(await house.alarms(`triggerId=${other.id}`)).toEqual([])
  }, 60_000)

  it('a program that calls it, once for each idempotency key', async () => {
    const [called, quiet] = [await house.device('called'), await house.device('not called')]
    const trigger = await house.trigger({
      scope: { deviceIds: [called, quiet] },
      kind: 'general',
      condition: { type: 'api', key: 'inspection' },
      repeatSeconds: 0,
    })
    const body = { kind: 'api', key: 'inspection', deviceId: called }
    const call = (key: string) =>
      house.app.inject({
        method: 'POST',
        url: `/api/v1/triggers/${trigger.id}/signal`,
        headers: { authorization: `Bearer ${house.owner}`, 'idempotency-key': key },
        payload: body,
      })
    for (const key of ['a', 'a', 'b']) expect((await call(key)).statusCode).toBe(202)
    await house.factsJudged()
    expect(await one(trigger.id, alarm => alarm?.count === 2)).toMatchObject({ deviceId: called, count: 2 })
    expect(
      (await house.call('POST', `/triggers/${trigger.id}/signal`, house.owner, { ...body, key: 'x' })).body,
    ).toMatchObject({ code: 'trigger.signal_unknown' })
  }, 60_000)

  it('the clock, at its round times, without a message', async () => {
    const device = await house.device('by the clock')
    const trigger = await general(
      device,
      { type: 'tick', seconds: 3_600 },
      { alarm: undefined, actions: [{ kind: 'notify', title: 'Every hour' }] },
    )
    expect(await runsOf(trigger.id)).toEqual([])
    house.forward(3_600_000)
    await house.timersFired()
    await vi.waitUntil(async () => (await runsOf(trigger.id)).length > 0, LONG)
    const run = await raisedRun(trigger.id, 1)
    expect(run).toMatchObject({ by: 'timer', alarmId: null, actions: [{ kind: 'notify', result: 'done' }] })
    expect(Date.parse(run.at) % 3_600_000).toBe(0)
  }, 60_000)

  it('a value that is there already: its alarm has the time of now, not that of the last message', async () => {
    const [device, watched] = [await house.device('too warm before'), await house.device('watched by another')]
    await above(watched)
    await house.say(watched, { temperature: 7 })
    await house.say(device, { temperature: 9 })
    // Nothing is said for an hour.
    house.forward(3_600_000)
    await house.timersFired()
    const trigger = await above(device)
    const alarm = await one(trigger.id)
    expect(house.now() - Date.parse(alarm.raisedAt)).toBeLessThan(60_000)
  }, 60_000)

  it('nothing any more once its time is over: it is expired, and its alarm is cleared', async () => {
    const device = await house.device('for a while')
    const trigger = await above(device, { expiresAt: new Date(house.now() + 3_600_000).toISOString() })
    await house.say(device, { temperature: 9 })
    await one(trigger.id, alarm => alarm?.active === true)
    const soon = new Date(Date.now() + 1_500).toISOString()
    const set = await house.call<TriggerView>('PATCH', `/triggers/${trigger.id}`, house.owner, {
      version: trigger.version,
      expiresAt: soon,
    })
    expect(set.status, set.text).toBe(200)
    const state = async () => (await house.call<TriggerView>('GET', `/triggers/${trigger.id}`, house.owner)).body.state
    await vi.waitUntil(async () => (await state()) === 'expired', LONG)
    await one(trigger.id, alarm => alarm?.active === false)
    await house.say(device, { temperature: 20 })
    await house.timersFired()
    expect(await house.alarms(`triggerId=${trigger.id}`)).toHaveLength(1)
    const expired = await house.call<{ items: { id: string }[] }>('GET', '/triggers?state=expired', house.owner)
    expect(expired.body.items.map(({ id }) => id)).toContain(trigger.id)
  }, 60_000)
})

describe('what a trigger does one after another', () => {
  it('waits where it says so, raises a further alarm, and clears that of another trigger', async () => {
    const device = await house.device('in order')
    const watched = await above(device, { clear: undefined, property: 'limit', high: 100 })
    await house.say(device, { limit: 101 })
    await one(watched.id, alarm => alarm?.active === true)
    const trigger = await above(device, {
      actions: [
        { kind: 'alarm', level: 5, name: 'Evacuate' },
        { kind: 'delay', seconds: 600 },
        { kind: 'clear', triggerId: watched.id },
        { kind: 'notify', title: 'Ten minutes later' },
      ],
    })
    await house.say(device, { temperature: 9 })
    const both = await house.until(`triggerId=${trigger.id}`, items => items.length === 2)
    expect(both.map(({ level, active }) => [level, active]).sort()).toEqual([
      [3, true],
      [5, true],
    ])
    expect(both.map(({ triggerName }) => triggerName).sort()).toEqual(['Cold room', 'Evacuate'])
    const early = (await runsOf(trigger.id)).find(run => run.cause === 'raised')!
    expect(early.actions.map(({ kind }) => kind)).toEqual(['alarm'])
    expect((await house.alarms(`triggerId=${watched.id}`))[0]).toMatchObject({ active: true })
    house.forward(600_000)
    await house.timersFired()
    await one(watched.id, alarm => alarm?.active === false)
    await vi.waitUntil(async () => {
      const actions = (await runsOf(trigger.id)).flatMap(run => run.actions)
      return actions.filter(({ result }) => result === 'done').length === 3
    }, LONG)
    // What it raised beside its own is over with it.
    await house.say(device, { temperature: 5 })
    await house.until(`triggerId=${trigger.id}`, items => items.length === 2 && items.every(({ active }) => !active))
  }, 90_000)

  it('runs a scene with its name as the cause', async () => {
    const [device, pump] = [await house.device('starts a scene'), await house.device('pump of the scene')]
    const scene = await house.call<{ id: string }>('POST', '/scenes', house.owner, {
      name: 'Flush',
      actions: [
        { kind: 'command', scope: { deviceIds: [pump] }, command: { kind: 'property_set', params: { pump: true } } },
      ],
    })
    expect(scene.status, scene.text).toBe(201)
    const trigger = await above(device, { actions: [{ kind: 'scene', sceneId: scene.body.id }] })
    await house.say(device, { temperature: 9 })
    const run = await raisedRun(trigger.id, 1)
    expect(run.actions[0], JSON.stringify(run)).toMatchObject({ kind: 'scene', result: 'done' })
    const { rows } = await house.db.superuser.query<{ cause: string; by: string }>(
      'select cause, by_name as by from timed_task_runs where scene_id = $1',
      [scene.body.id],
    )
    expect(rows).toEqual([{ cause: 'trigger', by: 'Cold room' }])
  }, 60_000)
})

describe('an alarm that is handled', () => {
  it('keeps its result with the photo, in its trail too', async () => {
    const device = await house.device('handled')
    const trigger = await above(device)
    await house.say(device, { temperature: 9 })
    const { id } = await one(trigger.id)
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const photo = await house.upload<{ id: string }>('/media', house.owner, 'door.png', png, { expect: 'image' })
    expect(photo.status, photo.text).toBe(201)
    const body = { result: 'The door was open', photoIds: [photo.body.id] }
    const handled = await house.call<AlarmView>('POST', `/alarms/${id}/handle`, house.owner, body)
    expect(handled.body, handled.text).toMatchObject({ work: 'done', active: true, ...body, handledName: 'owner' })
    const { items } = (await house.call<{ items: AlarmEventView[] }>('GET', `/alarms/${id}/events`, house.owner)).body
    expect(items.find(({ kind }) => kind === 'handled')).toMatchObject({
      text: 'The door was open',
      photoIds: [photo.body.id],
    })
  }, 60_000)
})

describe('the doctor', () => {
  const doctor = async (device: string, token = house.owner) => {
    const { status, text, body } = await house.call<Diagnosis>('GET', `/devices/${device}/diagnosis`, token)
    expect(status, text).toBe(200)
    return body.steps.find(({ step }) => step === 'alarms')!
  }

  it('knows open alarms, triggers that stopped and maintenance of a device, for those who may see them', async () => {
    const device = await house.device('with a doctor', { groupId: house.groups.inside })
    expect(await doctor(device)).toMatchObject({
      state: 'unknown',
      facts: { triggers: 0, openAlarms: 0 },
      findings: [],
    })
    const trigger = await above(device, { name: 'Too warm', alarm: { level: 4 } })
    const broken = await above(device, { name: 'Broken' })
    expect(await doctor(device)).toMatchObject({ facts: { triggers: 2, openAlarms: 0 }, findings: [] })
    await house.say(device, { temperature: 9 })
    await one(trigger.id)
    await one(broken.id)
    await house.db.superuser.query(
      `update triggers set fault = '{"code":"property_gone","params":{"name":"x"}}' where id = $1`,
      [broken.id],
    )
    const until = new Date(Date.now() + 600_000).toISOString()
    await house.call('PUT', `/devices/${device}/maintenance`, house.owner, { until, reason: 'new probe' })
    const told = await doctor(device)
    expect(told.state).toBe('warning')
    expect(told.findings.map(({ cause, params }) => [cause, params])).toEqual([
      ['alarms_open', { count: 2, level: 4, names: ['Too warm', 'Broken'] }],
      ['trigger_error', { count: 1, names: ['Broken'], why: expect.stringContaining('x') }],
      ['in_maintenance', { until: Date.parse(until), reason: 'new probe' }],
    ])
    const member = await house.member(['device:read'])
    expect(await doctor(device, member.token)).toMatchObject({
      state: 'unknown',
      facts: { triggers: null, openAlarms: null },
      findings: [],
    })
  }, 60_000)
})
