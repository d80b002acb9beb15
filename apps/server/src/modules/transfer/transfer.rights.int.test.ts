import { once } from 'node:events'
import { Readable } from 'node:stream'
import { PERMISSIONS, type Permission } from '@thingwright/contracts/permissions'
import { FURTHER_KINDS } from '@thingwright/contracts/transfer.words'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, refusal } from '../../db/testing/management.ts'
import { ALL, kindsOf, transferFixture } from '../../db/testing/transfer.ts'
import type { Ctx } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import { openArchive } from './archive.ts'

let f: Awaited<ReturnType<typeof transferFixture>>

beforeAll(async () => {
  f = await transferFixture()
  return () => f.stop()
})

/** Every row of a company that an import could write, but for times and versions that merely looking leaves alone. */
async function rowsOf(own: Company): Promise<Record<string, unknown[]>> {
  const tables = ['groups', 'products', 'devices', 'roles', 'command_templates', 'media_folders', 'tenant_warnings']
  const rows: Record<string, unknown[]> = {}
  for (const table of tables)
    rows[table] = (
      await f.m.db.superuser.query(`select to_jsonb(t)::text as row from ${table} t where tenant_id = $1 order by 1`, [
        own.id,
      ])
    ).rows
  rows.tenant = (
    await f.m.db.superuser.query('select settings, branding, contact_name, version from tenants where id = $1', [
      own.id,
    ])
  ).rows
  return rows
}

/** Two halls with three devices each; the file is of the moment in which every device had another name. */
async function twoHalls() {
  const own = await company(f.m.db)
  const hall = async (name: string) => (await f.m.groups.service.create(own.ctx, { kind: 'device', name })).id
  const [north, south] = [await hall('North'), await hall('South')]
  const product = await f.m.products.service.create(own.ctx, { name: 'Pump', linkType: 'mqtt' })
  for (const [n, groupId] of [north, north, north, south, south, south].entries())
    await f.m.devices.service.create(own.ctx, {
      name: `old ${n}`,
      productId: product.id,
      deviceNo: `SN-${n}`,
      groupId,
    })
  const bytes = await f.packed(own, { materials: false, passphrase: null })
  await f.m.db.superuser.query(`update devices set name = 'now ' || device_no where tenant_id = $1`, [own.id])
  return { own, north, south, product, bytes }
}

/** Kinds that the file of this installation has: no further module is part of it. */
const OWN = ALL.filter(kind => !(FURTHER_KINDS as readonly string[]).includes(kind))

const NEEDED: Record<(typeof ALL)[number], Permission[]> = {
  settings: ['security:write'],
  groups: ['group:write'],
  products: ['product:write'],
  roles: ['security:write', 'role:write'],
  devices: ['device:write'],
  pages: ['page:write'],
  alarm_levels: ['alarm:configure'],
  geofences: ['trigger:write'],
  triggers: ['trigger:write'],
  trigger_presets: ['trigger:write'],
  calendars: ['timed-task:write'],
  scenes: ['timed-task:write', 'device:command'],
  timed_tasks: ['timed-task:write', 'device:command'],
  message_templates: ['contact:write'],
  user_packages: ['end-user:write'],
  tariffs: ['money:write'],
  reports: ['report:write'],
  portals: ['app:write'],
  official_accounts: ['app:write'],
  lora_links: ['lora:write'],
  telecom_links: ['telecom-key:write'],
  connections: [],
  members: ['security:write', 'member:write'],
  materials: ['media:write'],
}

describe('rights of whoever brings a company in', () => {
  it('each kind takes the rights of the routes that make the same; the file says at once which are missing', async () => {
    const own = await f.furnished()
    const before = await rowsOf(own)
    const bare = f.member(own, ['company:write'])
    const file = await f.uploadAs(bare, await f.packed(own))
    expect(file.refused.map(({ kind, code, permissions }) => [kind, code, permissions])).toEqual(
      OWN.map(kind => [kind, 'permission.denied', NEEDED[kind]]),
    )
    for (const kind of ALL)
      for (const missing of NEEDED[kind])
        for (const dryRun of [true, false]) {
          const others = PERMISSIONS.filter(right => right !== missing)
          const attempt = f.begin(f.member(own, others), file.id, { kinds: [kind], dryRun, existing: 'replace' })
          expect(await refusal(attempt), `${kind} without ${missing}`).toMatchObject({
            code: 'permission.denied',
            params: { permission: missing },
          })
        }
    const noSecrets = f.member(
      own,
      PERMISSIONS.filter(right => right !== 'device:secret'),
    )
    expect((await refusal(f.begin(noSecrets, file.id, { kinds: ['devices'] }))).params).toEqual({
      permission: 'device:secret',
    })
    expect(await rowsOf(own)).toEqual(before)
  })

  it('a role of the file is refused where POST /roles would refuse it, and then nothing is written', async () => {
    const own = await f.furnished()
    await f.m.db.superuser.query(
      `insert into roles (id, tenant_id, key, name, permissions, data_scope) values
         (gen_random_uuid(), $1, 'y', '甲', '{device:delete}', '{"kind":"all"}'),
         (gen_random_uuid(), $1, 'z', '乙', '{device:read,operator:write}', '{"kind":"all"}')`,
      [own.id],
    )
    const bytes = await f.packed(own, { passphrase: null, materials: false })
    const next = await company(f.m.db)
    const before = await rowsOf(next)
    const limited = f.member(next, ['company:write', 'security:write', 'role:write', 'group:write', 'device:read'])
    const file = await f.uploadAs(limited, bytes)
    for (const dryRun of [true, false]) {
      const task = await f[dryRun ? 'bringAs' : 'refusedAs'](limited, file.id, {
        kinds: ['groups', 'roles'],
        dryRun,
        passphrase: null,
      })
      expect(kindsOf(task).roles).toMatchObject({ created: 0, ok: false })
      expect(Object.fromEntries(await f.failures(limited, task.id))).toEqual({
        甲: 'role.beyond_own',
        乙: 'role.permission_unknown',
        roles: 'transfer.beyond_own',
      })
      expect(await rowsOf(next)).toEqual(before)
    }
  })

  it('a role that is replaced counts for its holders at once, and is not replaced by who could not give it', async () => {
    const own = await f.furnished()
    const bytes = await f.packed(own, { passphrase: null, materials: false })
    await f.m.db.superuser.query(
      `update roles set permissions = '{device:delete}' where tenant_id = $1 and key = 'x'`,
      [own.id],
    )
    const limited = f.member(own, ['company:write', 'security:write', 'role:write', 'device:read'])
    const file = await f.uploadAs(limited, bytes)
    const wish = { kinds: ['roles'], existing: 'replace', passphrase: null }
    expect(await f.failures(limited, (await f.refusedAs(limited, file.id, wish)).id)).toContainEqual([
      '巡检',
      'role.beyond_own',
    ])
    const owner = f.asOwner(own)
    expect(kindsOf(await f.bringAs(owner, file.id, wish)).roles).toMatchObject({ replaced: 1, ok: true })
    const { rows } = await f.m.db.superuser.query(
      `select object_name from audit_logs where tenant_id = $1 and action = 'role.update'`,
      [own.id],
    )
    expect(rows).toEqual([{ object_name: '巡检' }])
  })
})

describe('data scope of whoever brings a company in', () => {
  it('changes no device outside it and pulls none into it: each is named, and nothing is written', async () => {
    const { own, north, bytes } = await twoHalls()
    const ctx = f.member(own, PERMISSIONS, { groupIds: [north] } as object)
    const file = await f.uploadAs(ctx, bytes)
    expect(file.refused).toEqual(
      ['settings', 'alarm_levels', 'trigger_presets', 'connections'].map(kind => ({
        kind,
        code: 'scope.whole_company',
        permissions: [],
      })),
    )
    const seen = async () => (await f.m.devices.service.list(ctx, { sort: 'name' })).items.map(({ name }) => name)
    const before = await rowsOf(own)
    for (const dryRun of [true, false]) {
      const wish = { kinds: ['devices'], existing: 'replace', passphrase: null, dryRun }
      const task = await f[dryRun ? 'bringAs' : 'refusedAs'](ctx, file.id, wish)
      expect(kindsOf(task).devices).toEqual({ created: 0, replaced: 0, kept: 0, ok: false })
      expect(await f.failures(ctx, task.id)).toEqual([
        ['SN-3', 'scope.outside'],
        ['SN-4', 'scope.outside'],
        ['SN-5', 'scope.outside'],
        ['devices', 'transfer.beyond_own'],
      ])
      expect(await rowsOf(own)).toEqual(before)
    }
    expect(await seen()).toEqual(['now SN-0', 'now SN-1', 'now SN-2'])
    expect((await refusal(f.begin(ctx, file.id, { kinds: ['settings'] }))).code).toBe('scope.whole_company')
  })

  it('writes what is inside it', async () => {
    const { own, north, south, bytes } = await twoHalls()
    await f.m.db.superuser.query('delete from devices where group_id = $1', [south])
    await f.m.db.superuser.query('delete from groups where id = $1', [south])
    const file = await f.upload(own, bytes)
    const ctx = f.member(own, PERMISSIONS, { groupIds: [north] } as object)
    const refused = await f.refusedAs(ctx, file.id, { kinds: ['groups', 'devices'], passphrase: null })
    expect(await f.failures(ctx, refused.id)).toEqual([
      ['South', 'scope.outside'],
      ['groups', 'transfer.beyond_own'],
      ['SN-3', 'scope.outside'],
      ['SN-4', 'scope.outside'],
      ['SN-5', 'scope.outside'],
      ['devices', 'transfer.beyond_own'],
    ])
    const small = f.member(own, PERMISSIONS, { groupIds: [north] } as object)
    const only = await twoHallsWithoutSouth(own)
    const next = await f.uploadAs(small, only)
    const task = await f.bringAs(small, next.id, { kinds: ['devices'], existing: 'replace', passphrase: null })
    expect(kindsOf(task).devices).toEqual({ created: 0, replaced: 3, kept: 0, ok: true })
    expect((await f.m.devices.service.list(small, { sort: 'name' })).items.map(({ name }) => name)).toEqual([
      'now SN-0',
      'now SN-1',
      'now SN-2',
    ])
  })

  it('changes no product that is only seen for a device', async () => {
    const { own, north, bytes } = await twoHalls()
    const ctx = f.member(own, PERMISSIONS, { groupIds: [north] } as object)
    const { id } = await f.upload(own, bytes)
    const before = await rowsOf(own)
    const task = await f.refusedAs(ctx, id, { kinds: ['products'], existing: 'replace', passphrase: null })
    expect(await f.failures(ctx, task.id)).toEqual([
      ['Pump', 'scope.outside'],
      ['products', 'transfer.beyond_own'],
    ])
    expect(await rowsOf(own)).toEqual(before)
  })

  it('an export shows the whole company, so it is for who sees that, also at the moment in which it is made', async () => {
    const { own, north } = await twoHalls()
    const ctx = f.member(own, PERMISSIONS)
    f.now.set(loginOf(ctx), f.member(own, PERMISSIONS, { groupIds: [north] } as object).actor)
    const { taskId } = await f.transfer.service.export(ctx, { materials: false, passphrase: null, telemetryDays: 0 })
    const task = await f.over(ctx, taskId)
    expect([task.state, task.error?.code, task.file]).toEqual(['failed', 'scope.whole_company', null])
  })

  async function twoHallsWithoutSouth(own: Company): Promise<Buffer> {
    return f.packed(own, { materials: false, passphrase: null })
  }
})

/** From now on he is as the other one. */
const become = (ctx: Ctx, other: Ctx) =>
  f.now.set(loginOf(ctx), { ...other.actor, loginId: loginOf(ctx) } as Ctx['actor'])
const loginOf = (ctx: Ctx) => (ctx.actor as { loginId: string }).loginId

describe('rights that are taken back', () => {
  it('stop an import that waits for its turn', async () => {
    const own = await f.furnished()
    const { id } = await f.upload(own, await f.packed(own))
    const next = await company(f.m.db)
    const file = await f.upload(next, await f.packed(own))
    expect(id).not.toBe(file.id)
    for (const [left, code] of [
      [f.member(next, ['company:write']).actor, 'permission.denied'],
      [null, 'auth.login_frozen'],
    ] as const) {
      const ctx = f.member(next, PERMISSIONS)
      f.now.set(loginOf(ctx), left)
      const before = await rowsOf(next)
      const { taskId } = await f.begin(ctx, file.id, { kinds: ['groups'] })
      const task = await f.over(ctx, taskId)
      expect([task.state, task.error?.code]).toEqual(['failed', code])
      expect(await rowsOf(next)).toEqual(before)
    }
  })

  it('end work that is under way, and a scope that became narrower holds for its next step', async () => {
    const own = await company(f.m.db)
    const group = (await f.m.groups.service.create(own.ctx, { kind: 'device', name: 'g' })).id
    const kind = `test.${newId()}`
    const seen: string[] = []
    let look: (() => void) | undefined
    f.tasks.register(kind, {
      needs: () => ['device:write'],
      async run(task) {
        const step = () => f.m.groups.service.list(task.ctx, { kind: 'device' })
        seen.push((await step()).items.map(({ name }) => name).join())
        await new Promise<void>(resolve => {
          look = resolve
        })
        seen.push((await step()).items.map(({ name }) => name).join())
        if (!task.signal.aborted) await once(task.signal, 'abort')
        return {}
      },
    })
    const ctx = f.member(own, ['device:write', 'group:read'])
    const { id } = await f.tasks.service.start(ctx, { kind, title: { zh: '', en: '' }, input: null })
    await expect.poll(() => seen).toEqual(['g'])
    become(ctx, f.member(own, ['device:write'], { groupIds: [newId()] } as object))
    f.tasks.runner.recheck()
    await expect.poll(() => look !== undefined).toBe(true)
    // The regular look, thirty milliseconds apart here, is what the work waits for.
    await expect
      .poll(async () => {
        look?.()
        return seen.length
      })
      .toBe(2)
    expect(seen[1]).toBe('')
    expect(group).toBeTruthy()
    become(ctx, f.member(own, ['group:read']))
    f.tasks.runner.recheck()
    const task = await f.over(ctx, id)
    expect([task.state, task.error?.code]).toEqual(['failed', 'permission.denied'])
  })
})

describe('a damaged file', () => {
  it('is found by each of its bytes, before anything is written', async () => {
    const own = await company(f.m.db)
    await f.m.groups.service.create(own.ctx, { kind: 'device', name: 'g' })
    const good = await f.packed(own, { materials: false, passphrase: null })
    const open = async (bytes: Buffer) => (await openArchive(Readable.from([bytes]), { whole: true })).close()
    await open(good)
    const taken: number[] = []
    for (let at = 0; at < good.length; at++) {
      const bad = Buffer.from(good)
      bad[at]! ^= 1 << (at % 8)
      await open(bad).then(
        () => taken.push(at),
        (error: { code?: string }) =>
          expect(['transfer.file_invalid', 'transfer.file_newer'], `byte ${at}`).toContain(error.code),
      )
    }
    expect(taken).toEqual([])
    for (let length = 0; length < good.length; length += 97)
      expect((await refusal(open(good.subarray(0, length)))).code).toBe('transfer.file_invalid')
    const middle = Buffer.from(good)
    middle[Math.floor(good.length / 3)]! ^= 1
    const before = await rowsOf(own)
    expect((await refusal(f.upload(own, middle))).code).toBe('transfer.file_invalid')
    expect(await rowsOf(own)).toEqual(before)
    expect([...f.m.store.files.keys()].filter(key => key.startsWith(`company/${own.id}/import`))).toEqual([])
  })

  it('that became so after it was uploaded is refused when it is brought in', async () => {
    const own = await f.furnished()
    const next = await company(f.m.db)
    const file = await f.upload(next, await f.packed(own))
    const key = [...f.m.store.files.keys()].find(name => name === `company/${next.id}/import/${file.id}`)!
    const stored = f.m.store.files.get(key)!
    const bytes = Buffer.from(stored.body)
    bytes[60]! ^= 4
    await f.m.store.put(key, bytes, { contentType: 'application/zip' })
    const before = await rowsOf(next)
    const { taskId } = await f.begin(f.asOwner(next), file.id)
    const task = await f.over(f.asOwner(next), taskId)
    expect([task.state, task.error?.code]).toEqual(['failed', 'transfer.file_invalid'])
    expect(await rowsOf(next)).toEqual(before)
  })
})
