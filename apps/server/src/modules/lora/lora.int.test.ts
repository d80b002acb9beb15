import { text } from 'node:stream/consumers'
import { parseRule } from '@thingwright/rules'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ChirpStackSimulator, startChirpStack } from '../../../../../tools/simulators/chirpstack/chirpstack.ts'
import { createLns, createLnsFeeds } from '../../app/lns.ts'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import { createFormatTools, type FormatTools } from '../../ingest/formats/format-tools.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { createObjectAlarms } from '../alarms/index.ts'
import type { Notice } from '../notifications/index.ts'
import { exportGateways, exportProfiles } from './export.ts'
import { NO_TASKS } from './lora.fixtures.ts'
import { createLoraModule, type LoraModule } from './lora.module.ts'

const ALLOW = ['127.0.0.1/32']
let m: Management
let server: ChirpStackSimulator
let lora: LoraModule
let tools: FormatTools
let shift = 0
const now = () => Date.now() + shift
const notices: Notice[] = []

beforeAll(async () => {
  m = await management()
  server = await startChirpStack({ now })
  tools = createFormatTools(silentLogger)
  lora = createLoraModule({
    database: m.database,
    inbox: { notify: async (_, notice) => void notices.push(notice) },
    gateway: {},
    runScript: tools.script,
    lns: createLns({ outboundAllow: ALLOW, now }),
    loraFeed: createLnsFeeds({ outboundAllow: ALLOW, pauseMs: 50 }),
    products: m.products,
    devices: m.devices,
    tasks: NO_TASKS,
    triggers: { objects: () => undefined },
    outboundAllow: ALLOW,
    seal: purpose => createCryptoBox('a secret of the installation, long enough', purpose),
    logger: silentLogger,
    now,
  })
})
afterAll(async () => {
  lora.close()
  await tools.stop()
  await server.close()
})
beforeEach(async () => {
  await m.db.superuser.query('delete from lora_connections')
  server.things.profiles.clear()
  server.things.gateways.clear()
  server.behave({ kind: 'well' })
  shift = 0
  notices.length = 0
})

const connected = (own: Company, over: Record<string, unknown> = {}) =>
  lora.connections.create(own.ctx, {
    name: 'North',
    url: server.url,
    remoteTenantId: server.tenantId,
    apiKey: server.apiKey,
    ...over,
  })

const SCRIPT = 'function decodeUplink(input) { return { data: { temperature: input.bytes[0] } } }'

describe('a connection to ChirpStack', () => {
  it('keeps its key to itself, and says in ChirpStack’s words why it is not let in', async () => {
    const own = await company(m.db)
    const made = await connected(own, { apiKey: server.keyOfNobody() })
    const key = server.keyOfNobody().slice(-20)
    expect(JSON.stringify(made)).not.toContain(key)
    const { rows } = await m.db.superuser.query('select * from lora_connections where id = $1', [made.id])
    expect(JSON.stringify(rows)).not.toContain('eyJ')
    expect(await lora.connections.test(own.ctx, made.id)).toMatchObject({
      state: 'failed',
      fault: { kind: 'credentials', code: 'UNAUTHENTICATED' },
    })
    const right = await lora.connections.update(own.ctx, made.id, { version: made.version, apiKey: server.apiKey })
    expect(right.state).toBe('untested')
    expect(await lora.connections.test(own.ctx, made.id)).toMatchObject({
      state: 'ok',
      fault: null,
      remoteTenantName: 'Simulated tenant',
    })
  })

  it('is refused with an inner address, a path, an email without its password, and twice under one name', async () => {
    const own = await company(m.db)
    await expect(connected(own, { url: 'http://10.0.0.1:8080' })).rejects.toMatchObject({
      code: 'lora_connection.address_blocked',
      fields: { url: { code: 'lora_connection.address_blocked' } },
    })
    await expect(connected(own, { url: `${server.url}/api` })).rejects.toMatchObject({
      code: 'lora_connection.address_path',
    })
    await expect(connected(own, { email: 'a@example.com' })).rejects.toMatchObject({
      code: 'lora_connection.password_missing',
    })
    await connected(own)
    await expect(connected(own, { name: 'NORTH' })).rejects.toMatchObject({ code: 'lora_connection.name_taken' })
  })

  it('shows what is wrong with the server, keeps what was read, and recovers', async () => {
    const own = await company(m.db)
    const { id } = await connected(own)
    await lora.profiles.create(own.ctx, { connectionId: id, name: 'Meter', region: 'CN470' })
    server.behave({ kind: 'failing', text: 'connection pool timed out' })
    await expect(lora.connections.sync(own.ctx, id)).rejects.toMatchObject({
      code: 'lora.unavailable',
      params: { text: 'INTERNAL connection pool timed out' },
    })
    expect((await lora.connections.list(own.ctx)).items[0]).toMatchObject({
      state: 'failed',
      fault: { kind: 'unavailable', text: 'connection pool timed out' },
      profiles: 1,
    })
    const [item] = (await lora.profiles.list(own.ctx, {})).items
    expect(await lora.profiles.get(own.ctx, item!.id)).toMatchObject({
      name: 'Meter',
      uplinkInterval: 3600,
      stale: 'INTERNAL connection pool timed out',
    })
    server.behave({ kind: 'well' })
    expect(await lora.connections.sync(own.ctx, id)).toMatchObject({ state: 'ok', fault: null, profiles: 1 })
  })

  it('belongs to its company alone', async () => {
    const own = await company(m.db)
    const other = await company(m.db)
    const { id } = await connected(own)
    const profile = await lora.profiles.create(own.ctx, { connectionId: id, name: 'Meter', region: 'CN470' })
    expect((await lora.connections.list(other.ctx)).items).toEqual([])
    expect((await lora.profiles.list(other.ctx, {})).items).toEqual([])
    await expect(lora.profiles.get(other.ctx, profile.id)).rejects.toMatchObject({ code: 'lora_profile.not_found' })
    await expect(
      lora.gateways.create(other.ctx, { connectionId: id, gatewayId: '0102030405060708', name: 'Roof' }),
    ).rejects.toMatchObject({ code: 'lora_connection.not_found' })
  })
})

describe('device profiles', () => {
  it('are made with every field, read back and changed; what we do not show stays', async () => {
    const own = await company(m.db)
    const { id: connectionId } = await connected(own)
    const made = await lora.profiles.create(own.ctx, {
      connectionId,
      name: 'Water meter',
      description: 'Cellar',
      region: 'CN470',
      regionConfigId: 'cn470_10',
      macVersion: '1.0.4',
      regParamsRevision: 'RP002-1.0.3',
      uplinkInterval: 600,
      supportsClassB: true,
      classBTimeout: 10,
      classBPingSlotPeriodicity: 3,
      supportsClassC: true,
      classCTimeout: 5,
      supportsOtaa: false,
      abpRx1Delay: 1,
      abpRx2Freq: 505_300_000,
      codecRuntime: 'js',
      codecScript: SCRIPT,
      tags: { room: 'cellar', 楼: '3' },
      measurements: [{ key: 'temperature', name: 'Temperature', kind: 'gauge' }],
      autoDetectMeasurements: false,
      appLayer: {
        ts003Version: '1.0.0',
        ts003Port: 202,
        ts004Version: 'none',
        ts004Port: 201,
        ts005Version: '2.0.0',
        ts005Port: 200,
      },
    })
    const kept = [...server.things.profiles.values()][0]!
    expect(kept.message.toObject()).toMatchObject({
      name: 'Water meter',
      region: 6,
      macVersion: 4,
      regParamsRevision: 5,
      supportsClassB: true,
      classBPingSlotPeriodicity: 3,
      abpRx2Freq: 505_300_000,
      payloadCodecRuntime: 2,
      payloadCodecScript: SCRIPT,
      tagsMap: [
        ['room', 'cellar'],
        ['楼', '3'],
      ],
      measurementsMap: [['temperature', { name: 'Temperature', kind: 3 }]],
      appLayerParams: { ts003Version: 1, ts005Version: 2 },
      adrAlgorithmId: 'default',
      flushQueueOnActivate: true,
    })
    kept.message.setIsRelay(true)
    const changed = await lora.profiles.update(own.ctx, made.id, {
      version: made.version,
      name: 'Meter',
      measurements: [],
    })
    expect(changed).toMatchObject({ name: 'Meter', measurements: [], codecScript: SCRIPT, tags: { 楼: '3' } })
    const after = [...server.things.profiles.values()][0]!.message
    expect(after.getIsRelay()).toBe(true)
    expect(await lora.profiles.get(own.ctx, made.id)).toEqual({ ...changed, syncedAt: expect.any(String) })
  })

  it('says what cannot be, with its field', async () => {
    const own = await company(m.db)
    const { id: connectionId } = await connected(own)
    const make = (over: Record<string, unknown>) =>
      lora.profiles.create(own.ctx, { connectionId, name: 'Meter', region: 'CN470', ...over })
    await expect(make({ regionConfigId: 'eu868' })).rejects.toMatchObject({
      fields: { regionConfigId: { code: 'lora_profile.region_mismatch' } },
    })
    await expect(make({ codecRuntime: 'js', codecScript: ' ' })).rejects.toMatchObject({
      fields: { codecScript: { code: 'lora_profile.script_missing' } },
    })
    const twice = { key: 'a', name: '', kind: 'gauge' }
    await expect(make({ measurements: [twice, twice] })).rejects.toMatchObject({
      fields: { 'measurements[1].key': { code: 'lora_profile.measurement_twice' } },
    })
    expect(server.things.profiles.size).toBe(0)
    // What ChirpStack itself refuses is told in its words.
    const made = await make({})
    await expect(
      lora.profiles.update(own.ctx, made.id, { version: made.version, region: 'EU868' }),
    ).rejects.toMatchObject({
      code: 'lora.refused',
      params: { text: 'INVALID_ARGUMENT region can not be updated' },
    })
  })

  it('do not overwrite what somebody changed in ChirpStack meanwhile', async () => {
    const own = await company(m.db)
    const { id: connectionId } = await connected(own)
    const made = await lora.profiles.create(own.ctx, { connectionId, name: 'Meter', region: 'CN470' })
    const kept = [...server.things.profiles.values()][0]!
    kept.message.setName('Renamed there')
    kept.updatedAt += 5_000
    await expect(
      lora.profiles.update(own.ctx, made.id, { version: made.version, name: 'Renamed here' }),
    ).rejects.toMatchObject({ code: 'version.conflict' })
    const seen = await lora.profiles.get(own.ctx, made.id)
    expect(seen.name).toBe('Renamed there')
    expect(seen.version).toBeGreaterThan(made.version)
  })

  it('are listed by name, class and codec, exported, and follow what is in ChirpStack', async () => {
    const own = await company(m.db)
    const { id: connectionId } = await connected(own)
    for (const [name, over] of [
      ['100%_meter', { supportsClassC: true }],
      ['Valve', { codecRuntime: 'js', codecScript: SCRIPT }],
      ['Button', {}],
    ] as const)
      await lora.profiles.create(own.ctx, { connectionId, name, region: 'CN470', ...over })
    const names = async (query: Record<string, string>) =>
      (await lora.profiles.list(own.ctx, { sort: 'name', ...query } as never)).items.map(({ name }) => name)
    expect(await names({ q: '%_' })).toEqual(['100%_meter'])
    expect(await names({ class: 'c' })).toEqual(['100%_meter'])
    expect(await names({ class: 'a' })).toEqual(['Button', 'Valve'])
    expect(await names({ codec: 'js' })).toEqual(['Valve'])
    const deps = { database: m.database, profiles: lora.profiles, gateways: lora.gateways }
    const file = await text((await exportProfiles(deps, own.ctx, { format: 'csv', sort: 'name' })).body)
    expect(file).toContain('100%_meter')
    server.things.profiles.delete([...server.things.profiles.keys()][0]!)
    await lora.connections.sync(own.ctx, connectionId)
    expect(await names({})).toHaveLength(2)
    const [valve] = (await lora.profiles.list(own.ctx, { q: 'Valve' })).items
    await lora.profiles.remove(own.ctx, valve!.id)
    expect(await names({})).toEqual(['Button'])
    expect(server.things.profiles.size).toBe(1)
  })
})

describe('gateways', () => {
  const ID = '0102030405060708'

  it('go from never seen to online, and offline with a message', async () => {
    const own = await company(m.db)
    const { id: connectionId } = await connected(own)
    const made = await lora.gateways.create(own.ctx, { connectionId, gatewayId: ID.toUpperCase(), name: 'Roof' })
    expect(made).toMatchObject({
      gatewayId: ID,
      state: 'never_seen',
      lastSeenAt: null,
      statsInterval: 30,
      location: null,
    })
    server.gatewayStats(ID)
    expect(await lora.watch.tick()).toBe(1)
    const online = await lora.gateways.get(own.ctx, made.id)
    expect(online).toMatchObject({
      state: 'online',
      regionConfigId: 'cn470_10',
      location: { lat: 39.9042, lng: 116.4074, alt: 44 },
      locationSource: 'gps',
    })
    expect(await lora.watch.tick()).toBe(0)
    shift = 90_000
    expect(await lora.watch.tick()).toBe(1)
    expect((await lora.gateways.list(own.ctx, { state: 'offline' })).items).toHaveLength(1)
    expect(await lora.gateways.counts(own.ctx)).toEqual({ total: 1, neverSeen: 0, online: 0, offline: 1 })
    expect(await lora.attention![0]!.find(own.ctx)).toMatchObject([
      { kind: 'lora_gateways_offline', count: 1, link: '/ChirpStack/Gateways?state=offline' },
    ])
    expect(notices.map(({ kind, level }) => [kind, level])).toEqual([
      ['lora_gateway.online', 'info'],
      ['lora_gateway.offline', 'warning'],
    ])
    expect(notices[1]!.text.zh).toContain('Roof')
  })

  it('raise an alarm of their own when they go offline, and clear it when they are back', async () => {
    const own = await company(m.db)
    const { id: connectionId } = await connected(own)
    const made = await lora.gateways.create(own.ctx, { connectionId, gatewayId: ID, name: 'Roof' })
    const objects = createObjectAlarms({ database: m.database, logger: silentLogger, now })
    const rule = parseRule({
      format: 1,
      kind: 'object',
      scope: {},
      source: { type: 'lora.gateway', state: 'offline' },
      alarm: { level: 4 },
      actions: [{ kind: 'notify' }],
    })
    await m.db.superuser.query(
      `insert into triggers (id, tenant_id, name, document, kind) values ($1, $2, 'Gateways', $3, 'object')`,
      [newId(), own.id, (rule as { rule: object }).rule],
    )
    const looked = async () => {
      shift += 40_000
      await lora.watch.tick()
      while ((await objects.step()) > 0);
      const { rows } = await m.db.superuser.query(
        `select target_kind as kind, target_id as id, target_name as name, active from alarms where tenant_id = $1`,
        [own.id],
      )
      return rows
    }
    server.gatewayStats(ID)
    expect(await looked()).toEqual([])
    shift += 90_000
    const alarm = { kind: 'lora_gateway', id: made.id, name: 'Roof' }
    expect(await looked()).toEqual([{ ...alarm, active: true }])
    expect(await looked()).toHaveLength(1)
    const { rows } = await m.db.superuser.query('select kind, result from trigger_actions where tenant_id = $1', [
      own.id,
    ])
    expect(rows).toEqual([{ kind: 'notify', result: 'pending' }])
    server.gatewayStats(ID)
    expect(await looked()).toEqual([{ ...alarm, active: false }])
  })

  it('are changed without losing what the gateway says of itself; a taken id is refused with its field', async () => {
    const own = await company(m.db)
    const { id: connectionId } = await connected(own)
    const made = await lora.gateways.create(own.ctx, {
      connectionId,
      gatewayId: ID,
      name: 'Roof',
      tags: { floor: '9' },
      location: { lat: 31.2, lng: 121.5, alt: 4 },
    })
    expect(server.things.gateways.get(ID)!.message.getLocation()!.toObject()).toMatchObject({
      source: 2,
      latitude: 31.2,
    })
    server.gatewayStats(ID)
    const seen = await lora.gateways.get(own.ctx, made.id)
    const changed = await lora.gateways.update(own.ctx, made.id, {
      version: seen.version,
      name: 'Roof 2',
      statsInterval: 60,
    })
    expect(changed).toMatchObject({
      name: 'Roof 2',
      statsInterval: 60,
      tags: { floor: '9' },
      metadata: { model: 'simulated' },
    })
    await expect(lora.gateways.update(own.ctx, made.id, { version: seen.version, name: 'Late' })).rejects.toMatchObject(
      { code: 'version.conflict' },
    )
    await expect(lora.gateways.create(own.ctx, { connectionId, gatewayId: ID, name: 'Again' })).rejects.toMatchObject({
      fields: { gatewayId: { code: 'lora_gateway.exists' } },
    })
    const deps = { database: m.database, profiles: lora.profiles, gateways: lora.gateways }
    expect(await text((await exportGateways(deps, own.ctx, { format: 'csv' })).body)).toContain(ID)
    await lora.gateways.remove(own.ctx, made.id)
    expect(server.things.gateways.size).toBe(0)
  })

  it('count packets by frequency, data rate and status', async () => {
    const own = await company(m.db)
    const { id: connectionId } = await connected(own)
    const { id } = await lora.gateways.create(own.ctx, { connectionId, gatewayId: ID, name: 'Roof' })
    server.gatewayStats(ID, { heard: 12, sent: 20 })
    const from = new Date(now() - 3_600_000).toISOString()
    const to = new Date(now()).toISOString()
    const { metrics } = await lora.gateways.metrics(own.ctx, id, { from, to, step: 'hour' })
    const of = (metric: string) => {
      const found = metrics.find(one => one.metric === metric)!
      return Object.fromEntries(found.series.map(({ label, values }) => [label, values.reduce((a, b) => a + b, 0)]))
    }
    expect(of('rxPackets')).toEqual({ rx_count: 12 })
    expect(of('rxPerFrequency')).toEqual({ 486300000: 3, 486500000: 3, 486700000: 3, 486900000: 3 })
    expect(of('rxPerDataRate')).toEqual({ 0: 2, 1: 2, 2: 2, 3: 2, 4: 2, 5: 2 })
    expect(of('txPerStatus')).toEqual({ OK: 18, TOO_LATE: 2 })
    await expect(lora.gateways.metrics(own.ctx, id, { from: to, to: from, step: 'hour' })).rejects.toMatchObject({
      code: 'lora_gateway.range',
    })
  })
})

describe('regions', () => {
  it('are the server’s own where a person may ask, and those that ChirpStack comes with elsewhere', async () => {
    const own = await company(m.db)
    const key = await connected(own, { name: 'Key only' })
    const shipped = await lora.regions.list(own.ctx, { connectionId: key.id })
    expect(shipped).toMatchObject({ source: 'shipped' })
    expect(shipped.items.length).toBeGreaterThan(30)
    expect(await lora.regions.get(own.ctx, 'cn470_10', { connectionId: key.id })).toMatchObject({
      source: 'shipped',
      region: 'CN470',
      maxEirp: 19.15,
      rx2Frequency: 505_300_000,
    })
    const person = await connected(own, { name: 'Person', email: server.email, password: server.password })
    expect(await lora.regions.list(own.ctx, { connectionId: person.id })).toEqual({
      items: [
        { id: 'cn470_10', description: 'CN470 (channels 80-87)', region: 'CN470' },
        { id: 'eu868', description: 'EU868', region: 'EU868' },
      ],
      source: 'server',
      reason: null,
    })
    const found = await lora.regions.get(own.ctx, 'cn470_10', { connectionId: person.id })
    expect(found).toMatchObject({ source: 'server', userInfo: 'Gateways: `tcp://lora.example:1700`' })
    expect(found.channels).toHaveLength(8)
    expect(found.dataRates[0]).toMatchObject({ dr: 0, spreadingFactor: 12, bandwidth: 125_000 })
    await expect(lora.regions.get(own.ctx, 'mars', {})).rejects.toMatchObject({ code: 'lora_region.unknown' })
  })
})

describe('the tester of codecs', () => {
  it('runs ChirpStack’s functions as they stand, with helpers behind them', async () => {
    const own = await company(m.db)
    const script = `
      function decodeUplink(input) {
        console.log(input.fPort)
        return { data: { at: input.recvTime instanceof Date, temperature: scaled(input.bytes) } }
      }
      function encodeDownlink(input) { return { bytes: [input.data.level], fPort: 7 } }
      function decode(bytes) { return bytes }
      function scaled(bytes) { return Buffer.from(bytes).readInt16BE(0) / 10 }`
    expect(await lora.codec.try(own.ctx, { script, direction: 'up', hex: '00 EB', port: 2 })).toMatchObject({
      ok: true,
      data: { at: true, temperature: 23.5 },
      logs: ['2'],
    })
    expect(await lora.codec.try(own.ctx, { script, direction: 'down', object: { level: 5 } })).toMatchObject({
      ok: true,
      hex: '05',
      port: 7,
    })
    const loop = 'function decodeUplink() { for (;;) {} }'
    expect(await lora.codec.try(own.ctx, { script: loop, direction: 'up', hex: '00' })).toMatchObject({
      ok: false,
      reason: 'script_timeout',
    })
    const wrong = 'function decodeUplink() { return { data: {}, errors: ["too short"] } }'
    expect(await lora.codec.try(own.ctx, { script: wrong, direction: 'up', hex: '00' })).toMatchObject({
      ok: false,
      error: expect.stringContaining('too short'),
    })
  })
})
