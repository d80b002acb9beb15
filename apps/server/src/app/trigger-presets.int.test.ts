import type { TriggerPresetView } from '@thingwright/contracts/trigger-presets.contract'
import type { TriggerView } from '@thingwright/contracts/triggers.contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TriggerHouse, triggerHouse } from './testing/trigger-house.ts'

let house: TriggerHouse
let device: string

beforeAll(async () => {
  house = await triggerHouse()
  device = await house.device('Cold room')
}, 120_000)
afterAll(() => house.end())

const call = <T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
  house.call<T>(method, path, house.owner, body)
const product = async (name: string, identifier: string) => {
  const made = await call<{ id: string }>('POST', '/products', {
    name,
    linkType: 'mqtt',
    thingModel: { properties: [{ identifier, name: identifier, dataType: { type: 'double' }, access: 'r' }] },
  })
  expect(made.status, made.text).toBe(201)
  return made.body.id
}

describe('a preset of triggers', () => {
  it('is kept from triggers without their devices and secrets, and made for the products that fit', async () => {
    const hot = await house.trigger({
      name: 'Too hot',
      scope: { deviceIds: [device] },
      kind: 'above',
      property: 'temperature',
      high: 8,
      actions: [{ kind: 'webhook', url: 'https://example.com/hook', secret: 'only-for-the-receiver' }],
    })
    expect(hot.actions).toMatchObject([{ url: 'https://example.com/hook', hasSecret: true }])
    const away = await house.trigger({
      name: 'Away',
      scope: { deviceIds: [device] },
      kind: 'offline_for',
      minutes: 5,
    })
    const kept = await call<TriggerPresetView>('POST', '/trigger-presets', {
      name: 'Cold rooms',
      triggerIds: [hot.id, away.id],
    })
    expect(kept.status, kept.text).toBe(201)
    expect(kept.body.triggers).toEqual(
      [
        {
          name: 'Too hot',
          kind: 'above',
          property: 'temperature',
          high: 8,
          actions: [{ kind: 'webhook', url: 'https://example.com/hook' }],
        },
        { name: 'Away', kind: 'offline_for', minutes: 5 },
      ].map(each => expect.objectContaining(each)),
    )
    expect(kept.text).not.toContain('only-for-the-receiver')
    expect(kept.text).not.toContain(device)

    const fridges = await product('Fridges', 'temperature')
    const pumps = await product('Pumps', 'pressure')
    const apply = () =>
      call<{
        made: { id: string; trigger: string; productName: string }[]
        there: object[]
        failed: { trigger: string }[]
      }>('POST', `/trigger-presets/${kept.body.id}/apply`, { productIds: [fridges, pumps] })
    const first = await apply()
    expect(first.status, first.text).toBe(200)
    expect(first.body.made.map(one => `${one.productName}: ${one.trigger}`)).toEqual([
      'Fridges: Too hot',
      'Fridges: Away',
      'Pumps: Away',
    ])
    expect(first.body.failed).toEqual([
      expect.objectContaining({ trigger: 'Too hot', code: 'trigger.rule_invalid', productName: 'Pumps' }),
    ])
    const made = await call<TriggerView>('GET', `/triggers/${first.body.made[0]!.id}`)
    expect(made.body).toMatchObject({ state: 'enabled', scope: { productIds: [fridges] }, scopeNames: ['Fridges'] })
    // Applied once more it makes nothing twice.
    const again = await apply()
    expect([again.body.made.length, again.body.there.length]).toEqual([0, 3])
  })

  it('is shown as it was given: actions with all their fields, and when it recovers', async () => {
    const clear = { type: 'compare', property: 'temperature', op: 'lt', value: 4 }
    const trigger = await house.trigger({
      scope: { deviceIds: [device] },
      kind: 'general',
      condition: { type: 'compare', property: 'temperature', op: 'gt', value: 8 },
      clear,
      actions: [{ kind: 'notify', title: 'Too hot', text: '{value}', loginIds: [] }],
    })
    const shown = await call<TriggerView>('GET', `/triggers/${trigger.id}`)
    expect(shown.body).toMatchObject({ clear, actions: [{ kind: 'notify', title: 'Too hot', text: '{value}' }] })
  })

  it('has a name of its own, holds a trigger, and says who changed it meanwhile', async () => {
    const triggers = [{ name: 'Away', kind: 'offline_for', minutes: 5 }]
    const one = await call<TriggerPresetView>('POST', '/trigger-presets', { name: 'Pumps', triggers })
    const code = async (reply: Promise<{ body: unknown }>) => ((await reply).body as { code: string }).code
    expect(await code(call('POST', '/trigger-presets', { name: 'PUMPS', triggers }))).toBe('trigger_preset.name_taken')
    expect(await code(call('POST', '/trigger-presets', { name: 'Nothing' }))).toBe('trigger_preset.empty')
    const path = `/trigger-presets/${one.body.id}`
    expect(await code(call('POST', `${path}/apply`, { productIds: [one.body.id] }))).toBe(
      'trigger_preset.product_unknown',
    )
    expect((await call('PATCH', path, { version: 1, note: 'of the plant' })).body).toMatchObject({ version: 2 })
    expect(await code(call('PATCH', path, { version: 1, note: 'of the town' }))).toBe('version.conflict')
    const found = await call<{ items: TriggerPresetView[] }>('GET', '/trigger-presets?q=pum')
    expect(found.body.items.map(each => each.note)).toEqual(['of the plant'])
    expect((await call('DELETE', path)).status).toBe(200)
    expect(await code(call('DELETE', path))).toBe('trigger_preset.not_found')
  })
})
