import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management, refusal } from '../../db/testing/management.ts'
import { newId } from '../../lib/ids.ts'
import { exportAddresses } from './addresses-export.ts'
import { type AddressesModule, createAddressesModule } from './index.ts'

let m: Management
let addresses: AddressesModule
beforeAll(async () => {
  m = await management()
  addresses = createAddressesModule({ database: m.database })
})

const home = (over: object = {}) => ({
  receiver: '张三',
  phone: '138 1234 5678',
  province: '浙江省',
  city: '杭州市',
  district: '西湖区',
  detail: '文三路100号',
  ...over,
})
const listed = async (of: Company) =>
  (await addresses.service.list(of.ctx)).items.map(item => `${item.receiver}${item.isDefault ? '*' : ''}`)

describe('delivery addresses', () => {
  it('have one default as soon as there is one: the first, a chosen one, and after it the newest', async () => {
    const own = await company(m.db)
    const a = await addresses.service.create(own.ctx, home({ receiver: 'a' }))
    expect(a).toMatchObject({ isDefault: true, phone: '13812345678', zip: '', version: 1 })
    const b = await addresses.service.create(own.ctx, home({ receiver: 'b' }))
    const c = await addresses.service.create(own.ctx, home({ receiver: 'c', isDefault: true }))
    expect(await listed(own)).toEqual(['c*', 'b', 'a'])
    await addresses.service.update(own.ctx, b.id, { version: 1, isDefault: true })
    expect(await listed(own)).toEqual(['b*', 'c', 'a'])
    await addresses.service.remove(own.ctx, b.id)
    expect(await listed(own)).toEqual(['c*', 'a'])
    await addresses.service.remove(own.ctx, a.id)
    await addresses.service.remove(own.ctx, c.id)
    expect(await listed(own)).toEqual([])
  })

  it('keep one default when many are made it at once', async () => {
    const own = await company(m.db)
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        addresses.service.create(own.ctx, home({ receiver: `r${i}`, isDefault: true })),
      ),
    )
    expect((await listed(own)).filter(name => name.endsWith('*'))).toHaveLength(1)
    await Promise.all(all.map(({ id }) => addresses.service.update(own.ctx, id, { version: 1, isDefault: true })))
    expect((await listed(own)).filter(name => name.endsWith('*'))).toHaveLength(1)
  })

  it('are at most twenty, also when two are added at once', async () => {
    const own = await company(m.db)
    for (let i = 0; i < 19; i++) await addresses.service.create(own.ctx, home({ receiver: `r${i}` }))
    const both = await Promise.allSettled([
      addresses.service.create(own.ctx, home({ receiver: 'x' })),
      addresses.service.create(own.ctx, home({ receiver: 'y' })),
    ])
    expect(both.map(answer => answer.status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await refusal(addresses.service.create(own.ctx, home()))).toMatchObject({
      code: 'address.too_many',
      params: { limit: 20 },
    })
  })

  it('are checked field by field', async () => {
    const own = await company(m.db)
    const error = await refusal(
      addresses.service.create(own.ctx, home({ phone: '12345', city: '南京市', receiver: '  ', detail: '\u3000' })),
    )
    expect(error.code).toBe('request.validation')
    expect(error.fields).toMatchObject({
      phone: { code: 'address.phone_invalid' },
      city: { code: 'address.region_unknown', params: { province: '浙江省', city: '南京市' } },
      receiver: { code: 'field.required' },
      detail: { code: 'field.required' },
    })
    const made = await addresses.service.create(own.ctx, home())
    const moved = addresses.service.update(own.ctx, made.id, { version: 1, province: '江苏省' })
    expect((await refusal(moved)).fields).toHaveProperty('city')
    const changed = await addresses.service.update(own.ctx, made.id, {
      version: 1,
      province: '江苏省',
      city: '南京市',
      zip: '210000',
    })
    expect(changed).toMatchObject({ city: '南京市', zip: '210000', version: 2, isDefault: true })
    expect(await refusal(addresses.service.update(own.ctx, made.id, { version: 1, zip: '' }))).toMatchObject({
      code: 'version.conflict',
      params: { current: { version: 2 } },
    })
    const actions = (await m.audit.service.list(own.ctx, { objectId: made.id })).items.map(item => item.action)
    expect(actions).toEqual(['address.update', 'address.create'])
  })

  it('are a table too, with what is searched for', async () => {
    const own = await company(m.db)
    await addresses.service.create(own.ctx, home({ receiver: '=1+1' }))
    await addresses.service.create(own.ctx, home({ receiver: '李四', detail: '解放路1号' }))
    const csv = async (q?: string) => {
      const input = { format: 'csv' as const, ...(q === undefined ? {} : { q }) }
      let text = ''
      for await (const chunk of (await exportAddresses(addresses.service, own.ctx, input)).body) text += String(chunk)
      return text
    }
    expect((await csv()).trim().split('\n')).toHaveLength(3)
    expect(await csv()).toContain('收货人')
    expect(await csv()).not.toMatch(/(^|,|\n)"?=1/)
    expect(await csv('解放')).toContain('李四')
    expect((await csv('解放')).trim().split('\n')).toHaveLength(2)
  })

  it('of another company do not exist', async () => {
    const [mine, theirs] = [await company(m.db), await company(m.db)]
    const secret = await addresses.service.create(theirs.ctx, home())
    expect(await listed(mine)).toEqual([])
    for (const id of [secret.id, newId()]) {
      expect((await refusal(addresses.service.update(mine.ctx, id, { version: 1, isDefault: true }))).code).toBe(
        'address.not_found',
      )
      expect((await refusal(addresses.service.remove(mine.ctx, id))).code).toBe('address.not_found')
    }
    expect(await listed(theirs)).toEqual(['张三*'])
  })
})
