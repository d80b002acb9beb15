import type { CompanyTransferView } from '@thingwright/contracts/company-transfers.contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ToolHouse, toolHouse } from '../../app/testing/tool-house.ts'
import type { Ctx } from '../../lib/context.ts'

let house: ToolHouse
let owner: Ctx
const ids: Record<string, string> = {}

beforeAll(async () => {
  house = await toolHouse()
  owner = { ...house.owner, locale: 'en' }
  await house.proven(owner)
  const product = async (name: string, linkType: string) =>
    ((await house.call(owner, 'POST /api/v1/products', { body: { name, linkType } })) as { id: string }).id
  const [pump, node] = [await product('Pump', 'mqtt'), await product('Node', 'lorawan')]
  for (const [name, productId] of [
    ['Pump 1', pump],
    ['Pump 2', pump],
    ['Node 1', node],
  ] as const)
    ids[name] = ((await house.call(owner, 'POST /api/v1/devices', { body: { productId, name } })) as { id: string }).id
}, 60_000)
afterAll(() => house.close())

const offer = (name: string, note: string) =>
  house.call(owner, 'POST /api/v1/company-transfers', { body: { target: { ids: [ids[name]] }, note } }) as Promise<
    CompanyTransferView & { code: string }
  >

describe('transfers between companies by the assistant', () => {
  it('offers nothing by itself: the form is linked with the devices, and what cannot go is named', async () => {
    const reply = await house.read(owner, 'offer_devices_to_company', { devices: 'Pump 1, Pump 2' })
    expect(reply.text).toContain('Pump 1, Pump 2')
    expect(JSON.stringify(reply.cards)).toContain(`/manage/company-transfers?offer=${ids['Pump 1']},${ids['Pump 2']}`)
    expect(await house.problem(house.read(owner, 'offer_devices_to_company', { devices: 'Node 1' }))).toContain(
      'cannot go to another one',
    )
    expect(await house.call(owner, 'GET /api/v1/company-transfers')).toMatchObject({ items: [] })
  })

  it('lists them and reads one, without its code, and takes an offer back with approval', async () => {
    expect((await house.read(owner, 'list_company_transfers')).text).toBe(
      'There are no transfers of devices between companies.',
    )
    const [north, south] = [await offer('Pump 1', 'North site'), await offer('Pump 2', 'South site')]
    const listed = await house.read(owner, 'list_company_transfers', { state: 'offered' })
    expect(listed.data).toMatchObject({
      total: 2,
      items: [{ id: south.id, state: 'offered', devices: 1 }, { id: north.id }],
    })
    const one = await house.read(owner, 'read_company_transfer', { company: 'North site' })
    expect(one.text).toContain('Devices for another company: 1, offered, not accepted yet.')
    expect(one.data).toMatchObject({ id: north.id, items: [{ name: 'Pump 1', state: 'waiting' }] })
    expect(JSON.stringify([listed, one])).not.toContain(north.code)
    // Two could be meant: it asks, and takes the answer.
    expect(await house.problem(house.prepare(owner, 'withdraw_company_transfer', { company: 'site' }))).toContain(
      'Which transfer?',
    )
    const made = await house.make(owner, 'withdraw_company_transfer', { company: south.id })
    expect(made.prepared.changes).toEqual([{ field: 'State', before: 'offered', after: 'withdrawn' }])
    expect((await house.read(owner, 'read_company_transfer', { company: south.id })).data).toMatchObject({
      state: 'withdrawn',
    })
    const reader = await house.person('reader', ['company-transfer:read'])
    expect(
      await house.problem(
        house.make({ ...reader, locale: 'en' }, 'withdraw_company_transfer', { company: 'North site' }),
      ),
    ).toContain('permission.denied')
  })
})
