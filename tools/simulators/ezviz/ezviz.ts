import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import texts from './texts.json' with { type: 'json' }

export interface SimulatedCamera {
  serial: string
  code: string
  name: string
  model: string
  channels: number
  online: boolean
  encrypted: boolean
  ptz: boolean
  armed: boolean
  /** It belongs to this account; null: nobody added it. */
  owner: string | null
}

export interface EzvizOptions {
  port?: number
  host?: string
  appKey?: string
  appSecret?: string
  cameras?: SimulatedCamera[]
  count?: number
  now?: () => number
}

/** What a camera noticed, as the list of alarms says it. */
export interface SimulatedAlarm {
  alarmId: string
  alarmName: string
  alarmType: number
  alarmTime: number
  channelNo: number
  deviceSerial: string
  alarmPicUrl: string
  isRead: number
}

export interface EzvizVendor {
  url: string
  cameras: SimulatedCamera[]
  /** Paths that were asked for, in order. */
  asked: string[]
  /** Cameras that turn now, `serial/channel`. */
  turning: Map<string, string>
  /** Tokens that it gave. */
  tokens: string[]
  /** The next requests end like this: a code, HTTP 500, half an answer. */
  fail(how: { code?: string; status?: number; half?: boolean }, times?: number): void
  /** No token is known any more. */
  forgetTokens(): void
  /** A camera notices something now. */
  alarm(serial: string, channelNo: number, alarmType: number, alarmName: string): SimulatedAlarm
  close(): Promise<void>
}

type Form = Record<string, string>

const WEEK_MS = 7 * 86_400_000
const MEDIA = join(import.meta.dirname, 'media')
/** Two pieces of a live picture that goes round, what was recorded, and a picture. */
const FILES = { part0: 'part0.bin', part1: 'part1.bin', flv: 'record.flv', picture: 'picture.jpg' } as const
const TYPES = { part0: 'video/mp2t', part1: 'video/mp2t', flv: 'video/x-flv', picture: 'image/jpeg' } as const
const PIECE_MS = 2_000
const DIRECTIONS = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '16']

/** Cameras as the vendor's account lists them. */
export function madeCameras(count: number, owner: string | null): SimulatedCamera[] {
  return Array.from({ length: count }, (_, at) => ({
    serial: `D${String(10_000_000 + at)}`,
    code: 'ABCDEF',
    name: `${texts.camera} ${at + 1}`,
    model: at % 5 === 4 ? 'CS-N1-208' : 'CS-C6N',
    channels: at % 5 === 4 ? 4 : 1,
    online: at % 7 !== 6,
    encrypted: at % 6 === 5,
    ptz: at % 5 !== 4,
    armed: at % 3 === 0,
    owner,
  }))
}

/**
 * The open platform of EZVIZ as its clients use it: forms by POST, code as a string, HTTP 200 even when it fails. It
 * checks app key, secret, token and parameters itself (docs/integrations/ezviz.md).
 */
export async function startEzviz(options: EzvizOptions = {}): Promise<EzvizVendor> {
  const { appKey = 'a0b1c2d3e4f5', appSecret = 'simulated', now = Date.now } = options
  const cameras = options.cameras ?? madeCameras(options.count ?? 12, appKey)
  /** Pieces are counted from here: players keep lists as long as their numbers are large. */
  const began = now()
  const tokens = new Map<string, number>()
  const given: string[] = []
  const asked: string[] = []
  const turning = new Map<string, string>()
  const presets = new Map<string, Set<number>>()
  const alarms: SimulatedAlarm[] = []
  let failing: { how: { code?: string; status?: number; half?: boolean }; times: number } | null = null
  let serial = 0

  const own = (of: string | undefined) => cameras.find(each => each.serial === of && each.owner === appKey)
  const row = (camera: SimulatedCamera, channelNo: number) => ({
    deviceSerial: camera.serial,
    deviceName: camera.name,
    deviceType: camera.model,
    channelNo,
    channelName: camera.channels === 1 ? camera.name : `${camera.name} ${channelNo}`,
    // Offline is 0 in one source and 2 in another.
    status: camera.online ? 1 : channelNo % 2 === 0 ? 2 : 0,
    isEncrypt: camera.encrypted ? 1 : 0,
    picUrl: '',
  })

  function answer(path: string, form: Form): { code: string; data?: unknown; page?: unknown } {
    if (path === '/api/lapp/token/get') {
      if (form.appKey !== appKey) return { code: '10017' }
      if (form.appSecret !== appSecret) return { code: '10030' }
      const value = `at.${(++serial).toString(36).padStart(8, '0')}-simulated`
      tokens.set(value, now() + WEEK_MS)
      given.push(value)
      return { code: '200', data: { accessToken: value, expireTime: now() + WEEK_MS } }
    }
    if ((tokens.get(form.accessToken ?? '') ?? 0) <= now()) return { code: '10002' }
    if (path === '/api/lapp/camera/list') {
      const [at, size] = [Number(form.pageStart ?? 0), Number(form.pageSize ?? 10)]
      if (!Number.isInteger(at) || size > 50) return { code: '10001' }
      const all = cameras
        .filter(each => each.owner === appKey)
        .flatMap(camera => Array.from({ length: camera.channels }, (_, n) => row(camera, n + 1)))
      const page = { total: all.length, page: at, size }
      return { code: '200', data: all.slice(at * size, (at + 1) * size), page }
    }
    if (path === '/api/lapp/device/list') {
      const [at, size] = [Number(form.pageStart ?? 0), Number(form.pageSize ?? 10)]
      if (!Number.isInteger(at) || size > 50) return { code: '10001' }
      const all = cameras.filter(each => each.owner === appKey)
      const devices = all.slice(at * size, (at + 1) * size).map(camera => ({
        deviceSerial: camera.serial,
        deviceName: camera.name,
        deviceType: camera.model,
        status: camera.online ? 1 : 0,
        defence: camera.armed ? 1 : 0,
        deviceVersion: 'V5.3.0 build 230101',
      }))
      return { code: '200', data: devices, page: { total: all.length, page: at, size } }
    }
    if (path === '/api/lapp/alarm/list') {
      const [from, to, at, size] = [form.startTime, form.endTime, form.pageStart ?? 0, form.pageSize ?? 10].map(
        Number,
      ) as [number, number, number, number]
      if (!(to >= from) || size > 50 || form.status !== '2') return { code: '10001' }
      const mine = new Set(cameras.filter(each => each.owner === appKey).map(each => each.serial))
      const all = alarms.filter(each => each.alarmTime >= from && each.alarmTime <= to && mine.has(each.deviceSerial))
      return { code: '200', data: all.slice(at * size, (at + 1) * size), page: { total: all.length, page: at, size } }
    }
    if (path === '/api/lapp/device/add') {
      const camera = cameras.find(each => each.serial === form.deviceSerial)
      if (!camera) return { code: '20002' }
      if (camera.owner === appKey) return { code: '20017' }
      if (camera.owner !== null) return { code: '20013' }
      if (camera.code !== form.validateCode) return { code: '20010' }
      if (!camera.online) return { code: '20007' }
      camera.owner = appKey
      return { code: '200' }
    }
    const camera = own(form.deviceSerial)
    if (!camera) return { code: cameras.some(each => each.serial === form.deviceSerial) ? '20018' : '20002' }
    if (path === '/api/lapp/device/camera/list')
      return { code: '200', data: Array.from({ length: camera.channels }, (_, n) => row(camera, n + 1)) }
    if (path === '/api/lapp/device/name/update') {
      if (Buffer.byteLength(form.deviceName ?? '') > 50) return { code: '10001' }
      camera.name = form.deviceName ?? ''
      return { code: '200' }
    }
    if (path === '/api/lapp/device/delete') {
      camera.owner = null
      return { code: '200' }
    }
    if (path === '/api/lapp/device/defence/set') {
      if (form.isDefence !== '0' && form.isDefence !== '1') return { code: '10001' }
      if (!camera.online) return { code: '20007' }
      camera.armed = form.isDefence === '1'
      return { code: '200' }
    }
    const channelNo = Number(form.channelNo)
    // Without a channel a stop is refused, and the camera keeps turning.
    if (!Number.isInteger(channelNo) || channelNo < 1) return { code: '10001' }
    if (channelNo > camera.channels) return { code: '20032' }
    if (!camera.online) return { code: '20007' }
    const key = `${camera.serial}/${channelNo}`
    if (path.startsWith('/api/lapp/device/ptz/')) {
      if (!camera.ptz) return { code: '60000' }
      if (path.endsWith('/stop')) turning.delete(key)
      else if (!DIRECTIONS.includes(form.direction ?? '') || turning.has(key)) return { code: '60006' }
      else turning.set(key, form.direction!)
      return { code: '200' }
    }
    if (path === '/api/lapp/video/by/time') {
      const [from, to] = [Number(form.startTime), Number(form.endTime)]
      if (!(to > from) || !['1', '2'].includes(form.recType ?? '')) return { code: '10001' }
      const found = recorded(from, Math.min(to, now()), form.recType === '1')
      return {
        code: '200',
        data: found.length === 0 ? null : found.map(one => ({ ...one, recType: Number(form.recType) })),
      }
    }
    const stored = presets.get(key) ?? new Set<number>()
    presets.set(key, stored)
    if (path === '/api/lapp/device/preset/add') {
      const index = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].find(at => !stored.has(at))
      if (index === undefined) return { code: '60007' }
      stored.add(index)
      return { code: '200', data: { index } }
    }
    if (path === '/api/lapp/device/preset/move') return { code: stored.has(Number(form.index)) ? '200' : '60011' }
    if (path === '/api/lapp/device/preset/clear') return { code: stored.delete(Number(form.index)) ? '200' : '60011' }
    if (path === '/api/lapp/device/capture')
      return { code: '200', data: { picUrl: `${url()}/picture/${camera.serial}.jpg` } }
    if (path === '/api/lapp/v2/live/address/get') {
      if (camera.encrypted && form.code !== camera.code) return { code: '60019' }
      const kind = form.protocol === '2' ? 'm3u8' : form.protocol === '4' ? 'flv' : null
      if (kind === null || (kind === 'm3u8' && form.type !== '1')) return { code: '10001' }
      const expireTime = shanghai(now() + Number(form.expireTime ?? 86_400) * 1_000)
      return { code: '200', data: { id: key, url: `${url()}/stream/${key}/${form.type}.${kind}?sign=s`, expireTime } }
    }
    return { code: '10001' }
  }

  const server = createServer((request, response) => {
    const address = new URL(request.url ?? '/', 'http://simulator')
    if (address.pathname.endsWith('.m3u8')) {
      if (address.searchParams.get('sign') !== 's') return void response.writeHead(403).end()
      response.writeHead(200, { 'content-type': 'application/vnd.apple.mpegurl' }).end(playlist(now() - began))
      return
    }
    const file = /(part0|part1)\.ts$/.exec(address.pathname)?.[1] ?? /\.(flv)$/.exec(address.pathname)?.[1]
    const media = (address.pathname.startsWith('/picture/') ? 'picture' : file) as keyof typeof FILES | undefined
    if (media) {
      response.writeHead(200, { 'content-type': TYPES[media] }).end(readFileSync(join(MEDIA, FILES[media])))
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      asked.push(address.pathname)
      const how = failing && failing.times-- > 0 ? failing.how : null
      if (how?.status) return void response.writeHead(how.status).end('busy')
      const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')
      const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString('utf8')))
      const said = how?.code
        ? { code: how.code }
        : request.method === 'POST' && isForm
          ? answer(address.pathname, form)
          : { code: '10001' }
      send(response, said, how?.half === true)
    })
  })
  await new Promise<void>(resolve => server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve))
  const url = () => `http://${options.host ?? '127.0.0.1'}:${(server.address() as AddressInfo).port}`
  return {
    url: url(),
    cameras,
    asked,
    turning,
    tokens: given,
    fail(how, times = 1) {
      failing = { how, times }
    },
    forgetTokens: () => tokens.clear(),
    alarm(deviceSerial, channelNo, alarmType, alarmName) {
      const made = {
        // Another one after another start, too.
        alarmId: `${deviceSerial}-${now()}-${alarms.length + 1}`,
        alarmName,
        alarmType,
        alarmTime: now(),
        channelNo,
        deviceSerial,
        alarmPicUrl: `${url()}/picture/${deviceSerial}.jpg`,
        isRead: 0,
      }
      alarms.push(made)
      return made
    },
    close: () =>
      new Promise(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** What a card or the cloud holds: twenty minutes of every hour, in the cloud five. */
function recorded(from: number, to: number, cloud: boolean): { startTime: number; endTime: number }[] {
  const hour = 3_600_000
  const found: { startTime: number; endTime: number }[] = []
  for (let at = Math.floor(from / hour) * hour; at < to; at += hour) {
    const one = {
      startTime: Math.max(from, at + hour / 4),
      endTime: Math.min(to, at + hour / 4 + hour / (cloud ? 12 : 3)),
    }
    if (one.endTime > one.startTime) found.push(one)
  }
  return found
}

/** A live playlist: three pieces that move on. @param at ms since it began */
function playlist(at: number): string {
  const first = Math.floor(at / PIECE_MS)
  const pieces = [first, first + 1, first + 2].flatMap(n => [
    ...(n % 2 === 0 ? ['#EXT-X-DISCONTINUITY'] : []),
    `#EXTINF:${PIECE_MS / 1_000}.0,`,
    `${n}-part${n % 2}.ts`,
  ])
  const head = ['#EXTM3U', '#EXT-X-VERSION:3', '#EXT-X-TARGETDURATION:2', `#EXT-X-MEDIA-SEQUENCE:${first}`]
  const before = Math.ceil(first / 2)
  return [...head, `#EXT-X-DISCONTINUITY-SEQUENCE:${before}`, ...pieces, ''].join('\n')
}

function send(response: ServerResponse, said: { code: string; data?: unknown; page?: unknown }, half: boolean): void {
  const messages: Readonly<Record<string, string>> = texts.messages
  const body = JSON.stringify({ ...said, msg: messages[said.code] ?? texts.other })
  response.writeHead(200, { 'content-type': 'application/json;charset=UTF-8' })
  response.end(half ? body.slice(0, body.length / 2) : body)
}

/** `2026-01-31 08:00:00` */
const shanghai = (at: number) => new Date(at + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
