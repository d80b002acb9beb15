import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Ctx } from '../lib/context.ts'
import { newId } from '../lib/ids.ts'
import { ToolQuestion } from '../lib/tools/tools.ts'
import { type ToolHouse, toolHouse } from './testing/tool-house.ts'

/** Triggers and alarms in the assistant's words. */
describe('tools of triggers and alarms', () => {
  let house: ToolHouse
  let english: Ctx
  let device: { id: string }

  beforeAll(async () => {
    house = await toolHouse()
    english = { ...house.owner, locale: 'en' }
    const property = (identifier: string, type: string) => ({
      identifier,
      name: identifier,
      dataType: { type },
      access: 'r',
    })
    const make = async (name: string, properties: object[]) => {
      const product = (await house.call(english, 'POST /api/v1/products', {
        body: { name: `${name}s`, linkType: 'mqtt', thingModel: { properties } },
      })) as { id: string }
      return (await house.call(english, 'POST /api/v1/devices', {
        body: { productId: product.id, name },
      })) as typeof device
    }
    device = await make('cold room', [property('temperature', 'double'), property('door', 'bool')])
    await make('greenhouse', [property('temperature', 'double'), property('humidity', 'double')])
  })
  afterAll(() => house.close())

  it('make a trigger for approval, and take it back', async () => {
    const prepared = await house.prepare(english, 'create_threshold_trigger', { device: 'cold room', high: '-15' })
    expect(prepared.calls).toEqual([
      {
        route: 'POST /api/v1/triggers',
        body: {
          name: 'cold room: temperature too high',
          scope: { deviceIds: [device.id] },
          kind: 'above',
          property: 'temperature',
          high: -15,
          alarm: { level: 3 },
        },
      },
    ])
    const made = await house.make(english, 'create_threshold_trigger', { device: 'cold room', high: '-15' })
    expect(made.result.text).toContain('cold room: temperature too high')
    const listed = await house.read(english, 'list_triggers', { device: 'cold room' })
    expect(listed.data).toMatchObject({ total: 1, items: [{ kind: 'above', state: 'enabled', devices: 1 }] })
    await house.undo(english, made)
    expect((await house.read(english, 'list_triggers')).data).toMatchObject({ total: 0 })
  })

  it('ask which property is meant, and say what is no number', async () => {
    const asked = house.prepare(english, 'create_threshold_trigger', { device: 'greenhouse', low: '2' })
    expect(await asked.catch(error => error)).toBeInstanceOf(ToolQuestion)
    const bad = house.prepare(english, 'create_threshold_trigger', { device: 'cold room', high: 'warm' })
    expect(await house.problem(bad)).toContain('is no number')
    const nobody = await house.person('nobody', ['device:read'])
    expect(
      await house.problem(
        house.make({ ...nobody, locale: 'en' }, 'create_threshold_trigger', { device: 'cold room', high: '1' }),
      ),
    ).toMatch(/permission|cold room/)
  })

  it('list what is open, gravest first, and acknowledge it', async () => {
    expect((await house.read(english, 'list_alarms')).text).toBe('No alarm is active.')
    for (const level of [2, 5])
      await house.db.superuser.query(
        `insert into alarms (id, tenant_id, trigger_name, origin, target_kind, target_id, device, device_id, level, raised_at, last_at)
         select $1::uuid, tenant_id, $4, $1::text, 'device', $2::text || $3, num, id, $3::int, now(), now() from devices where id = $2::uuid`,
        [newId(), device.id, level, `level ${level}`],
      )
    const { text, data } = await house.read(english, 'list_alarms', { device: 'cold room' })
    expect(text).toContain('2 alarms are active')
    expect(data).toMatchObject({ items: [{ trigger: 'level 5' }, { trigger: 'level 2' }] })
    expect((await house.make(english, 'acknowledge_alarms')).result.text).toBe('2 alarms are acknowledged.')
    expect((await house.read(english, 'list_alarms', { unacknowledged: true })).data).toMatchObject({ total: 0 })
    expect(await house.problem(house.prepare(english, 'acknowledge_alarms'))).toContain('already')
    expect((await house.read(english, 'alarm_statistics')).data).toMatchObject({ total: 2, active: 2 })
  })
})
