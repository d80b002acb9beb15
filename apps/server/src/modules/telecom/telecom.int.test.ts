import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CtwingPlatform, startCtwing } from '../../../../../tools/simulators/ctwing/ctwing.ts'
import texts from '../../../../../tools/simulators/ctwing/texts.json' with { type: 'json' }
import { type OneNetPlatform, startOneNet } from '../../../../../tools/simulators/onenet/onenet.ts'
import { createCtwing } from '../../adapters/telecom/ctwing/ctwing.ts'
import { createOneNet } from '../../adapters/telecom/onenet/onenet.ts'
import { insertDevice, insertProduct } from '../../db/fixtures.ts'
import { company as anyCompany, type Company, type Management, management } from '../../db/testing/management.ts'
import { type TestGateway, testGateway } from '../../ingest/process/testing.ts'
import type { Ctx } from '../../lib/context.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { newId } from '../../lib/ids.ts'
import { readLatestValues } from '../../lib/journal/latest-values.ts'
import { silentLogger } from '../../lib/log.ts'
import { createOutbound } from '../../lib/outbound/outbound.ts'
import type { PlatformOutcome, PlatformReport } from './platform-link.port.ts'
import { createTelecomModule, type TelecomModule, type TelecomNeeds } from './telecom.module.ts'

const ALLOW = ['127.0.0.1/32']
const MASTER = '00112233445566778899aabbccddeeff'
const SOURCE = '203.0.113.9'
let m: Management
let gateway: TestGateway
let ctwing: CtwingPlatform
let onenet: OneNetPlatform
let secured: OneNetPlatform
let telecom: TelecomModule
let shift = 0
let gatewayAnswers = true
const now = () => Date.now() + shift

beforeAll(async () => {
  m = await management()
  gateway = await testGateway(m.db)
  ctwing = await startCtwing({ now })
  onenet = await startOneNet({ now })
  secured = await startOneNet({ now, aesKey: '0123456789abcdef' })
  const outbound = createOutbound({ allow: ALLOW, timeoutMs: 500 })
  telecom = createTelecomModule({
    database: m.database,
    telecomPlatforms: (kind, access) => (kind === 'ctwing' ? createCtwing : createOneNet)(access, { outbound, now }),
    platformLink: {
      report: async (report: PlatformReport) =>
        gatewayAnswers ? ((await gateway.probe({ probe: 'platform', ...report })) as PlatformOutcome) : null,
    },
    ...({} as Pick<TelecomNeeds, 'devices'>),
    products: {
      ...({} as TelecomNeeds['products']),
      format: { tryFormat: async () => ({ ok: true, frames: [{ hex: '0102ab' }] }) },
    },
    outboundAllow: ALLOW,
    addresses: () => ({ httpUrl: 'http://iot.example' }),
    seal: purpose => createCryptoBox('a secret of the installation, long enough', purpose),
    logger: silentLogger,
    now,
  })
})
afterAll(async () => {
  await gateway.stop()
  await Promise.all([ctwing.close(), onenet.close(), secured.close()])
})
beforeEach(() => {
  shift = 0
  gatewayAnswers = true
  for (const platform of [ctwing, onenet, secured]) {
    platform.behave({ kind: 'well' })
    platform.devices.length = 0
    platform.faults.length = 0
    platform.asked.length = 0
  }
})

/** A company whose member may change its keys: he sees their addresses. */
async function company(db: Management['db']): Promise<Company> {
  const own = await anyCompany(db)
  const permissions = new Set(['telecom-key:write'])
  return { ...own, ctx: { ...own.ctx, actor: { ...own.ctx.actor, permissions } as Ctx['actor'] } }
}

const keyAt = (own: Company, over: Record<string, unknown> = {}) =>
  telecom.keys.create(own.ctx, {
    name: 'Meters',
    platform: 'ctwing',
    baseUrl: ctwing.url,
    account: 'simulated-app',
    appSecret: 'simulated-secret',
    ...over,
  })
const oneNetAt = (own: Company, over: Record<string, unknown> = {}) =>
  keyAt(own, {
    name: 'Heating',
    platform: 'onenet',
    baseUrl: onenet.url,
    account: '100001',
    appSecret: 'ZmFrZS1hY2Nlc3Mta2V5LWZvci10ZXN0cy0wMDAwMDE=',
    token: 'faketoken',
    verifyProduct: 'FAKEPROD01',
    ...over,
  })

const lastPart = (url: string | null) => url!.split('/').at(-1)!
const refusedOf = async (own: Company, keyId: string) =>
  (await telecom.keys.refused(own.ctx, keyId, {})).items.map(({ reason, detail, source, count }) => ({
    reason,
    detail,
    source,
    count,
  }))

/** An NB-IoT product of a platform with one device, made there. */
async function mirrored(own: Company, over: { imei?: string; model?: object; key?: Record<string, unknown> } = {}) {
  const key = await keyAt(own, over.key)
  const product = await insertProduct(m.db.superuser, own, {
    linkType: 'nbiot',
    ...(over.model ? { model: over.model } : {}),
  })
  const device = await insertDevice(m.db.superuser, product)
  await telecom.links.setProduct(own.ctx, product.id, { keyId: key.id, platformProduct: '10000001', masterKey: MASTER })
  const imei = over.imei ?? '869000000000001'
  await telecom.links.setDevice(own.ctx, device.id, { imei, imsi: null, sn: null })
  await settle()
  const at = { connection: lastPart(key.callbackUrl), source: SOURCE }
  return {
    key,
    product,
    device,
    imei,
    at,
    platformDevice: ctwing.devices.find(one => one.imei === imei)?.deviceId ?? '',
  }
}

const settle = async () => {
  while ((await telecom.runner.tick()) > 0);
}
const latestOf = async (num: number) =>
  Object.fromEntries(
    [...((await readLatestValues(m.database.telemetry, [num])).get(num) ?? [])].map(([name, [value]]) => [name, value]),
  )
const report = (platformDevice: string, payload: object, over: object = {}) => ({
  messageType: 'dataReport',
  tenantId: '10000000',
  productId: '10000001',
  deviceId: platformDevice,
  timestamp: now(),
  protocol: 'lwm2m',
  IMEI: '',
  IMSI: 'undefined',
  upPacketSN: -1,
  serviceId: '',
  payload,
  ...over,
})

describe('a telecom key', () => {
  it('keeps its secrets to itself and says in the platform’s words why it is not let in', async () => {
    const own = await company(m.db)
    const key = await keyAt(own, { appSecret: 'a-wrong-secret-here' })
    expect(key).toMatchObject({ state: 'untested', secretHint: 'a-w****ere', fault: null })
    const { rows } = await m.db.superuser.query('select * from telecom_keys where id = $1', [key.id])
    expect(JSON.stringify([rows, key])).not.toContain('a-wrong-secret-here')
    expect(await telecom.keys.verify(own.ctx, key.id)).toMatchObject({
      state: 'failed',
      fault: { kind: 'credentials', code: '1401', text: 'signature is invalid' },
    })
    expect(ctwing.faults.splice(0)).toEqual(['the signature does not fit'])
    await expect(telecom.keys.rotateSecret(own.ctx, key.id, 'another-wrong-one')).rejects.toMatchObject({
      code: 'telecom_key.refused',
      params: { text: '1401 signature is invalid' },
    })
    ctwing.faults.length = 0
    const right = await telecom.keys.rotateSecret(own.ctx, key.id, 'simulated-secret')
    expect(right).toMatchObject({ state: 'ok', fault: null, secretHint: 'sim****ret' })
    expect(ctwing.faults).toEqual([])
  })

  it('is let in by OneNET, and says what is wrong when it is not', async () => {
    const own = await company(m.db)
    const key = await oneNetAt(own)
    expect(await telecom.keys.verify(own.ctx, key.id)).toMatchObject({ state: 'ok' })
    expect(onenet.faults).toEqual([])
    const changed = await telecom.keys.update(own.ctx, key.id, { version: 1, account: '7' })
    expect(changed.state).toBe('untested')
    expect(await telecom.keys.verify(own.ctx, key.id)).toMatchObject({
      state: 'failed',
      fault: { kind: 'credentials', code: '10403', text: 'authorization failed: unknown res' },
    })
    const bare = await oneNetAt(own, { name: 'Bare', verifyProduct: null })
    await expect(telecom.keys.verify(own.ctx, bare.id)).rejects.toMatchObject({ code: 'telecom_key.product_missing' })
  })

  it.each([
    ['slow', { kind: 'slow', ms: 2_000 }, 'timeout'],
    ['half an answer', { kind: 'half' }, 'unavailable'],
    ['no JSON', { kind: 'status', status: 200, body: '<html>busy' }, 'answer'],
    ['down', { kind: 'status', status: 503, body: 'busy' }, 'unavailable'],
    ['200 with an error inside', { kind: 'error', code: '8803', message: 'no' }, 'refused'],
  ] as const)('ends in a clear state when its platform is: %s', async (_, behaviour, kind) => {
    const own = await company(m.db)
    const key = await keyAt(own)
    ctwing.behave(behaviour)
    expect(await telecom.keys.verify(own.ctx, key.id)).toMatchObject({ state: 'failed', fault: { kind } })
    ctwing.behave({ kind: 'well' })
    expect(await telecom.keys.verify(own.ctx, key.id)).toMatchObject({ state: 'ok', fault: null })
  })

  it('is refused with an inner address, twice under one name, with a source that is none, and with a key that is no Base64', async () => {
    const own = await company(m.db)
    await keyAt(own)
    await expect(keyAt(own, { name: 'METERS' })).rejects.toMatchObject({ code: 'telecom_key.name_taken' })
    const other = { name: 'Other' }
    await expect(keyAt(own, { ...other, baseUrl: 'http://10.0.0.1' })).rejects.toMatchObject({
      code: 'telecom_key.address_blocked',
    })
    await expect(keyAt(own, { ...other, appSecret: undefined })).rejects.toMatchObject({
      code: 'telecom_key.secret_missing',
    })
    for (const source of ['1.2.3', '10.0.0.0/33', 'example.com', '10.0.0.0/8/8'])
      await expect(keyAt(own, { ...other, allow: [source] })).rejects.toMatchObject({
        code: 'telecom_key.source_invalid',
        params: { source },
      })
    await expect(oneNetAt(own, { ...other, appSecret: 'no base64!' })).rejects.toMatchObject({
      code: 'telecom_key.secret_form',
    })
  })

  it('belongs to its company, and is not removed while a product uses it', async () => {
    const [own, stranger] = [await company(m.db), await company(m.db)]
    const { key, product } = await mirrored(own)
    await expect(telecom.keys.get(stranger.ctx, key.id)).rejects.toMatchObject({ code: 'telecom_key.not_found' })
    expect((await telecom.keys.list(stranger.ctx, { total: '1' })).total).toBe(0)
    await expect(telecom.keys.remove(own.ctx, key.id)).rejects.toMatchObject({ code: 'telecom_key.in_use' })
    await telecom.links.clearProduct(own.ctx, product.id)
    expect(await telecom.keys.remove(own.ctx, key.id)).toEqual({ ok: true })
  })
})

describe('devices at their platform', () => {
  it('are made there by IMEI, found when they are there already, and deleted', async () => {
    const own = await company(m.db)
    const { device, platformDevice, imei } = await mirrored(own)
    expect(await telecom.links.device(own.ctx, device.id)).toMatchObject({ mirror: 'mirrored', platformDevice, imei })
    await telecom.links.unregisterDevice(own.ctx, device.id)
    await settle()
    expect(ctwing.devices).toEqual([])
    expect(await telecom.links.device(own.ctx, device.id)).toMatchObject({ mirror: 'none', platformDevice: null, imei })
    ctwing.devices.push({ deviceId: 'made-elsewhere', productId: '10000001', imei, name: 'there' })
    await telecom.links.registerDevice(own.ctx, device.id)
    await settle()
    expect(await telecom.links.device(own.ctx, device.id)).toMatchObject({ platformDevice: 'made-elsewhere' })
    expect(ctwing.faults).toEqual([])
  })

  it('say in the platform’s words why they are not there, and come when the platform is back', async () => {
    const own = await company(m.db)
    ctwing.behave({ kind: 'silent' })
    const { device, imei } = await mirrored(own)
    expect(await telecom.links.device(own.ctx, device.id)).toMatchObject({ mirror: 'pending', platformDevice: null })
    // It carried the request out all the same.
    expect(ctwing.devices.map(one => one.imei)).toEqual([imei])
    ctwing.behave({ kind: 'well' })
    shift = 10_000
    await settle()
    expect(ctwing.devices).toHaveLength(1)
    expect((await telecom.links.device(own.ctx, device.id)).mirror).toBe('mirrored')
    ctwing.behave({ kind: 'error', code: '8803', message: 'no good' })
    await telecom.links.unregisterDevice(own.ctx, device.id)
    await settle()
    expect(await telecom.links.device(own.ctx, device.id)).toMatchObject({
      mirror: 'failed',
      mirrorFault: '8803 no good',
    })
  })

  it('take an IMEI once in a company, and only in NB-IoT products', async () => {
    const own = await company(m.db)
    const { product, imei } = await mirrored(own)
    const second = await insertDevice(m.db.superuser, product)
    await expect(telecom.links.setDevice(own.ctx, second.id, { imei, imsi: null, sn: null })).rejects.toMatchObject({
      code: 'telecom_link.imei_taken',
    })
    const plain = await insertProduct(m.db.superuser, own)
    const other = await insertDevice(m.db.superuser, plain)
    await expect(telecom.links.setDevice(own.ctx, other.id, { imei, imsi: null, sn: null })).rejects.toMatchObject({
      code: 'telecom_link.not_nbiot',
    })
  })

  it('go from the platform when ours are gone for good', async () => {
    const own = await company(m.db)
    const { device } = await mirrored(own)
    await m.db.superuser.query('delete from devices where id = $1', [device.id])
    await telecom.sweeps![0]!.run(Date.now())
    await telecom.sweeps![0]!.run(silentLogger as never)
    await settle()
    expect(ctwing.devices).toEqual([])
    const { rows } = await m.db.superuser.query('select 1 from telecom_devices where device_id = $1', [device.id])
    expect(rows).toEqual([])
  })
})

describe('a callback of CTWing', () => {
  it('brings bytes and values to the device, each message once', async () => {
    const own = await company(m.db)
    const { device, platformDevice, at, key } = await mirrored(own)
    const message = report(platformDevice, { temperature: 21.5, count: 3 })
    expect(await telecom.callbacks.ctwing(at, message)).toEqual({ code: 0, msg: 'ok' })
    expect(await latestOf(device.num)).toMatchObject({ temperature: 21.5, count: 3 })
    await telecom.callbacks.ctwing(at, message)
    const { rows } = await m.db.superuser.query(
      'select count(*)::int as n from journal where device = $1 and kind = 1',
      [device.num],
    )
    expect(rows[0]).toEqual({ n: 1 })
    await telecom.callbacks.ctwing(
      at,
      report(platformDevice, { APPdata: Buffer.from('{"temperature": 22}').toString('base64') }),
    )
    await telecom.callbacks.ctwing(at, report(platformDevice, { serviceId: 1, serviceData: { count: 4 } }))
    expect(await latestOf(device.num)).toMatchObject({ temperature: 22, count: 4 })
    expect(gateway.session(device.num)).toMatchObject({ transport: 'platform', address: 'Meters' })
    expect(await telecom.keys.get(own.ctx, key.id)).toMatchObject({ refused: 0, lastCallbackAt: expect.any(String) })
  })

  it('knows a device by its IMEI before the platform’s own id of it is known', async () => {
    const own = await company(m.db)
    ctwing.behave({ kind: 'status', status: 503 })
    const { device, at, imei } = await mirrored(own)
    await telecom.callbacks.ctwing(at, report('0123456789abcdef', { count: 9 }, { IMEI: imei }))
    expect(await latestOf(device.num)).toMatchObject({ count: 9 })
    expect(await telecom.links.device(own.ctx, device.id)).toMatchObject({
      platformDevice: '0123456789abcdef',
      mirror: 'mirrored',
    })
  })

  it('says who is there and who left, and brings events', async () => {
    const own = await company(m.db)
    const { device, platformDevice, at, key } = await mirrored(own)
    const presence = (eventType: number) => ({
      messageType: 'deviceOnlineOfflineReport',
      deviceId: platformDevice,
      productId: '10000001',
      eventType,
      timestamp: now(),
      iccid: 'undefined',
    })
    await telecom.callbacks.ctwing(at, presence(1))
    expect(gateway.session(device.num)).not.toBeNull()
    await telecom.callbacks.ctwing(at, presence(0))
    expect(gateway.session(device.num)).toBeNull()
    const event = { messageType: 'eventReport', deviceId: platformDevice, eventType: 2, timestamp: now() }
    await telecom.callbacks.ctwing(at, { ...event, serviceId: 'overheat', eventContent: {} })
    await telecom.callbacks.ctwing(at, { ...event, serviceId: 'unheard_of', eventContent: {} })
    const { rows } = await m.db.superuser.query(
      'select count(*)::int as n from journal where device = $1 and kind = 2',
      [device.num],
    )
    expect(rows[0]).toEqual({ n: 1 })
    expect(await refusedOf(own, key.id)).toEqual([
      { reason: 'message', detail: expect.stringContaining('event_unknown'), source: SOURCE, count: 1 },
    ])
  })

  it('is refused and listed: a guessed address, another source, a stranger, a message of no known form', async () => {
    const own = await company(m.db)
    const { at, key, platformDevice } = await mirrored(own, { key: { allow: ['203.0.113.0/28', '2001:db8::/32'] } })
    const message = report(platformDevice, { count: 1 })
    const refused = { code: 'telecom_callback.refused' }
    const guessed = `${at.connection.slice(0, -4)}AAAA`
    for (const connection of [guessed, guessed, 'nothing', `${'0'.repeat(12)}-${'A'.repeat(43)}`])
      await expect(telecom.callbacks.ctwing({ ...at, connection }, message)).rejects.toMatchObject(refused)
    await expect(telecom.callbacks.ctwing({ ...at, source: '198.51.100.1' }, message)).rejects.toMatchObject(refused)
    await telecom.callbacks.ctwing({ ...at, source: '::ffff:203.0.113.4' }, report('stranger', { count: 1 }))
    await telecom.callbacks.ctwing(at, { ...message, messageType: 'somethingNew' })
    await telecom.callbacks.ctwing(at, report(platformDevice, { APPdata: 'not base64 !' }))
    await telecom.callbacks.ctwing(at, report(platformDevice, { count: 'many' }))
    expect(telecom.callbacks.strangers()).toBe(2)
    expect(await refusedOf(own, key.id)).toEqual([
      { reason: 'message', detail: expect.stringContaining('property_type'), source: SOURCE, count: 1 },
      { reason: 'body', detail: 'APPdata is no Base64', source: SOURCE, count: 1 },
      { reason: 'kind_unknown', detail: 'messageType somethingNew', source: SOURCE, count: 1 },
      { reason: 'device_unknown', detail: 'stranger', source: '::ffff:203.0.113.4', count: 1 },
      { reason: 'source', detail: '', source: '198.51.100.1', count: 1 },
      { reason: 'address', detail: '', source: SOURCE, count: 2 },
    ])
    await telecom.keys.renewAddress(own.ctx, key.id)
    await expect(telecom.callbacks.ctwing(at, message)).rejects.toMatchObject(refused)
  })

  it('is asked for again while the device path does not answer', async () => {
    const own = await company(m.db)
    const { device, at, platformDevice } = await mirrored(own)
    const message = report(platformDevice, { count: 5 })
    gatewayAnswers = false
    await expect(telecom.callbacks.ctwing(at, message)).rejects.toMatchObject({ code: 'telecom_callback.later' })
    gatewayAnswers = true
    await telecom.callbacks.ctwing(at, message)
    expect(await latestOf(device.num)).toMatchObject({ count: 5 })
  })
})

describe('a callback of OneNET', () => {
  async function heated(own: Company, over: Record<string, unknown> = {}) {
    const key = await oneNetAt(own, over)
    const product = await insertProduct(m.db.superuser, own, { linkType: 'nbiot' })
    const device = await insertDevice(m.db.superuser, product)
    await telecom.links.setProduct(own.ctx, product.id, { keyId: key.id, platformProduct: 'FAKEPROD01' })
    await telecom.links.setDevice(own.ctx, device.id, { imei: '869000000000007', imsi: null, sn: null })
    await settle()
    return { key, device, at: { connection: lastPart(key.callbackUrl), source: SOURCE } }
  }
  const notify = (deviceId: string, params: object) => ({
    productId: 'FAKEPROD01',
    deviceId,
    deviceName: 'any',
    messageType: 'notify',
    notifyType: 'property',
    data: { id: '1', version: '1.0', params },
  })

  it('answers the message of a verification exactly, if the token is right', async () => {
    const own = await company(m.db)
    const { at, key } = await heated(own)
    const said = { msg: 'hello123', nonce: 'abcdefgh', signature: 'bozgHuS0UuiLa89aUafH Q==' }
    expect(await telecom.callbacks.onenetCheck(at, said)).toBe('hello123')
    await expect(telecom.callbacks.onenetCheck(at, { ...said, nonce: 'abcdefgi' })).rejects.toMatchObject({
      code: 'telecom_callback.refused',
    })
    expect(await refusedOf(own, key.id)).toEqual([{ reason: 'signature', detail: '', source: SOURCE, count: 1 }])
  })

  it('brings values with their times, in the clear and encrypted', async () => {
    const own = await company(m.db)
    const { at, device, key } = await heated(own)
    const did = onenet.devices[0]!.did
    const pushed: unknown[] = []
    const push = (message: object, over?: object, platform = onenet) => capture(platform, message, over)
    async function capture(platform: OneNetPlatform, message: object, over: object = {}) {
      const body = await bodyOf(platform, message, over)
      pushed.push(body)
      return telecom.callbacks.onenet(at, body)
    }
    await push(notify(did, { temperature: { value: 19.5, time: now() - 1_000 }, count: { value: 2, time: now() } }))
    expect(await latestOf(device.num)).toMatchObject({ temperature: 19.5, count: 2 })
    await expect(push(notify(did, { count: { value: 3, time: now() } }), { token: 'other' })).rejects.toMatchObject({
      code: 'telecom_callback.refused',
    })
    await telecom.keys.update(own.ctx, key.id, { version: key.version, aesKey: '0123456789abcdef' })
    await push(notify(did, { count: { value: 4, time: now() } }), {}, secured)
    expect(await latestOf(device.num)).toMatchObject({ count: 4 })
    // In the clear it would be taken for Base64: it opens to nothing.
    await expect(push(notify(did, { count: { value: 5, time: now() } }))).rejects.toMatchObject({
      code: 'telecom_callback.refused',
    })
    expect((await refusedOf(own, key.id)).map(({ reason }) => reason)).toEqual(['cipher', 'signature'])
    await push({ ...notify(did, {}), messageType: 'lifeCycle', data: { status: 'offline', time: now() } }, {}, secured)
    expect(gateway.session(device.num)).toBeNull()
  })
})

describe('a command', () => {
  const command = async (device: { id: string; num: number; tenantId: string }, over: Record<string, unknown> = {}) => {
    const id = newId()
    const { kind = 'property_set', identifier = null, params = { switch: true }, confirm = 'auto', hours = 1 } = over
    await m.db.superuser.query(
      `insert into commands (id, tenant_id, device_id, device, kind, identifier, params, source, operator_name, timeout_ms, expires_at, confirm)
       values ($1, $2, $3, $4, $5, $6, $7, 'console', 'A person', 30000, to_timestamp($8), $9)`,
      [
        id,
        device.tenantId,
        device.id,
        device.num,
        kind,
        identifier,
        params,
        now() / 1_000 + Number(hours) * 3_600,
        confirm,
      ],
    )
    return id
  }
  const stateOf = async (id: string) => {
    const { rows } = await m.db.superuser.query(
      'select state, error_code as code, error_message as message from commands where id = $1',
      [id],
    )
    return rows[0]
  }
  const answered = (platformDevice: string, taskId: string, resultCode: string) => ({
    messageType: 'commandResponse',
    deviceId: platformDevice,
    productId: '10000001',
    timestamp: now(),
    taskId: Number(taskId),
    result: { resultCode, resultDetail: '' },
  })

  it('that AEP keeps walks from queued over sent and delivered to succeeded', async () => {
    const own = await company(m.db)
    const { device, platformDevice, at } = await mirrored(own)
    const id = await command(device)
    expect((await stateOf(id)).state).toBe('queued')
    await settle()
    expect((await stateOf(id)).state).toBe('sent')
    const kept = ctwing.commands.at(-1)!
    expect(kept).toMatchObject({ content: { serviceIdentifier: 'switch', params: { switch: true } }, ttl: 3_600 })
    await telecom.callbacks.ctwing(at, answered(platformDevice, kept.commandId, 'SENT'))
    expect((await stateOf(id)).state).toBe('sent')
    await telecom.callbacks.ctwing(at, answered(platformDevice, kept.commandId, 'DELIVERED'))
    expect((await stateOf(id)).state).toBe('delivered')
    await telecom.callbacks.ctwing(at, answered(platformDevice, kept.commandId, 'SUCCESSFUL'))
    expect(await stateOf(id)).toEqual({ state: 'succeeded', code: null, message: null })
    expect(ctwing.faults).toEqual([])
  })

  it('that nobody took in its time expires, also when no push says so', async () => {
    const own = await company(m.db)
    const { device, platformDevice, at } = await mirrored(own)
    const [pushed, asked] = [await command(device), await command(device)]
    await settle()
    await telecom.callbacks.ctwing(at, answered(platformDevice, ctwing.commands.at(-2)!.commandId, 'EXPIRED'))
    expect((await stateOf(pushed)).state).toBe('expired')
    shift = 3_700_000
    await settle()
    expect(await stateOf(asked)).toMatchObject({ state: 'failed', message: texts['999'] })
  })

  it('of bytes is over when it is delivered, and one that the platform refuses fails in its words', async () => {
    const own = await company(m.db)
    const { device, platformDevice, at } = await mirrored(own)
    const raw = await command(device, { kind: 'raw', params: { hex: '01ff' } })
    await settle()
    const kept = ctwing.commands.at(-1)!
    expect(kept.content).toEqual({ dataType: 2, payload: '01FF' })
    await telecom.callbacks.ctwing(at, answered(platformDevice, kept.commandId, 'DELIVERED'))
    expect((await stateOf(raw)).state).toBe('succeeded')
    ctwing.behave({ kind: 'error', code: '8803', message: 'no good' })
    const refused = await command(device)
    await settle()
    expect(await stateOf(refused)).toEqual({ state: 'failed', code: '8803', message: '8803 no good' })
  })

  it('whose handing over was not answered is sent again only where twice is as good as once', async () => {
    const own = await company(m.db)
    const { device } = await mirrored(own)
    ctwing.behave({ kind: 'silent' })
    const [wish, deed] = [
      await command(device),
      await command(device, { kind: 'service', identifier: 'restart', params: {} }),
    ]
    await settle()
    expect((await stateOf(wish)).state).toBe('sent')
    expect(await stateOf(deed)).toMatchObject({ state: 'timed_out', code: 'timeout' })
    ctwing.behave({ kind: 'well' })
    const before = ctwing.commands.length
    shift = 5_000
    await settle()
    expect(ctwing.commands.length).toBe(before + 1)
    expect((await stateOf(wish)).state).toBe('sent')
  })

  it('waits for a device of OneNET that is away, and is done when it comes', async () => {
    const own = await company(m.db)
    const key = await oneNetAt(own)
    const product = await insertProduct(m.db.superuser, own, { linkType: 'nbiot' })
    const device = await insertDevice(m.db.superuser, product)
    await telecom.links.setProduct(own.ctx, product.id, { keyId: key.id, platformProduct: 'FAKEPROD01' })
    await telecom.links.setDevice(own.ctx, device.id, { imei: '869000000000008', imsi: null, sn: null })
    await settle()
    const id = await command(device)
    await settle()
    expect((await stateOf(id)).state).toBe('queued')
    const [there] = onenet.devices
    there!.online = true
    await telecom.callbacks.onenet(
      { connection: lastPart(key.callbackUrl), source: SOURCE },
      await bodyOf(onenet, {
        productId: 'FAKEPROD01',
        deviceId: there!.did,
        messageType: 'lifeCycle',
        data: { status: 'online', time: now() },
      }),
    )
    await settle()
    expect((await stateOf(id)).state).toBe('succeeded')
    expect(there!.properties).toEqual({ switch: true })
  })
})

/** What the platform would post. */
async function bodyOf(platform: OneNetPlatform, message: object, over: object = {}): Promise<unknown> {
  const { createServer } = await import('node:http')
  const { text } = await import('node:stream/consumers')
  let body = ''
  const server = createServer((request, response) => {
    text(request)
      .then(read => {
        body = read
        response.end('{}')
      })
      .catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as { port: number }
    await platform.push(`http://127.0.0.1:${port}`, message, over)
    return JSON.parse(body)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
