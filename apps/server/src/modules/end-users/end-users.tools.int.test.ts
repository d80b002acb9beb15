import type { EndUserView } from '@thingwright/contracts/end-users.contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ToolHouse, toolHouse } from '../../app/testing/tool-house.ts'
import type { Ctx } from '../../lib/context.ts'

let house: ToolHouse
let owner: Ctx

beforeAll(async () => {
  house = await toolHouse()
  owner = { ...house.owner, locale: 'en' }
}, 60_000)
afterAll(() => house.close())

const list = async () => ((await house.call(owner, 'GET /api/v1/end-users')) as { items: EndUserView[] }).items

describe('changes of end users by the assistant', () => {
  it('invites one by mail, asks for an address that is one, and takes the invitation back', async () => {
    expect(await house.problem(house.prepare(owner, 'invite_end_user', { address: 'nobody at all' }))).toContain(
      'neither an email address nor a phone number',
    )
    const made = await house.make(owner, 'invite_end_user', { address: 'north@example.com', name: 'North Water' })
    expect(made.prepared.effects[0]).toContain('north@example.com')
    expect(await list()).toMatchObject([{ name: 'North Water', username: 'north', state: 'invited' }])
    // The link is for the customer alone.
    expect(JSON.stringify(made.result)).not.toContain('http')
    expect(await house.problem(house.prepare(owner, 'invite_end_user', { address: 'north@example.com' }))).toContain(
      'is an end user already',
    )
    await house.undo(owner, made)
    expect(await list()).toEqual([])
  })

  it('assigns devices by their names, and says which owner is meant', async () => {
    for (const name of ['North Water', 'North Heat'])
      await house.make(owner, 'invite_end_user', { address: `${name.slice(6).toLowerCase()}@example.com`, name })
    const product = (await house.call(owner, 'POST /api/v1/products', {
      body: { name: 'Pump', linkType: 'mqtt' },
    })) as { id: string }
    for (const name of ['Pump 1', 'Pump 2'])
      await house.call(owner, 'POST /api/v1/devices', { body: { productId: product.id, name } })
    expect(await house.problem(house.prepare(owner, 'assign_devices', { devices: 'Pump 1', user: 'North' }))).toContain(
      'Which end user?',
    )
    expect(
      await house.problem(house.prepare(owner, 'assign_devices', { devices: 'Pump 1', user: 'Nowhere' })),
    ).toContain('no end user')
    const before = await house.logLines()
    const made = await house.make(owner, 'assign_devices', { devices: 'Pump 1 and Pump 2', user: 'North Water' })
    expect(made.result.text).toBe('Pump 1, Pump 2 now belong to North Water.')
    expect(await house.logLines()).toBeGreaterThan(before)
    expect((await list()).find(user => user.name === 'North Water')?.devices.total).toBe(2)
  })

  it('freezes one and lets him in again', async () => {
    const stateOf = async () => (await list()).find(user => user.name === 'North Heat')?.state
    const made = await house.make(owner, 'freeze_end_user', { user: 'North Heat' })
    expect(made.prepared.changes).toEqual([{ field: 'State', before: 'invited', after: 'suspended' }])
    expect(await stateOf()).toBe('frozen')
    expect(await house.problem(house.prepare(owner, 'freeze_end_user', { user: 'North Heat' }))).toContain(
      'suspended already',
    )
    await house.make(owner, 'unfreeze_end_user', { user: 'North Heat' })
    expect(await stateOf()).toBe('invited')
    const reader = await house.person('reader', ['end-user:read'])
    expect(await house.problem(house.make(reader, 'freeze_end_user', { user: 'North Heat' }))).toContain(
      'permission.denied',
    )
  })
})
