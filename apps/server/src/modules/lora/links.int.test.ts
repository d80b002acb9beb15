import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ChirpStackSimulator, startChirpStack } from '../../../../../tools/simulators/chirpstack/chirpstack.ts'
import { createLns, createLnsFeeds } from '../../app/lns.ts'
import { insertDevice, insertProduct, type ProductFixture } from '../../db/fixtures.ts'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import type { RunningTask } from '../tasks/index.ts'
import { createLoraModule, type LoraModule } from './lora.module.ts'

const ALLOW = ['127.0.0.1/32']
const EUI = '0102030405060708'
const APP_KEY = '00112233445566778899AABBCCDDEEFF'
let m: Management
let server: ChirpStackSimulator
let lora: LoraModule
let own: Company
let product: ProductFixture
let connectionId: string
let profileId: string
let started: { input: unknown } | null = null

beforeAll(async () => {
  m = await management()
  server = await startChirpStack()
  lora = createLoraModule({
    database: m.database,
    inbox: { notify: async () => undefined },
    gateway: {},
    products: m.products,
    devices: m.devices,
    tasks: {
      register: () => undefined,
      service: {
        startIn: async (_scope: unknown, _ctx: unknown, task: { input: unknown }) => {
          started = task
          return { id: newId() }
        },
      } as never,
    },
    runScript: async () => ({ ok: true }),
    lns: createLns({ outboundAllow: ALLOW, now: Date.now }),
    loraFeed: createLnsFeeds({ outboundAllow: ALLOW, pauseMs: 50 }),
    triggers: { objects: () => undefined },
    outboundAllow: ALLOW,
    seal: purpose => createCryptoBox('a secret of the installation, long enough', purpose),
    logger: silentLogger,
    now: Date.now,
  })
  own = await company(m.db)
  product = await insertProduct(m.db.superuser, own, { linkType: 'lorawan' })
  const made = await lora.connections.create(own.ctx, {
    name: 'North',
    url: server.url,
    remoteTenantId: server.tenantId,
    apiKey: server.apiKey,
  })
  connectionId = made.id
  profileId = (await lora.profiles.create(own.ctx, { connectionId, name: 'Meter', region: 'CN470' })).id
})
afterAll(async () => {
  lora.close()
  await server.close()
})
beforeEach(() => server.behave({ kind: 'well' }))

const linked = (of = product) =>
  lora.links.setProduct(own.ctx, of.id, {
    connectionId,
    applicationId: server.things.applications[0]!.id,
    profileId,
  })

async function deviceNumbered(deviceNo: string, of = product): Promise<string> {
  const { id } = await insertDevice(m.db.superuser, of)
  await m.db.superuser.query('update devices set device_no = $2 where id = $1', [id, deviceNo])
  return id
}

describe('a LoRaWAN product', () => {
  it('says where its devices are made; an application or a profile from elsewhere is refused with its field', async () => {
    expect(await lora.links.product(own.ctx, product.id)).toEqual({ link: null })
    const other = await insertProduct(m.db.superuser, own)
    await expect(linked(other)).rejects.toMatchObject({ code: 'lora_link.not_lorawan' })
    await expect(
      lora.links.setProduct(own.ctx, product.id, { connectionId, applicationId: 'none', profileId }),
    ).rejects.toMatchObject({ fields: { applicationId: { code: 'lora_link.application_unknown' } } })
    const second = await lora.connections.create(own.ctx, {
      name: 'South',
      url: server.url,
      remoteTenantId: server.tenantId,
      apiKey: server.apiKey,
    })
    await expect(
      lora.links.setProduct(own.ctx, product.id, { connectionId: second.id, applicationId: 'none', profileId }),
    ).rejects.toMatchObject({ fields: { profileId: { code: 'lora_link.profile_elsewhere' } } })
    const { link } = await linked()
    expect(link).toMatchObject({ applicationName: 'Meters', profileName: 'Meter', devices: { registered: 0 } })
    await expect(
      lora.links.setProduct(own.ctx, product.id, {
        connectionId,
        applicationId: server.things.applications[0]!.id,
        profileId,
        version: 9,
      }),
    ).rejects.toMatchObject({ code: 'version.conflict' })
  })
})

describe('a LoRaWAN device', () => {
  it('is made at ChirpStack with keys that are sealed here and never shown, changed and removed', async () => {
    await linked()
    const id = await deviceNumbered(EUI.toUpperCase())
    await expect(lora.links.setDevice(own.ctx, id, {})).rejects.toMatchObject({
      fields: { appKey: { code: 'lora_link.key_missing' } },
    })
    const made = await lora.links.setDevice(own.ctx, id, {
      joinEui: '0000000000000001',
      appKey: APP_KEY,
      variables: { limit: '5' },
      tags: { floor: '3' },
    })
    expect(made).toMatchObject({ state: 'registered', keys: ['appKey'], fault: null, radio: { devEui: EUI } })
    expect(JSON.stringify(made).toLowerCase()).not.toContain(APP_KEY.toLowerCase())
    const { rows } = await m.db.superuser.query('select * from lora_keys where device_id = $1', [id])
    expect(Buffer.from(rows[0].keys_cipher).toString('latin1').toLowerCase()).not.toContain(APP_KEY.toLowerCase())
    const there = server.devices.get(EUI)!
    // LoRaWAN 1.0: ChirpStack takes the AppKey in the field of the network key.
    expect(there.keys).toEqual({ nwkKey: APP_KEY.toLowerCase(), appKey: '', genAppKey: '' })
    expect(there.message!.toObject()).toMatchObject({ joinEui: '0000000000000001', tagsMap: [['floor', '3']] })
    there.message!.setDescription('Written there')
    const changed = await lora.links.setDevice(own.ctx, id, { disabled: true, version: made.version })
    expect(changed).toMatchObject({ disabled: true, tags: { floor: '3' }, state: 'registered' })
    expect(server.devices.get(EUI)!.message!.toObject()).toMatchObject({
      isDisabled: true,
      description: 'Written there',
    })
    await expect(lora.links.setDevice(own.ctx, id, { disabled: false, version: made.version })).rejects.toMatchObject({
      code: 'version.conflict',
    })
    expect(await lora.links.removeDevice(own.ctx, id)).toMatchObject({ state: 'none', keys: [], radio: null })
    expect(server.devices.size).toBe(0)
  })

  it('with a session of its own is activated once, and its queue is shown and emptied', async () => {
    await linked()
    const id = await deviceNumbered('1102030405060708')
    const abp = { activation: 'abp' as const, devAddr: '26011BDA', nwkSKey: APP_KEY, appSKey: APP_KEY }
    await lora.links.setDevice(own.ctx, id, abp)
    server.devices.get('1102030405060708')!.session!.setFCntUp(42)
    await lora.links.setDevice(own.ctx, id, { skipFcntCheck: true })
    expect(await lora.links.session(own.ctx, id)).toEqual({
      session: { devAddr: '26011bda', fCntUp: 42, nFCntDown: 0, aFCntDown: 0 },
      queue: [],
    })
    server.devices.get('1102030405060708')!.queue.push({
      id: 'q',
      devEui: '1102030405060708',
      port: 3,
      confirmed: true,
      data: Buffer.from('0aff', 'hex'),
      object: null,
    })
    expect((await lora.links.session(own.ctx, id)).queue).toMatchObject([{ port: 3, hex: '0aff', confirmed: true }])
    expect((await lora.links.flushQueue(own.ctx, id)).queue).toEqual([])
  })

  it('that ChirpStack does not take says so in its words, and is made by the next try', async () => {
    await linked()
    const id = await deviceNumbered('2102030405060708')
    server.behave({ kind: 'failing', text: 'out of space' })
    expect(await lora.links.setDevice(own.ctx, id, { appKey: APP_KEY })).toMatchObject({
      state: 'failed',
      fault: 'INTERNAL out of space',
      keys: ['appKey'],
    })
    server.behave({ kind: 'well' })
    expect(await lora.links.setDevice(own.ctx, id, {})).toMatchObject({ state: 'registered', fault: null })
    const { rows } = await m.db.superuser.query(`select before, after from audit_logs where object_id = $1`, [id])
    expect(JSON.stringify(rows).toLowerCase()).not.toContain(APP_KEY.toLowerCase())
    const odd = await deviceNumbered('METER-1')
    expect(await lora.links.device(own.ctx, odd)).toMatchObject({ devEuiValid: false })
    await expect(lora.links.setDevice(own.ctx, odd, { appKey: APP_KEY })).rejects.toMatchObject({
      code: 'lora_link.not_dev_eui',
    })
  })
})

describe('an import of devices with keys', () => {
  const euis = Array.from({ length: 23 }, (_, n) => `aa${n.toString(16).padStart(14, '0')}`)
  const lines = (over: Record<number, string> = {}) =>
    ['DevEUI,名称,AppKey', ...euis.map((eui, n) => over[n] ?? `${eui},Meter ${n},${APP_KEY}`)].join('\n')
  const upload = (text: string) => ({ fileName: 'm.csv', contentType: 'text/csv', body: Readable.from([text]) })
  const failures: { item: string; code: string; params: unknown }[] = []
  const runs = (doneBefore: number, stopAfter = Number.POSITIVE_INFINITY) => {
    let done = 0
    const task = {
      ctx: own.ctx,
      input: started!.input,
      doneBefore,
      progress: (at: number) => {
        done = at
      },
      failed: (item: string, code: string, params: unknown) => void failures.push({ item, code, params }),
      cancelled: () => done >= stopAfter,
    }
    return lora.imports.run(task as unknown as RunningTask).then(result => ({ result, done }))
  }

  it('goes on where it was cut off, names the lines that fail, and keeps no key in the clear', async () => {
    await linked()
    failures.length = 0
    const text = lines({ 3: `${euis[3]},Meter 3,SHORT`, 7: `${euis[2]},Twin,${APP_KEY}` })
    expect(await lora.imports.start(own.ctx, { productId: product.id }, upload(text))).toMatchObject({ rows: 23 })
    const { rows } = await m.db.superuser.query('select rows_cipher from lora_imports')
    expect(Buffer.from(rows[0].rows_cipher).toString('latin1')).not.toContain('Meter')
    expect(JSON.stringify(started)).not.toContain(APP_KEY)
    const { done } = await runs(0, 8)
    expect(done).toBe(8)
    // The process ended behind the last line that was noted: four of them are done twice.
    const { result } = await runs(done - 4)
    expect(result.summary).toMatchObject({ failed: 1 })
    expect(euis.filter(eui => server.devices.get(eui)?.keys).length).toBe(21)
    const made = await m.db.superuser.query(`select count(*)::int as n from devices where device_no like 'aa%'`)
    expect(made.rows[0].n).toBe(21)
    expect(failures.slice(0, 2)).toEqual([
      { item: '5', code: 'lora_import.value_invalid', params: { column: 'AppKey', value: '•••' } },
      { item: '9', code: 'lora_import.duplicate', params: { devEui: euis[2], line: 4 } },
    ])
  })

  it('is refused without DevEUIs, and ends early when ChirpStack does not answer', async () => {
    await linked()
    await expect(lora.imports.start(own.ctx, { productId: product.id }, upload('name\nx\n'))).rejects.toMatchObject({
      code: 'lora_import.columns_missing',
    })
    await lora.imports.start(own.ctx, { productId: product.id, existing: 'update' }, upload(lines()))
    server.behave({ kind: 'failing', text: 'down' })
    await expect(runs(0)).rejects.toMatchObject({ code: 'lora.unavailable' })
    server.behave({ kind: 'well' })
    const { result } = await runs(0)
    expect(result.summary).toMatchObject({ registered: 23, failed: 0 })
  })
})
