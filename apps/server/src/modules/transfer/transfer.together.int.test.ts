import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company } from '../../db/testing/management.ts'
import { kindsOf, transferFixture } from '../../db/testing/transfer.ts'

let f: Awaited<ReturnType<typeof transferFixture>>

beforeAll(async () => {
  f = await transferFixture()
  return () => f.stop()
})

/** How often each name stands in a company, by kind. */
async function namesOf(own: Company): Promise<Record<string, string[]>> {
  const { rows } = await f.m.db.superuser.query<{ kind: string; name: string }>(
    `select 'group' as kind, name from groups where tenant_id = $1
     union all select 'product', name from products where tenant_id = $1 and deleted_at is null
     union all select 'template', t.code from command_templates t where tenant_id = $1
     union all select 'device', name || ' ' || array_to_string(tags, ',') from devices where tenant_id = $1
     union all select 'role', name from roles where tenant_id = $1 and not builtin
     union all select 'folder', name from media_folders where tenant_id = $1
     union all select 'material', name from media where tenant_id = $1
     order by 1, 2`,
    [own.id],
  )
  const kinds = [...new Set(rows.map(({ kind }) => kind))]
  return Object.fromEntries(kinds.map(each => [each, rows.filter(({ kind }) => kind === each).map(({ name }) => name)]))
}

/** A company with many of everything, some materials in folders. */
async function large(): Promise<Company> {
  const own = await f.furnished()
  for (let n = 0; n < 12; n++) {
    const top = await f.m.groups.service.create(own.ctx, { kind: 'device', name: `Hall ${n}` })
    await f.m.groups.service.create(own.ctx, { kind: 'device', name: 'Line', parentId: top.id })
  }
  for (let n = 0; n < 4; n++) await f.m.products.service.create(own.ctx, { name: `Pump ${n}`, linkType: 'mqtt' })
  await f.m.db.superuser.query(
    `insert into roles (id, tenant_id, key, name, permissions, data_scope)
     select gen_random_uuid(), $1, 'r' || n, 'Role ' || n, '{device:read}', '{"kind":"all"}' from generate_series(1, 6) n`,
    [own.id],
  )
  await f.m.db.superuser.query(
    `with folder as (insert into media_folders (id, tenant_id, name) values (gen_random_uuid(), $1, 'Plans') returning id)
     insert into media (id, tenant_id, name, kind, content_type, sha256, size, search_text, created_by_name, folder_id)
     select gen_random_uuid(), $1, 'plan ' || n, 'image', 'image/png', m.sha256, m.size, '', 'x', folder.id
     from generate_series(1, 6) n, folder, media m where m.tenant_id = $1`,
    [own.id],
  )
  return own
}

describe('two imports of a company at once', () => {
  it('share what each of them would make: groups, products, devices with their tags, roles, materials', async () => {
    const own = await large()
    const bytes = await f.packed(own)
    const wanted = await namesOf(own)
    for (const existing of ['keep', 'replace', 'keep', 'replace', 'keep']) {
      const next = await company(f.m.db)
      // Its keys are the first company's: both have to give it the same new ones.
      const [first, second] = [await f.upload(next, bytes), await f.upload(next, bytes)]
      const tasks = await Promise.all([f.bring(next, first.id, { existing }), f.bring(next, second.id, { existing })])
      expect(await namesOf(next)).toEqual(wanted)
      const made = (kind: string) =>
        tasks.map(task => (kindsOf(task)[kind] as { created: number }).created).reduce((sum, count) => sum + count)
      expect({
        groups: made('groups'),
        products: made('products'),
        devices: made('devices'),
        roles: made('roles'),
        materials: made('materials'),
      }).toEqual({
        groups: wanted.group!.length,
        products: wanted.product!.length,
        devices: wanted.device!.length,
        roles: wanted.role!.length,
        materials: wanted.material!.length,
      })
      for (const task of tasks)
        expect(Object.values(kindsOf(task)).every(kind => (kind as { ok: boolean }).ok)).toBe(true)
    }
  })

  it('of different files meet in the groups that both name, and in those that a person makes meanwhile', async () => {
    const files: Buffer[] = []
    for (const of of ['a', 'b']) {
      const own = await company(f.m.db)
      const plant = await f.m.groups.service.create(own.ctx, { kind: 'device', name: 'Plant' })
      // In opposite orders, so that each holds what the other one waits for.
      const halls = Array.from({ length: 20 }, (_, n) => `Hall ${of === 'a' ? n : 19 - n}`)
      for (const name of [...halls, `only ${of}`])
        await f.m.groups.service.create(own.ctx, { kind: 'device', name, parentId: plant.id })
      files.push(await f.packed(own, { materials: false, passphrase: null }))
    }
    for (let round = 0; round < 5; round++) {
      const next = await company(f.m.db)
      const uploaded = await Promise.all(files.map(bytes => f.upload(next, bytes)))
      const byHand = async () => {
        const there = await f.m.groups.service.create(next.ctx, { kind: 'device', name: 'Plant' }).catch(() => null)
        for (let n = 0; there && n < 20; n += 3)
          await f.m.groups.service
            .create(next.ctx, { kind: 'device', name: `Hall ${n}`, parentId: there.id })
            .catch((error: { code?: string }) => expect(error.code).toBe('group.name_taken'))
      }
      const wish = { kinds: ['groups'], passphrase: null }
      const [tasks] = await Promise.all([Promise.all(uploaded.map(({ id }) => f.bring(next, id, wish))), byHand()])
      const wanted = ['Plant', 'only a', 'only b', ...Array.from({ length: 20 }, (_, n) => `Hall ${n}`)]
      expect((await namesOf(next)).group!.sort()).toEqual(wanted.sort())
      expect(tasks.map(task => task.failedCount)).toEqual([0, 0])
    }
  })
})

describe('an import of people only', () => {
  it('names them and has done what there was to do', async () => {
    const own = await f.furnished()
    const next = await company(f.m.db)
    const file = await f.upload(next, await f.packed(own, { materials: false, passphrase: null }))
    for (const dryRun of [true, false]) {
      const task = await f.bring(next, file.id, { kinds: ['members'], passphrase: null, dryRun })
      expect(kindsOf(task)).toMatchObject({ members: { created: 0, ok: true } })
      const named = await f.failures(f.asOwner(next), task.id)
      expect(named.length).toBe((kindsOf(task).members as { kept: number }).kept)
      expect(new Set(named.map(([, code]) => code))).toEqual(new Set(['transfer.member_invite']))
    }
  })

  it('is told from one of which nothing came, however many entries were read before it was refused', async () => {
    const own = await f.furnished()
    const next = await company(f.m.db)
    await f.m.tenants.service.updateSettings(next.ctx, 'quotas', { devices: 2 }, 'operator.quotas')
    const file = await f.upload(next, await f.packed(own, { materials: false, passphrase: null }))
    await f.bring(next, file.id, { kinds: ['groups', 'products'], passphrase: null })
    const task = await f.refusedAs(f.asOwner(next), file.id, { kinds: ['devices'], passphrase: null })
    expect(await f.failures(f.asOwner(next), task.id)).toEqual([['devices', 'quota.exceeded']])
  })
})
