import type { TriggerInput } from '@thingwright/contracts/triggers.contract'
import { unzipSync } from 'fflate'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company } from '../../db/testing/management.ts'
import { kindsOf, transferFixture } from '../../db/testing/transfer.ts'
import { newId } from '../../lib/ids.ts'

let f: Awaited<ReturnType<typeof transferFixture>>
beforeAll(async () => {
  f = await transferFixture()
  return () => f.stop()
})

const SECRET = 'a-webhook-secret-that-stays-home'
const KINDS = ['groups', 'products', 'devices', 'alarm_levels', 'triggers', 'trigger_presets']

/** A company with a trigger of each scope, one that clears another's alarm, levels with names and a preset. */
async function watched() {
  const own = await company(f.m.db)
  const { ctx } = own
  const group = await f.m.groups.service.create(ctx, { kind: 'device', name: '冷库' })
  const product = await f.m.products.service.create(ctx, {
    name: '温控器',
    linkType: 'mqtt',
    thingModel: {
      properties: [{ identifier: 'temperature', name: '温度', dataType: { type: 'double' }, access: 'rw' }],
    },
  })
  const device = async (deviceNo: string) =>
    (await f.m.devices.service.create(ctx, { name: deviceNo, productId: product.id, deviceNo, groupId: group.id })).id
  const [one, two] = [await device('SN-1'), await device('SN-2')]
  const create = (of: typeof ctx, input: object) => f.triggers.service.create(of, input as TriggerInput)
  const above = { kind: 'above', property: 'temperature', high: 8, alarm: { level: 3 } }
  const hot = await create(ctx, {
    ...above,
    name: '过热',
    scope: { deviceIds: [one, two] },
    actions: [
      {
        kind: 'webhook',
        url: 'https://hooks.example.com/in',
        secret: SECRET,
        headers: { 'X-Token': SECRET, 'X-Site': 'A' },
      },
      { kind: 'command', deviceId: two, command: { kind: 'property_set', params: { temperature: 4 } } },
      { kind: 'notify', loginIds: [newId()] },
    ],
  })
  await create(ctx, { ...above, name: '按产品', scope: { productIds: [product.id] }, enabled: false })
  await create(ctx, {
    name: '比较',
    scope: { groupIds: [group.id] },
    kind: 'general',
    condition: { type: 'compare', property: 'temperature', op: 'gt', with: { property: 'temperature', device: two } },
    actions: [{ kind: 'clear', triggerId: hot.id }],
    alarm: { level: 1 },
  })
  const { items, version } = await f.alarms.figures.levels(ctx)
  await f.alarms.figures.setLevels(ctx, {
    items: items.map((level, i) => (i === 4 ? { ...level, name: '停产' } : level)),
    version,
  })
  await f.m.db.superuser.query(
    `insert into trigger_presets (id, tenant_id, name, note, triggers) values ($1, $2, '冷链', '', $3)`,
    [newId(), own.id, JSON.stringify([{ ...above, name: '过热' }])],
  )
  return { own, one, two, product, group }
}

const triggersOf = async (of: Company) => {
  const { items } = await f.triggers.service.list(f.asOwner(of), { limit: 100, sort: 'createdAt' })
  return new Map(items.map(item => [item.name, item]))
}

describe('triggers, alarm levels and presets in the file of a company', () => {
  it('come out in another company with its devices, products and groups, and without secrets', async () => {
    const { own } = await watched()
    const bytes = await f.packed(own)
    const text = Object.values(unzipSync(bytes))
      .map(entry => Buffer.from(entry).toString('latin1'))
      .join('\n')
    expect(text).not.toContain(SECRET)
    const next = await company(f.m.db)
    const file = await f.upload(next, bytes)
    expect(file.counts).toMatchObject({ triggers: 3, alarm_levels: 1, trigger_presets: 1 })
    const task = await f.bring(next, file.id, { kinds: KINDS })
    expect(kindsOf(task)).toMatchObject({
      triggers: { created: 3, ok: true },
      alarm_levels: { replaced: 1, ok: true },
      trigger_presets: { created: 1, ok: true },
    })
    const { rows } = await f.m.db.superuser.query('select id, device_no from devices where tenant_id = $1', [next.id])
    const idOf = Object.fromEntries(rows.map(row => [row.device_no, row.id]))
    const triggers = await triggersOf(next)
    const hot = triggers.get('过热')!
    expect(hot).toMatchObject({ state: 'enabled', fault: null, devices: 2, ownerName: expect.any(String) })
    expect(hot.scope).toEqual({ deviceIds: [idOf['SN-1'], idOf['SN-2']] })
    expect(hot.actions).toEqual([
      { kind: 'webhook', url: 'https://hooks.example.com/in', headers: { 'X-Site': 'A' } },
      { kind: 'command', deviceId: idOf['SN-2'], command: { kind: 'property_set', params: { temperature: 4 } } },
      { kind: 'notify' },
    ])
    expect(triggers.get('按产品')).toMatchObject({ state: 'disabled', fault: null, devices: 2 })
    const compared = triggers.get('比较')!
    expect(compared).toMatchObject({ state: 'enabled', devices: 2, scopeNames: ['冷库'] })
    expect(compared.condition).toMatchObject({ with: { device: idOf['SN-2'] } })
    expect(compared.actions).toEqual([{ kind: 'clear', triggerId: hot.id }])
    expect((await f.alarms.figures.levels(next.ctx)).items[4]).toMatchObject({ name: '停产' })
    const said = await f.failures(f.asOwner(next), task.id)
    expect(said).toContainEqual(['过热', 'transfer.trigger_incomplete'])
    expect(said.map(([, code]) => code)).not.toContain('transfer.trigger_disabled')
    // Again: nothing is there twice, and what is kept keeps its name and its state.
    const again = await f.bring(next, file.id, { kinds: KINDS })
    expect(kindsOf(again)).toMatchObject({
      triggers: { created: 0, kept: 3 },
      alarm_levels: { kept: 1 },
      trigger_presets: { kept: 1 },
    })
    const replaced = await f.bring(next, file.id, { kinds: KINDS, existing: 'replace' })
    expect(kindsOf(replaced)).toMatchObject({ triggers: { created: 0, replaced: 3 } })
    expect((await triggersOf(next)).get('过热')!.id).toBe(hot.id)
  })

  it('come in disabled with the reason where what they name is not there, and can be tried', async () => {
    const { own } = await watched()
    const file = await f.upload(own, await f.packed(own))
    const next = await company(f.m.db)
    const theirs = await f.upload(next, await f.packed(own))
    const kinds = ['groups', 'products', 'triggers']
    const trial = await f.bring(next, theirs.id, { kinds, dryRun: true })
    expect(kindsOf(trial)).toMatchObject({ triggers: { created: 3, ok: true } })
    expect(await triggersOf(next)).toEqual(new Map())
    const task = await f.bring(next, theirs.id, { kinds })
    const said = await f.failures(f.asOwner(next), task.id)
    expect(said).toContainEqual(['过热', 'transfer.trigger_disabled'])
    expect(said).toContainEqual(['比较', 'transfer.trigger_disabled'])
    const triggers = await triggersOf(next)
    expect(triggers.get('过热')).toMatchObject({
      state: 'disabled',
      fault: { code: 'import_missing', message: expect.stringContaining('SN-1, SN-2') },
    })
    expect(triggers.get('比较')).toMatchObject({ state: 'disabled', fault: { params: { what: 'SN-2' } } })
    // Back in the company that it comes from, whose devices are there, it keeps its secret.
    await f.m.db.superuser.query('update triggers set description = $2 where tenant_id = $1', [own.id, 'changed since'])
    const home = await f.bring(own, file.id, { kinds: ['triggers'], existing: 'replace' })
    expect(kindsOf(home)).toMatchObject({ triggers: { replaced: 3, created: 0 } })
    const hot = (await triggersOf(own)).get('过热')!
    expect(hot).toMatchObject({ state: 'enabled', description: '' })
    expect(hot.actions![0]).toMatchObject({ hasSecret: true })
  })
})
