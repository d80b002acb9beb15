import type { TriggerView } from '@thingwright/contracts/triggers.contract'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type TriggerHouse, triggerHouse } from './testing/trigger-house.ts'

let house: TriggerHouse
let productId: string
let truck: string

const at = (lng: number, lat = 30.5) => ({ position: { lng, lat } })
const SQUARE = {
  kind: 'polygon',
  points: [
    { lng: 120, lat: 30 },
    { lng: 121, lat: 30 },
    { lng: 121, lat: 31 },
    { lng: 120, lat: 31 },
  ],
}

beforeAll(async () => {
  house = await triggerHouse()
  const product = await house.call<{ id: string }>('POST', '/products', house.owner, {
    name: 'Truck',
    linkType: 'mqtt',
    thingModel: { properties: [{ identifier: 'position', name: 'position', dataType: { type: 'geo' }, access: 'r' }] },
  })
  productId = product.body.id
  truck = await house.device('Truck 1', { productId })
}, 120_000)
afterAll(() => house.end())
afterEach(() => house.tidy())

let fences = 0
async function fence(over: object = {}): Promise<{ id: string; version: number }> {
  const made = await house.call<{ id: string; version: number }>('POST', '/geofences', house.owner, {
    name: `Fence ${++fences}`,
    shape: SQUARE,
    ...over,
  })
  expect(made.status, made.text).toBe(201)
  return made.body
}
const rule = (id: string, over: object = {}) => ({
  scope: { deviceIds: [truck] },
  kind: 'general',
  condition: { type: 'geofence', fence: id, when: 'inside', ...over },
})
const stateOf = async (id: string) => (await house.call<TriggerView>('GET', `/triggers/${id}`, house.owner)).body

describe('a trigger about a geofence', () => {
  it('judges by a changed fence within a second, and says why it stopped when the fence is gone', async () => {
    const { id, version } = await fence()
    const trigger = await house.trigger(rule(id))
    await house.say(truck, at(119))
    await house.timersFired()
    expect(await house.alarms(`triggerId=${trigger.id}`)).toEqual([])
    // The device stands still: the fence comes to it.
    const changed = await house.call<{ version: number }>('PATCH', `/geofences/${id}`, house.owner, {
      version,
      shape: { kind: 'circle', centre: { lng: 119, lat: 30.5 }, radius: 100 },
    })
    expect(changed.status, changed.text).toBe(200)
    const [alarm] = await house.until(`triggerId=${trigger.id}`, ([one]) => one?.active === true)
    expect(Date.parse(alarm!.raisedAt) - Date.now()).toBeLessThan(1_000)
    const off = await house.call('PATCH', `/geofences/${id}`, house.owner, {
      version: changed.body.version,
      enabled: false,
    })
    expect(off.status, off.text).toBe(200)
    await house.until(`triggerId=${trigger.id}`, ([one]) => one?.active === false)
    expect(await stateOf(trigger.id)).toMatchObject({ state: 'error', fault: { code: 'fence_disabled' } })
    await house.call('PATCH', `/geofences/${id}`, house.owner, { version: changed.body.version + 1, enabled: true })
    await house.until(`triggerId=${trigger.id}`, items => items.length === 2 && items[0]!.active)
    expect(await stateOf(trigger.id)).toMatchObject({ state: 'enabled', fault: null })
    expect((await house.call('DELETE', `/geofences/${id}`, house.owner)).status).toBe(200)
    await vi.waitUntil(async () => (await stateOf(trigger.id)).state === 'error', { timeout: 20_000 })
    expect(await stateOf(trigger.id)).toMatchObject({
      fault: { code: 'fence_gone', message: '所用的电子围栏已不存在' },
    })
    // Its alarms are cleared a moment after the rule has stopped.
    await vi.waitUntil(async () => (await stateOf(trigger.id)).openAlarms === 0, { timeout: 20_000 })
  })

  it('raises after so many minutes inside without a further position, also over a restart', async () => {
    const { id } = await fence()
    const trigger = await house.trigger(rule(id, { seconds: 600 }))
    await house.say(truck, at(120.5))
    await house.timersFired()
    await house.restart()
    house.forward(601_000)
    await house.until(`triggerId=${trigger.id}`, ([one]) => one?.active === true)
    await house.say(truck, at(122))
    await house.until(`triggerId=${trigger.id}`, ([one]) => one?.active === false)
  })

  it('remembers over a restart that a device was outside', async () => {
    const { id } = await fence()
    const trigger = await house.trigger(rule(id, { when: 'enter' }))
    await house.say(truck, at(122))
    await house.timersFired()
    await house.restart()
    await house.say(truck, at(120))
    await house.until(`triggerId=${trigger.id}`, ([one]) => one?.active === true)
  })

  it('is refused with the field when the fence is another company’s, or the devices say no position', async () => {
    const { id } = await fence()
    const refused = async (body: object) => {
      const reply = await house.call<{ code: string; fields: object }>('POST', '/triggers', house.owner, {
        name: 'x',
        alarm: { level: 3 },
        ...body,
      })
      expect(reply.status, reply.text).toBe(422)
      return reply.body.fields
    }
    expect(await refused(rule(truck))).toMatchObject({ 'condition.fence': { code: 'rule.fence_unknown' } })
    expect(await refused(rule(id, { when: 'near' }))).toMatchObject({ 'condition.when': {} })
    const still = await house.device('Cold room')
    expect(await refused({ ...rule(id), scope: { deviceIds: [still] } })).toMatchObject({
      'condition.fence': { code: 'trigger.position_unknown' },
    })
    expect(await refused({ ...rule(id, { property: 'temperature' }), scope: { deviceIds: [still] } })).toMatchObject({
      'condition.property': { code: 'trigger.type_unfit' },
    })
  })

  it('tells of the past what it would have done', async () => {
    const { id } = await fence()
    await house.say(truck, at(120.5))
    const { body } = await house.call<{ alarms: object[] }>('POST', '/triggers/dry-run', house.owner, {
      trigger: { ...rule(id), alarm: { level: 3 } },
    })
    expect(body.alarms).toMatchObject([{ deviceName: 'Truck 1', raiseValues: [{ property: 'position' }] }])
  })
})
