import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { Readable } from 'node:stream'
import { firmwareManifest } from '@thingwright/contracts/firmware-manifest'
import type { CreateOtaCampaign, OtaJobView } from '@thingwright/contracts/ota.contract'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DeviceFixture, insertDevice, insertProduct, type ProductFixture } from '../../db/fixtures.ts'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import type { Ctx, DataScope, MemberActor } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import type { UploadedFile } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { runner } from '../../lib/sql/statement.ts'
import type { Notice } from '../notifications/index.ts'
import type { FirmwareNotice } from './firmware.port.ts'
import { createOtaModule, type OtaModule } from './ota.module.ts'
import { applyFirmwareReports } from './reports.ts'

let m: Management
let mine: Company
let theirs: Company
let ota: OtaModule
let product: ProductFixture
let devices: DeviceFixture[]
let now: number
let proven: boolean
let allowed: boolean
let notices: Notice[]
let orderNo = 0

beforeAll(async () => {
  m = await management()
  mine = await company(m.db)
  theirs = await company(m.db)
  ota = createOtaModule({
    database: m.database,
    store: m.store,
    secretKey: 'a secret of the installation, long enough',
    gateway: m.gateway,
    inbox: { notify: async (scope, notice) => scope.afterCommit(() => notices.push(notice)) },
    async requireFreshProof() {
      if (!proven) throw new AppError('auth.proof_required')
    },
    currentActor: async (_, actor) => (allowed ? actor : null),
    baseUrl: () => 'http://iot.example',
    now: () => now,
    logger: silentLogger,
  })
})

beforeEach(async () => {
  await m.db.superuser.query(`update ota_campaigns set state = 'cancelled', ended_at = now() where ended_at is null`)
  await m.db.superuser.query(
    `update ota_jobs set state = 'cancelled', finished_at = now(), due_at = null where finished_at is null`,
  )
  product = await insertProduct(m.db.superuser, mine)
  devices = []
  for (let n = 0; n < 4; n++) devices.push(await insertDevice(m.db.superuser, product))
  now = Date.now()
  proven = true
  allowed = true
  notices = []
})

const ctx = (of = mine): Ctx => ({
  ...of.ctx,
  now,
  actor: { ...(of.ctx.actor as MemberActor), permissions: new Set(['firmware:read', 'firmware:deploy']) },
})
const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'did not fail',
    (error: unknown) => (error as AppError).code ?? String(error),
  )
const file = (bytes: Buffer, fileName = 'fw.bin'): UploadedFile => ({
  fileName,
  contentType: 'text/html',
  body: Readable.from([bytes.subarray(0, 3), bytes.subarray(3)]),
})
const image = (text: string) => Buffer.from(`\xe9\x00${text}`, 'latin1')

async function upload(version: string, over: Record<string, unknown> = {}, bytes = image(`${version} ${newId()}`)) {
  return ota.services.packages.upload(
    ctx(),
    { productId: product.id, name: 'pump', version, orderNo: ++orderNo, ...over } as never,
    file(bytes),
  )
}

/** What devices say, as the consumer of the journal hands it on. */
const say = (...reports: [DeviceFixture, Parameters<typeof applyFirmwareReports>[1][number]['report']][]) =>
  applyFirmwareReports(
    runner(m.database.telemetry),
    reports.map(([device, report]) => ({ device: device.num, at: now, report })),
  )
const runs = (device: DeviceFixture, version: string, module = 'default') =>
  say([device, { kind: 'inform', module, version }])
const progress = (device: DeviceFixture, id: string, state: string, message: string | null = null) =>
  say([device, { kind: 'progress', id, percent: null, state, message }])

/** The same work, done by another process over the same rows. */
const anotherProcess = (database: typeof m.database) =>
  createOtaModule({
    database,
    store: m.store,
    secretKey: 'a secret of the installation, long enough',
    gateway: m.gateway,
    inbox: { notify: async () => undefined },
    requireFreshProof: async () => undefined,
    currentActor: async (_, actor) => actor,
    baseUrl: () => 'http://iot.example',
    now: () => now,
    logger: silentLogger,
  })

/** Lets the runner do everything that is due now, as often as something is. */
async function work(): Promise<void> {
  for (let n = 0; n < 30 && (await ota.runner.step()); n++) now += 1
}
const pass = async (seconds: number) => {
  now += seconds * 1000
  await work()
}

/** Notices in the queue of a device; `deliver` lets them leave. */
async function queued(device: DeviceFixture): Promise<{ id: string; notice: FirmwareNotice }[]> {
  const { rows } = await m.db.superuser.query(
    `select id, params as notice from commands where device = $1 and kind = 'firmware' and state = 'queued' order by position`,
    [device.num],
  )
  return rows as never
}
async function deliver(device: DeviceFixture): Promise<FirmwareNotice> {
  const all = await queued(device)
  expect(all).toHaveLength(1)
  await m.db.superuser.query(
    `update commands set state = 'succeeded', sent_at = now(), finished_at = now() where id = $1`,
    [all[0]!.id],
  )
  await work()
  return all[0]!.notice
}

const start = (over: Partial<CreateOtaCampaign> & { packageId: string }) =>
  ota.services.campaigns.create(ctx(), {
    name: 'night',
    scope: { kind: 'all' },
    rate: { kind: 'constant', perMinute: 60_000 },
    ...over,
  })
const jobsOf = async (campaignId: string, by = ctx()): Promise<OtaJobView[]> =>
  (await ota.services.jobs.list(by, { campaignId, limit: 100, sort: 'createdAt' })).items
const jobOf = async (campaignId: string, device: DeviceFixture) =>
  (await jobsOf(campaignId)).find(job => job.deviceId === device.id)!
const campaign = (id: string) => ota.services.campaigns.get(ctx(), id)
const lines = async (jobId: string) =>
  (await ota.services.jobs.get(ctx(), jobId)).events.map(event => event.state ?? event.kind)
const limitedTo = (scope: DataScope): Ctx => ({
  ...ctx(),
  actor: { ...(ctx().actor as MemberActor), loginId: newId(), dataScope: scope },
})

describe('a package', () => {
  it('is taken in with its hash, and refused with what does not fit, leaving nothing behind', async () => {
    const bytes = image('two')
    const hash = createHash('sha256').update(bytes).digest('hex')
    const made = await upload(
      '2.0',
      { sha256: hash.toUpperCase(), ext: '{"board":"rev-b"}', notes: 'less noise' },
      bytes,
    )
    expect(made).toMatchObject({
      version: '2.0',
      module: 'default',
      kind: 'full',
      size: bytes.length,
      sha256: hash,
      state: 'unverified',
      ext: { board: 'rev-b' },
      fileName: 'fw.bin',
    })
    const reply = await ota.services.packages.file(ctx(), made.id)
    expect(Buffer.concat((await reply.body.toArray()) as Buffer[]).equals(bytes)).toBe(true)
    const stored = async () => {
      let n = 0
      for await (const _ of m.store.list('firmware/')) n++
      return n
    }
    const before = await stored()
    expect(await code(upload('2.1', { sha256: 'a'.repeat(64) }))).toBe('firmware.hash_mismatch')
    expect(await code(upload('2.0'))).toBe('firmware.version_taken')
    expect(await code(upload('2.0', { fromVersion: '1.0' }))).toBe('firmware.order_other')
    expect(await code(upload('2.2', { orderNo: made.orderNo }))).toBe('firmware.order_taken')
    expect(await code(upload('2.3', { ext: '{"a":1}' }))).toBe('firmware.ext_invalid')
    expect(await code(upload('2.3', { kind: 'delta' }))).toBe('firmware.delta_from')
    expect(await code(upload('2.3', {}, Buffer.from('<html>')))).toBe('firmware.content_refused')
    expect(await code(upload('2.3', {}, Buffer.alloc(0)))).toBe('firmware.file_empty')
    expect(await stored()).toBe(before)
    expect((await m.db.superuser.query('select 1 from firmware_leftovers')).rowCount).toBe(0)
    // Another company sees and touches none of it.
    expect(await code(ota.services.packages.get(ctx(theirs), made.id))).toBe('firmware.not_found')
    expect(await code(ota.services.packages.remove(ctx(theirs), made.id))).toBe('firmware.not_found')
    expect((await m.audit.service.list(ctx(), { objectId: made.id })).items[0]).toMatchObject({
      action: 'firmware.create',
      after: { version: '2.0', fileName: 'fw.bin' },
    })
    await ota.services.packages.remove(ctx(), made.id)
    await expect.poll(stored).toBe(before - 1)
  })

  it('is signed by a key of its own product, where the product asks for it', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const { settings } = ota.services
    const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString()
    const rules = { requireSignature: true, requireVerified: false, magicHex: 'E900' }
    expect(await code(settings.set(ctx(), product.id, rules))).toBe('firmware.key_missing')
    proven = false
    expect(await code(settings.addKey(ctx(), product.id, { name: 'build', publicKey: pem }))).toBe(
      'auth.proof_required',
    )
    proven = true
    const key = await settings.addKey(ctx(), product.id, { name: 'build', publicKey: pem })
    expect(await code(settings.addKey(ctx(), product.id, { name: 'again', publicKey: pem }))).toBe('firmware.key_known')
    expect(await settings.set(ctx(), product.id, rules)).toMatchObject({ requireSignature: true, magicHex: 'e900' })
    expect(await code(settings.removeKey(ctx(), product.id, key.id))).toBe('firmware.key_missing')
    expect(await code(upload('1'))).toBe('firmware.signature_required')
    expect(await code(upload('1', { signature: 'A'.repeat(86) }, Buffer.from('no magic')))).toBe('firmware.magic')
    const bytes = image('signed')
    const signed = (version: string, productKey: string) =>
      sign(
        null,
        Buffer.from(
          firmwareManifest({
            productKey,
            module: 'default',
            version,
            fromVersion: null,
            size: bytes.length,
            sha256: createHash('sha256').update(bytes).digest('hex'),
          }),
        ),
        privateKey,
      ).toString('base64')
    expect(await code(upload('1', { signature: signed('2', product.productKey) }, bytes))).toBe(
      'firmware.signature_invalid',
    )
    const foreign = await insertProduct(m.db.superuser, theirs)
    expect(await code(upload('1', { signature: signed('1', foreign.productKey) }, bytes))).toBe(
      'firmware.signature_invalid',
    )
    expect(await upload('1', { signature: signed('1', product.productKey) }, bytes)).toMatchObject({
      keyName: 'build',
      version: '1',
    })
  })

  it('is verified by test devices that report the version, and not by others', async () => {
    const item = await upload('3')
    const verify = (ids: string[]) => ota.services.campaigns.verify(ctx(), item.id, ids)
    const other = await insertDevice(m.db.superuser, await insertProduct(m.db.superuser, mine))
    expect(await code(verify([other.id]))).toBe('firmware.device_unsuited')
    expect((await verify([devices[0]!.id, devices[1]!.id])).state).toBe('verifying')
    await work()
    for (const device of devices.slice(0, 2)) {
      await deliver(device)
      await runs(device, '3')
    }
    await pass(3)
    expect(await ota.services.packages.get(ctx(), item.id)).toMatchObject({
      state: 'verified',
      stateNote: '2/2',
      devices: 2,
      campaigns: 1,
    })
    expect(await code(ota.services.packages.remove(ctx(), item.id))).toBe('firmware.in_use')
    await ota.services.packages.conclude(ctx(), item.id, { passed: false, note: 'gets hot' })
    expect(await code(start({ packageId: item.id }))).toBe('ota_campaign.empty')
  })
})

describe('a campaign', () => {
  it('takes every device along its cheapest way, and ends when each reported the version', async () => {
    const [a, b, c, d] = devices as [DeviceFixture, DeviceFixture, DeviceFixture, DeviceFixture]
    await upload('2', { fromVersion: '1' }, image('tiny'))
    const target = await upload('3', {}, image('x'.repeat(5000)))
    await upload('3', { fromVersion: '2', orderNo: target.orderNo }, image('small'))
    await say(
      [a, { kind: 'inform', module: 'default', version: '1' }],
      [b, { kind: 'inform', module: 'default', version: '2' }],
      [c, { kind: 'inform', module: 'default', version: '3' }],
    )
    expect(await ota.services.campaigns.preview(ctx(), { packageId: target.id, scope: { kind: 'all' } })).toMatchObject(
      {
        matching: 4,
        targets: 3,
        upToDate: 1,
        versionUnknown: 1,
      },
    )
    proven = false
    expect(await code(start({ packageId: target.id }))).toBe('auth.proof_required')
    proven = true
    const { id } = await start({ packageId: target.id })
    await work()
    expect((await jobsOf(id)).map(job => [job.deviceNo, job.steps.length, job.waitingFor])).toEqual(
      expect.arrayContaining([
        [a.deviceNo, 2, 'offline'],
        [b.deviceNo, 1, 'offline'],
        [d.deviceNo, 1, 'offline'],
      ]),
    )
    const notice = await deliver(a)
    expect(notice).toMatchObject({
      version: '2',
      fromVersion: '1',
      kind: 'delta',
      downgrade: false,
      productKey: product.productKey,
    })
    expect(notice.url).toMatch(/^http:\/\/iot\.example\/api\/v1\/firmware-downloads\/[\w-]{54}$/)
    const first = await jobOf(id, a)
    expect(first).toMatchObject({ id: notice.id, state: 'notified', attempt: 1, step: 1 })
    expect(
      (
        await ota.desk.downloads([
          { device: a.num, id: notice.id },
          { device: b.num, id: notice.id },
        ])
      )[1],
    ).toBeNull()
    for (const state of ['downloading', 'downloaded', 'verified', 'installing']) await progress(a, notice.id, state)
    await runs(a, '2')
    await pass(2)
    expect(await deliver(a)).toMatchObject({ version: '3', fromVersion: '2' })
    await runs(a, '3')
    expect(await jobOf(id, a)).toMatchObject({ state: 'succeeded', step: 2, attempt: 2, fromVersion: '1' })
    expect(await lines(first.id)).toEqual([
      'pending',
      'notified',
      'downloading',
      'downloaded',
      'verified',
      'installing',
      'pending',
      'notified',
      'succeeded',
    ])
    for (const device of [b, d]) {
      await deliver(device)
      await runs(device, '3')
    }
    await pass(3)
    expect(await campaign(id)).toMatchObject({ state: 'completed', counts: { succeeded: 3 }, failurePercent: 0 })
    expect(notices).toMatchObject([{ kind: 'ota_campaign.completed', level: 'info' }])
    expect(await ota.services.campaigns.report(ctx(), id)).toMatchObject({
      successPercent: 100,
      fromVersions: expect.arrayContaining([{ version: '1', total: 1, succeeded: 1, failed: 0 }]),
    })
    const matrix = (await ota.services.jobs.versions(ctx(), { productId: product.id })).items
    expect(matrix).toMatchObject([{ version: '3', devices: 4, orderNo: target.orderNo }])
    const seen = await ota.services.jobs.device(ctx(), a.id, {})
    expect(seen.modules).toMatchObject([{ version: '3', previousVersion: '2' }])
    expect(seen.events.length).toBe(10)
    expect(await code(ota.services.jobs.device(ctx(theirs), a.id, {}))).toBe('device.not_found')
  })

  it('stops itself at the set failure rate, and goes on when a person says so', async () => {
    const item = await upload('2')
    for (const device of devices) await runs(device, '1')
    const { id } = await start({
      packageId: item.id,
      rate: { kind: 'constant', perMinute: 60_000, maxActive: 2 },
      retries: { max: 0, backoffSeconds: 0 },
      autoStop: { failurePercent: 40, afterDevices: 2 },
    })
    await work()
    const told: DeviceFixture[] = []
    for (const device of devices) if ((await queued(device)).length > 0) told.push(device)
    expect(told).toHaveLength(2)
    for (const device of told) await progress(device, (await deliver(device)).id, 'failed', 'hash_mismatch')
    await pass(3)
    expect(await campaign(id)).toMatchObject({
      state: 'stopped',
      stateReason: 'failure_rate',
      counts: { failed: 2, pending: 2 },
      failurePercent: 100,
    })
    expect(notices).toMatchObject([{ kind: 'ota_campaign.failure_rate', level: 'error' }])
    expect(notices[0]!.text.en).toBe('night: 2 of 2 devices failed')
    await pass(60)
    for (const device of devices) expect(await queued(device)).toEqual([])
    await ota.services.campaigns.resume(ctx(), id)
    await work()
    expect((await jobsOf(id)).filter(job => job.waitingFor === 'offline')).toHaveLength(2)
    // Pausing takes back what waits in the queues; resuming puts it there again.
    await ota.services.campaigns.pause(ctx(), id)
    await pass(5)
    expect((await Promise.all(devices.map(queued))).flat()).toEqual([])
    expect((await jobsOf(id)).filter(job => job.state === 'pending').map(job => job.waitingFor)).toEqual([
      'paused',
      'paused',
    ])
    await ota.services.campaigns.resume(ctx(), id)
    await ota.services.campaigns.retry(ctx(), id)
    await pass(20)
    expect((await jobsOf(id)).map(job => [job.state, job.errorCode])).toEqual(Array(4).fill(['pending', null]))
    await ota.services.campaigns.cancel(ctx(), id)
    expect(await campaign(id)).toMatchObject({ state: 'cancelled', counts: { cancelled: 4 } })
    expect((await Promise.all(devices.map(queued))).flat()).toEqual([])
  })

  // One of three is 33.3 per cent.
  it.each([
    [33, 'stopped', 'failure_rate'],
    [34, 'running', null],
  ])(
    'that may lose %i per cent of its devices, and lost one of three, is then %s',
    async (failurePercent, state, stateReason) => {
      const item = await upload('2')
      for (const device of devices) await runs(device, '1')
      const { id } = await start({
        packageId: item.id,
        rate: { kind: 'constant', perMinute: 60_000, maxActive: 1 },
        retries: { max: 0, backoffSeconds: 0 },
        autoStop: { failurePercent, afterDevices: 3 },
      })
      await work()
      for (const succeeds of [true, true, false]) {
        expect(await campaign(id)).toMatchObject({ state: 'running' })
        const waiting = await Promise.all(devices.map(async device => ({ device, notices: await queued(device) })))
        const { device } = waiting.find(({ notices }) => notices.length > 0)!
        const notice = await deliver(device)
        if (succeeds) await runs(device, '2')
        else await progress(device, notice.id, 'failed', 'hash_mismatch')
        await pass(3)
      }
      expect(await campaign(id)).toMatchObject({ state, stateReason, counts: { succeeded: 2, failed: 1 } })
    },
  )

  it('waits for confirmation, the window by the device’s clock, and conditions on its values', async () => {
    const [a, b, c] = devices as [DeviceFixture, DeviceFixture, DeviceFixture]
    const item = await upload('2')
    await m.db.superuser.query(`update devices set tags = '{tz:+09:00}' where num = $1`, [b.num])
    await m.db.superuser.query(`update devices set tags = '{tz:+01:00}' where num = any ($1)`, [[a.num, c.num]])
    const battery = async (device: DeviceFixture, percent: number) =>
      m.db.superuser.query(
        `insert into latest (device, values) values ($1, $2) on conflict (device) do update set values = excluded.values`,
        [device.num, JSON.stringify({ battery: [percent, now, 0] })],
      )
    await battery(a, 80)
    await battery(b, 80)
    await battery(c, 20)
    now = Date.parse('2027-01-12T22:30:00Z')
    const { id } = await start({
      packageId: item.id,
      scope: { kind: 'chosen', deviceIds: [a.id, b.id, c.id] },
      confirm: true,
      // 23:30 where a and c are, 7:30 where b is
      window: { from: '23:00', until: '02:00' },
      preconditions: [{ identifier: 'battery', operator: 'gt', value: 50 }],
    })
    await work()
    expect((await campaign(id)).counts).toEqual({ to_confirm: 3 })
    expect(await ota.services.jobs.batch(ctx(), { action: 'confirm', filter: { campaignId: id } })).toEqual({
      changed: 3,
      skipped: 0,
    })
    await pass(2)
    const waits = async () =>
      Object.fromEntries((await jobsOf(id)).map(job => [job.deviceNo, job.waitingFor ?? job.state]))
    expect(await waits()).toEqual({ [a.deviceNo]: 'offline', [b.deviceNo]: 'window', [c.deviceNo]: 'precondition' })
    const { rows } = await m.db.superuser.query(`select expires_at, interlock from commands where device = $1`, [a.num])
    expect(rows[0].expires_at.toISOString()).toBe('2027-01-13T00:59:55.000Z')
    expect(rows[0].interlock).toHaveLength(1)
    await battery(c, 90)
    await pass(40)
    expect(await waits()).toMatchObject({ [c.deviceNo]: 'offline', [b.deviceNo]: 'window' })
    // Past the window of a, in that of b: what did not leave comes back and waits for the next night.
    await m.db.superuser.query(`update commands set state = 'expired', finished_at = now() where device = any ($1)`, [
      [a.num, c.num],
    ])
    now = Date.parse('2027-01-13T14:30:00Z')
    await work()
    expect(await waits()).toEqual({ [a.deviceNo]: 'window', [b.deviceNo]: 'offline', [c.deviceNo]: 'window' })
    expect((await jobOf(id, a)).attempt).toBe(1)
  })

  it('takes nothing for late that ran out while the platform was away, until devices had time to come back', async () => {
    const [a] = devices as [DeviceFixture]
    const item = await upload('2')
    await runs(a, '1')
    const { id } = await start({
      packageId: item.id,
      scope: { kind: 'chosen', deviceIds: [a.id] },
      timeouts: { respondSeconds: 10, downloadSeconds: 20, installSeconds: 30 },
      retries: { max: 0, backoffSeconds: 0 },
    })
    await work()
    await deliver(a)
    now += 600_000
    const { runner } = anotherProcess(m.database)
    runner.start()
    await runner.step()
    now += 59_000
    await runner.step()
    expect(await jobOf(id, a)).toMatchObject({ state: 'notified' })
    now += 1_000
    await runner.step()
    // Its own rounds are over then, too.
    await runner.stop()
    expect(await jobOf(id, a)).toMatchObject({ state: 'timed_out', errorCode: 'no_response' })
  })

  it('ends phases that take too long, tries again with a pause, and takes late news', async () => {
    const [a, b] = devices as [DeviceFixture, DeviceFixture]
    const item = await upload('2')
    for (const device of [a, b]) await runs(device, '1')
    const { id } = await start({
      packageId: item.id,
      scope: { kind: 'chosen', deviceIds: [a.id, b.id] },
      timeouts: { respondSeconds: 10, downloadSeconds: 20, installSeconds: 30 },
      retries: { max: 1, backoffSeconds: 5 },
    })
    await work()
    await deliver(a)
    const notice = await deliver(b)
    await progress(b, notice.id, 'installing')
    await pass(11)
    expect(await jobOf(id, a)).toMatchObject({ state: 'pending', errorCode: 'no_response', waitingFor: 'backoff' })
    await pass(6)
    await deliver(a)
    expect(await jobOf(id, a)).toMatchObject({ state: 'notified', attempt: 2 })
    await pass(20)
    // b is not online: it may never come back, and counts.
    expect(await jobOf(id, a)).toMatchObject({ state: 'timed_out', errorCode: 'no_response' })
    expect(await jobOf(id, b)).toMatchObject({ state: 'timed_out', errorCode: 'install_timeout' })
    await pass(3)
    expect(await campaign(id)).toMatchObject({ state: 'completed', counts: { timed_out: 2 }, failurePercent: 100 })
    await runs(b, '2')
    expect(await jobOf(id, b)).toMatchObject({ state: 'succeeded', errorCode: 'late' })
    expect(
      await ota.services.jobs.batch(ctx(), {
        action: 'retry',
        ids: [(await jobOf(id, a)).id, (await jobOf(id, b)).id],
      }),
    ).toEqual({
      changed: 1,
      skipped: 1,
    })
    await pass(2)
    expect(await campaign(id)).toMatchObject({ state: 'running', counts: { pending: 1, succeeded: 1 } })
    expect(await queued(a)).toHaveLength(1)
  })

  it('that is cancelled takes the notices that wait back; a device whose notice has left goes on, and is not denied', async () => {
    const [a, b] = devices as [DeviceFixture, DeviceFixture]
    await runs(a, '1.0.0')
    await runs(b, '1.0.0')
    const target = await upload('9.2.0')
    const { id } = await start({ packageId: target.id, scope: { kind: 'chosen', deviceIds: [a.id, b.id] } })
    await work()
    // It left, and the runner has not looked yet.
    const [left] = await queued(a)
    await m.db.superuser.query(`update commands set state = 'succeeded', finished_at = now() where id = $1`, [left!.id])
    await ota.services.campaigns.cancel(ctx(), id)
    expect(await queued(b)).toEqual([])
    expect((await campaign(id)).counts).toEqual({ cancelled: 2 })
    await runs(a, '9.2.0')
    await runs(b, '9.2.0')
    expect(await jobOf(id, a)).toMatchObject({ state: 'succeeded', errorCode: 'after_cancel' })
    expect(await jobOf(id, b)).toMatchObject({ state: 'cancelled', errorCode: 'by_person' })
  })

  it('has one update at a time for a device, and the newer campaign takes over what has not begun', async () => {
    const [a, b] = devices as [DeviceFixture, DeviceFixture]
    const two = await upload('2')
    const three = await upload('3')
    const scope = { kind: 'chosen' as const, deviceIds: [a.id, b.id] }
    const older = await start({ packageId: two.id, scope })
    await work()
    await deliver(a)
    now += 1000
    const newer = await start({ packageId: three.id, scope })
    await work()
    expect(await jobOf(older.id, b)).toMatchObject({ state: 'superseded' })
    expect((await queued(b)).map(each => each.notice.version)).toEqual(['3'])
    // a is under way: it joins when it is done.
    expect(await jobOf(newer.id, a)).toBeUndefined()
    await runs(a, '2')
    await pass(60)
    expect(await jobOf(newer.id, a)).toMatchObject({ fromVersion: '2', toVersion: '3' })
    const rows = await m.db.superuser.query(
      'select device, module from ota_jobs where finished_at is null group by 1, 2 having count(*) > 1',
    )
    expect(rows.rows).toEqual([])
  })

  it('takes no device over whose notice leaves at that moment; it comes when the older update is done', async () => {
    const [a, b] = devices as [DeviceFixture, DeviceFixture]
    const scope = { kind: 'chosen' as const, deviceIds: [a.id, b.id] }
    await runs(a, '1')
    await runs(b, '1')
    const older = await start({ packageId: (await upload('2')).id, scope })
    await work()
    now += 1000
    const newer = await start({ packageId: (await upload('3')).id, scope })
    const leave = () =>
      m.db.superuser.query(
        `update commands set state = 'succeeded', finished_at = now() where device = $1 and state = 'queued'`,
        [a.num],
      )
    // The runner has looked at the notices and goes on to the campaigns.
    const database = {
      ...m.database,
      withTenant: async (context: never, inner: never) => {
        await leave()
        return m.database.withTenant(context, inner)
      },
    } as typeof m.database
    await anotherProcess(database).runner.step()
    expect(await jobOf(older.id, a)).toMatchObject({ state: 'pending' })
    expect(await jobOf(newer.id, a)).toBeUndefined()
    expect(await jobOf(older.id, b)).toMatchObject({ state: 'superseded' })
    await work()
    expect(await jobOf(older.id, a)).toMatchObject({ state: 'notified' })
    await runs(a, '2')
    await pass(60)
    expect(await jobOf(older.id, a)).toMatchObject({ state: 'succeeded' })
    expect(await jobOf(newer.id, a)).toMatchObject({ fromVersion: '2', toVersion: '3' })
  })

  it('takes its part of a fleet, the same one each time, and those that come later when it is dynamic', async () => {
    const item = await upload('2')
    const half = { packageId: item.id, scope: { kind: 'gray' as const, percent: 50 }, method: 'dynamic' as const }
    const { id } = await start(half)
    expect(await code(start(half))).toBe('ota_campaign.dynamic_taken')
    await work()
    const chosen = (await jobsOf(id)).map(job => job.deviceId).toSorted()
    expect(chosen).toHaveLength(2)
    await pass(30)
    expect((await jobsOf(id)).map(job => job.deviceId).toSorted()).toEqual(chosen)
    for (let n = 0; n < 4; n++) devices.push(await insertDevice(m.db.superuser, product))
    await pass(30)
    expect((await jobsOf(id)).length).toBeGreaterThanOrEqual(4)
    expect(await campaign(id)).toMatchObject({ state: 'running', method: 'dynamic' })
  })

  it('answers devices that ask by themselves, and tells the same again to those that lost it', async () => {
    const [a] = devices as [DeviceFixture]
    const item = await upload('2', { module: 'mcu' })
    const { id } = await start({
      packageId: item.id,
      scope: { kind: 'chosen', deviceIds: [a.id] },
      delivery: 'pull',
    })
    await work()
    expect(await queued(a)).toEqual([])
    expect(await ota.desk.pull(a.num, 'default')).toBeNull()
    const notice = await ota.desk.pull(a.num, 'mcu')
    expect(notice).toMatchObject({ module: 'mcu', version: '2', id: (await jobOf(id, a)).id })
    expect(await jobOf(id, a)).toMatchObject({ state: 'notified', attempt: 1 })
    expect(await ota.desk.pull(a.num, 'mcu')).toEqual(notice)
    await runs(a, '2', 'mcu')
    expect(await ota.desk.pull(a.num, 'mcu')).toBeNull()
  })

  it('counts one attempt for a device that asks while its notice waits in the queue', async () => {
    const [a] = devices as [DeviceFixture]
    const item = await upload('2', { module: 'mcu' })
    const { id } = await start({ packageId: item.id, scope: { kind: 'chosen', deviceIds: [a.id] } })
    await work()
    expect(await queued(a)).toHaveLength(1)
    expect(await ota.desk.pull(a.num, 'mcu')).toMatchObject({ version: '2', id: (await jobOf(id, a)).id })
    expect(await queued(a)).toEqual([])
    expect(await jobOf(id, a)).toMatchObject({ state: 'notified', attempt: 1 })
    await runs(a, 'V2', 'mcu')
    expect(await jobOf(id, a)).toMatchObject({ state: 'succeeded', attempt: 1 })
  })

  it('tells a device nothing that runs the version by another spelling', async () => {
    const [a] = devices as [DeviceFixture]
    await runs(a, 'V1.5.0')
    const item = await upload('1.5.0')
    expect((await ota.services.packages.list(ctx(), {})).items.find(({ id }) => id === item.id)).toMatchObject({
      version: '1.5.0',
      devices: 1,
    })
    expect(await code(start({ packageId: item.id, scope: { kind: 'chosen', deviceIds: [a.id] } }))).toBe(
      'ota_campaign.empty',
    )
  })

  it('goes back to the version that its devices came from', async () => {
    const [a] = devices as [DeviceFixture]
    const one = await upload('1')
    const two = await upload('2')
    await runs(a, '1')
    const { id } = await start({ packageId: two.id, scope: { kind: 'chosen', deviceIds: [a.id] } })
    await work()
    await deliver(a)
    await runs(a, '2')
    const back = await ota.services.campaigns.rollback(ctx(), id, {})
    expect(back).toMatchObject({ kind: 'rollback', packageId: one.id, ofCampaign: id, version: '1' })
    await pass(1)
    expect(await deliver(a)).toMatchObject({ version: '1', downgrade: true })
    await runs(a, '1')
    await pass(3)
    expect(await campaign(back.id)).toMatchObject({ state: 'completed', counts: { succeeded: 1 } })
  })

  it('shows and takes only what its owner may see, and pauses when he may no longer', async () => {
    const [a] = devices as [DeviceFixture]
    const group = await m.groups.service.create(ctx(), { kind: 'device', name: `g ${newId()}` })
    await m.db.superuser.query('update devices set group_id = $2 where num = $1', [a.num, group.id])
    const item = await upload('2')
    const narrow = limitedTo({ kind: 'limited', groupIds: [group.id], productIds: [], own: false })
    const made = await ota.services.campaigns.create(narrow, {
      name: 'mine',
      packageId: item.id,
      scope: { kind: 'all' },
    })
    await work()
    expect((await jobsOf(made.id)).map(job => job.deviceId)).toEqual([a.id])
    await ota.services.campaigns.cancel(narrow, made.id)
    const whole = await start({ packageId: item.id })
    await work()
    expect((await campaign(whole.id)).total).toBe(4)
    expect((await ota.services.campaigns.get(narrow, whole.id)).total).toBe(1)
    expect(await jobsOf(whole.id, narrow)).toHaveLength(1)
    expect(await code(ota.services.campaigns.cancel(narrow, whole.id))).toBe('ota_campaign.not_found')
    expect(await code(ota.services.campaigns.get(ctx(theirs), whole.id))).toBe('ota_campaign.not_found')
    const foreign = await jobOf(whole.id, devices[1]!)
    expect(await ota.services.jobs.batch(narrow, { action: 'cancel', ids: [foreign.id] })).toEqual({
      changed: 0,
      skipped: 0,
    })
    await ota.services.campaigns.cancel(ctx(), whole.id)
    allowed = false
    const third = await start({ packageId: item.id })
    await work()
    expect(await campaign(third.id)).toMatchObject({ state: 'paused', stateReason: 'owner_without_right', total: 0 })
  })
})

it('two runners and a broken one tell each device once', async () => {
  const item = await upload('2')
  const { id } = await start({ packageId: item.id })
  const dying = {
    ...m.database,
    // Dies before its third transaction is committed, again and again.
    withTenant: (() => {
      let n = 0
      return (context: never, work: never) =>
        m.database.withTenant(context, async scope => {
          const result = await (work as (s: typeof scope) => Promise<unknown>)(scope)
          if (++n % 3 === 0) throw new Error('killed')
          return result
        })
    })() as typeof m.database.withTenant,
  }
  const other = anotherProcess(dying)
  for (let n = 0; n < 8; n++) {
    await Promise.all([ota.runner.step(), other.runner.step()])
    now += 6_000
  }
  await work()
  expect(await campaign(id)).toMatchObject({ total: 4, state: 'running' })
  const { rows } = await m.db.superuser.query(
    `select device, count(*)::int as n from commands where kind = 'firmware' and device = any ($1) group by 1`,
    [devices.map(device => device.num)],
  )
  expect(rows.map(row => row.n)).toEqual([1, 1, 1, 1])
})
