import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import { devicesOnMap } from './device-map.service.ts'

let m: Management
let own: Company
let productId: string
const WORLD = { west: -180, south: -85, east: 180, north: 85, cell: 5 }
beforeAll(async () => {
  m = await management()
  own = await company(m.db)
  productId = (await m.products.service.create(own.ctx, { name: 'P', linkType: 'mqtt' })).id
})

/** Devices at places, by name. */
async function put(of: Company, places: readonly (readonly [name: string, lng: number | null, lat: number | null])[]) {
  for (const [name, lng, lat] of places)
    await m.devices.service.create(of.ctx, {
      name,
      productId,
      ...(lng === null ? {} : { location: { lng, lat: lat! } }),
    })
}

const names = async (part: Partial<typeof WORLD> & { q?: string; within?: string }) => {
  const { items } = await devicesOnMap(m.database, own.ctx, { ...WORLD, ...part })
  return items.map(item => item.device?.name ?? item.count).sort()
}

describe('the map of devices', () => {
  it('shows each of a few, says which have no place, and what lies across 180 degrees', async () => {
    await put(own, [
      ['Fuzhou', 119.3, 26.08],
      ['Beijing', 116.4, 39.9],
      ['Fiji', 178.4, -18.1],
      ['Samoa', -171.8, -13.8],
      ['Nowhere', null, null],
    ])
    expect(await devicesOnMap(m.database, own.ctx, WORLD)).toMatchObject({ count: 4, located: 4, unlocated: 1 })
    expect(await names({})).toEqual(['Beijing', 'Fiji', 'Fuzhou', 'Samoa'])
    expect(await names({ west: 110, south: 20, east: 120, north: 30 })).toEqual(['Fuzhou'])
    expect(await names({ west: 170, south: -30, east: -160, north: 0 })).toEqual(['Fiji', 'Samoa'])
    expect(await names({ q: 'fuz' })).toEqual(['Fuzhou'])
    expect(await names({ within: '110,20,120,30' })).toEqual(['Fuzhou'])
  })

  it('narrows every list of devices to a part of the map, with and without a search', async () => {
    const list = async (query: object) => {
      const { items, total } = await m.devices.service.list(own.ctx, { limit: 20, sort: 'name', total: '1', ...query })
      return [items.map(({ name }) => name), total]
    }
    expect(await list({ within: '100,20,120,40' })).toEqual([['Beijing', 'Fuzhou'], 2])
    expect(await list({ within: '170,-30,-160,0' })).toEqual([['Fiji', 'Samoa'], 2])
    expect(await list({ within: '100,20,120,40', q: 'fuz' })).toEqual([['Fuzhou'], 1])
    expect(await list({ within: '100,20,110,30', q: 'fuz' })).toEqual([[], 0])
  })

  it('belongs to one company', async () => {
    const other = await company(m.db)
    expect(await devicesOnMap(m.database, other.ctx, WORLD)).toMatchObject({ count: 0, located: 0, unlocated: 0 })
  })

  it('draws many as cells, with how many of them are online and their gravest alarm', async () => {
    await m.db.superuser.query(
      `insert into devices (id, tenant_id, product_id, product_num, name, device_no, secret_hash, secret_cipher, location, search_text)
       select gen_random_uuid(), $1, p.id, p.num, 'many ' || n, 'many-' || n, '', '', jsonb_build_object('lng', 10 + (n % 2) * 40, 'lat', 50), 'many ' || n
       from products p, generate_series(1, 300) n where p.id = $2`,
      [own.id, productId],
    )
    const { items, count } = await devicesOnMap(m.database, own.ctx, {
      ...WORLD,
      west: 0,
      south: 40,
      east: 60,
      north: 60,
      cell: 10,
    })
    expect(count).toBe(300)
    expect(
      items
        .toSorted((a, b) => a.lng - b.lng)
        .map(item => [item.lng, item.count, item.device, item.online, item.alarms, item.alarmLevel]),
    ).toEqual([
      [10, 150, null, 0, 0, 0],
      [50, 150, null, 0, 0, 0],
    ])
  })
})
