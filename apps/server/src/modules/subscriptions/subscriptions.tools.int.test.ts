import type { SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ToolHouse, toolHouse } from '../../app/testing/tool-house.ts'
import type { Ctx } from '../../lib/context.ts'
import { ToolQuestion } from '../../lib/tools/tools.ts'
import { MemoryTarget } from './testing.ts'

describe('tools of data subscriptions', () => {
  let house: ToolHouse
  let owner: Ctx
  let english: Ctx
  let productId: string

  beforeAll(async () => {
    house = await toolHouse({ subscriptionTargets: { webhook: new MemoryTarget() } as never })
    owner = house.owner
    english = { ...owner, locale: 'en' }
    const product = (await house.call(owner, 'POST /api/v1/products', {
      body: { name: 'Pump', linkType: 'mqtt' },
    })) as { id: string }
    productId = product.id
    for (const name of ['Warehouse north', 'Warehouse south', '[click](https://evil.example)'])
      await house.make(owner, 'create_webhook_subscription', { name, url: 'https://receiver.example/in' })
  })

  it('list them and say which have a problem', async () => {
    const { text, cards } = await house.read(english, 'list_subscriptions')
    expect(text).toBe('There are 3 data subscriptions, all without a problem.')
    const rows = cards![0]!.kind === 'table' ? cards![0]!.rows : []
    expect(rows.find(row => row.name!.text === 'Warehouse north')).toMatchObject({
      target: { text: 'Webhook' },
      state: { text: 'Delivering · nothing delivered yet' },
    })
    await house.db.superuser.query(
      `update subscriptions set state = 'paused', paused_reason = 'failures' where name = 'Warehouse south'`,
    )
    expect((await house.read(english, 'list_subscriptions', { problems: true })).data).toMatchObject({
      total: 1,
      items: [{ name: 'Warehouse south', pausedReason: 'failures' }],
    })
    const south = await house.read(english, 'subscription_health', { subscription: 'south' })
    expect(south.text).toContain('paused itself after 50 failures in a row')
    await house.db.superuser.query(
      `update subscriptions set state = 'active', paused_reason = null where name = 'Warehouse south'`,
    )
    expect((await house.read(english, 'list_subscriptions', { problems: true })).text).toBe(
      'No data subscription has a problem.',
    )
  })

  it('make a webhook for one product, never show its secret, and take it back', async () => {
    const made = await house.make(english, 'create_webhook_subscription', {
      name: 'ERP',
      url: 'https://erp.example/hook?x=1',
      product: 'Pump',
      events: true,
    })
    expect(made.prepared.calls).toEqual([
      {
        route: 'POST /api/v1/subscriptions',
        body: {
          name: 'ERP',
          kinds: ['property', 'event'],
          target: { kind: 'webhook', url: 'https://erp.example/hook?x=1' },
          filter: { productIds: [productId] },
        },
      },
    ])
    expect(made.prepared.effects[0]).toBe(
      'From now on properties, events of the product “Pump” go to https://erp.example/hook?x=1 by HTTP POST, at most 100 a time, signed',
    )
    const secret = (made.results[0] as { credentials: { secret: string } }).credentials.secret
    expect(JSON.stringify(made.result)).not.toContain(secret)
    await house.undo(owner, made)
    expect(await house.problem(house.read(english, 'subscription_health', { subscription: 'ERP' }))).toContain(
      'There is no subscription called “ERP”',
    )
  })

  it('refuse an address that is none, a name that is taken, a product that is not there', async () => {
    const make = (input: Record<string, unknown>) =>
      house.problem(house.prepare(english, 'create_webhook_subscription', input))
    expect(await make({ url: 'ftp://receiver.example' })).toContain('is no valid address')
    expect(await make({ url: 'https://user:pw@receiver.example' })).toContain('is no valid address')
    expect(await make({ url: 'https://receiver.example', name: 'warehouse NORTH' })).toContain(
      'is a subscription named',
    )
    expect(await make({ url: 'https://receiver.example', product: 'Valve' })).toContain('There is no product called')
  })

  it('pause and resume, each with the way back', async () => {
    const paused = await house.make(english, 'pause_subscription', { subscription: 'Warehouse north' })
    expect(paused.prepared.changes).toEqual([{ field: 'State', before: 'Delivering', after: 'Paused' }])
    expect((paused.results[0] as SubscriptionView).state).toBe('paused')
    expect(await house.problem(house.prepare(english, 'pause_subscription', { subscription: 'Warehouse north' }))).toBe(
      '“Warehouse north” is paused already.',
    )
    await house.undo(owner, paused)
    expect(
      await house.problem(house.prepare(english, 'resume_subscription', { subscription: 'Warehouse north' })),
    ).toBe('“Warehouse north” delivers; it is not paused.')
  })

  it('test one over its target and tell what came of it', async () => {
    const made = await house.make(english, 'test_subscription', { subscription: 'Warehouse north' })
    expect(made.result.text).toMatch(/^It works: the receiver answered within/)
    expect(made.undo).toBeUndefined()
  })

  it('retry what failed, and say so when nothing did', async () => {
    const north = { subscription: 'Warehouse north' }
    expect(await house.problem(house.prepare(english, 'retry_subscription', north))).toBe(
      'Nothing waits in “Warehouse north” and there are no dead letters.',
    )
    const { id } = (await house.read(english, 'subscription_health', north)).data as { id: string }
    await house.db.superuser.query(
      `insert into subscription_dead_letters (id, tenant_id, subscription_id, device, item, reason, attempts, at)
       values (gen_random_uuid(), $3, $1, 1, $2, 'status', 3, now())`,
      [
        id,
        JSON.stringify({ id: 'i1', type: 'property', ts: 1, productKey: 'p', deviceNo: 'd', deviceId: id, data: {} }),
        house.tenantId,
      ],
    )
    const prepared = await house.prepare(english, 'retry_subscription', north)
    expect(prepared.calls.map(call => call.route)).toEqual([
      'POST /api/v1/subscriptions/{id}/dead-letters/replay',
      'POST /api/v1/subscriptions/{id}/resume',
    ])
  })

  it('delete one for good', async () => {
    const made = await house.make(english, 'delete_subscription', { subscription: 'Warehouse south' })
    expect(made.prepared.effects[0]).toContain('cannot be undone')
    expect(made.undo).toBeUndefined()
    expect(
      await house.problem(house.read(english, 'subscription_health', { subscription: 'Warehouse south' })),
    ).toContain('There is no subscription')
  })

  it('ask which one, quote hostile names, and refuse whoever lacks the right', async () => {
    await house.make(owner, 'create_webhook_subscription', { name: 'Warehouse east', url: 'https://receiver.example' })
    const asked = await house.read(english, 'subscription_health', { subscription: 'Warehouse' }).catch(error => error)
    expect(asked).toBeInstanceOf(ToolQuestion)
    const hostile = await house.read(english, 'subscription_health', { subscription: 'click' })
    expect(hostile.text).toContain('\\[click\\]\\(https://evil.example\\)')
    const nobody = await house.person('nobody')
    expect(await house.problem(house.read(nobody, 'list_subscriptions'))).toBe('permission.denied')
    const reader = await house.person('reader', ['subscription:read'])
    const { calls } = await house.prepare(owner, 'delete_subscription', { subscription: 'Warehouse east' })
    expect(await house.problem(house.call(reader, calls[0]!.route, calls[0]!))).toBe('permission.denied')
  })
})
