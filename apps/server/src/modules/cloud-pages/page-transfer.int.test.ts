import type { TriggerInput } from '@thingwright/contracts/triggers.contract'
import { emptyScene, newNode, type Scene } from '@thingwright/scene'
import { unzipSync } from 'fflate'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company } from '../../db/testing/management.ts'
import { kindsOf, transferFixture } from '../../db/testing/transfer.ts'
import { newId } from '../../lib/ids.ts'
import { type CloudPagesService, createCloudPagesService } from './cloud-pages.service.ts'

let f: Awaited<ReturnType<typeof transferFixture>>
let pages: CloudPagesService
beforeAll(async () => {
  f = await transferFixture()
  pages = createCloudPagesService({ database: f.m.database })
  return () => f.stop()
})

const KINDS = ['groups', 'products', 'roles', 'devices', 'pages', 'triggers']
const PASSCODE = 'open-sesame'

let made = 0

/** A company with two devices of a product, a page that is published and changed since, one behind a passcode, a draft. */
async function shown() {
  const own = await company(f.m.db)
  const { ctx } = own
  const at = `hall-${++made}`
  const product = await f.m.products.service.create(ctx, {
    name: 'Pump',
    linkType: 'mqtt',
    thingModel: { properties: [{ identifier: 'current', name: 'Current', dataType: { type: 'double' }, access: 'r' }] },
  })
  const device = async (deviceNo: string) =>
    (await f.m.devices.service.create(ctx, { name: deviceNo, productId: product.id, deviceNo })).id
  const [one, two] = [await device('P-1'), await device('P-2')]
  const roleId = newId()
  await f.m.db.superuser.query(
    `insert into roles (id, tenant_id, key, name, permissions, data_scope) values ($1, $2, 'w', 'Watch', '{}', '{"kind":"all"}')`,
    [roleId, own.id],
  )
  const scene = (text: string, over: Partial<Scene> = {}): Scene => ({
    ...emptyScene('canvas'),
    roles: [{ key: 'pump', name: 'Pump', productId: product.id, deviceId: one, choices: [two] }],
    nodes: [
      newNode('a', 'text', {
        props: { text },
        show: [roleId],
        events: [{ on: 'click', do: 'page', page: `${at}-locked` }],
      }),
    ],
    ...over,
  })
  const owner = f.asOwner(own)
  const hall = await pages.create(owner, { name: 'Hall', suffix: at, scene: scene('first') })
  const published = await pages.publish(owner, hall.id, 'first one')
  await pages.saveDraft(owner, hall.id, { scene: scene('second'), version: published.version })
  const locked = await pages.create(owner, { name: 'Locked', suffix: `${at}-locked`, scene: scene('locked') })
  await pages.update(owner, locked.id, { visibility: 'passcode', passcode: PASSCODE, version: locked.version })
  await pages.publish(owner, locked.id, '')
  await pages.create(owner, { name: 'Draft', suffix: `${at}-draft`, kind: 'grid' })
  await f.triggers.service.create(owner, {
    name: 'Dry',
    kind: 'above',
    scope: { deviceIds: [one] },
    property: 'current',
    high: 8,
    alarm: { level: 3 },
    actions: [{ kind: 'page_popup', pageId: hall.id, text: 'dry' }],
  } as unknown as TriggerInput)
  return { own, at, one, two, product, hall, locked, roleId }
}

const pagesOf = async (of: Company) =>
  new Map((await pages.list(f.asOwner(of), { limit: 100, sort: 'createdAt' })).items.map(page => [page.name, page]))
const draftOf = async (of: Company, name: string) => pages.draft(f.asOwner(of), (await pagesOf(of)).get(name)!.id)
const idsOf = async (of: Company, table: 'devices' | 'roles', column: string) => {
  const { rows } = await f.m.db.superuser.query(`select id, ${column} as name from ${table} where tenant_id = $1`, [
    of.id,
  ])
  return Object.fromEntries(rows.map(({ id, name }) => [name, id]))
}

describe('cloud pages in the file of a company', () => {
  it('come out in another company with its devices, roles and addresses, without passcodes', async () => {
    const { own, at } = await shown()
    const bytes = await f.packed(own)
    const text = Object.values(unzipSync(bytes))
      .map(entry => Buffer.from(entry).toString('latin1'))
      .join('\n')
    const { rows } = await f.m.db.superuser.query(
      `select passcode_hash from cloud_pages where tenant_id = $1 and passcode_hash is not null`,
      [own.id],
    )
    expect(rows).toHaveLength(1)
    expect(text).not.toContain(rows[0].passcode_hash)
    const next = await company(f.m.db)
    const file = await f.upload(next, bytes)
    expect(file.counts).toMatchObject({ pages: 3 })

    const trial = await f.bring(next, file.id, { kinds: KINDS, dryRun: true })
    expect(kindsOf(trial)).toMatchObject({ pages: { created: 3, ok: true } })
    expect(await pagesOf(next)).toEqual(new Map())

    const task = await f.bring(next, file.id, { kinds: KINDS })
    expect(kindsOf(task)).toMatchObject({ pages: { created: 3, ok: true }, triggers: { created: 1, ok: true } })
    const there = await pagesOf(next)
    // Its own address is the exporting company's still.
    expect(there.get('Hall')).toMatchObject({ state: 'published', suffix: `${at}-2`, publishedNo: 1, changed: true })
    expect(there.get('Draft')).toMatchObject({ state: 'draft', kind: 'grid', publishedNo: null })
    expect(there.get('Locked')).toMatchObject({ state: 'withdrawn', visibility: 'passcode', hasPasscode: false })
    const said = await f.failures(f.asOwner(next), task.id)
    expect(said).toContainEqual(['Hall', 'transfer.taken'])
    expect(said).toContainEqual(['Locked', 'transfer.page_incomplete'])
    expect(said.map(([, code]) => code)).not.toContain('transfer.page_unbound')

    const devices = await idsOf(next, 'devices', 'device_no')
    const roles = await idsOf(next, 'roles', 'name')
    const draft = await draftOf(next, 'Hall')
    expect(draft.roles).toMatchObject([{ deviceId: devices['P-1'], choices: [devices['P-2']] }])
    expect(draft.nodes[0]).toMatchObject({
      props: { text: 'second' },
      show: [roles.Watch],
      events: [{ page: there.get('Locked')!.suffix }],
    })
    const hall = there.get('Hall')!
    const version = (await pages.version(f.asOwner(next), hall.id, 1)).scene as Scene
    expect(version.roles[0]!.deviceId).toBe(devices['P-1'])
    expect(version.nodes[0]!.props.text).toBe('first')
    const { items } = await f.triggers.service.list(f.asOwner(next), { limit: 10, sort: 'createdAt' })
    expect(items[0]).toMatchObject({ state: 'enabled', actions: [{ kind: 'page_popup', pageId: hall.id }] })

    // A passcode is wanted before visitors see the page again.
    const locked = there.get('Locked')!
    await expect(pages.publish(f.asOwner(next), locked.id, '')).rejects.toMatchObject({
      fields: { passcode: { code: 'page.passcode_missing' } },
    })

    // Again: nothing is there twice, and what is replaced is what came before.
    const again = await f.bring(next, file.id, { kinds: KINDS })
    expect(kindsOf(again)).toMatchObject({ pages: { created: 0, kept: 3 } })
    const replaced = await f.bring(next, file.id, { kinds: KINDS, existing: 'replace' })
    expect(kindsOf(replaced)).toMatchObject({ pages: { created: 0, replaced: 3 } })
    expect((await pagesOf(next)).get('Hall')).toMatchObject({ id: hall.id, publishedNo: 1, suffix: `${at}-2` })
  })

  it('come in unbound and off line, with what is missing named, where their devices are not', async () => {
    const { own, roleId } = await shown()
    const bytes = await f.packed(own)
    const next = await company(f.m.db)
    const file = await f.upload(next, bytes)
    const task = await f.bring(next, file.id, { kinds: ['products', 'pages'] })
    const { items } = await f.tasks.service.failures(f.asOwner(next), task.id, { limit: 100 })
    expect(items.find(({ item, code }) => item === 'Hall' && code === 'transfer.page_unbound')?.message).toContain(
      'P-1, P-2, Watch',
    )
    expect((await pagesOf(next)).get('Hall')).toMatchObject({ state: 'withdrawn', publishedNo: 1 })
    const draft = await draftOf(next, 'Hall')
    expect(draft.roles).toMatchObject([{ deviceId: null, choices: [] }])
    expect(draft.roles[0]!.productId).not.toBeNull()
    // Shown to no visitor, because its role does not exist in this company.
    expect(draft.nodes[0]!.show).toEqual([roleId])
  })

  it('replace the draft where they come from, and keep the passcode and what visitors see', async () => {
    const { own, hall, locked, one } = await shown()
    const file = await f.upload(own, await f.packed(own))
    const owner = f.asOwner(own)
    const now = await pages.get(owner, hall.id)
    await pages.saveDraft(owner, hall.id, { scene: emptyScene('canvas'), version: now.version })
    const task = await f.bring(own, file.id, { kinds: ['pages'], existing: 'replace' })
    expect(kindsOf(task)).toMatchObject({ pages: { replaced: 3, created: 0 } })
    expect(await f.failures(owner, task.id)).toEqual([])
    expect((await pages.draft(owner, hall.id)).roles[0]!.deviceId).toBe(one)
    const there = await pagesOf(own)
    expect(there.get('Hall')).toMatchObject({ state: 'published', publishedNo: 1 })
    expect(there.get('Locked')).toMatchObject({ id: locked.id, state: 'published', hasPasscode: true })
    // What is not whole is not shown in the place of what is.
    await f.m.db.superuser.query(`update devices set lifecycle = 'recycled', recycled_at = now() where id = $1`, [one])
    await f.bring(own, file.id, { kinds: ['pages'], existing: 'replace' })
    expect((await pagesOf(own)).get('Hall')).toMatchObject({ state: 'published', publishedNo: 1, changed: true })
  })

  it('name a document that cannot be read, and bring in the others', async () => {
    const { own, hall } = await shown()
    await f.m.db.superuser.query(`update cloud_pages set scene = jsonb_set(scene, '{v}', '99') where id = $1`, [
      hall.id,
    ])
    const bytes = await f.packed(own)
    const next = await company(f.m.db)
    const task = await f.bring(next, (await f.upload(next, bytes)).id, { kinds: KINDS })
    expect(kindsOf(task)).toMatchObject({ pages: { created: 2, ok: true } })
    expect([...(await pagesOf(next)).keys()].sort()).toEqual(['Draft', 'Locked'])
    const said = await f.failures(f.asOwner(next), task.id)
    expect(said).toContainEqual(['Hall', 'page.invalid'])
    // What refers to it comes in disabled.
    expect(said).toContainEqual(['Dry', 'transfer.trigger_disabled'])
  })
})
