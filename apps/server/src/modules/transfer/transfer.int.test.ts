import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { PERMISSIONS } from '@thingwright/contracts/permissions'
import { strToU8, unzipSync, type Zippable, zipSync } from 'fflate'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management, refusal } from '../../db/testing/management.ts'
import type { Ctx } from '../../lib/context.ts'
import { secretHash } from '../../lib/crypto.ts'
import { AppError } from '../../lib/errors.ts'
import { silentLogger } from '../../lib/log.ts'
import { createTasksModule, type TasksModule } from '../tasks/index.ts'
import { createTransferModule, type TransferModule } from './index.ts'

let m: Management
let tasks: TasksModule
let transfer: TransferModule
let proven = true
const uploaded: { name: string; bytes: string }[] = []
const SECRET = 'a good long passphrase'

beforeAll(async () => {
  m = await management()
  tasks = createTasksModule({
    database: m.database,
    files: m.store,
    logger: silentLogger,
    onChange() {},
    now: () => Date.now(),
  })
  transfer = createTransferModule({
    database: m.database,
    tasks,
    tenants: m.tenants.service,
    store: m.store,
    secretKey: 'x'.repeat(40),
    secrets: m.secrets,
    version: '9.9.9',
    gateway: m.gateway,
    quotas: m.tenants.quotas,
    history: async (_tenant, device) => Readable.from([Buffer.from(`ts,temperature\n1,${device.id}\n`)]),
    async addMaterial(_ctx, _input, file) {
      uploaded.push({ name: file.fileName, bytes: (await buffer(file.body)).toString() })
    },
    async requireFreshProof() {
      if (!proven) throw new AppError('auth.proof_required')
    },
  })
  tasks.runner.start()
  return () => tasks.runner.stop()
})

const asOwner = (of: Company): Ctx => {
  const { ctx } = of
  return { ...ctx, actor: { ...ctx.actor, permissions: new Set(PERMISSIONS) } as Ctx['actor'] }
}
const ended = async (of: Company, id: string) => {
  await expect
    .poll(async () => ['succeeded', 'failed'].includes((await tasks.service.get(asOwner(of), id)).state))
    .toBe(true)
  const task = await tasks.service.get(asOwner(of), id)
  expect(task.state, task.error?.message).toBe('succeeded')
  return task
}
const packed = async (of: Company, over: object = {}) => {
  const { taskId } = await transfer.service.export(asOwner(of), {
    materials: true,
    passphrase: SECRET,
    telemetryDays: 0,
    ...over,
  })
  const task = await ended(of, taskId)
  expect(task.state, task.error?.message).toBe('succeeded')
  return buffer((await tasks.service.download(asOwner(of), taskId)).body)
}
const upload = (of: Company, bytes: Buffer) =>
  transfer.service.upload(asOwner(of), {
    fileName: 'c.zip',
    contentType: 'application/zip',
    body: Readable.from([bytes]),
  })
const ALL = ['settings', 'groups', 'products', 'roles', 'devices', 'members', 'materials'] as const
const bring = async (of: Company, fileId: string, over: object = {}) => {
  const { taskId } = await transfer.service.import(asOwner(of), {
    fileId,
    kinds: [...ALL],
    existing: 'keep',
    dryRun: false,
    passphrase: SECRET,
    ...over,
  })
  return ended(of, taskId)
}
const kindsOf = (task: { summary: unknown }) => (task.summary as { kinds: Record<string, object> }).kinds

/** A company with a bit of everything. */
async function furnished(): Promise<Company> {
  const own = await company(m.db)
  const top = await m.groups.service.create(own.ctx, { kind: 'device', name: '一厂' })
  const below = await m.groups.service.create(own.ctx, { kind: 'device', name: '二车间', parentId: top.id })
  const product = await m.products.service.create(own.ctx, {
    name: '温控器',
    linkType: 'mqtt',
    thingModel: {
      properties: [{ identifier: 'temperature', name: '温度', dataType: { type: 'double' }, access: 'r' }],
    },
  })
  await m.products.service.create(own.ctx, { name: '草稿', linkType: 'http', draft: true })
  for (const [n, name] of ['=SUM(A1)', '水泵 🚰', 'مضخة'].entries())
    await m.devices.service.create(own.ctx, {
      name,
      productId: product.id,
      deviceNo: `SN-${n}`,
      groupId: below.id,
      tags: ['夜班'],
      location: { lng: 114, lat: 22.5 },
    })
  await m.db.superuser.query(
    `update products set format = '{"kind":"label","label":"[H:#],[D?],[T:#]","fields":["temperature"]}',
       link = '{"heartbeat":{"packet":{"encoding":"text","value":"ping"}},"maxFrameBytes":512}', dialects = '{"thingsboard":true}',
       sub_devices = '{"presence":"silence"}', registration = 'approve', access = '{"messagesPerSecond":5}',
       format_samples = '[{"name":"a","direction":"up","encoding":"text","payload":"#1#","expected":{"temperature":1}}]'
     where id = $1`,
    [product.id],
  )
  await m.db.superuser.query(
    `insert into command_templates (id, tenant_id, product_id, code, name, body)
     values (gen_random_uuid(), $1, $2, 'read', '读取', '{"params":[],"payload":{"kind":"hex","template":"01"}}')`,
    [own.id, product.id],
  )
  // The first device stands behind the last, which comes after it in the file.
  await m.db.superuser.query(
    `update devices d set gateway = g.num, sub_address = '7', overrides = '{"modbus":{"slave":7}}', access = '{"messagesPerSecond":1}'
     from devices g where d.product_id = $1 and d.device_no = 'SN-0' and g.product_id = $1 and g.device_no = 'SN-2'`,
    [product.id],
  )
  await m.tenants.service.updateSettings(own.ctx, 'retention', { telemetryDays: 30 }, 'company.retention')
  await m.db.superuser.query(
    `insert into roles (id, tenant_id, key, name, permissions, data_scope) values (gen_random_uuid(), $1, 'x', '巡检', '{device:read,no:such}', $2)`,
    [own.id, JSON.stringify({ kind: 'groups', groupIds: [top.id] })],
  )
  await m.db.superuser.query(
    `insert into logins (id, tenant_id, kind, username, password_hash) values (gen_random_uuid(), $1, 'member', $2, 'very secret hash')`,
    [own.id, `m-${own.appId}`],
  )
  await m.tenants.company.setBranding(own.ctx, {
    version: 1,
    title: '北海',
    titleEn: 'Beihai',
    logo: '',
    colour: '#0b5d3b',
  })
  const bytes = Buffer.from(`picture of ${own.id}`)
  const sha256 = createHash('sha256').update(bytes).digest()
  await m.store.put(`media/${own.id}`, bytes, { contentType: 'image/png' })
  await m.db.superuser.query('insert into media_blobs (tenant_id, sha256, size, object_key) values ($1, $2, $3, $4)', [
    own.id,
    sha256,
    bytes.length,
    `media/${own.id}`,
  ])
  await m.db.superuser.query(
    `insert into media (id, tenant_id, name, kind, content_type, sha256, size, search_text, created_by_name) values (gen_random_uuid(), $1, 'a.png', 'image', 'image/png', $2, $3, '', 'x')`,
    [own.id, sha256, bytes.length],
  )
  return own
}

/** Everything of a company that an export must carry, without ids. */
async function contentOf(own: Company) {
  const rows = async (sql: string) => (await m.db.superuser.query(sql, [own.id])).rows
  return {
    groups: await rows(
      `select g.kind, g.name, p.name as parent from groups g left join groups p on p.id = g.parent_id where g.tenant_id = $1 order by g.name`,
    ),
    products: await rows(
      'select name, link_type, node_type, status, draft_model, published_model, format, offline_delay_seconds, link, dialects, sub_devices, registration, access, format_samples, (select jsonb_agg(jsonb_build_array(code, t.name, body)) from command_templates t where t.product_id = products.id) as templates from products where tenant_id = $1 order by name',
    ),
    devices: await rows(
      `select d.device_no, d.name, p.name as product, g.name as group, d.tags, d.location, d.lifecycle, d.secret_hash, d.search_text, d.overrides, d.access, d.sub_address, (select g.device_no from devices g where g.num = d.gateway) as gateway from devices d join products p on p.id = d.product_id left join groups g on g.id = d.group_id where d.tenant_id = $1 order by d.device_no`,
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
    const own = await furnished()
    const bytes = await packed(own)
    const next = await company(m.db)
    const file = await upload(next, bytes)
    expect(file).toMatchObject({
      version: '9.9.9',
      hasSecrets: true,
      hasTelemetry: false,
      counts: { devices: 3, products: 2, groups: 2, roles: 1, materials: 1 },
    })
    const task = await bring(next, file.id, { existing: 'replace' })
    expect(kindsOf(task)).toMatchObject({
      groups: { created: 2, ok: true },
      products: { created: 2, ok: true },
      devices: { created: 3, ok: true },
      roles: { created: 1, ok: true },
      settings: { replaced: 1, ok: true },
      materials: { created: 1, ok: true },
    })
    expect(await contentOf(next)).toEqual(await contentOf(own))
    expect(uploaded.at(-1)).toEqual({ name: 'a.png', bytes: `picture of ${own.id}` })
    // The product key is the first company's: devices get a new one, and that is said. People are named to be invited.
    const { items } = await tasks.service.failures(asOwner(next), task.id, {})
    expect(items.map(item => item.code).sort()).toEqual(['transfer.member_invite', 'transfer.taken', 'transfer.taken'])
    // The devices can be found and their secrets are sealed for this place.
    expect((await m.devices.service.list(next.ctx, { q: '水泵' })).items).toHaveLength(1)
    const { rows } = await m.db.superuser.query(
      'select id, secret_cipher, secret_hash from devices where tenant_id = $1 limit 1',
      [next.id],
    )
    expect(secretHash(m.secrets.open(rows[0].secret_cipher, `device:${rows[0].id}`))).toEqual(rows[0].secret_hash)
  })

  it('changes nothing the second time, and nothing at all in a dry run', async () => {
    const own = await furnished()
    const bytes = await packed(own)
    const next = await company(m.db)
    const { id } = await upload(next, bytes)
    const before = await contentOf(next)
    const dry = await bring(next, id, { dryRun: true })
    expect(kindsOf(dry)).toMatchObject({
      groups: { created: 2 },
      products: { created: 2 },
      devices: { created: 3, ok: true },
      materials: { created: 1 },
    })
    expect(await contentOf(next)).toEqual(before)
    const first = kindsOf(await bring(next, id))
    expect(kindsOf(dry).devices).toEqual(first.devices)
    const after = await contentOf(next)
    for (const existing of ['keep', 'replace']) {
      const again = kindsOf(await bring(next, id, { existing })) as Record<string, { created: number }>
      expect(['groups', 'products', 'devices', 'roles'].map(kind => again[kind]!.created)).toEqual([0, 0, 0, 0])
      if (existing === 'keep') expect(await contentOf(next)).toEqual(after)
    }
  })

  it('without a passphrase holds no secret of a device, and never one of a person', async () => {
    const own = await furnished()
    const text = (bytes: Buffer) =>
      Object.values(unzipSync(bytes))
        .map(entry => Buffer.from(entry).toString('latin1'))
        .join('\n')
    const bare = text(await packed(own, { passphrase: null }))
    expect(bare).not.toContain('"secret"')
    const sealed = text(await packed(own))
    expect(sealed).toContain('"secret"')
    for (const content of [bare, sealed]) {
      expect(content).not.toContain('very secret hash')
      expect(content).not.toMatch(/password|secret_?hash|cipher/i)
    }
    const { rows } = await m.db.superuser.query(
      `select input::text as input from tasks where tenant_id = $1 and kind = 'company.export'`,
      [own.id],
    )
    expect(rows.map(row => row.input).join()).not.toContain(SECRET)
    const next = await company(m.db)
    const { id } = await upload(next, await packed(own))
    expect(
      (
        await refusal(
          transfer.service.import(asOwner(next), {
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
    const own = await furnished()
    const files = unzipSync(await packed(own, { telemetryDays: 7, materials: false }))
    expect(Object.keys(files).filter(name => name.startsWith('telemetry/'))).toHaveLength(3)
    expect(Object.keys(files).filter(name => name.startsWith('materials/'))).toEqual([])
    expect((await upload(await company(m.db), Buffer.from(zipSync(files)))).hasTelemetry).toBe(true)
  })

  it('brings each kind in wholly or not at all, within the quotas', async () => {
    const own = await furnished()
    const next = await company(m.db)
    await m.tenants.service.updateSettings(next.ctx, 'quotas', { devices: 2 }, 'operator.quotas')
    const { id } = await upload(next, await packed(own))
    const task = await bring(next, id)
    expect(kindsOf(task)).toMatchObject({ products: { created: 2, ok: true }, devices: { created: 0, ok: false } })
    expect((await contentOf(next)).devices).toEqual([])
    const { items } = await tasks.service.failures(asOwner(next), task.id, {})
    expect(items.map(item => item.code)).toContain('quota.exceeded')
  })
})

describe('who may', () => {
  it('asks for a fresh proof before anything, and for the owner where rights are brought in', async () => {
    const own = await furnished()
    const { id } = await upload(own, await packed(own))
    const limited = { ...own.ctx, actor: { ...own.ctx.actor, permissions: new Set(['company:write']) } as Ctx['actor'] }
    const attempt = (kinds: (typeof ALL)[number][]) =>
      transfer.service.import(limited, { fileId: id, kinds, existing: 'keep', dryRun: true, passphrase: null })
    expect((await refusal(attempt(['roles']))).params).toEqual({ permission: 'security:write' })
    expect((await refusal(attempt(['materials']))).params).toEqual({ permission: 'media:write' })
    const other = await company(m.db)
    expect(
      (
        await refusal(
          transfer.service.import(asOwner(other), { fileId: id, kinds: ['groups'], existing: 'keep', dryRun: true }),
        )
      ).code,
    ).toBe('transfer.file_not_found')
    proven = false
    try {
      for (const work of [
        () => transfer.service.export(asOwner(own), { materials: false, passphrase: null, telemetryDays: 0 }),
        () => upload(own, Buffer.alloc(0)),
        () => attempt(['groups']),
      ])
        expect((await refusal(work())).code).toBe('auth.proof_required')
    } finally {
      proven = true
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
    const own = await company(m.db)
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
      expect((await refusal(upload(own, bytes))).code, name).toBe('transfer.file_invalid')
    expect((await refusal(upload(own, zip({}, { format: 2 })))).code).toBe('transfer.file_newer')
    expect([...m.store.files.keys()].filter(key => key.startsWith(`company/${own.id}/import`))).toEqual([])
    await upload(own, good)
  })

  // Tried: no JSON, a wrong type, too long a name, an unknown parent, bytes that are not UTF-8, another hash.
  it('fails for its kind with the line, and leaves nothing half done', async () => {
    const own = await company(m.db)
    const wrong: [Uint8Array, string][] = [
      [Buffer.concat([group(), strToU8('{nonsense\n')]), 'transfer.row_invalid'],
      [Buffer.concat([group(), group({ position: 'first' })]), 'transfer.row_invalid'],
      [Buffer.concat([group(), group({ name: 'x'.repeat(65) })]), 'transfer.row_invalid'],
      [Buffer.concat([group(), group({ id: 'h', name: 'H', parentId: 'nobody' })]), 'transfer.reference_missing'],
      [Buffer.concat([group(), Buffer.from([0xff, 0xfe, 0x0a])]), 'transfer.row_invalid'],
    ]
    for (const [bytes, code] of wrong) {
      const { id } = await upload(own, zip({ 'config/groups.ndjson': bytes }))
      const task = await bring(own, id, { kinds: ['groups'] })
      expect(kindsOf(task).groups).toMatchObject({ ok: false })
      expect((await tasks.service.failures(asOwner(own), task.id, {})).items.map(item => item.code)).toEqual([code])
    }
    const other = zip(
      { 'config/groups.ndjson': group() },
      { files: [{ name: 'config/groups.ndjson', size: group().length, sha256: '0'.repeat(64) }] },
    )
    const { id } = await upload(own, other)
    const task = await bring(own, id, { kinds: ['groups'] })
    expect(kindsOf(task).groups).toMatchObject({ ok: false })
    expect((await contentOf(own)).groups).toEqual([])
  })
})
