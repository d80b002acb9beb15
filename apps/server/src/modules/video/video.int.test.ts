import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import type { Permission } from '@thingwright/contracts/permissions'
import { parseRule } from '@thingwright/rules'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type EzvizVendor, madeCameras, startEzviz } from '../../../../../tools/simulators/ezviz/ezviz.ts'
import { createEzviz } from '../../adapters/video/ezviz.ts'
import { insertDevice, insertProduct } from '../../db/fixtures.ts'
import { type Company, company, type Management, management } from '../../db/testing/management.ts'
import type { Actor, Ctx } from '../../lib/context.ts'
import { createCryptoBox } from '../../lib/crypto/crypto-box.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { createOutbound } from '../../lib/outbound/outbound.ts'
import { createObjectAlarms } from '../alarms/index.ts'
import type { TriggerActionPort, TriggerTask } from '../triggers/index.ts'
import { createVideoModule, type VideoModule } from './video.module.ts'
import { exportChannels } from './video-export.ts'

const ALLOW = ['127.0.0.1/32']
let m: Management
let vendor: EzvizVendor
let video: VideoModule
let own: Company
let shift = 0
const now = () => Date.now() + shift
const stored = new Map<string, Buffer>()
/** The action of triggers that takes pictures. */
let action: TriggerActionPort

beforeAll(async () => {
  m = await management()
  vendor = await startEzviz({ now })
  vendor.cameras.push(...madeCameras(1, null).map(camera => ({ ...camera, serial: 'E12345678', name: 'fresh' })))
  vendor.cameras.push(...madeCameras(1, 'another').map(camera => ({ ...camera, serial: 'E87654321' })))
  const outbound = createOutbound({ allow: ALLOW, timeoutMs: 2_000 })
  video = createVideoModule({
    database: m.database,
    logger: silentLogger,
    objectStore: {
      put: async (key, body) => void stored.set(key, Buffer.isBuffer(body) ? body : await buffer(body)),
      get: async key => {
        const bytes = stored.get(key)
        return bytes ? { body: Readable.from([bytes]), size: bytes.length, contentType: 'image/jpeg' } : null
      },
    },
    video: access => createEzviz(access, { outbound, now }),
    videoMedia: url => outbound.fetch(url, { stream: true }),
    outboundAllow: ALLOW,
    seal: purpose => createCryptoBox('a secret of the installation, long enough', purpose),
    triggers: {
      offer: port => {
        action = port
      },
    },
    now,
  })
})
afterAll(() => vendor.close())
beforeEach(async () => {
  own = await company(m.db)
  vendor.asked.length = 0
})

const ACCESS = { appKey: 'a0b1c2d3e4f5', appSecret: 'simulated' }
const connect = (secret = ACCESS.appSecret) =>
  video.accounts.create(own.ctx, { name: '总部', ...ACCESS, appSecret: secret, baseUrl: vendor.url })
async function synced() {
  const account = await connect()
  await video.accounts.sync(own.ctx, account.id)
  const { items } = await video.channels.list(own.ctx, { limit: 100 })
  const channel = (serial: string) => items.find(each => each.serial === serial && each.channelNo === 1)!
  return { account, items, channel }
}
const ONE = 'D10000000'
const RECORDER = 'D10000004'
const ENCRYPTED = 'D10000005'
const OFFLINE = 'D10000006'

describe('an EZVIZ account', () => {
  it('is tested by a signed request; what the vendor says against it stands beside it', async () => {
    const wrong = await connect('no')
    const refused = await video.accounts.test(own.ctx, wrong.id)
    expect(refused).toMatchObject({ state: 'failed', fault: { code: '10030', text: 'appkey和appsecret不匹配' } })
    const { version } = (await video.accounts.list(own.ctx)).items[0]!
    await video.accounts.update(own.ctx, wrong.id, { version, appSecret: ACCESS.appSecret })
    const fine = await video.accounts.test(own.ctx, wrong.id)
    expect(fine).toMatchObject({ state: 'ok', fault: null })
    expect(Date.parse(fine.tokenExpiresAt!)).toBeGreaterThan(now() + 6 * 86_400_000)
    expect(Object.keys(fine)).not.toContain('appSecret')
    // Neither the secret nor the token is readable in the database.
    const { rows } = await m.db.superuser.query(
      'select secrets_cipher as a, token_cipher as b from video_accounts where id = $1',
      [wrong.id],
    )
    expect(rows[0].a.toString('latin1')).not.toContain('simulated')
    expect(rows[0].b.toString('latin1')).not.toContain('at.')
  })

  it('lists all channels of all devices, page by page, and again without doubling them', async () => {
    const { account, items } = await synced()
    expect(items.filter(({ serial }) => serial === RECORDER).map(({ channelNo }) => channelNo)).toEqual([1, 2, 3, 4])
    expect(items).toHaveLength(18)
    expect(await video.accounts.sync(own.ctx, account.id)).toEqual({ channels: 18, added: 0, gone: 0 })
    expect(items.find(({ serial }) => serial === OFFLINE)!.state).toBe('offline')
  })

  it('renews its token when the vendor forgot it, and before it ends; all with one request more', async () => {
    const { channel } = await synced()
    vendor.forgetTokens()
    const before = vendor.tokens.length
    await video.channels.live(own.ctx, channel(ONE).id, {})
    expect(vendor.tokens.length).toBe(before + 1)
    await video.channels.live(own.ctx, channel(ONE).id, {})
    expect(vendor.tokens.length).toBe(before + 1)
    shift += 6.5 * 86_400_000
    await video.channels.live(own.ctx, channel(ONE).id, {})
    expect(vendor.tokens.length).toBe(before + 2)
    shift = 0
  })

  it('that answers half, with an error, or not at all says so, keeps what is listed, and goes on by itself', async () => {
    const { account } = await synced()
    vendor.fail({ half: true })
    await expect(video.accounts.sync(own.ctx, account.id)).rejects.toMatchObject({ code: 'video.vendor_unreachable' })
    vendor.fail({ code: '10029' })
    await expect(video.accounts.sync(own.ctx, account.id)).rejects.toMatchObject({
      code: 'video.too_often',
      params: { code: '10029', text: '个人版帐号接口调用频率超限' },
    })
    expect((await video.accounts.list(own.ctx)).items[0]!.fault!.code).toBe('10029')
    expect((await video.channels.list(own.ctx, { limit: 100, state: 'online' })).items.length).toBeGreaterThan(10)
    expect((await video.accounts.sync(own.ctx, account.id)).gone).toBe(0)
    expect((await video.accounts.list(own.ctx)).items[0]).toMatchObject({ state: 'ok', fault: null })
  })

  it('takes a camera by its serial and code; a wrong code, a foreign camera and an unknown serial are named', async () => {
    const account = await connect()
    const add = (serial: string, code: string) =>
      video.accounts.addDevice(own.ctx, { accountId: account.id, serial, code })
    await expect(add('e12345678', 'ZZZZZZ')).rejects.toMatchObject({ code: 'video.code_wrong' })
    await expect(add('E87654321', 'ABCDEF')).rejects.toMatchObject({ code: 'video.device_of_other' })
    await expect(add('E00000000', 'ABCDEF')).rejects.toMatchObject({ code: 'video.serial_wrong' })
    const { items } = await add('e12345678', 'abcdef')
    expect(items).toMatchObject([{ serial: 'E12345678', hasCode: true, state: 'online' }])
    // Added already, in the vendor's app say: listed all the same.
    expect((await add('E12345678', 'ABCDEF')).items).toHaveLength(1)
    expect(JSON.stringify(items)).not.toContain('ABCDEF')
  })
})

describe('a channel', () => {
  it('gives a short-lived address and never the token', async () => {
    const { channel } = await synced()
    const live = await video.channels.live(own.ctx, channel(ONE).id, {})
    expect(live).toMatchObject({ kind: 'hls', url: expect.stringContaining(`/channels/${channel(ONE).id}/stream?u=`) })
    expect(live.url).not.toContain(vendor.url)
    const sealed = new URL(live.url, 'http://a').searchParams.get('u')!
    const playlist = await buffer((await video.relay.open(own.ctx, channel(ONE).id, sealed)).body)
    const piece = playlist
      .toString('utf8')
      .split('\n')
      .find(line => line.startsWith('/api/'))!
    const part = new URL(piece, 'http://a').searchParams.get('u')!
    const bytes = await buffer((await video.relay.open(own.ctx, channel(ONE).id, part)).body)
    // A transport stream begins with 0x47 every 188 bytes.
    expect([bytes[0], bytes[188]]).toEqual([0x47, 0x47])
    const other = await company(m.db)
    await expect(video.relay.open(other.ctx, channel(ONE).id, sealed)).rejects.toMatchObject({
      code: 'video.not_found',
    })
    await expect(video.relay.open(own.ctx, channel(RECORDER).id, sealed)).rejects.toMatchObject({
      code: 'video.stream_ended',
    })
    await expect(
      video.relay.open({ ...own.ctx, now: now() + 3_600_000 }, channel(ONE).id, sealed),
    ).rejects.toMatchObject({ code: 'video.stream_ended' })
    expect(Date.parse(live.expiresAt!) - now()).toBeLessThan(11 * 60_000)
    for (const token of vendor.tokens) expect(JSON.stringify(live)).not.toContain(token)
    await expect(video.channels.live(own.ctx, channel(OFFLINE).id, {})).rejects.toMatchObject({ code: 'video.offline' })
  })

  it('whose picture is encrypted needs its code', async () => {
    const { channel } = await synced()
    const { id, version } = channel(ENCRYPTED)
    await expect(video.channels.live(own.ctx, id, {})).rejects.toMatchObject({ code: 'video.code_needed' })
    await video.channels.update(own.ctx, id, { version, code: 'ABCDEF' })
    expect((await video.channels.live(own.ctx, id, { kind: 'flv' })).kind).toBe('flv')
  })

  it('plays what was recorded, within a day', async () => {
    const { channel } = await synced()
    const at = (hours: number) => new Date(Date.UTC(2026, 0, 5, hours)).toISOString()
    const play = (from: number, to: number, source: 'local' | 'cloud') =>
      video.channels.playback(own.ctx, channel(ONE).id, { from: at(from), to: at(to), source })
    expect(await play(1, 2, 'local')).toMatchObject({ kind: 'flv' })
    await expect(play(2, 1, 'local')).rejects.toMatchObject({ code: 'video.period' })
    await expect(play(0, 30, 'local')).rejects.toMatchObject({ code: 'video.period' })
    // 16:00 UTC is midnight at the vendor.
    await expect(play(15, 17, 'cloud')).rejects.toMatchObject({ code: 'video.period' })
  })

  it('turns until it is stopped, and stops before it turns another way', async () => {
    const { channel } = await synced()
    const { id } = channel(ONE)
    await video.control.turn(own.ctx, id, { direction: 'left' })
    expect(vendor.turning.get(`${ONE}/1`)).toBe('2')
    await video.control.turn(own.ctx, id, { direction: 'up' })
    expect(vendor.turning.get(`${ONE}/1`)).toBe('0')
    await video.control.halt(own.ctx, id)
    expect(vendor.turning.size).toBe(0)
    // A server that ends leaves no camera turning.
    await video.control.turn(own.ctx, id, { direction: 'up' })
    await video.control.stop()
    expect(vendor.turning.size).toBe(0)
    await expect(video.control.turn(own.ctx, channel(RECORDER).id, { direction: 'up' })).rejects.toMatchObject({
      code: 'video.no_ptz',
    })
  })

  it('that is asked for the same again goes on turning, without a stop between', async () => {
    const { channel } = await synced()
    const { id } = channel(ONE)
    await video.control.turn(own.ctx, id, { direction: 'left' })
    vendor.asked.length = 0
    const { stopsAt } = await video.control.turn(own.ctx, id, { direction: 'left' })
    expect(Date.parse(stopsAt)).toBeGreaterThan(now())
    expect(vendor.asked).toEqual([])
    await video.control.halt(own.ctx, id)
  })

  it('says when something was recorded, within what was asked for', async () => {
    const { channel } = await synced()
    const at = (minutes: number) => new Date(Date.UTC(2026, 0, 5, 0, minutes)).toISOString()
    const found = (from: number, to: number, source: 'local' | 'cloud') =>
      video.channels.recordings(own.ctx, channel(ONE).id, { from: at(from), to: at(to), source })
    expect((await found(0, 120, 'local')).items).toEqual([
      { from: at(15), to: at(35) },
      { from: at(75), to: at(95) },
    ])
    expect((await found(18, 60, 'cloud')).items).toEqual([{ from: at(18), to: at(20) }])
    expect((await found(40, 60, 'local')).items).toEqual([])
    await expect(found(60, 0, 'local')).rejects.toMatchObject({ code: 'video.period' })
  })

  it('is armed with all channels of its device, and says so after the next sync too', async () => {
    const { account, channel } = await synced()
    expect(channel(RECORDER).armed).toBe(false)
    expect(await video.control.arm(own.ctx, channel(RECORDER).id, true)).toMatchObject({ armed: true })
    await video.accounts.sync(own.ctx, account.id)
    const { items } = await video.channels.list(own.ctx, { q: RECORDER })
    expect(items.map(({ armed }) => armed)).toEqual([true, true, true, true])
    await video.control.arm(own.ctx, channel(RECORDER).id, false)
    await expect(video.control.arm(own.ctx, channel(OFFLINE).id, true)).rejects.toMatchObject({ code: 'video.offline' })
  })

  it('is seen by who sees a part of the company where its device is his, also in a file', async () => {
    const { items, channel } = await synced()
    const product = await insertProduct(m.db.superuser, { id: own.ctx.tenantId })
    const device = await insertDevice(m.db.superuser, product)
    const { id, version } = channel(ONE)
    await video.channels.update(own.ctx, id, { version, deviceId: device.id })
    const narrow: Ctx = {
      ...own.ctx,
      actor: {
        ...own.ctx.actor,
        dataScope: { kind: 'limited', groupIds: [], productIds: [product.id], own: false },
      } as Ctx['actor'],
    }
    const other = items.find(each => each.id !== id)!
    expect((await video.channels.list(narrow, {})).items.map(each => each.id)).toEqual([id])
    expect(await video.channels.counts(narrow)).toMatchObject({ total: 1, bound: 1 })
    await expect(video.control.turn(narrow, other.id, { direction: 'up' })).rejects.toMatchObject({
      code: 'video.not_found',
    })
    const file = await text((await exportChannels(m.database, video.channels, narrow, { format: 'csv' })).body)
    expect(file).toContain(ONE)
    expect(file).not.toContain(other.serial)
    // Nor is it his any longer once he takes it from his device.
    expect(await video.channels.update(narrow, id, { version: version + 1, deviceId: null })).toMatchObject({
      deviceId: null,
    })
    await expect(video.channels.get(narrow, id)).rejects.toMatchObject({ code: 'video.not_found' })
  })

  it('stores positions and goes to them', async () => {
    const { channel } = await synced()
    const { id } = channel(ONE)
    const preset = await video.control.addPreset(own.ctx, id, '门口')
    await video.control.goPreset(own.ctx, id, preset.id)
    await video.control.removePreset(own.ctx, id, preset.id)
    expect((await video.control.presets(own.ctx, id)).items).toEqual([])
    await expect(video.control.goPreset(own.ctx, id, preset.id)).rejects.toMatchObject({
      code: 'video.preset_not_found',
    })
  })

  it('keeps its pictures', async () => {
    const { channel } = await synced()
    const { id } = channel(ONE)
    const picture = await video.control.snapshot(own.ctx, id)
    expect((await video.control.snapshots(own.ctx, id, {})).items.map(each => each.id)).toEqual([picture.id])
    const bytes = await buffer((await video.control.picture(own.ctx, picture.id)).body)
    expect(bytes.subarray(0, 3).toString('hex')).toBe('ffd8ff')
    // The newest of them is the cover of the camera; an alarm that came without a picture is none.
    const newest = await video.control.snapshot({ ...own.ctx, now: own.ctx.now + 1_000 }, id)
    await m.db.superuser.query(
      `insert into video_snapshots (id, tenant_id, channel_id, object_key, content_type, by_name, at)
       values ($1, $2, $3, '', '', '', now() + interval '1 day')`,
      [newId(), own.id, id],
    )
    const { items } = await video.channels.list(own.ctx, { limit: 100 })
    expect(items.find(each => each.id === id)).toMatchObject({ cover: newest.id })
    expect(items.some(({ cover }) => cover === null)).toBe(true)
    const other = await company(m.db)
    await expect(video.control.picture(other.ctx, picture.id)).rejects.toMatchObject({
      code: 'video.picture_not_found',
    })
  })

  it('take pictures for an alarm: one that was chosen, or those of its device; the alarm shows them', async () => {
    const { channel } = await synced()
    const device = await insertDevice(m.db.superuser, await insertProduct(m.db.superuser, own))
    const alarmId = newId()
    await m.db.superuser.query(
      `insert into alarms (id, tenant_id, trigger_name, origin, target_kind, target_id, device_id, level, raised_at, last_at)
       values ($1, $2, 'Gate', $3, 'device', $4, $5, 3, now(), now())`,
      [alarmId, own.id, newId(), device.id, device.id],
    )
    const run = (given: object, over: Partial<TriggerTask> = {}) =>
      action.run({
        id: newId(),
        tenantId: own.id,
        trigger: { id: newId(), name: 'Gate', level: 3, ownerId: null },
        action: { kind: 'snapshot', ...given },
        on: 'raise',
        at: now(),
        alarmId,
        device: { id: device.id, name: 'd', deviceNo: 'd', productKey: 'p' },
        values: [],
        owner: undefined,
        context: { tenantId: own.id },
        attempts: 0,
        ...over,
      })
    expect(await run({})).toEqual({ result: 'failed', message: 'video.no_camera' })
    const bound = channel(ONE)
    await video.channels.update(own.ctx, bound.id, { version: bound.version, deviceId: device.id })
    expect(await run({})).toEqual({ result: 'done' })
    expect(await run({ channelId: channel(RECORDER).id })).toEqual({ result: 'done' })
    const { items } = await video.control.picturesOfAlarm(own.ctx, alarmId)
    expect(items.map(({ channelId }) => channelId)).toEqual([bound.id, channel(RECORDER).id])
    expect(items[0]).toMatchObject({ alarmId, channelName: bound.name })
    expect(await run({ channelId: channel(OFFLINE).id })).toEqual({ result: 'failed', message: 'video.offline' })
    vendor.fail({ status: 500 }, 5)
    expect(await run({})).toMatchObject({ result: 'again' })
    vendor.fail({}, 0)
    const reader = { ...(own.ctx.actor as Extract<Actor, { kind: 'member' }>), permissions: new Set<Permission>() }
    expect(await run({}, { owner: reader })).toEqual({ result: 'skipped', message: 'permission.denied' })
    const other = await company(m.db)
    await expect(video.control.picturesOfAlarm(other.ctx, alarmId)).rejects.toMatchObject({ code: 'alarm.not_found' })
  })

  it('can be an address without a vendor', async () => {
    const make = (streamUrl: string) => video.channels.create(own.ctx, { name: 'gate', streamUrl })
    for (const bad of ['rtsp://a.example/1', 'https://a.example/1.mp4', 'https://u:p@a.example/1.m3u8'])
      await expect(make(bad)).rejects.toMatchObject({ code: 'video.stream_kind' })
    for (const bad of ['https://media.example:99999/1.m3u8', 'https://10.255.0.1/1.m3u8', 'http://[::1]/1.flv'])
      await expect(make(bad)).rejects.toMatchObject({
        code: expect.stringMatching(/video\.(?:address_blocked|stream_kind)/),
      })
    const made = await make('https://media.example/live/1.m3u8')
    expect((await video.channels.live(own.ctx, made.id, {})).kind).toBe('hls')
    await expect(video.control.snapshot(own.ctx, made.id)).rejects.toMatchObject({ code: 'video.no_vendor' })
  })

  it('of another company is not seen', async () => {
    const { channel } = await synced()
    const other = await company(m.db)
    await expect(video.channels.get(other.ctx, channel(ONE).id)).rejects.toMatchObject({ code: 'video.not_found' })
    expect((await video.channels.list(other.ctx, {})).items).toEqual([])
    for (const ask of [video.control.presets, video.control.snapshots])
      await expect(ask(other.ctx, channel(ONE).id, {})).rejects.toMatchObject({ code: 'video.not_found' })
  })

  it('is removed from the list, or from the account with all channels of its device', async () => {
    const { channel } = await synced()
    await video.channels.remove(own.ctx, channel(RECORDER).id, true)
    expect((await video.channels.list(own.ctx, { q: RECORDER })).items).toEqual([])
    const camera = vendor.cameras.find(each => each.serial === RECORDER)!
    expect(camera.owner).toBeNull()
    camera.owner = ACCESS.appKey
  })
})

describe('alarms of cameras', () => {
  it('are pulled once, raise an alarm of the camera with its picture, and are counted when they come again', async () => {
    const { channel } = await synced()
    const camera = channel(vendor.cameras[0]!.serial)
    const objects = createObjectAlarms({ database: m.database, logger: silentLogger, now })
    const rule = parseRule({
      format: 1,
      kind: 'object',
      scope: {},
      source: { type: 'camera.alarm', alarmType: '10000' },
      alarm: { level: 3 },
    })
    await m.db.superuser.query(
      `insert into triggers (id, tenant_id, name, document, kind) values ($1, $2, 'Someone there', $3, 'object')`,
      [newId(), own.id, (rule as { rule: object }).rule],
    )
    const alarms = async () => {
      await video.alarms.tick()
      while ((await objects.step()) > 0);
      const { rows } = await m.db.superuser.query(
        `select id, target_kind as kind, target_id as target, target_name as name, active, count from alarms where tenant_id = $1`,
        [own.id],
      )
      return rows
    }
    vendor.alarm(camera.serial!, 1, 10_000, 'PIR')
    vendor.alarm(camera.serial!, 1, 10_033, 'Smoke')
    const [raised] = await alarms()
    expect(raised).toMatchObject({ kind: 'camera', target: camera.id, name: camera.name, active: true, count: 1 })
    // Asked again, the vendor lists the same once more.
    expect(await alarms()).toMatchObject([{ count: 1 }])
    const pictures = await video.control.picturesOfAlarm(own.ctx, raised.id)
    expect(pictures.items).toMatchObject([{ channelName: camera.name }])
    expect((await buffer((await video.control.picture(own.ctx, pictures.items[0]!.id)).body)).length).toBeGreaterThan(0)
    vendor.alarm(camera.serial!, 1, 10_000, 'PIR')
    // An answer that is cut short, and a vendor that is down: the next look takes all of it.
    vendor.fail({ half: true })
    expect(await alarms()).toMatchObject([{ count: 1 }])
    expect(await alarms()).toMatchObject([{ count: 2 }])
    expect((await video.control.picturesOfAlarm(own.ctx, raised.id)).items).toHaveLength(2)
  })
})
