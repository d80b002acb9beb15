import { createHmac, randomUUID, X509Certificate } from 'node:crypto'
import { request } from 'node:http'
import mqtt from 'mqtt'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Company, company, refusal } from '../db/testing/management.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { directoryQueries } from '../ingest/directory/directory.repo.ts'
import { Directory } from '../ingest/directory/directory.ts'
import { SignIn } from '../ingest/gateway/sign-in.ts'
import { identityQueries } from '../ingest/identity/identity.repo.ts'
import { RegistrationDesk } from '../ingest/identity/registration-desk.ts'
import { deviceRequest, mqttDevice, type TestGateway, testGateway } from '../ingest/process/testing.ts'
import { systemClock } from '../lib/clock.ts'
import { deriveKey } from '../lib/crypto/crypto-box.ts'
import { silentLogger } from '../lib/log.ts'
import { authority } from '../lib/testing/authority.ts'
import type { Container } from './container.ts'
import { testContainer } from './testing/test-app.ts'

const SECRET_KEY = 'k'.repeat(64)
const MODEL = { properties: [{ identifier: 't', name: 't', dataType: { type: 'double' }, access: 'r' }] }

let db: TestDatabase
let gateway: TestGateway
let container: Container
let mine: Company
let theirs: Company

beforeAll(async () => {
  db = await testDatabase()
  gateway = await testGateway(db, {
    deviceSecretKey: deriveKey(SECRET_KEY, 'device-secret').toString('base64'),
    register: request =>
      'sub' in request
        ? container.devices.subDevices.make(request)
        : container.deviceIdentity.registrations.answer(request),
  })
  container = testContainer(db, {
    secretKey: SECRET_KEY,
    gateway: {
      wake: () => {},
      forget: what => gateway.forget(what),
      kick: num => gateway.kick(num),
      session: async num => gateway.session(num),
    },
  })
})
afterAll(() => gateway.stop())
beforeEach(async () => {
  mine = await company(db)
  theirs = await company(db)
})

const newProduct = (of: Company, over: Record<string, unknown> = {}) =>
  container.products.service.create(of.ctx, {
    name: 'product',
    linkType: 'mqtt',
    thingModel: MODEL,
    ...over,
  } as never) as Promise<{ id: string; productKey: string }>

/** A device as the gateway's test clients take it. */
async function newDevice(of: Company, product: { id: string; productKey: string }, deviceNo = `d-${randomUUID()}`) {
  const { id, deviceSecret } = await container.devices.service.create(of.ctx, {
    productId: product.id,
    name: 'device',
    deviceNo,
  })
  const { rows } = await db.superuser.query<{ num: number }>('select num from devices where id = $1', [id])
  return { id, num: rows[0]!.num, deviceNo, secret: deviceSecret, product }
}
type Device = Awaited<ReturnType<typeof newDevice>>

/** "in", or the return code of the refusal. */
async function attempt(
  device: Omit<Device, 'id' | 'num'>,
  options: mqtt.IClientOptions = {},
): Promise<string | number> {
  try {
    const client = await mqttDevice(gateway.ports.mqtt, device, options)
    await client.endAsync(true)
    return 'in'
  } catch (error) {
    return (error as { code?: string | number }).code ?? String(error)
  }
}

const reasons = async (device: { num: number }) =>
  (
    await db.superuser.query<{ reason: string }>(
      `select values ->> 'reason' as reason from journal
       where device = $1 and refused_reason = 'sign_in_refused' order by seq`,
      [device.num],
    )
  ).rows.map(row => row.reason)

describe('a signed sign-in', () => {
  const password = (device: Device, timestamp: number, method = 'sha256', secret = device.secret) =>
    `hmac${method}:${timestamp}:${createHmac(method, secret)
      .update(`${device.product.productKey}/${device.deviceNo}/${timestamp}`)
      .digest('hex')}`

  it.each(['md5', 'sha1', 'sha256'])('of hmac%s is taken once', async method => {
    const device = await newDevice(mine, await newProduct(mine))
    const now = Date.now()
    expect(await attempt(device, { password: password(device, now, method) })).toBe('in')
    expect(await attempt(device, { password: password(device, now, method) })).toBe(5)
    expect(await attempt(device, { password: password(device, now + 1, method) })).toBe('in')
    await expect.poll(() => reasons(device)).toEqual(['signature_replayed'])
  })

  it('is refused with a wrong key and with a time that is not now', async () => {
    const product = await newProduct(mine)
    const wrong = await newDevice(mine, product)
    expect(await attempt(wrong, { password: password(wrong, Date.now(), 'sha256', 'another secret') })).toBe(5)
    await expect.poll(() => reasons(wrong)).toEqual(['wrong_signature'])
    const late = await newDevice(mine, product)
    expect(await attempt(late, { password: password(late, Date.now() - 16 * 60_000) })).toBe(5)
    await expect.poll(() => reasons(late)).toEqual(['signature_expired'])
  })

  it('works with the secret before for its time, over HTTP too, and as the calculator says', async () => {
    const device = await newDevice(mine, await newProduct(mine))
    const rotated = await container.devices.link.rotateSecret(mine.ctx, device.id, { overlapSeconds: 600 })
    expect(await attempt(device, { password: password(device, Date.now()) })).toBe('in')
    expect(await attempt(device, { password: password(device, Date.now() + 5, 'sha256', rotated.deviceSecret) })).toBe(
      'in',
    )
    const triple = await container.deviceIdentity.service.triple(mine.ctx, device.id, {
      method: 'hmacsha1',
      dialect: 'own',
    })
    const answer = await deviceRequest(gateway.start, device, 'property', { body: '{"t":1}', secret: triple.password })
    expect(answer.status).toBe(200)
    await container.devices.link.rotateSecret(mine.ctx, device.id, { overlapSeconds: 0 })
    expect(await attempt(device, { password: password(device, Date.now() + 9) })).toBe(5)
  })
})

describe('a bare number', () => {
  it('opens only where the register packet carries it, and on a shared port only when it is one device', async () => {
    const directory = new Directory({
      ...directoryQueries(db.database.telemetry),
      clock: systemClock,
      logger: silentLogger,
    })
    const signIn = new SignIn({
      directory,
      queries: identityQueries(db.database.telemetry),
      secrets: null,
      desk: new RegistrationDesk({ ask: async () => null, clock: systemClock }),
      clock: systemClock,
      logger: silentLogger,
    })
    const number = (deviceNo: string, productKey: string | null = null) =>
      signIn.check({ kind: 'number', productKey, deviceNo, address: '', transport: 'tcp' })
    const product = await newProduct(mine, { linkType: 'tcp' })
    const device = await newDevice(mine, product)
    expect(await number(device.deviceNo, product.productKey)).toEqual({ ok: false, reason: 'not_allowed' })
    expect(await number(device.deviceNo)).toEqual({ ok: false, reason: 'unknown_device' })
    const set = (id: string) =>
      db.superuser.query(`update products set link = '{"register":{"kind":"text"}}' where id = $1 returning num`, [id])
    const { rows } = await set(product.id)
    directory.forget({ product: rows[0].num })
    expect(await number(device.deviceNo, product.productKey)).toMatchObject({ ok: true, device: { num: device.num } })
    expect(await number(device.deviceNo)).toMatchObject({ ok: true, device: { num: device.num } })
    expect(await number("d' or 1=1")).toEqual({ ok: false, reason: 'unknown_device' })
    const other = await newProduct(theirs, { linkType: 'tcp' })
    await set(other.id)
    await newDevice(theirs, other, device.deviceNo)
    expect(await number(device.deviceNo)).toEqual({ ok: false, reason: 'unknown_device' })
    expect(await number(device.deviceNo, product.productKey)).toMatchObject({ ok: true })
  })
})

describe('an access token', () => {
  const byToken = (token: string) =>
    attempt(
      { deviceNo: 'x', secret: '', product: { id: '', productKey: 'x' } },
      {
        username: token,
        password: undefined as never,
      },
    )

  it('lets its device in, is shown once, and goes with its overlap or at once', async () => {
    const device = await newDevice(mine, await newProduct(mine))
    const service = container.deviceIdentity.service
    const first = await service.rotateToken(mine.ctx, device.id, {})
    expect(first).toMatchObject({ accessToken: expect.stringMatching(/^twt_[\w-]{20}$/), previousTokenUntil: null })
    expect(await byToken(first.accessToken)).toBe('in')
    expect(await byToken(`${first.accessToken.slice(0, -1)}!`)).toBe(5)
    const second = await service.rotateToken(mine.ctx, device.id, { overlapSeconds: 600 })
    expect([await byToken(first.accessToken), await byToken(second.accessToken)]).toEqual(['in', 'in'])
    const third = await service.rotateToken(mine.ctx, device.id, { overlapSeconds: 0 })
    expect([await byToken(second.accessToken), await byToken(third.accessToken)]).toEqual([5, 'in'])
    expect(JSON.stringify(await service.get(mine.ctx, device.id))).not.toContain(third.accessToken)
    // Only to who has just proven who he is; this caller has no session at all.
    expect((await refusal(service.showToken(mine.ctx, device.id))).code).toMatch(/^auth\./)
    await container.devices.lifecycle.disable(mine.ctx, device.id)
    expect(await byToken(third.accessToken)).toBe(5)
    await container.devices.lifecycle.enable(mine.ctx, device.id)
    await service.removeToken(mine.ctx, device.id)
    expect(await byToken(third.accessToken)).toBe(5)
    const kept = await db.superuser.query(
      'select 1 from audit_logs where before::text like $1 or after::text like $1',
      [`%${first.accessToken.slice(4)}%`],
    )
    expect(kept.rowCount).toBe(0)
  })
})

describe('registration with the product’s secret', () => {
  const registrations = () => container.deviceIdentity.registrations
  async function registering(registration: 'off' | 'allow_new' | 'pre_registered' | 'approve', of = mine) {
    const product = await newProduct(of)
    await container.deviceIdentity.products.set(of.ctx, product.id, { registration })
    const { productSecret } = await container.deviceIdentity.products.rotateSecret(of.ctx, product.id, {})
    return { ...product, productSecret }
  }
  const post = (product: { productKey: string; productSecret: string }, deviceNo: string) =>
    new Promise<{ status: number; code?: string; deviceSecret?: string }>((resolve, reject) => {
      const call = request({
        socketPath: gateway.start.socketPath,
        method: 'POST',
        path: `/device/v1/${product.productKey}/register`,
        headers: { authorization: `Bearer ${product.productSecret}`, 'content-type': 'application/json' },
      })
      call.on('error', reject)
      call.on('response', response => {
        response
          .toArray()
          .then(parts => resolve({ status: response.statusCode, ...JSON.parse(Buffer.concat(parts).toString()) }))
          .catch(reject)
      })
      call.end(JSON.stringify({ deviceNo }))
    })

  it('over MQTT: one answer on one topic, then the device’s own secret opens', async () => {
    const product = await registering('allow_new')
    const topic = `things/${product.productKey}/new-1/register/reply`
    const client = await mqttDevice(gateway.ports.mqtt, { deviceNo: 'new-1', secret: product.productSecret, product })
    const answered = new Promise<Buffer>(resolve => client.once('message', (_topic, payload) => resolve(payload)))
    expect(await client.subscribeAsync(`things/${product.productKey}/new-1/property/set`).catch(() => 'refused')).toBe(
      'refused',
    )
    await client.subscribeAsync(topic)
    const { code, deviceSecret } = JSON.parse((await answered).toString())
    expect({ code, length: deviceSecret.length }).toEqual({ code: 0, length: 43 })
    await client.endAsync()
    const device = { deviceNo: 'new-1', secret: deviceSecret, product }
    expect(await attempt(device)).toBe('in')
    // The answer may have been lost: the same secret once more, until the device was active.
    expect(await post(product, 'new-1')).toEqual({ status: 201, deviceNo: 'new-1', deviceSecret })
    expect((await deviceRequest(gateway.start, device, 'property', { body: '{"t":1}' })).status).toBe(200)
    // Its first message makes it active (that consumer does not run here).
    await db.superuser.query("update devices set lifecycle = 'active' where device_no = 'new-1'")
    expect(await post(product, 'new-1')).toMatchObject({ status: 409, code: 'device_path.registration_done' })
    const { rows } = await db.superuser.query(
      'select action, actor_name from audit_logs where tenant_id = $1 order by id',
      [mine.id],
    )
    expect(rows.slice(-2)).toEqual([
      { action: 'device.create', actor_name: 'system:device-registration' },
      { action: 'device.register', actor_name: 'system:device-registration' },
    ])
  })

  it('a registering client that publishes is out', async () => {
    const product = await registering('allow_new')
    const client = await mqttDevice(gateway.ports.mqtt, { deviceNo: 'new-2', secret: product.productSecret, product })
    const closed = new Promise<void>(resolve => client.once('close', () => resolve()))
    client.publish(`things/${product.productKey}/new-2/property/post`, '{"t":1}', { qos: 0 })
    await closed
    expect(
      (
        await db.superuser.query(
          "select 1 from journal j join devices d on d.num = j.device where d.device_no = 'new-2'",
        )
      ).rowCount,
    ).toBe(0)
  })

  it('keeps to its mode', async () => {
    const off = await registering('off')
    expect(await post(off, 'a')).toMatchObject({ status: 403, code: 'device_path.registration_off' })
    const listed = await registering('pre_registered')
    expect(await post(listed, 'a')).toMatchObject({ status: 403, code: 'device_path.registration_unlisted' })
    const device = await newDevice(mine, listed, 'known')
    expect(await post(listed, 'known')).toMatchObject({ status: 201, deviceSecret: device.secret })
    await container.devices.lifecycle.disable(mine.ctx, device.id)
    expect(await post(listed, 'known')).toMatchObject({ status: 403, code: 'device_path.disabled' })
    expect(await post({ ...listed, productSecret: off.productSecret }, 'known')).toMatchObject({
      status: 401,
      code: 'device_path.unauthorised',
    })
    // The product's secret is no device's secret.
    const wrong = await deviceRequest(gateway.start, { ...device, secret: listed.productSecret }, 'property', {
      body: '{}',
    })
    expect(wrong.status).toBe(401)
  })

  it('waits for a yes, is told a no, and no other company sees it', async () => {
    const product = await registering('approve')
    expect(await post(product, 'a')).toMatchObject({ status: 202, state: 'waiting' })
    expect(await post(product, 'a')).toMatchObject({ status: 202 })
    expect(await post(product, 'b')).toMatchObject({ status: 202 })
    const { items } = await registrations().list(mine.ctx, product.id, { state: 'waiting' })
    expect(items).toMatchObject([
      { deviceNo: 'b', asks: 1 },
      { deviceNo: 'a', asks: 2 },
    ])
    const page = await registrations().list(mine.ctx, product.id, { limit: 1 })
    expect(
      (await registrations().list(mine.ctx, product.id, { limit: 1, cursor: page.nextCursor! })).items,
    ).toMatchObject([{ deviceNo: 'a' }])
    expect((await refusal(registrations().list(theirs.ctx, product.id, {}))).code).toBe('product.not_found')
    const ids = items.map(item => item.id)
    expect((await refusal(registrations().decide(theirs.ctx, product.id, { decision: 'approve', ids }))).code).toBe(
      'product.not_found',
    )
    expect(await registrations().decide(mine.ctx, product.id, { decision: 'reject', ids: [ids[0]!] })).toMatchObject({
      items: [{ deviceNo: 'b', ok: true }],
    })
    expect(
      await registrations().decide(mine.ctx, product.id, { decision: 'approve', ids: [ids[1]!, randomUUID()] }),
    ).toMatchObject({
      items: [
        { deviceNo: 'a', ok: true },
        { ok: false, code: 'registration.not_found' },
      ],
    })
    expect(await post(product, 'b')).toMatchObject({ status: 403, code: 'device_path.registration_rejected' })
    const { deviceSecret } = await post(product, 'a')
    expect(await attempt({ deviceNo: 'a', secret: deviceSecret!, product })).toBe('in')
    expect((await container.deviceIdentity.products.get(mine.ctx, product.id)).waiting).toBe(0)
  })

  it('ends where the company has no room, and the old product secret with its time', async () => {
    const product = await registering('allow_new')
    await db.superuser.query(`update tenants set settings = '{"quotas":{"devices":1}}' where id = $1`, [mine.id])
    expect(await post(product, 'one')).toMatchObject({ status: 201 })
    expect(await post(product, 'two')).toMatchObject({ status: 403, code: 'device_path.quota_full' })
    const next = await container.deviceIdentity.products.rotateSecret(mine.ctx, product.id, { overlapSeconds: 600 })
    expect(await post(product, 'one')).toMatchObject({ status: 201 })
    expect(await post({ ...product, productSecret: next.productSecret }, 'one')).toMatchObject({ status: 201 })
    await container.deviceIdentity.products.rotateSecret(mine.ctx, product.id, { overlapSeconds: 0 })
    expect(await post({ ...product, productSecret: next.productSecret }, 'one')).toMatchObject({ status: 401 })
  })
})

describe('a client certificate on the TLS port', () => {
  const tls = async (cert: string, key: string, over: mqtt.IClientOptions = {}): Promise<string | number> => {
    try {
      const client = await mqtt.connectAsync(`mqtts://127.0.0.1:${gateway.ports.mqtts}`, {
        cert,
        key,
        rejectUnauthorized: false,
        reconnectPeriod: 0,
        clientId: 'tls',
        ...over,
      })
      await client.endAsync(true)
      return 'in'
    } catch (error) {
      return (error as { code?: string | number }).code ?? String(error)
    }
  }
  const cas = () => container.deviceIdentity.cas
  const certificates = () => container.deviceIdentity.certificates

  it('made in the console opens for its device, with a user name and without, until it is revoked', async () => {
    const device = await newDevice(mine, await newProduct(mine))
    const ca = await cas().generate(mine.ctx, { name: 'line 1', years: 5 })
    expect(ca).toMatchObject({ state: 'active', keyKept: true, expires: 'no', proofCode: null })
    const made = await certificates().issue(mine.ctx, device.id, { caId: ca.id, days: 30 })
    expect(made.privateKey).toContain('BEGIN PRIVATE KEY')
    expect(await tls(made.pem, made.privateKey)).toBe('in')
    const username = `${device.product.productKey}/${device.deviceNo}`
    expect(await tls(made.pem, made.privateKey, { username })).toBe('in')
    expect(await tls(made.pem, made.privateKey, { username: `${device.product.productKey}/other` })).toBe(5)
    // Nor for the device of another product that has the same number.
    const twin = await newDevice(mine, await newProduct(mine), device.deviceNo)
    expect(await tls(made.pem, made.privateKey, { username: `${twin.product.productKey}/${twin.deviceNo}` })).toBe(5)
    expect(await cas().test(mine.ctx, made.pem)).toMatchObject({ ok: true })
    // A certificate says nothing on the plain port.
    expect(await attempt(device, { username, password: '' })).not.toBe('in')
    await cas().setState(mine.ctx, ca.id, 'disabled')
    expect(await tls(made.pem, made.privateKey)).toBe(5)
    await cas().setState(mine.ctx, ca.id, 'active')
    expect((await refusal(cas().remove(mine.ctx, ca.id))).code).toBe('device_ca.in_use')
    await certificates().revoke(mine.ctx, device.id, made.certificate.id)
    expect(await tls(made.pem, made.privateKey)).toBe(5)
    const { steps } = await cas().test(mine.ctx, made.pem)
    expect(steps.at(-1)).toEqual({ step: 'revocation', ok: false, detail: 'revoked' })
    await cas().remove(mine.ctx, ca.id)
    expect((await cas().test(mine.ctx, made.pem)).steps.at(-1)).toMatchObject({ step: 'ca_found', ok: false })
  })

  it('of a CA brought from outside counts once the key was proven, for a number that one device has', async () => {
    const product = await newProduct(mine)
    const device = await newDevice(mine, product, 'meter-7')
    const outside = await authority('Plant')
    const ca = await cas().add(mine.ctx, { name: 'plant', certificate: outside.pem })
    expect(ca.state).toBe('unproven')
    expect((await refusal(cas().add(mine.ctx, { name: 'again', certificate: outside.pem }))).code).toBe(
      'device_ca.known',
    )
    const leaf = await outside.sign('meter-7')
    expect(await tls(leaf.pem, leaf.key)).toBe(5)
    const forged = await (await authority('Plant')).sign(ca.proofCode!)
    expect((await refusal(cas().prove(mine.ctx, ca.id, forged.pem))).code).toBe('device_ca.proof_wrong')
    expect((await refusal(cas().prove(theirs.ctx, ca.id, forged.pem))).code).toBe('device_ca.not_found')
    await cas().prove(mine.ctx, ca.id, (await outside.sign(ca.proofCode!)).pem)
    expect(await tls(leaf.pem, leaf.key)).toBe('in')
    // Same name, other key: the signature decides.
    const foreign = await (await authority('Plant')).sign('meter-7')
    expect(await tls(foreign.pem, foreign.key)).toBe(5)
    expect((await cas().test(mine.ctx, foreign.pem)).steps.at(-1)).toMatchObject({ step: 'signature', ok: false })
    const lost = await outside.sign('meter-7')
    expect(await tls(lost.pem, lost.key)).toBe('in')
    const { serialNumber } = new X509Certificate(lost.pem)
    await cas().revoke(mine.ctx, ca.id, `00:${serialNumber.toLowerCase()}`)
    expect(await tls(lost.pem, lost.key)).toBe(5)
    expect(await tls(leaf.pem, leaf.key)).toBe('in')
    expect((await refusal(cas().revoke(theirs.ctx, ca.id, serialNumber))).code).toBe('device_ca.not_found')
    const expired = await outside.sign('meter-7', { until: -1 })
    expect(await tls(expired.pem, expired.key)).toBe(5)
    const unknown = await outside.sign('meter-8')
    expect(await tls(unknown.pem, unknown.key)).toBe(5)
    await newDevice(mine, await newProduct(mine), 'meter-7')
    expect(await tls(leaf.pem, leaf.key)).toBe(5)
    expect(await tls(leaf.pem, leaf.key, { username: `${product.productKey}/meter-7` })).toBe('in')
    // Only what the company's own authority signed speaks of the device, also without a user name.
    await expect.poll(async () => (await reasons(device))[0]).toBe('certificate_revoked')
    expect(await reasons(device)).not.toContain('certificate_unknown_ca')
  })

  it('that ends soon is told of once', async () => {
    const device = await newDevice(mine, await newProduct(mine))
    const ca = await cas().generate(mine.ctx, { name: 'line 1', years: 1 })
    await certificates().issue(mine.ctx, device.id, { caId: ca.id, days: 20 })
    const { expiry } = container.deviceIdentity
    await expiry.watch(theirs.id, Date.now())
    await expiry.watch(mine.id, Date.now())
    await expiry.watch(mine.id, Date.now() + 340 * 86_400_000)
    await expiry.watch(mine.id, Date.now() + 341 * 86_400_000)
    const { rows } = await db.superuser.query(
      'select tenant_id, title_en, text_en from notices where tenant_id = any ($1) order by id',
      [[mine.id, theirs.id]],
    )
    expect(rows).toMatchObject([
      { tenant_id: mine.id, title_en: 'Device certificates that end soon: 1' },
      { tenant_id: mine.id, title_en: expect.stringMatching(/^The CA certificate “line 1” ends on \d{4}-\d\d-\d\d$/) },
    ])
  })

  it('of one company opens nothing of another', async () => {
    const device = await newDevice(mine, await newProduct(mine))
    const ca = await cas().generate(theirs.ctx, { name: 'theirs', years: 1 })
    const other = await newDevice(theirs, await newProduct(theirs))
    const { code } = await refusal(certificates().issue(mine.ctx, device.id, { caId: ca.id, days: 1 }))
    expect(code).toBe('device_ca.not_found')
    expect((await refusal(certificates().issue(theirs.ctx, device.id, { caId: ca.id, days: 1 }))).code).toBe(
      'device.not_found',
    )
    const outside = await authority('Evil')
    const brought = await cas().add(theirs.ctx, { name: 'evil', certificate: outside.pem })
    await cas().prove(theirs.ctx, brought.id, (await outside.sign(brought.proofCode!)).pem)
    const leaf = await outside.sign(device.deviceNo)
    expect(await tls(leaf.pem, leaf.key, { username: `${device.product.productKey}/${device.deviceNo}` })).toBe(5)
    await expect.poll(() => reasons(device)).toEqual(['certificate_mismatch'])
    expect((await cas().list(mine.ctx)).items).toEqual([])
    expect((await cas().test(mine.ctx, leaf.pem)).steps.at(-1)).toMatchObject({ step: 'ca_found', ok: false })
    expect((await refusal(container.deviceIdentity.service.get(mine.ctx, other.id))).code).toBe('device.not_found')
    expect((await refusal(container.deviceIdentity.service.rotateToken(mine.ctx, other.id, {}))).code).toBe(
      'device.not_found',
    )
  })

  it('refuses authorities that are none', async () => {
    const outside = await authority('Plain')
    const leaf = await outside.sign('x')
    const add = async (certificate: string) => (await refusal(cas().add(mine.ctx, { name: 'x', certificate }))).code
    expect(await add(leaf.pem)).toBe('device_ca.not_ca')
    expect(
      await add('-----BEGIN CERTIFICATE-----\nnothing of the kind, but long enough\n-----END CERTIFICATE-----'),
    ).toBe('device_ca.invalid')
    expect(await add((await authority('Old', { until: -1 })).pem)).toBe('device_ca.expired')
    const limited = {
      ...mine.ctx,
      actor: { ...mine.ctx.actor, dataScope: { kind: 'limited', groupIds: [], productIds: [], own: true } },
    }
    expect((await refusal(cas().add(limited as never, { name: 'x', certificate: outside.pem }))).code).toBe(
      'scope.outside',
    )
  })
})

describe('topic rights', () => {
  const rights = (publish: string[] | null, denied: string[] = []) => ({
    topics: { publish: publish && { allow: publish, deny: [] }, subscribe: { allow: [], deny: denied } },
  })

  it('of the device go before those of its product; what is refused is listed, and a change ends the session', async () => {
    const product = await newProduct(mine)
    const device = await newDevice(mine, product)
    await container.deviceIdentity.products.set(mine.ctx, product.id, rights(['event/#'], ['service/#']))
    const topic = (suffix: string) => `things/${product.productKey}/${device.deviceNo}/${suffix}`
    const client = await mqttDevice(gateway.ports.mqtt, device, { protocolVersion: 5 })
    await expect(client.publishAsync(topic('property/post'), '{"t":1}', { qos: 1 })).rejects.toMatchObject({
      code: 0x87,
    })
    await expect(client.subscribeAsync(topic('#'))).rejects.toThrow()
    await client.subscribeAsync(topic('property/set'))
    const http = () => deviceRequest(gateway.start, device, 'property', { body: '{"t":1}' })
    const closed = new Promise<void>(resolve => client.once('close', () => resolve()))
    expect((await http()).status).toBe(422)
    await container.deviceIdentity.service.set(mine.ctx, device.id, rights([]))
    await closed
    expect(await container.deviceIdentity.service.get(mine.ctx, device.id)).toMatchObject({
      effective: { topics: { publish: { allow: [] }, subscribe: { deny: [] } } },
    })
    expect((await http()).status).toBe(200)
    const listed = async () => {
      const { rowCount } = await db.superuser.query(
        "select 1 from journal where device = $1 and kind = 6 and refused_reason = 'topic_unknown'",
        [device.num],
      )
      return rowCount
    }
    await expect.poll(listed).toBe(2)
  })
})

describe('flow control', () => {
  const post = (device: Device) => deviceRequest(gateway.start, device, 'property', { body: '{"t":1}' })

  it('of a device: HTTP is told when to come again, MQTT is read more slowly and loses nothing, both are counted', async () => {
    const device = await newDevice(mine, await newProduct(mine))
    const { service } = container.deviceIdentity
    await service.set(mine.ctx, device.id, { messagesPerSecond: 0.01 })
    const sent = performance.now()
    expect((await post(device)).status).toBe(200)
    const refused = await post(device)
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate.limited' } })
    // A hundred seconds after the first.
    const passed = (performance.now() - sent) / 1000
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(99 - passed)
    const other = await newDevice(mine, device.product)
    await service.set(mine.ctx, other.id, { messagesPerSecond: 1 })
    const client = await mqttDevice(gateway.ports.mqtt, other)
    const began = performance.now()
    const topic = `things/${other.product.productKey}/${other.deviceNo}/property/post`
    await Promise.all(Array.from({ length: 4 }, (_, i) => client.publishAsync(topic, `{"t":${i}}`, { qos: 1 })))
    expect(performance.now() - began).toBeGreaterThan(2500)
    await client.endAsync()
    const { rows } = await db.superuser.query('select count(*)::int as n from journal where device = $1 and kind = 1', [
      other.num,
    ])
    expect(rows[0].n).toBe(4)
    await gateway.flushFlow()
    expect((await service.get(mine.ctx, device.id)).flow).toMatchObject([{ refused: 1, slowed: 0 }])
    const slowed = (await service.get(mine.ctx, other.id)).flow
    expect(slowed[0]!.slowed).toBeGreaterThan(0)
  })

  it('of a company: messages a second, and points of its day, shown in its usage', async () => {
    const device = await newDevice(mine, await newProduct(mine))
    const quotas = (value: object) =>
      db.superuser.query('update tenants set settings = $2 where id = $1', [mine.id, JSON.stringify({ quotas: value })])
    await quotas({ messagesPerSecond: 1 })
    await gateway.flushFlow()
    expect((await post(device)).status).toBe(200)
    await gateway.flushFlow()
    // The first message of a company is taken before its limits are known.
    await expect.poll(async () => (await post(device)).status, { interval: 5 }).toBe(429)
    await quotas({ pointsPerDay: 1 })
    await gateway.flushFlow()
    await expect.poll(async () => (await post(device)).status, { interval: 5 }).toBe(429)
    await gateway.flushFlow()
    const usage = await container.company.quotas.usage(mine.ctx)
    expect(usage.find(({ kind }) => kind === 'pointsPerDay')).toMatchObject({ limit: 1, level: 'full' })
    const { items } = await container.deviceIdentity.flow.days(mine.ctx)
    expect(items).toMatchObject([{ refused: expect.any(Number), slowed: 0 }])
    expect(items[0]!.refused).toBeGreaterThan(0)
    expect(await container.deviceIdentity.flow.days(theirs.ctx)).toEqual({ items: [] })
    expect((await container.company.quotas.usage(theirs.ctx)).find(({ kind }) => kind === 'pointsPerDay')?.used).toBe(0)
    await quotas({})
    await gateway.flushFlow()
    for (let i = 0; i < 5; i++) expect((await post(device)).status).toBe(200)
  })
})
