import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { PERMISSIONS, type Permission } from '@thingwright/contracts/permissions'
import { TRANSFER_KINDS } from '@thingwright/contracts/transfer.words'
import { expect } from 'vitest'
import { type Ctx, type DataScope, WHOLE_COMPANY } from '../../lib/context.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { newAccessToken } from '../../lib/crypto/device-credentials.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { createAlarmsModule } from '../../modules/alarms/index.ts'
import { pageTransfer } from '../../modules/cloud-pages/index.ts'
import { giveTokensWhereWanted } from '../../modules/devices/index.ts'
import { geofenceTransfer } from '../../modules/geofences/index.ts'
import { createRolesModule } from '../../modules/roles/index.ts'
import { createTasksModule } from '../../modules/tasks/index.ts'
import { createTransferModule } from '../../modules/transfer/index.ts'
import { createTriggersModule } from '../../modules/triggers/index.ts'
import { type Company, company, management } from './management.ts'

export const SECRET = 'a good long passphrase'
export const ALL = TRANSFER_KINDS

/** Companies in files on a test database, and what people do with them. */
export async function transferFixture() {
  const m = await management()
  const uploaded: { name: string; bytes: string }[] = []
  const state = { proven: true }
  /** The present actor of a login, where a test changed it; other logins keep the actor of their request. */
  const now = new Map<string, Ctx['actor'] | null>()
  const tasks = createTasksModule({
    database: m.database,
    files: m.store,
    logger: silentLogger,
    currentActor: async (_tenantId, actor) => {
      const current = actor.kind === 'member' ? now.get(actor.loginId) : undefined
      return current === undefined ? actor : current
    },
    now: () => Date.now(),
    timing: { heartbeat: 30, poll: 30, progress: 20 },
  })
  const roles = createRolesModule({
    database: m.database,
    menuKeys: ['/manage/device'],
    menuFor: async () => [],
    menuChoices: async () => [],
  })
  const inbox = { notify: async () => undefined }
  const alarms = createAlarmsModule({
    logger: silentLogger,
    database: m.database,
    inbox,
    timeZone: async () => 'Asia/Shanghai',
    now: () => Date.now(),
  })
  const unused = () => Promise.reject(new Error('no part of a company file'))
  const triggers = createTriggersModule({
    database: m.database,
    alarms: alarms.ofTriggers,
    inbox,
    box: createCryptoBox('x'.repeat(40), 'triggers'),
    outboundAllow: [],
    ownerNow: async () => undefined,
    past: {
      latest: unused,
      link: unused,
      values: () => ({ [Symbol.asyncIterator]: () => ({ next: unused }) }),
      events: unused,
      links: unused,
    },
    sendCommand: unused,
    postWebhook: unused,
    logger: silentLogger,
    now: () => Date.now(),
  })
  const transfer = createTransferModule({
    database: m.database,
    alarmLevels: alarms.transfer,
    pages: pageTransfer,
    geofences: geofenceTransfer,
    triggers: triggers.transfer,
    further: () => [],
    connections: () => [],
    tasks,
    tenants: m.tenants.service,
    store: m.store,
    secretKey: 'x'.repeat(40),
    secrets: m.secrets,
    giveTokens: (scope, productIds) => giveTokensWhereWanted(scope, productIds, id => newAccessToken(m.secrets, id)),
    version: '9.9.9',
    gateway: m.gateway,
    quotas: m.tenants.quotas,
    roles: roles.service,
    history: async (_tenant, device) => Readable.from([Buffer.from(`ts,temperature\n1,${device.id}\n`)]),
    async addMaterial(ctx, { folderId, tags, public: isPublic }, file) {
      const bytes = await buffer(file.body)
      uploaded.push({ name: file.fileName, bytes: bytes.toString() })
      const { fileName: name } = file
      return { id: await storeMaterial(ctx.tenantId, { name, bytes, folderId: folderId ?? null, tags, isPublic }) }
    },
    async requireFreshProof() {
      if (!state.proven) throw new AppError('auth.proof_required')
    },
  })
  tasks.runner.start()

  async function storeMaterial(
    tenantId: string,
    material: {
      name: string
      bytes: Buffer
      folderId?: string | null
      tags?: readonly string[]
      isPublic?: boolean
      /** An end user whose it is. */
      ownerId?: string
    },
  ): Promise<string> {
    const { name, bytes, folderId = null, tags = [], isPublic = false, ownerId = null } = material
    const id = newId()
    const sha256 = createHash('sha256').update(bytes).digest()
    const objectKey = `media/${tenantId}/${sha256.toString('hex')}`
    await m.store.put(objectKey, bytes, { contentType: 'image/png' })
    await m.db.superuser.query(
      'insert into media_blobs (tenant_id, sha256, size, object_key) values ($1, $2, $3, $4) on conflict do nothing',
      [tenantId, sha256, bytes.length, objectKey],
    )
    await m.db.superuser.query(
      `insert into media (id, tenant_id, name, kind, content_type, sha256, size, search_text, created_by_name, folder_id, tags, public, owner_id)
       values ($7, $1, $2, 'image', 'image/png', $3, $4, '', 'x', $5, $6, $8, $9)`,
      [tenantId, name, sha256, bytes.length, folderId, tags, id, isPublic, ownerId],
    )
    return id
  }

  /** A member of the company with these rights and this data scope. */
  const member = (of: Company, permissions: readonly Permission[], scope?: Partial<DataScope>): Ctx => {
    const dataScope = scope
      ? ({ kind: 'limited', groupIds: [], productIds: [], own: false, ...scope } as DataScope)
      : WHOLE_COMPANY
    const { ctx } = of
    const loginId = newId()
    return { ...ctx, actor: { ...ctx.actor, loginId, permissions: new Set(permissions), dataScope } as Ctx['actor'] }
  }
  const asOwner = (of: Company): Ctx => {
    const { ctx } = of
    return { ...ctx, actor: { ...ctx.actor, permissions: new Set(PERMISSIONS) } as Ctx['actor'] }
  }
  const over = async (ctx: Ctx, id: string) => {
    await expect
      .poll(async () => ['succeeded', 'partial', 'failed'].includes((await tasks.service.get(ctx, id)).state))
      .toBe(true)
    return tasks.service.get(ctx, id)
  }
  const ended = async (ctx: Ctx, id: string) => {
    const task = await over(ctx, id)
    expect(task.state, task.error?.message).toBe(task.failedCount > 0 ? 'partial' : 'succeeded')
    return task
  }
  /** All of its parts failed, so it has; its summary and its failures are there all the same. */
  const endedRefused = async (ctx: Ctx, id: string) => {
    const task = await over(ctx, id)
    expect([task.state, task.error?.code]).toEqual(['failed', 'task.all_failed'])
    return task
  }
  const packed = async (of: Company, wish: object = {}) => {
    const { taskId } = await transfer.service.export(asOwner(of), {
      materials: true,
      passphrase: SECRET,
      telemetryDays: 0,
      ...wish,
    })
    await ended(asOwner(of), taskId)
    return buffer((await tasks.service.download(asOwner(of), taskId)).body)
  }
  const uploadAs = (ctx: Ctx, bytes: Buffer) =>
    transfer.service.upload(ctx, { fileName: 'c.zip', contentType: 'application/zip', body: Readable.from([bytes]) })
  const upload = (of: Company, bytes: Buffer) => uploadAs(asOwner(of), bytes)
  const begin = (ctx: Ctx, fileId: string, wish: object = {}) =>
    transfer.service.import(ctx, {
      fileId,
      kinds: [...ALL],
      existing: 'keep',
      dryRun: false,
      passphrase: SECRET,
      ...wish,
    })
  const bringAs = async (ctx: Ctx, fileId: string, wish: object = {}) =>
    ended(ctx, (await begin(ctx, fileId, wish)).taskId)
  const refusedAs = async (ctx: Ctx, fileId: string, wish: object = {}) =>
    endedRefused(ctx, (await begin(ctx, fileId, wish)).taskId)
  const bring = (of: Company, fileId: string, wish: object = {}) => bringAs(asOwner(of), fileId, wish)
  const failures = async (ctx: Ctx, taskId: string) =>
    (await tasks.service.failures(ctx, taskId, { limit: 100 })).items.map(({ item, code }) => [item, code])

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
        attributes: [{ name: '合同号', value: 'HT-7' }],
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
    await storeMaterial(own.id, { name: 'a.png', bytes })
    return own
  }

  return {
    m,
    tasks,
    transfer,
    alarms,
    triggers,
    uploaded,
    state,
    now,
    member,
    asOwner,
    over,
    ended,
    packed,
    upload,
    uploadAs,
    begin,
    bring,
    bringAs,
    refusedAs,
    failures,
    furnished,
    storeMaterial,
    stop: () => tasks.runner.stop(),
  }
}

export const kindsOf = (task: { summary: unknown }) => (task.summary as { kinds: Record<string, object> }).kinds
