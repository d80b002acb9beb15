import { createHash } from 'node:crypto'
import { strToU8, unzipSync, type Zippable, zipSync } from 'fflate'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, refusal } from '../../db/testing/management.ts'
import { type ALL, kindsOf, SECRET, transferFixture } from '../../db/testing/transfer.ts'
import type { Ctx } from '../../lib/context.ts'
import { openAccessToken } from '../../lib/crypto/device-credentials.ts'
import { secretHash } from '../../lib/crypto/secrets.ts'

let f: Awaited<ReturnType<typeof transferFixture>>

beforeAll(async () => {
  f = await transferFixture()
  return () => f.stop()
})

/** Everything of a company that an export must carry, without ids. */
async function contentOf(own: Company) {
  const rows = async (sql: string) => (await f.m.db.superuser.query(sql, [own.id])).rows
  return {
    groups: await rows(
      `select g.kind, g.name, p.name as parent from groups g left join groups p on p.id = g.parent_id where g.tenant_id = $1 order by g.name`,
    ),
    products: await rows(
      'select name, link_type, node_type, status, draft_model, published_model, format, offline_delay_seconds, link, dialects, sub_devices, registration, access, format_samples, (select jsonb_agg(jsonb_build_array(code, t.name, body)) from command_templates t where t.product_id = products.id) as templates from products where tenant_id = $1 order by name',
    ),
    devices: await rows(
      `select d.device_no, d.name, p.name as product, g.name as group, d.tags, d.attributes, d.location, d.lifecycle, d.secret_hash, d.search_text, d.overrides, d.access, d.sub_address, (select g.device_no from devices g where g.num = d.gateway) as gateway from devices d join products p on p.id = d.product_id left join groups g on g.id = d.group_id where d.tenant_id = $1 order by d.device_no`,
    ),
    settings: await rows("select settings -> 'retention' as retention, time_zone, branding from tenants where id = $1"),
    roles: (await rows('select name, permissions, data_scope from roles where tenant_id = $1 and not builtin')).map(
      row => ({
        name: row.name,
        permissions: row.permissions.filter((word: string) => word !== 'no:such'),
        kind: row.data_scope.kind,
      }),
    ),
  }
}

describe('a company in one file', () => {
  it('comes out in another company as it was: groups, products, devices with their secrets, settings, roles, materials', async () => {
    const own = await f.furnished()
    const bytes = await f.packed(own)
    const next = await company(f.m.db)
    const file = await f.upload(next, bytes)
    expect(file).toMatchObject({
      version: '9.9.9',
      hasSecrets: true,
      hasTelemetry: false,
      counts: { devices: 3, products: 2, groups: 2, roles: 1, materials: 1 },
    })
    const task = await f.bring(next, file.id, { existing: 'replace' })
    expect(kindsOf(task)).toMatchObject({
      groups: { created: 2, ok: true },
      products: { created: 2, ok: true },
      devices: { created: 3, ok: true },
      roles: { created: 1, ok: true },
      settings: { replaced: 1, ok: true },
      materials: { created: 1, ok: true },
    })
    expect(await contentOf(next)).toEqual(await contentOf(own))
    expect(f.uploaded.at(-1)).toEqual({ name: 'a.png', bytes: `picture of ${own.id}` })
    // The product key is the first company's: devices get a new one, and that is said. People are named to be invited.
    const { items } = await f.tasks.service.failures(f.asOwner(next), task.id, {})
    expect(items.map(item => item.code).sort()).toEqual(['transfer.member_invite', 'transfer.taken', 'transfer.taken'])
    // The devices can be found and their secrets are sealed for this place.
    expect((await f.m.devices.service.list(next.ctx, { q: '水泵' })).items).toHaveLength(1)
    const { rows } = await f.m.db.superuser.query(
      'select id, secret_cipher, secret_hash from devices where tenant_id = $1 limit 1',
      [next.id],
    )
    expect(secretHash(f.m.secrets.open(rows[0].secret_cipher, `device:${rows[0].id}`))).toEqual(rows[0].secret_hash)
  })

  it('gives access tokens to devices that speak with nothing else, those that are there already too', async () => {
    const own = await f.furnished()
    const { id: plain } = await f.m.products.service.create(own.ctx, { name: 'plain', linkType: 'mqtt' })
    await f.m.devices.service.create(own.ctx, { name: 'x', productId: plain, deviceNo: 'X-1' })
    const tokensOf = async (of: Company) => {
      const { rows } = await f.m.db.superuser.query(
        `select id, device_no, access_token_hash as hash, access_token_cipher as cipher from devices
         where tenant_id = $1 order by device_no`,
        [of.id],
      )
      return rows as { id: string; device_no: string; hash: Buffer | null; cipher: Buffer | null }[]
    }
    const bytes = await f.packed(own)
    const next = await company(f.m.db)
    const { id } = await f.upload(next, bytes)
    await f.bring(next, id)
    const first = await tokensOf(next)
    expect(first.map(({ device_no, hash }) => [device_no, hash !== null])).toEqual([
      ['SN-0', true],
      ['SN-1', true],
      ['SN-2', true],
      ['X-1', false],
    ])
    for (const { id, hash, cipher } of first)
      if (cipher) expect(secretHash(openAccessToken(f.m.secrets, id, cipher))).toEqual(hash)
    // Again: nobody's token is another one.
    await f.bring(next, id, { existing: 'replace' })
    expect(await tokensOf(next)).toEqual(first)
    // The file switches the dialect on for products whose devices are here: brought in without the devices.
    await f.m.db.superuser.query(`update products set dialects = '{}' where tenant_id = $1`, [next.id])
    await f.m.db.superuser.query('update devices set access_token_hash = null where tenant_id = $1', [next.id])
    await f.bring(next, id, { existing: 'replace', kinds: ['groups', 'products'] })
    expect((await tokensOf(next)).map(({ hash }) => hash !== null)).toEqual([true, true, true, false])
  })

  it('changes nothing the second time, and nothing at all in a dry run', async () => {
    const own = await f.furnished()
    const bytes = await f.packed(own)
    const next = await company(f.m.db)
    const { id } = await f.upload(next, bytes)
    const before = await contentOf(next)
    const dry = await f.bring(next, id, { dryRun: true })
    expect(kindsOf(dry)).toMatchObject({
      groups: { created: 2 },
      products: { created: 2 },
      devices: { created: 3, ok: true },
      materials: { created: 1 },
    })
    expect(await contentOf(next)).toEqual(before)
    const first = kindsOf(await f.bring(next, id))
    expect(kindsOf(dry).devices).toEqual(first.devices)
    const after = await contentOf(next)
    for (const existing of ['keep', 'replace']) {
      const again = kindsOf(await f.bring(next, id, { existing })) as Record<string, { created: number }>
      expect(['groups', 'products', 'devices', 'roles'].map(kind => again[kind]!.created)).toEqual([0, 0, 0, 0])
      if (existing === 'keep') expect(await contentOf(next)).toEqual(after)
    }
  })

  it('without a passphrase holds no secret of a device, and never one of a person', async () => {
    const own = await f.furnished()
    const text = (bytes: Buffer) =>
      Object.values(unzipSync(bytes))
        .map(entry => Buffer.from(entry).toString('latin1'))
        .join('\n')
    const bare = text(await f.packed(own, { passphrase: null }))
    expect(bare).not.toContain('"secret"')
    const sealed = text(await f.packed(own))
    expect(sealed).toContain('"secret"')
    for (const content of [bare, sealed]) {
      expect(content).not.toContain('very secret hash')
      expect(content).not.toMatch(/password|secret_?hash|cipher/i)
    }
    const { rows } = await f.m.db.superuser.query(
      `select input::text as input from tasks where tenant_id = $1 and kind = 'company.export'`,
      [own.id],
    )
    expect(rows.map(row => row.input).join()).not.toContain(SECRET)
    const next = await company(f.m.db)
    const { id } = await f.upload(next, await f.packed(own))
    expect(
      (
        await refusal(
          f.transfer.service.import(f.asOwner(next), {
            fileId: id,
            kinds: ['devices'],
            existing: 'keep',
            dryRun: true,
            passphrase: 'another long passphrase',
          }),
        )
      ).code,
    ).toBe('transfer.passphrase_wrong')
  })

  it('may carry the history of its devices as tables', async () => {
    const own = await f.furnished()
    const files = unzipSync(await f.packed(own, { telemetryDays: 7, materials: false }))
    expect(Object.keys(files).filter(name => name.startsWith('telemetry/'))).toHaveLength(3)
    expect(Object.keys(files).filter(name => name.startsWith('materials/'))).toEqual([])
    expect((await f.upload(await company(f.m.db), Buffer.from(zipSync(files)))).hasTelemetry).toBe(true)
  })

  it('brings each kind in wholly or not at all, within the quotas', async () => {
    const own = await f.furnished()
    const next = await company(f.m.db)
    await f.m.tenants.service.updateSettings(next.ctx, 'quotas', { devices: 2 }, 'operator.quotas')
    const { id } = await f.upload(next, await f.packed(own))
    const task = await f.bring(next, id)
    expect(kindsOf(task)).toMatchObject({ products: { created: 2, ok: true }, devices: { created: 0, ok: false } })
    expect((await contentOf(next)).devices).toEqual([])
    const { items } = await f.tasks.service.failures(f.asOwner(next), task.id, {})
    expect(items.map(item => item.code)).toContain('quota.exceeded')
  })
})

describe('who may', () => {
  it('asks for a fresh proof before anything, and for the owner where rights are brought in', async () => {
    const own = await f.furnished()
    const { id } = await f.upload(own, await f.packed(own))
    const limited = { ...own.ctx, actor: { ...own.ctx.actor, permissions: new Set(['company:write']) } as Ctx['actor'] }
    const attempt = (kinds: (typeof ALL)[number][]) =>
      f.transfer.service.import(limited, { fileId: id, kinds, existing: 'keep', dryRun: true, passphrase: null })
    expect((await refusal(attempt(['roles']))).params).toEqual({ permission: 'security:write' })
    expect((await refusal(attempt(['materials']))).params).toEqual({ permission: 'media:write' })
    const other = await company(f.m.db)
    expect(
      (
        await refusal(
          f.transfer.service.import(f.asOwner(other), {
            fileId: id,
            kinds: ['groups'],
            existing: 'keep',
            dryRun: true,
          }),
        )
      ).code,
    ).toBe('transfer.file_not_found')
    f.state.proven = false
    try {
      for (const work of [
        () => f.transfer.service.export(f.asOwner(own), { materials: false, passphrase: null, telemetryDays: 0 }),
        () => f.upload(own, Buffer.alloc(0)),
        () => attempt(['groups']),
      ])
        expect((await refusal(work())).code).toBe('auth.proof_required')
    } finally {
      f.state.proven = true
    }
  })
})

describe('a file that is not ours', () => {
  const manifestOf = (files: Zippable, over: object = {}) =>
    strToU8(
      JSON.stringify({
        product: 'thingwright',
        format: 1,
        version: '1',
        exportedAt: '2026-01-01T00:00:00.000Z',
        company: { id: 'x', name: 'x' },
        counts: {},
        telemetry: false,
        files: Object.entries(files).map(([name, bytes]) => ({
          name,
          size: (bytes as Uint8Array).length,
          sha256: createHash('sha256')
            .update(bytes as Uint8Array)
            .digest('hex'),
        })),
        ...over,
      }),
    )
  const zip = (files: Zippable, over: object = {}) =>
    Buffer.from(zipSync({ ...files, 'manifest.json': manifestOf(files, over) }))
  const group = (over: object = {}) =>
    strToU8(`${JSON.stringify({ id: 'g', kind: 'device', parentId: null, name: 'G', position: 0, ...over })}\n`)

  // Tried: empty, text, cut, no manifest, foreign names, climbing names, another hash, another size, a name more, a name
  // less, a newer format, a packed bomb, an entry that says it is small, entries over one another.
  it('is refused before anything is read out of it', async () => {
    const own = await company(f.m.db)
    const good = zip({ 'config/groups.ndjson': group() })
    const bomb = zip({ 'config/groups.ndjson': new Uint8Array(300 * 1024 * 1024) })
    const lies = Buffer.from(bomb)
    // The directory says one byte where three hundred million come out.
    const directory = lies.indexOf(Buffer.from('504b0102', 'hex'))
    lies.writeUInt32LE(1, directory + 24)
    const overlapping = Buffer.from(zip({ 'config/groups.ndjson': group(), 'config/roles.ndjson': strToU8('') }))
    const second = overlapping.indexOf(
      Buffer.from('504b0102', 'hex'),
      overlapping.indexOf(Buffer.from('504b0102', 'hex')) + 4,
    )
    overlapping.writeUInt32LE(0, second + 42)
    const cases: Record<string, Buffer> = {
      empty: Buffer.alloc(0),
      text: Buffer.from('not a zip at all'),
      cut: good.subarray(0, good.length - 30),
      'no manifest': Buffer.from(zipSync({ 'config/groups.ndjson': group() })),
      'foreign name': zip({ 'readme.txt': strToU8('x') }),
      climbing: zip({ '../../etc/passwd': strToU8('x') }),
      absolute: zip({ '/etc/passwd': strToU8('x') }),
      'climbing inside': zip({ 'config/../../x.ndjson': strToU8('x') }),
      'name less': zip({ 'config/groups.ndjson': group() }, { files: [] }),
      'name more': zip({}, { files: [{ name: 'config/groups.ndjson', size: 1, sha256: '0'.repeat(64) }] }),
      'not ours': zip({}, { product: 'other' }),
      'packed too well': bomb,
      'says it is small': lies,
      overlapping,
    }
    for (const [name, bytes] of Object.entries(cases))
      expect((await refusal(f.upload(own, bytes))).code, name).toBe('transfer.file_invalid')
    expect((await refusal(f.upload(own, zip({}, { format: 2 })))).code).toBe('transfer.file_newer')
    expect([...f.m.store.files.keys()].filter(key => key.startsWith(`company/${own.id}/import`))).toEqual([])
    await f.upload(own, good)
  })

  // Tried: no JSON, a wrong type, too long a name, an unknown parent, bytes that are not UTF-8, another hash.
  it('fails for its kind with the line, and leaves nothing half done', async () => {
    const own = await company(f.m.db)
    const wrong: [Uint8Array, string][] = [
      [Buffer.concat([group(), strToU8('{nonsense\n')]), 'transfer.row_invalid'],
      [Buffer.concat([group(), group({ position: 'first' })]), 'transfer.row_invalid'],
      [Buffer.concat([group(), group({ name: 'x'.repeat(65) })]), 'transfer.row_invalid'],
      [Buffer.concat([group(), group({ id: 'h', name: 'H', parentId: 'nobody' })]), 'transfer.reference_missing'],
      [Buffer.concat([group(), Buffer.from([0xff, 0xfe, 0x0a])]), 'transfer.row_invalid'],
    ]
    for (const [bytes, code] of wrong) {
      const { id } = await f.upload(own, zip({ 'config/groups.ndjson': bytes }))
      const task = await f.refusedAs(f.asOwner(own), id, { kinds: ['groups'] })
      expect(kindsOf(task).groups).toMatchObject({ ok: false })
      expect((await f.tasks.service.failures(f.asOwner(own), task.id, {})).items.map(item => item.code)).toEqual([code])
    }
    const other = zip(
      { 'config/groups.ndjson': group() },
      { files: [{ name: 'config/groups.ndjson', size: group().length, sha256: '0'.repeat(64) }] },
    )
    expect((await refusal(f.upload(own, other))).code).toBe('transfer.file_invalid')
    expect((await contentOf(own)).groups).toEqual([])
  })
})
