import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management, refusal } from '../../db/testing/management.ts'
import { insertRows } from '../../ingest/testing/journal-rows.ts'
import { exportGeofences } from './geofence-export.ts'
import { createGeofencesModule, type GeofencesModule } from './geofences.module.ts'

let m: Management
let geofences: GeofencesModule
beforeAll(async () => {
  m = await management()
  geofences = createGeofencesModule({ database: m.database })
})

const at = (lng: number, lat: number) => ({ lng, lat })
const CIRCLE = { kind: 'circle' as const, centre: at(120.16, 30.25), radius: 500 }
const SQUARE = { kind: 'polygon' as const, points: [at(120, 30), at(121, 30), at(121, 31), at(120, 31)] }
const make = (of: Company, name: string, over: object = {}) =>
  geofences.service.create(of.ctx, { name, shape: CIRCLE, ...over })

describe('geofences', () => {
  it('come page by page, and are found by a part of their names or remarks', async () => {
    const own = await company(m.db)
    await make(own, 'first', { remark: 'gate of the depot' })
    await make(own, 'second', { shape: SQUARE, colour: '#52c41a' })
    await make(own, 'third', { enabled: false })
    const page = await geofences.service.list(own.ctx, { limit: 2, total: '1' })
    expect(page.items.map(item => item.name)).toEqual(['third', 'second'])
    expect(page).toMatchObject({
      total: 3,
      items: [{ enabled: false }, { shape: SQUARE, colour: '#52c41a', inside: null }],
    })
    const rest = await geofences.service.list(own.ctx, { limit: 2, cursor: page.nextCursor! })
    expect(rest).toMatchObject({ items: [{ name: 'first' }], nextCursor: null })
    const names = async (query: object) => (await geofences.service.list(own.ctx, query)).items.map(({ name }) => name)
    expect(await names({ q: 'DEPOT' })).toEqual(['first'])
    expect(await names({ enabled: '1', sort: 'name' })).toEqual(['first', 'second'])
    const [source] = geofences.search!
    expect((await source!.find(own.ctx, 'seco', 5)).map(hit => hit.title)).toEqual(['second'])
    let csv = ''
    const reply = await exportGeofences(m.database, geofences.service, own.ctx, { format: 'csv', q: 'second' })
    for await (const chunk of reply.body) csv += String(chunk)
    expect(csv.trim().split('\n')).toHaveLength(2)
    expect(csv).toContain('120,30 121,30 121,31 120,31')
  })

  it('belong to one company, and leave a line in its operation log', async () => {
    const [own, other] = [await company(m.db), await company(m.db)]
    const made = await make(own, 'mine')
    expect(await geofences.service.get(own.ctx, made.id)).toEqual(made)
    const strange = { code: 'geofence.not_found' }
    await expect(geofences.service.get(other.ctx, made.id)).rejects.toMatchObject(strange)
    await expect(geofences.service.devices(other.ctx, made.id)).rejects.toMatchObject(strange)
    await expect(geofences.service.update(other.ctx, made.id, { version: 1, name: 'x' })).rejects.toMatchObject(strange)
    await expect(geofences.service.remove(other.ctx, made.id)).rejects.toMatchObject(strange)
    expect(await make(other, 'mine')).toMatchObject({ version: 1 })
    expect(await refusal(make(own, 'mine'))).toMatchObject({ code: 'geofence.name_taken', fields: { name: {} } })
    expect(
      await geofences.service.update(own.ctx, made.id, { version: 1, name: 'ours', enabled: false, shape: SQUARE }),
    ).toMatchObject({ name: 'ours', enabled: false, shape: SQUARE, version: 2 })
    await expect(geofences.service.update(own.ctx, made.id, { version: 1, name: 'late' })).rejects.toMatchObject({
      code: 'version.conflict',
    })
    await geofences.service.remove(own.ctx, made.id)
    const { rows } = await m.db.superuser.query('select action from audit_logs where object_id = $1 order by at, id', [
      made.id,
    ])
    expect(rows.map(row => row.action)).toEqual(['geofence.create', 'geofence.update', 'geofence.remove'])
  })

  it('are refused with the field that is wrong', async () => {
    const own = await company(m.db)
    const fields = async (over: object) => {
      const error = await refusal(make(own, 'wrong', over))
      expect(error.code).toBe('geofence.invalid')
      return error.fields
    }
    expect(await fields({ shape: { ...CIRCLE, radius: 0 } })).toEqual({
      'shape.radius': { code: 'geofence.radius', params: { max: 20_000_000 } },
    })
    expect(await fields({ shape: { ...CIRCLE, centre: at(200, 30) } })).toMatchObject({ 'shape.centre.lng': {} })
    expect(await fields({ shape: { kind: 'circle' } })).toMatchObject({
      'shape.centre': { code: 'field.required' },
      'shape.radius': { code: 'field.required' },
    })
    expect(await fields({ shape: { kind: 'polygon', points: [at(0, 0), at(1, 1)] } })).toMatchObject({
      'shape.points': { code: 'geofence.points_few' },
    })
    expect(
      await fields({ shape: { kind: 'polygon', points: [at(0, 0), at(2, 2), at(2, 0), at(0, 1)] } }),
    ).toMatchObject({
      'shape.points': { code: 'geofence.crosses', params: { side: 1, other: 3 } },
    })
    expect(await fields({ scope: {} })).toMatchObject({ scope: { code: 'rule.scope_choice' } })
    expect(await fields({ scope: { productIds: [own.ctx.tenantId] } })).toMatchObject({
      'scope.productIds.0': { code: 'trigger.scope_unknown' },
    })
    expect((await geofences.service.list(own.ctx, {})).items).toEqual([])
  })

  it('count the devices that stand in them: as they reported, or else as it was entered', async () => {
    const own = await company(m.db)
    const product = await m.products.service.create(own.ctx, {
      name: 'Truck',
      linkType: 'mqtt',
      thingModel: {
        properties: [{ identifier: 'position', name: 'position', dataType: { type: 'geo' }, access: 'r' }],
      },
    })
    const devices: { id: string; num: number }[] = []
    const wanted: Record<string, { tags?: string[]; location?: { lng: number; lat: number } }> = {
      driving: { tags: ['cold'] },
      entered: { location: at(120.5, 30.5) },
      away: { location: at(120.5, 30.5) },
      nowhere: {},
    }
    for (const [name, over] of Object.entries(wanted)) {
      const { id } = await m.devices.service.create(own.ctx, { name, productId: product.id, ...over })
      const { rows } = await m.db.superuser.query('select num from devices where id = $1', [id])
      devices.push({ id, num: rows[0].num })
    }
    await insertRows(m.db, [
      { device: devices[0]!.num, values: { position: at(120.5, 30.5) }, ts: Date.now(), arrivedAt: Date.now() },
      { device: devices[2]!.num, values: { position: at(10, 10) }, ts: Date.now(), arrivedAt: Date.now() },
    ])
    await make(own, 'all', { shape: SQUARE })
    await make(own, 'cold', { shape: SQUARE, scope: { tags: ['cold'] } })
    await make(own, 'one', { shape: SQUARE, scope: { deviceIds: [devices[1]!.id] } })
    const { items } = await geofences.service.list(own.ctx, { inside: '1', sort: 'name' })
    expect(items.map(({ name, inside, scopeNames }) => [name, inside, scopeNames])).toEqual([
      ['all', 2, []],
      ['cold', 1, ['cold']],
      ['one', 1, ['entered']],
    ])
    const found = await geofences.service.devices(own.ctx, items[0]!.id)
    expect(found).toMatchObject({ count: 2, truncated: false })
    expect(found.items.map(({ name, at: when }) => [name, when !== null])).toEqual([
      ['driving', true],
      ['entered', false],
    ])
  })
})
