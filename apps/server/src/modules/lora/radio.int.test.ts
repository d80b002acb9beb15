import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ChirpStackSimulator, startChirpStack } from '../../../../../tools/simulators/chirpstack/chirpstack.ts'
import { createLns, createLnsFeeds } from '../../app/lns.ts'
import { insertDevice, insertProduct, type ProductFixture } from '../../db/fixtures.ts'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { silentLogger } from '../../lib/log.ts'
import { NO_TASKS } from './lora.fixtures.ts'
import { createLoraModule, type LoraModule } from './lora.module.ts'

const ALLOW = ['127.0.0.1/32']
const EUI = '0102030405060708'
const GATEWAY = '0016c001f1500812'
const KEY = '00112233445566778899AABBCCDDEEFF'
let m: Management
let server: ChirpStackSimulator
let lora: LoraModule
let own: Company
let product: ProductFixture
let connectionId: string
let gatewayId: string
let deviceId: string

beforeAll(async () => {
  m = await management()
  server = await startChirpStack()
  lora = createLoraModule({
    database: m.database,
    inbox: { notify: async () => undefined },
    gateway: {},
    products: m.products,
    devices: m.devices,
    tasks: NO_TASKS,
    runScript: async () => ({ ok: true }),
    lns: createLns({ outboundAllow: ALLOW, now: Date.now }),
    loraFeed: createLnsFeeds({ outboundAllow: ALLOW }),
    triggers: { objects: () => undefined },
    outboundAllow: ALLOW,
    seal: purpose => createCryptoBox('a secret of the installation, long enough', purpose),
    logger: silentLogger,
    now: Date.now,
  })
  own = await company(m.db)
  product = await insertProduct(m.db.superuser, own, { linkType: 'lorawan' })
  const { url, tenantId: remoteTenantId, apiKey } = server
  connectionId = (await lora.connections.create(own.ctx, { name: 'North', url, remoteTenantId, apiKey })).id
  const { id: profileId } = await lora.profiles.create(own.ctx, { connectionId, name: 'Meter', region: 'CN470' })
  const applicationId = server.things.applications[0]!.id
  await lora.links.setProduct(own.ctx, product.id, { connectionId, applicationId, profileId })
  gatewayId = (await lora.gateways.create(own.ctx, { connectionId, gatewayId: GATEWAY, name: 'Roof' })).id
  deviceId = (await insertDevice(m.db.superuser, product)).id
  await m.db.superuser.query('update devices set device_no = $2 where id = $1', [deviceId, EUI])
  await lora.links.setDevice(own.ctx, deviceId, { appKey: KEY })
})
afterAll(async () => {
  lora.close()
  await server.close()
})
beforeEach(() => server.behave({ kind: 'well' }))

const logged = async (action: string) =>
  (await m.db.superuser.query('select object_name, after from audit_logs where action = $1', [action])).rows as {
    object_name: string
    after: Record<string, unknown>
  }[]

describe('what is in the air', () => {
  it('is shown of a gateway and of a device: frames that ChirpStack keeps, the newest first, and the device’s events', async () => {
    expect(await lora.gateways.frames(own.ctx, gatewayId)).toEqual({ items: [] })
    const device = server.devices.get(EUI)!
    await server.events.join(device)
    for (const port of [1, 2, 3])
      await server.events.up(device, { bytes: Uint8Array.of(port), port, gatewayId: GATEWAY })
    const { items } = await lora.gateways.frames(own.ctx, gatewayId)
    expect(items.map(({ description, properties }) => [description, properties.FPort])).toEqual([
      ['UnconfirmedDataUp', '3'],
      ['UnconfirmedDataUp', '2'],
      ['UnconfirmedDataUp', '1'],
    ])
    expect(JSON.parse(items[0]!.body)).toMatchObject({ phy_payload: { mhdr: { f_type: 'UnconfirmedDataUp' } } })
    expect(Date.parse(items[0]!.time!)).toBeGreaterThan(Date.now() - 60_000)
    expect((await lora.links.traffic(own.ctx, deviceId)).items).toHaveLength(3)
    const events = await lora.links.traffic(own.ctx, deviceId, 'events')
    expect(events.items.map(({ description }) => description)).toEqual(['up', 'up', 'up', 'join'])
  })

  it('is not shown where ChirpStack says no, or has nothing of the kind', async () => {
    server.behave({ kind: 'failing', text: 'down for maintenance' })
    await expect(lora.gateways.frames(own.ctx, gatewayId)).rejects.toMatchObject({
      code: 'lora.unavailable',
      params: { text: 'INTERNAL down for maintenance' },
    })
    server.behave({ kind: 'well' })
    const gone = server.things.gateways.get(GATEWAY)!
    server.things.gateways.delete(GATEWAY)
    await expect(lora.gateways.frames(own.ctx, gatewayId)).rejects.toMatchObject({ code: 'lora_gateway.gone' })
    server.things.gateways.set(GATEWAY, gone)
    const other = await company(m.db)
    await expect(lora.gateways.frames(other.ctx, gatewayId)).rejects.toMatchObject({ code: 'lora_gateway.not_found' })
  })
})

describe('the certificate of a gateway', () => {
  it('is made by ChirpStack and shown once: its key is kept nowhere, not in the operation log either', async () => {
    const made = await lora.gateways.makeCertificate(own.ctx, gatewayId)
    expect(made.tlsKey).toContain('BEGIN PRIVATE KEY')
    expect(made.tlsCert).toContain('BEGIN CERTIFICATE')
    expect(Date.parse(made.expiresAt!)).toBeGreaterThan(Date.now())
    const [line] = await logged('lora_gateway.make_certificate')
    expect(line).toMatchObject({ object_name: 'Roof', after: { gatewayId: GATEWAY, expiresAt: made.expiresAt } })
    expect(JSON.stringify(line)).not.toContain(made.tlsKey.split('\n')[1])
    expect((await lora.gateways.makeCertificate(own.ctx, gatewayId)).tlsKey).not.toBe(made.tlsKey)
  })

  it('needs a CA in ChirpStack’s configuration, and says so', async () => {
    server.withCertificates(false)
    await expect(lora.gateways.makeCertificate(own.ctx, gatewayId)).rejects.toMatchObject({
      code: 'lora_gateway.no_certificates',
    })
    server.withCertificates(true)
  })
})

describe('multicast groups', () => {
  const group = () => ({
    name: 'Lamps',
    applicationId: server.things.applications[0]!.id,
    region: 'CN470' as const,
    type: 'class_c' as const,
    mcAddr: '01020304',
    mcNwkSKey: KEY,
    mcAppSKey: KEY,
    dr: 0,
    frequency: 505_300_000,
  })

  it('are made, get devices and a frame, and are removed; keys are never shown', async () => {
    const made = await lora.multicast.create(own.ctx, connectionId, group())
    expect(made).toMatchObject({ name: 'Lamps', applicationName: 'Meters', mcAddr: '01020304', devices: [], queue: [] })
    expect(server.multicastGroups.get(made.groupId)!.message.getMcAppSKey()).toBe(KEY.toLowerCase())
    const { groupId } = made
    const added = await lora.multicast.addDevices(own.ctx, connectionId, groupId, [
      EUI.toUpperCase(),
      'ffffffffffffffff',
    ])
    expect(added).toMatchObject({
      added: 1,
      failed: [{ devEui: 'ffffffffffffffff', text: 'NOT_FOUND Object does not exist (id: ffffffffffffffff)' }],
      group: { devices: [{ devEui: EUI }] },
    })
    // A second time is no fault.
    expect(await lora.multicast.addDevices(own.ctx, connectionId, groupId, [EUI])).toMatchObject({
      added: 1,
      failed: [],
    })
    const sent = await lora.multicast.send(own.ctx, connectionId, groupId, { port: 10, hex: '0aFF' })
    expect(sent.queue).toEqual([{ fCnt: 0, port: 10, hex: '0aff' }])
    expect(await lora.multicast.list(own.ctx, connectionId)).toMatchObject({
      items: [{ groupId, name: 'Lamps', type: 'class_c', region: 'CN470', applicationName: 'Meters' }],
    })
    const after = await lora.multicast.removeDevice(own.ctx, connectionId, groupId, EUI)
    expect(after.devices).toEqual([])
    await lora.multicast.remove(own.ctx, connectionId, groupId)
    await expect(lora.multicast.get(own.ctx, connectionId, groupId)).rejects.toMatchObject({
      code: 'lora_multicast.not_found',
    })
    const shown = JSON.stringify([made, added, sent, after]).toLowerCase()
    expect(shown).not.toContain(KEY.toLowerCase())
    const { rows } = await m.db.superuser.query(`select * from audit_logs where action like 'lora_multicast.%'`)
    expect(rows).toHaveLength(6)
    expect(JSON.stringify(rows).toLowerCase()).not.toContain(KEY.toLowerCase())
  })

  it('are not those of another application or company', async () => {
    const { groupId } = await lora.multicast.create(own.ctx, connectionId, group())
    await expect(
      lora.multicast.create(own.ctx, connectionId, { ...group(), applicationId: 'elsewhere' }),
    ).rejects.toMatchObject({ fields: { applicationId: { code: 'lora_link.application_unknown' } } })
    server.multicastGroups.get(groupId)!.message.setApplicationId('of-another-tenant')
    await expect(lora.multicast.get(own.ctx, connectionId, groupId)).rejects.toMatchObject({
      code: 'lora_multicast.not_found',
    })
    const other = await company(m.db)
    await expect(lora.multicast.list(other.ctx, connectionId)).rejects.toMatchObject({
      code: 'lora_connection.not_found',
    })
  })
})
