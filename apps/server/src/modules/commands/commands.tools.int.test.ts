import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ThingHouse, thingHouse } from '../../app/testing/thing-house.ts'
import { ToolProblem, ToolQuestion } from '../../lib/tools/tools.ts'

let house: ThingHouse
let cold: string
let groupId: string
beforeAll(async () => {
  house = await thingHouse()
  groupId = (
    (await house.call(house.owner, 'POST /api/v1/groups', { body: { kind: 'device', name: '一号厂房' } })) as {
      id: string
    }
  ).id
  cold = await house.device('冷库1号', { groupId })
  await house.device('冷库2号', { groupId })
  await house.report(cold, { target_temperature: -18, power: false, temperature: -17 })
})
afterAll(() => house?.close())

const failure = async (promise: Promise<unknown>): Promise<{ text?: string; code?: string; options?: unknown[] }> =>
  promise.then(
    () => {
      throw new Error('it did not fail')
    },
    error => error,
  )
const paramsOf = async (input: object) => {
  const { calls } = await house.prepare(house.owner, 'set_property', { device: '冷库1号', ...input })
  return (calls[0]!.body as { params: object }).params
}
const rules = (body: object) =>
  house.call(house.owner, 'GET /api/v1/products/{id}/command-rules', { params: { id: house.productId } }).then(view =>
    house.call(house.owner, 'PUT /api/v1/products/{id}/command-rules', {
      params: { id: house.productId },
      body: { version: (view as { version: number }).version, rules: body },
    }),
  )

describe('setting a property', () => {
  it('understands values as people say them', async () => {
    expect(await paramsOf({ property: '目标温度', value: '-20 ℃' })).toEqual({ target_temperature: -20 })
    expect(await paramsOf({ property: 'Target temperature', value: -20.5 })).toEqual({ target_temperature: -20.5 })
    expect(await paramsOf({ value: '打开' })).toEqual({ power: true })
    expect(await paramsOf({ property: '开关', value: 'off' })).toEqual({ power: false })
    expect(await paramsOf({ property: '模式', value: '强冷' })).toEqual({ mode: 2 })
    // What is measured cannot be set; the wanted one of that name can.
    expect(await paramsOf({ property: '温度', value: '-5' })).toEqual({ target_temperature: -5 })
  })

  it('says what is there now, waits in the queue of a device that is away, and is never taken back', async () => {
    const made = await house.make(house.owner, 'set_property', {
      device: '冷库1号',
      property: '目标温度',
      value: '-20',
    })
    expect(made.prepared.changes).toEqual([{ field: '目标温度', before: '-18 ℃', after: '-20 ℃' }])
    expect(made.prepared.effects.join()).toContain('不在线')
    expect(made.result.text).toContain('已排队')
    expect(made.results[0]).toMatchObject({ state: 'queued', params: { target_temperature: -20 } })
    expect(made.undo).toBeUndefined()
    expect(made.prepared.effects.join()).toContain('不能撤销')
    const last = await house.read(house.owner, 'list_commands', { device: '冷库1号' })
    expect(last.data).toMatchObject([{ what: '目标温度 = -20 ℃', state: 'queued' }])
  })

  it('waits a moment for the answer of a device that is there, and tells it', async () => {
    const id = await house.device('在线的')
    await house.online(id)
    const answer = (state: string, code: string | null) =>
      expect
        .poll(
          async () =>
            (
              await house.db.superuser.query(
                `update commands set state = $2, error_code = $3, finished_at = now() where device_id = $1 and state = 'queued'`,
                [id, state, code],
              )
            ).rowCount,
        )
        .toBe(1)
    const [done] = await Promise.all([
      house.make(house.en, 'set_property', { device: '在线的', value: 'on' }),
      answer('succeeded', null),
    ])
    expect(done.result).toMatchObject({ text: '**在线的** has done it: Power = on.', data: { state: 'succeeded' } })
    const [refused] = await Promise.all([
      house.make(house.en, 'set_property', { device: '在线的', value: 'off' }),
      answer('timed_out', 'no_reply'),
    ])
    expect(refused.result.text).toContain('did not do it')
    expect(refused.result.text).toContain('did not answer in time')
  })

  it('refuses what the model, the rules or the state of the device refuse', async () => {
    const said = async (input: object) =>
      (await failure(house.prepare(house.en, 'set_property', { device: '冷库1号', ...input }))).text
    expect(await said({ property: 'door', value: 'open' })).toContain('read only')
    expect(await said({ property: 'target temperature', value: '99' })).toContain('-30…10')
    expect(await said({ property: 'target temperature', value: 'warm' })).toContain('cannot be a value')
    expect(await said({ property: 'mode', value: 'turbo' })).toContain('Eco / Boost')
    expect(await said({ property: 'flow', value: '1' })).toContain('no property called')
    const asked = await failure(house.prepare(house.en, 'set_property', { device: '冷库1号', property: 'mode' }))
    expect(asked).toBeInstanceOf(ToolQuestion)
    expect(asked.options).toEqual([
      { label: 'Eco', value: '1' },
      { label: 'Boost', value: '2' },
    ])
    expect(
      (await failure(house.prepare(house.owner, 'set_property', { device: '冷库', value: 'on' }))).options,
    ).toHaveLength(2)
    const off = await house.device('停用的')
    await house.call(house.owner, 'POST /api/v1/devices/{id}/disable', { params: { id: off } })
    expect((await failure(house.prepare(house.en, 'set_property', { device: '停用的', value: 'on' }))).text).toContain(
      'disabled',
    )
    expect((await failure(house.make(house.reader, 'set_property', { device: '冷库1号', value: 'on' }))).code).toBe(
      'permission.denied',
    )
  })

  it('names an interlock that does not hold and a danger, and leaves what asks for a PIN to people', async () => {
    await rules({
      properties: {
        power: { interlock: [{ identifier: 'temperature', operator: 'gt', value: -10 }] },
        mode: { danger: { level: 'confirm', text: '先清空货物' } },
        target_temperature: { danger: { level: 'pin' } },
      },
    })
    const locked = await failure(house.prepare(house.owner, 'set_property', { device: '冷库1号', value: '打开' }))
    expect(locked.text).toContain('温度 > -10')
    expect(locked.text).toContain('-17')
    const danger = await house.prepare(house.owner, 'set_property', {
      device: '冷库1号',
      property: '模式',
      value: '强冷',
    })
    expect(danger.effects.join()).toContain('先清空货物')
    expect(danger.calls[0]!.body).toMatchObject({ acknowledged: true })
    const pin = house.prepare(house.owner, 'set_property', { device: '冷库1号', property: '目标温度', value: '-20' })
    expect((await failure(pin)).text).toContain('PIN')
    await rules({})
  })
})

describe('calling a service', () => {
  it('takes its parameters by name, checks them, and cannot be taken back', async () => {
    const made = await house.make(house.owner, 'call_service', {
      device: '冷库1号',
      service: '除霜',
      params: '{"时长": 15}',
    })
    expect(made.results[0]).toMatchObject({ kind: 'service', identifier: 'defrost', params: { minutes: 15 } })
    expect(made.undo).toBeUndefined()
    expect(made.prepared.effects.join()).toContain('不能撤销')
    const only = await house.prepare(house.owner, 'call_service', {
      device: '冷库1号',
      service: 'defrost',
      params: '10',
    })
    expect(only.calls[0]!.body).toMatchObject({ params: { minutes: 10 } })
    const dangerous = await house.prepare(house.owner, 'call_service', { device: '冷库1号', service: 'restart' })
    expect(dangerous.calls[0]!.body).toMatchObject({ acknowledged: true })
  })

  it('says what is missing and what there is', async () => {
    const said = async (input: object) =>
      (await failure(house.prepare(house.en, 'call_service', { device: '冷库1号', ...input }))).text
    expect(await said({ service: 'defrost' })).toContain('Minutes')
    expect(await said({ service: 'defrost', params: '99' })).toContain('1…60')
    expect(await said({ service: 'fly' })).toContain('Defrost, Restart')
    expect(await failure(house.prepare(house.en, 'call_service', { device: '冷库1号' }))).toBeInstanceOf(ToolQuestion)
  })
})

describe('many devices at once', () => {
  it('says how many it touches and becomes one batch command', async () => {
    const other = (await house.call(house.owner, 'POST /api/v1/products', {
      body: { name: '无模型', linkType: 'mqtt' },
    })) as { id: string }
    await house.device('无关', { productId: other.id, groupId })
    const made = await house.make(house.owner, 'set_property_on_many', {
      group: '一号厂房',
      property: '目标温度',
      value: '-20',
    })
    expect(made.prepared.effects[0]).toContain('**3**')
    expect(made.prepared.effects.join()).toContain('无模型')
    expect(made.prepared.calls[0]).toMatchObject({
      route: 'POST /api/v1/command-batches',
      body: { target: { groupId }, command: { kind: 'property_set', params: { target_temperature: -20 } } },
    })
    expect(made.results[0]).toMatchObject({ total: 3 })
    expect(made.undo).toBeUndefined()
    const none = house.prepare(house.en, 'set_property_on_many', { product: '无模型', property: 'x', value: 'on' })
    expect(await failure(none)).toBeInstanceOf(ToolProblem)
    expect(
      (await failure(house.prepare(house.en, 'set_property_on_many', { property: 'power', value: 'on' }))).text,
    ).toContain('Say of which')
    const online = house.prepare(house.en, 'set_property_on_many', {
      group: '一号厂房',
      property: 'power',
      value: 'on',
      only_online: true,
    })
    expect((await failure(online)).text).toContain('no devices')
  })
})

describe('what became of commands', () => {
  it('is told with the reason and what to do', async () => {
    const fresh = await house.device('新的')
    expect((await house.read(house.owner, 'why_command_failed', { device: '新的' })).text).toContain('还没有')
    const made = await house.make(house.owner, 'set_property', { device: '新的', value: '打开' })
    expect((await house.read(house.owner, 'why_command_failed', { device: '新的' })).data).toMatchObject({
      failed: null,
      open: 1,
    })
    await house.db.superuser.query(
      `update commands set state = 'timed_out', error_code = 'no_reply', finished_at = now() where id = $1`,
      [(made.results[0] as { id: string }).id],
    )
    const told = await house.read(house.en, 'why_command_failed', { device: '新的' })
    expect(told.data).toMatchObject({ state: 'timed_out', what: 'Power = on' })
    expect(told.text).toContain('subscribes to its command topic')
    expect((await house.read(house.en, 'list_commands', { device: '新的', state: 'timed_out' })).data).toHaveLength(1)
    expect((await house.read(house.en, 'list_commands', { device: '新的', state: 'succeeded' })).text).toContain(
      'no commands',
    )
    expect(fresh).toBeTruthy()
  })
})
