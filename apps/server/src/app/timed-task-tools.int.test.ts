import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Ctx } from '../lib/context.ts'
import { ToolQuestion } from '../lib/tools/tools.ts'
import { type ToolHouse, toolHouse } from './testing/tool-house.ts'

/** Timed tasks in the assistant's words. */
describe('the tool that makes a timed task', () => {
  let house: ToolHouse
  let english: Ctx
  let device: { id: string; productId: string }

  beforeAll(async () => {
    house = await toolHouse()
    english = { ...house.owner, locale: 'en' }
    const property = (identifier: string, type: string) => ({
      identifier,
      name: identifier,
      dataType: { type },
      access: 'rw',
    })
    const make = async (name: string, properties: object[]) => {
      const product = (await house.call(english, 'POST /api/v1/products', {
        body: { name: `${name}s`, linkType: 'mqtt', thingModel: { properties } },
      })) as { id: string }
      return (await house.call(english, 'POST /api/v1/devices', {
        body: { productId: product.id, name: `${name} 7` },
      })) as typeof device
    }
    device = await make('pump', [property('run', 'bool'), property('speed', 'double')])
    await make('lamp', [property('left', 'bool'), property('right', 'bool')])
  })
  afterAll(() => house.close())

  it('prepares it for approval, and takes it back', async () => {
    const asked = { device: 'pump 7', value: 'off', time: 'ten', part: 'pm' }
    const prepared = await house.prepare(english, 'create_timed_task', asked)
    expect(prepared.calls).toEqual([
      {
        route: 'POST /api/v1/timed-tasks',
        body: {
          name: 'pump 7 22:00 run off',
          schedule: { kind: 'daily', times: ['22:00'] },
          actions: [
            {
              kind: 'command',
              scope: { deviceIds: [device.id] },
              command: { kind: 'property_set', params: { run: false } },
            },
          ],
        },
      },
    ])
    // Nothing is there before somebody approved it.
    expect((await house.read(english, 'list_timed_tasks')).data).toMatchObject({ total: 0 })
    const made = await house.make(english, 'create_timed_task', asked)
    expect(made.result.text).toContain('pump 7 22:00 run off')
    expect((await house.read(english, 'list_timed_tasks')).data).toMatchObject({
      total: 1,
      items: [{ state: 'enabled' }],
    })
    await house.undo(english, made)
    expect((await house.read(english, 'list_timed_tasks')).data).toMatchObject({ total: 0 })
  })

  it('means all devices of a product where that is what was named, and sets numbers', async () => {
    const many = await house.prepare(english, 'create_timed_task', { product: 'pumps', value: 'on', time: '6:30' })
    expect(many.calls).toMatchObject([{ body: { actions: [{ scope: { productIds: [device.productId] } }] } }])
    const number = { device: 'pump 7', property: 'speed', value: '40', time: '8 am' }
    expect((await house.prepare(english, 'create_timed_task', number)).calls).toMatchObject([
      { body: { schedule: { times: ['08:00'] }, actions: [{ command: { params: { speed: 40 } } }] } },
    ])
  })

  it('asks which switch is meant, and says what is no time and who may not', async () => {
    const which = house.prepare(english, 'create_timed_task', { device: 'lamp 7', value: 'on', time: '7:00' })
    expect(await which.catch(error => error)).toBeInstanceOf(ToolQuestion)
    const late = house.prepare(english, 'create_timed_task', { device: 'pump 7', value: 'on', time: 'soon' })
    expect(await house.problem(late)).toContain('no time of a day')
    const nobody = await house.person('nobody', ['device:read', 'product:read'])
    const attempt = house.make({ ...nobody, locale: 'en' }, 'create_timed_task', {
      device: 'pump 7',
      value: 'on',
      time: '7:00',
    })
    expect(await house.problem(attempt)).toMatch(/permission|pump 7/)
  })
})
