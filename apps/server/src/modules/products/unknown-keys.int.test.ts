import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import { createUnknownKeysService } from './unknown-keys.service.ts'

let m: Management
let mine: Company
let theirs: Company

beforeAll(async () => {
  m = await management()
  mine = await company(m.db)
  theirs = await company(m.db)
})

const model = {
  properties: [{ identifier: 'known', name: 'known', dataType: { type: 'double' }, access: 'r' as const }],
}

describe('keys that a model does not know', () => {
  it('are listed with samples and a property that could be made of them, and can be emptied', async () => {
    const keys = createUnknownKeysService({ database: m.database })
    const { service } = m.products
    const made = await service.create(mine.ctx, { name: 'p', linkType: 'mqtt', thingModel: model })
    expect(made).toMatchObject({ unknownKeys: 'collect', lenientTypes: null })
    const add = (key: string, samples: string[]) =>
      m.db.superuser.query(
        `insert into product_unknown_keys (tenant_id, product_id, key, samples, seen, device_no, first_at, last_at)
         values ($1, $2, $3, $4, 3, 'd1', now(), now())`,
        [mine.id, made.id, key, samples],
      )
    await add('volts', ['3.1', '3.2'])
    await add('bad key', ['true'])
    await add('known', ['1'])
    const list = async () => (await keys.list(mine.ctx, made.id)).items
    expect((await list()).map(({ key, property, inDraft }) => [key, property, inDraft])).toEqual([
      ['bad key', null, false],
      ['volts', { identifier: 'volts', name: 'volts', dataType: { type: 'double' }, access: 'r' }, false],
    ])
    const [, volts] = await list()
    const properties = [...model.properties, volts!.property!]
    const { version } = await service.setThingModel(mine.ctx, made.id, { properties })
    expect((await list())[1]).toMatchObject({ key: 'volts', inDraft: true })
    await service.publish(mine.ctx, made.id, { version })
    expect((await list()).map(({ key }) => key)).toEqual(['bad key'])
    await expect(keys.list(theirs.ctx, made.id)).rejects.toMatchObject({ code: 'product.not_found' })
    await expect(keys.clear(theirs.ctx, made.id)).rejects.toMatchObject({ code: 'product.not_found' })
    await keys.clear(mine.ctx, made.id)
    expect(await list()).toEqual([])
  })

  it('of events and services are offered where they belong', async () => {
    const keys = createUnknownKeysService({ database: m.database })
    const { service } = m.products
    const field = (identifier: string) => ({ identifier, name: identifier, dataType: { type: 'double' } })
    const events = [{ identifier: 'hot', name: 'hot', level: 'warning' as const, params: [field('degrees')] }]
    const services = [{ identifier: 'measure', name: 'measure', input: [], output: [field('result')] }]
    const thingModel = { ...model, events, services } as never
    const made = await service.create(mine.ctx, { name: 'e', linkType: 'mqtt', thingModel })
    for (const [n, [key, sample]] of Object.entries({
      'event/hot/zone': '"a"',
      'event/hot/degrees': '1',
      'event/gone/x': '1',
      'service/measure/spread': '0.5',
      'event/hot/a.b': '1',
      'event/x': '1',
    }).entries())
      await m.db.superuser.query(
        `insert into product_unknown_keys (tenant_id, product_id, key, samples, seen, device_no, first_at, last_at)
         values ($1, $2, $3, $4, 1, 'd', now(), now() - $5::int * interval '1 second')`,
        [mine.id, made.id, key, [sample], n],
      )
    const list = async () => (await keys.list(mine.ctx, made.id)).items
    expect((await list()).map(({ key, of, property }) => [key, of, property])).toEqual([
      ['event/hot/zone', { kind: 'event', identifier: 'hot' }, { ...field('zone'), dataType: { type: 'string' } }],
      ['event/gone/x', { kind: 'event', identifier: 'gone' }, null],
      ['service/measure/spread', { kind: 'service', identifier: 'measure' }, field('spread')],
      ['event/hot/a.b', { kind: 'event', identifier: 'hot' }, null],
      ['event/x', null, null],
    ])
    const [zone] = await list()
    const wider = [{ ...events[0]!, params: [...events[0]!.params, zone!.property!] }]
    const body = { properties: model.properties, events: wider, services } as never
    const { version } = await service.setThingModel(mine.ctx, made.id, body)
    expect((await list())[0]).toMatchObject({ key: 'event/hot/zone', inDraft: true })
    await service.publish(mine.ctx, made.id, { version })
    expect((await list()).map(({ key }) => key)).not.toContain('event/hot/zone')
  })

  it('and the rule for them are set with the product, and told to the device path', async () => {
    const { service } = m.products
    const made = await service.create(mine.ctx, { name: 'q', linkType: 'mqtt', unknownKeys: 'refuse' })
    expect(made.unknownKeys).toBe('refuse')
    m.gateway.take()
    const set = { version: made.version, unknownKeys: 'ignore', lenientTypes: true } as const
    expect(await service.update(mine.ctx, made.id, set)).toMatchObject({ unknownKeys: 'ignore', lenientTypes: true })
    expect(m.gateway.take()).toHaveLength(1)
  })
})
