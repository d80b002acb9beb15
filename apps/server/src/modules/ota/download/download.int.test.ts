import { createHash, randomBytes } from 'node:crypto'
import { connectDevice, FirmwareUpdater } from '@thingwright/device-sdk'
import { hashOf, imageOf, SimulatedBoard, versionIn } from '@thingwright/device-sdk/testing/board'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type DeviceFixture,
  insertDevice,
  insertProduct,
  insertTenant,
  type ProductFixture,
} from '../../../db/fixtures.ts'
import { memoryStore } from '../../../db/testing/memory-store.ts'
import { type TestDatabase, testDatabase } from '../../../db/testing.ts'
import { deviceRequest, type TestGateway, testGateway } from '../../../ingest/process/testing.ts'
import { JournalKind } from '../../../ingest/uplink.ts'
import type { HttpInfo, StreamReply } from '../../../lib/http.ts'
import { newId } from '../../../lib/ids.ts'
import { silentLogger } from '../../../lib/log.ts'
import { answerFirmware } from '../firmware.port.ts'
import { createDownloadLinks } from './download-links.ts'
import { createFirmwareDownloads, type FirmwareDownloads } from './index.ts'

const IMAGE = imageOf('2.0.0', { bytes: 700_000 })
const SECRET = 'k'.repeat(64)
const store = memoryStore()
const notices = new Map<number, Record<string, unknown>>()
let db: TestDatabase
let gateway: TestGateway
let downloads: FirmwareDownloads
let product: ProductFixture
let packageId: string
let campaignId: string
let storeReads = 0

beforeAll(async () => {
  db = await testDatabase()
  const tenant = await insertTenant(db.superuser)
  product = await insertProduct(db.superuser, tenant)
  packageId = newId()
  campaignId = newId()
  const key = `firmware/${tenant.id}/${packageId}`
  await store.put(key, IMAGE, { contentType: 'application/octet-stream' })
  await db.superuser.query(
    `insert into firmware_packages (id, tenant_id, product_id, name, kind, version, order_no, file_name, object_key, size, sha256, created_by_name)
     values ($1, $2, $3, 'p', 'full', '2.0.0', 1, 'fw.bin', $4, $5, $6, 'x')`,
    [packageId, tenant.id, product.id, key, IMAGE.length, createHash('sha256').update(IMAGE).digest()],
  )
  await db.superuser.query(
    `insert into ota_campaigns (id, tenant_id, product_id, package_id, name, state, scope, plan, next_at, counted_from, owner_name, actor, created_at)
     values ($1, $2, $3, $4, 'c', 'running', '{}', '{"rate":{}}', now(), now(), 'x', '{}', now())`,
    [campaignId, tenant.id, product.id, packageId],
  )
  downloads = createFirmwareDownloads({
    database: db.database,
    store: {
      ...store,
      get(objectKey, range) {
        storeReads++
        return store.get(objectKey, range)
      },
    },
    secretKey: SECRET,
    logger: silentLogger,
    pull: async device => notices.get(device) ?? null,
  })
  gateway = await testGateway(db, { firmware: asked => answerFirmware(downloads.desk, asked) })
})
afterAll(() => gateway.stop())

/** A device with an update under way. */
async function updating(state = 'notified', attempt = 1): Promise<{ device: DeviceFixture; jobId: string }> {
  const device = await insertDevice(db.superuser, product)
  const jobId = newId()
  await db.superuser.query(
    `insert into ota_jobs (id, tenant_id, campaign_id, product_id, device_id, device, module, to_version, steps, package_id, state, attempt, created_at, changed_at, next_at, finished_at)
     values ($1, $2, $3, $4, $5, $6, 'default', '2.0.0', '[]', $7, $8, $9, now(), now(), now(), case when $8 = 'cancelled' then now() end)`,
    [jobId, product.tenantId, campaignId, product.id, device.id, device.num, packageId, state, attempt],
  )
  return { device, jobId }
}

const setState = (jobId: string, state: string) =>
  db.superuser.query(
    `update ota_jobs set state = $2, finished_at = case when $2 = 'cancelled' then now() end where id = $1`,
    [jobId, state],
  )

async function fetchIt(path: string, headers: Record<string, string> = {}, method = 'GET', now = Date.now()) {
  const sent: Record<string, string> = {}
  const http: HttpInfo = { method, ip: '', userAgent: '', headers, setHeader: (name, value) => (sent[name] = value) }
  const token = path.split('/').at(-1)!
  const handler = downloads.routes[0]!.handler as unknown as (
    ctx: object,
    input: object,
    http: HttpInfo,
  ) => Promise<StreamReply>
  try {
    const reply = await handler({ now }, { params: { token } }, http)
    const chunks: Buffer[] = []
    for await (const chunk of reply.body) chunks.push(chunk as Buffer)
    return { status: reply.status as number, sent, bytes: Buffer.concat(chunks) }
  } catch (error) {
    return { status: (error as { code: string }).code, sent, bytes: Buffer.alloc(0) }
  }
}

describe('an address of firmware', () => {
  const later = () => Math.floor(Date.now() / 1000) + 600
  const tag = `"${hashOf(IMAGE)}"`

  it('gives the bytes or a part of them, and nothing but what describes them to HEAD', async () => {
    const { jobId } = await updating()
    const path = downloads.links.sign({ jobId, packageId, attempt: 1, expires: later() })
    expect(path.length).toBeLessThan(100)
    const whole = await fetchIt(path)
    expect(whole).toMatchObject({
      status: 200,
      sent: { etag: tag, 'accept-ranges': 'bytes', 'content-length': String(IMAGE.length) },
    })
    expect(whole.bytes.equals(IMAGE)).toBe(true)
    const rest = await fetchIt(path, { range: `bytes=${IMAGE.length - 10}-`, 'if-range': tag })
    expect(rest).toMatchObject({
      status: 206,
      sent: {
        'content-length': '10',
        'content-range': `bytes ${IMAGE.length - 10}-${IMAGE.length - 1}/${IMAGE.length}`,
      },
    })
    expect(rest.bytes.equals(IMAGE.subarray(-10))).toBe(true)
    expect((await fetchIt(path, { range: 'bytes=5-9' })).bytes.equals(IMAGE.subarray(5, 10))).toBe(true)
    // Of other bytes than those it has a part of, everything.
    expect(await fetchIt(path, { range: 'bytes=5-9', 'if-range': '"other"' })).toMatchObject({ status: 200 })
    expect(await fetchIt(path, { range: `bytes=${IMAGE.length}-` })).toMatchObject({
      status: 'request.range_invalid',
      sent: { 'content-range': `bytes */${IMAGE.length}` },
    })
    const before = storeReads
    const head = await fetchIt(path, {}, 'HEAD')
    expect(head).toMatchObject({
      status: 200,
      sent: { 'content-length': String(IMAGE.length) },
      bytes: Buffer.alloc(0),
    })
    expect(storeReads).toBe(before)
  })

  it('is good for one attempt of one job, until its time and while it is under way', async () => {
    const { jobId } = await updating('notified', 2)
    const grant = { jobId, packageId, attempt: 2, expires: later() }
    const path = downloads.links.sign(grant)
    const status = async (of: string, now?: number) => (await fetchIt(of, {}, 'HEAD', now)).status
    expect(await status(path)).toBe(200)
    expect(await status(path, grant.expires * 1000)).toBe('firmware.link_expired')
    expect(await status(downloads.links.sign({ ...grant, attempt: 1 }))).toBe('firmware.link_expired')
    expect(await status(downloads.links.sign({ ...grant, packageId: newId() }))).toBe('firmware.link_invalid')
    expect(await status(downloads.links.sign({ ...grant, jobId: newId() }))).toBe('firmware.link_invalid')
    expect(await status(createDownloadLinks('x'.repeat(64)).sign(grant))).toBe('firmware.link_invalid')
    expect(await status(`/${randomBytes(40).toString('base64url')}`)).toBe('firmware.link_invalid')
    expect(await status('/short')).toBe('firmware.link_invalid')
    // Every single bit counts.
    const bytes = Buffer.from(path.split('/').at(-1)!, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit += 7) {
      const other = Buffer.from(bytes)
      other[bit >> 3]! ^= 1 << (bit & 7)
      expect(await status(`/${other.toString('base64url')}`)).toBe('firmware.link_invalid')
    }
    for (const state of ['to_confirm', 'cancelled']) {
      await setState(jobId, state)
      expect(await status(path)).toBe('firmware.link_expired')
    }
  })
})

describe('a device', () => {
  it('downloads in chunks over its own connection, and what it says becomes rows', async () => {
    const { device, jobId } = await updating()
    const account = { productKey: product.productKey, deviceNo: device.deviceNo, deviceSecret: device.secret }
    const board = new SimulatedBoard('1.0.0')
    const { version } = (await board.boot())!
    const client = await connectDevice({ url: `mqtt://127.0.0.1:${gateway.ports.mqtt}`, ...account })
    try {
      let restarted = false
      const updater = new FirmwareUpdater(client.firmware, {
        store: board.flash,
        version,
        versionOf: slot => versionIn(board.flash, slot),
        restart: () => {
          restarted = true
        },
      })
      await updater.start()
      const notify = { id: jobId, version: '2.0.0', size: IMAGE.length, sha256: hashOf(IMAGE), chunk: { bytes: 4096 } }
      notices.set(device.num, notify)
      const before = storeReads
      expect(await updater.pull()).toBe(true)
      await updater.idle()
      expect(restarted).toBe(true)
      expect((await board.boot())?.version).toBe('2.0.0')
      // In blocks of 256 KB, each read once.
      expect(storeReads - before).toBe(3)
      expect(gateway.metrics()).toMatchObject({ gateway_firmware_chunks: Math.ceil(IMAGE.length / 4096) })
      const { rows } = await db.superuser.query<{ values: { kind: string; state?: string; version?: string } }>(
        'select values from journal where device = $1 and kind = $2 order by seq',
        [device.num, JournalKind.firmware],
      )
      const said = rows.map(row => row.values.state ?? row.values.version)
      expect(said.filter((word, i) => word !== said[i - 1])).toEqual([
        '1.0.0',
        'downloading',
        'downloaded',
        'verified',
        'installing',
      ])
      // Another one's job, and one that was cancelled.
      const others = await updating()
      const chunks: { code?: string }[] = []
      client.firmware.onChunk(chunk => chunks.push(chunk as { code?: string }))
      client.firmware.request?.({ id: others.jobId, offset: 0, length: 4096, count: 1 })
      const over = await updating('cancelled')
      client.firmware.request?.({ id: over.jobId, offset: 0, length: 4096, count: 1 })
      await expect.poll(() => chunks.map(({ code }) => code)).toEqual(['job_unknown', 'job_unknown'])
    } finally {
      await client.close()
    }
  })

  it('asks and reports over HTTP', async () => {
    const { device } = await updating()
    const to = { socketPath: gateway.start.socketPath }
    expect(await deviceRequest(to, device, 'ota/pull')).toMatchObject({ status: 200, body: { id: null } })
    notices.set(device.num, { id: 'j', version: '2' })
    expect(await deviceRequest(to, device, 'ota/pull?module=default')).toMatchObject({
      body: { id: 'j', version: '2' },
    })
    const report = (path: string, body: object) => deviceRequest(to, device, path, { body: JSON.stringify(body) })
    expect(await report('ota/inform', { version: '1.0' })).toMatchObject({ status: 200 })
    expect(await report('ota/progress', { id: 'j', state: 'downloading', percent: 3 })).toMatchObject({ status: 200 })
    expect(await report('ota/progress', { percent: 3 })).toMatchObject({
      status: 422,
      body: { code: 'device_path.refused' },
    })
  })
})
