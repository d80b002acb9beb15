import type { PtzDirection, PtzSpeed } from '@thingwright/contracts/video.words'
import { type Outbound, OutboundError } from '../../lib/outbound/outbound.ts'
import {
  type VendorAlarm,
  type VendorChannel,
  type VendorDevice,
  type VideoAccess,
  VideoError,
  type VideoToken,
  type VideoVendor,
} from '../../modules/video/video.port.ts'

/** A token is asked for anew this long before it ends. */
const EARLY_MS = 24 * 3_600_000
const TOKEN_GONE = '10002'
const PAGE = 50
/** Pages that the vendor gives at most. */
const MOST_PAGES = 400
const DIRECTIONS: Readonly<Record<PtzDirection, string>> = {
  up: '0',
  down: '1',
  left: '2',
  right: '3',
  up_left: '4',
  down_left: '5',
  up_right: '6',
  down_right: '7',
  zoom_in: '8',
  zoom_out: '9',
}
/** Slow is 1: cameras of Hikvision do not turn at 0. */
const SPEEDS: Readonly<Record<PtzSpeed, string>> = { slow: '1', medium: '1', fast: '2' }
const PROTOCOLS = { hls: '2', flv: '4' } as const
/** A picture of a camera is at most this large. */
const PICTURE_BYTES = 10 * 1_048_576

type Row = Record<string, unknown>

/**
 * Open platform of EZVIZ (docs/integrations/ezviz.md): forms by POST, `code` is a string and HTTP is 200 even when a
 * request fails. The token of the account never leaves this file but to be stored encrypted.
 */
export function createEzviz(
  access: VideoAccess,
  { outbound, now }: { outbound: Pick<Outbound, 'fetch'>; now(): number },
): VideoVendor {
  let token = access.token

  async function post(host: string, path: string, form: Record<string, string>): Promise<{ data: unknown; page: Row }> {
    let text: string
    try {
      const answer = await outbound.fetch(`${host.replace(/\/$/, '')}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form),
      })
      text = await answer.text()
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      throw new VideoError('', error.message, true)
    }
    let body: { code?: unknown; msg?: unknown; data?: unknown; page?: unknown }
    try {
      body = JSON.parse(text) as typeof body
    } catch {
      throw new VideoError('', text.slice(0, 200), true)
    }
    if (String(body.code) !== '200') throw new VideoError(String(body.code ?? ''), String(body.msg ?? ''))
    return { data: body.data, page: (body.page ?? {}) as Row }
  }

  async function newToken(): Promise<VideoToken> {
    const { data } = await post(access.baseUrl, '/api/lapp/token/get', {
      appKey: access.appKey,
      appSecret: access.appSecret,
    })
    const row = (data ?? {}) as { accessToken?: unknown; expireTime?: unknown; areaDomain?: unknown }
    if (typeof row.accessToken !== 'string' || !Number.isFinite(Number(row.expireTime)))
      throw new VideoError('', 'no token in the answer', true)
    const host = typeof row.areaDomain === 'string' && row.areaDomain !== '' ? row.areaDomain : access.baseUrl
    token = { value: row.accessToken, expiresAt: Number(row.expireTime), host }
    await access.keep(token)
    return token
  }

  const tokenNow = async () => (token && token.expiresAt - EARLY_MS > now() ? token : newToken())

  /** A token that the vendor no longer knows is asked for anew, once. */
  async function ask(path: string, form: Record<string, string>) {
    const used = await tokenNow()
    try {
      return await post(used.host, path, { accessToken: used.value, ...form })
    } catch (error) {
      if (!(error instanceof VideoError) || error.code !== TOKEN_GONE) throw error
      const next = token?.value === used.value ? await newToken() : token!
      return post(next.host, path, { accessToken: next.value, ...form })
    }
  }

  const camera = (of: { serial: string; channelNo: number }) => ({
    deviceSerial: of.serial,
    channelNo: String(of.channelNo),
  })

  async function fetched(url: string): Promise<Buffer> {
    try {
      const answer = await outbound.fetch(url)
      const bytes = Buffer.from(await answer.arrayBuffer())
      if (!answer.ok || bytes.length === 0 || bytes.length > PICTURE_BYTES)
        throw new VideoError(String(answer.status), 'the picture could not be fetched', true)
      return bytes
    } catch (error) {
      if (error instanceof OutboundError) throw new VideoError('', error.message, true)
      throw error
    }
  }

  return {
    async test() {
      await newToken()
    },

    async *channels() {
      for (let at = 0; at < MOST_PAGES; at++) {
        const { data, page } = await ask('/api/lapp/camera/list', { pageStart: String(at), pageSize: String(PAGE) })
        const rows = Array.isArray(data) ? (data as Row[]) : []
        yield rows.map(channelOf)
        if (rows.length < PAGE || (at + 1) * PAGE >= Number(page.total ?? Number.POSITIVE_INFINITY)) return
      }
    },

    async *devices() {
      for (let at = 0; at < MOST_PAGES; at++) {
        const { data, page } = await ask('/api/lapp/device/list', { pageStart: String(at), pageSize: String(PAGE) })
        const rows = Array.isArray(data) ? (data as Row[]) : []
        yield rows.map(deviceOf)
        if (rows.length < PAGE || (at + 1) * PAGE >= Number(page.total ?? Number.POSITIVE_INFINITY)) return
      }
    },

    async channelsOf(serial) {
      const { data } = await ask('/api/lapp/device/camera/list', { deviceSerial: serial })
      return (Array.isArray(data) ? (data as Row[]) : []).map(channelOf)
    },

    async add(serial, code) {
      await ask('/api/lapp/device/add', { deviceSerial: serial.toUpperCase(), validateCode: code.toUpperCase() })
    },
    async rename(serial, name) {
      await ask('/api/lapp/device/name/update', { deviceSerial: serial, deviceName: name })
    },
    async remove(serial) {
      await ask('/api/lapp/device/delete', { deviceSerial: serial })
    },

    async live(of, { kind, quality, seconds }) {
      const { data } = await ask('/api/lapp/v2/live/address/get', {
        ...camera(of),
        protocol: PROTOCOLS[kind],
        quality: quality === 'main' ? '1' : '2',
        expireTime: String(seconds),
        type: '1',
        ...(of.code ? { code: of.code } : {}),
      })
      return streamOf(data)
    },

    async playback(of, { from, to, source }) {
      const { data } = await ask('/api/lapp/v2/live/address/get', {
        ...camera(of),
        protocol: PROTOCOLS.flv,
        quality: '1',
        type: source === 'local' ? '2' : '3',
        startTime: shanghai(from),
        stopTime: shanghai(to),
        ...(of.code ? { code: of.code } : {}),
      })
      return streamOf(data)
    },

    async recordings(of, { from, to, source }) {
      const { data } = await ask('/api/lapp/video/by/time', {
        ...camera(of),
        startTime: String(from),
        endTime: String(to),
        recType: source === 'cloud' ? '1' : '2',
      })
      // Nothing recorded is null.
      return (Array.isArray(data) ? (data as Row[]) : [])
        .map(row => ({ from: Number(row.startTime), to: Number(row.endTime) }))
        .filter(one => Number.isFinite(one.from) && Number.isFinite(one.to))
    },

    async turn(of, direction, speed) {
      await ask('/api/lapp/device/ptz/start', {
        ...camera(of),
        direction: DIRECTIONS[direction],
        speed: SPEEDS[speed],
      })
    },
    async halt(of) {
      await ask('/api/lapp/device/ptz/stop', camera(of))
    },

    async arm(serial, armed) {
      await ask('/api/lapp/device/defence/set', { deviceSerial: serial, isDefence: armed ? '1' : '0' })
    },

    async addPreset(of) {
      const { data } = await ask('/api/lapp/device/preset/add', camera(of))
      const index = Number((data as { index?: unknown } | null)?.index)
      if (!Number.isInteger(index)) throw new VideoError('', 'no index in the answer', true)
      return index
    },
    async goPreset(of, index) {
      await ask('/api/lapp/device/preset/move', { ...camera(of), index: String(index) })
    },
    async removePreset(of, index) {
      await ask('/api/lapp/device/preset/clear', { ...camera(of), index: String(index) })
    },

    async *alarms({ from, to }) {
      for (let at = 0; at < MOST_PAGES; at++) {
        const { data, page } = await ask('/api/lapp/alarm/list', {
          startTime: String(from),
          endTime: String(to),
          alarmType: '-1',
          // Read ones too: somebody may have looked in the vendor's app.
          status: '2',
          pageStart: String(at),
          pageSize: String(PAGE),
        })
        const rows = Array.isArray(data) ? (data as Row[]) : []
        yield rows.map(alarmOf).filter(({ id, at: when }) => id !== '' && Number.isFinite(when))
        if (rows.length < PAGE || (at + 1) * PAGE >= Number(page.total ?? Number.POSITIVE_INFINITY)) return
      }
    },

    pictureAt: fetched,

    async picture(of) {
      const { data } = await ask('/api/lapp/device/capture', camera(of))
      const url = (data as { picUrl?: unknown } | null)?.picUrl
      if (typeof url !== 'string') throw new VideoError('', 'no picture in the answer', true)
      return fetched(url)
    },
  }
}

/** `status` 1 is online; sources differ about what offline is. */
const channelOf = (row: Row): VendorChannel => ({
  serial: String(row.deviceSerial ?? ''),
  channelNo: Number(row.channelNo ?? 1),
  name: String(row.channelName ?? row.deviceName ?? row.deviceSerial ?? ''),
  model: String(row.deviceType ?? row.category ?? ''),
  online: Number(row.status) === 1,
  encrypted: Number(row.isEncrypt) === 1,
})

const alarmOf = (row: Row): VendorAlarm => ({
  id: String(row.alarmId ?? ''),
  name: String(row.alarmName ?? ''),
  type: String(row.alarmType ?? ''),
  at: Number(row.alarmTime),
  serial: String(row.deviceSerial ?? ''),
  channelNo: Number(row.channelNo ?? 1),
  pictureUrl: typeof row.alarmPicUrl === 'string' && row.alarmPicUrl !== '' ? row.alarmPicUrl : null,
})

/** `defence` is 0 or 1; of devices with modes 0 asleep, 8 at home, 16 away. */
const deviceOf = (row: Row): VendorDevice => ({
  serial: String(row.deviceSerial ?? ''),
  model: String(row.deviceType ?? ''),
  armed: Number(row.defence ?? 0) > 0,
})

function streamOf(data: unknown): { url: string; expiresAt: number | null } {
  const { url, expireTime } = (data ?? {}) as { url?: unknown; expireTime?: unknown }
  if (typeof url !== 'string') throw new VideoError('', 'no address in the answer', true)
  const at = typeof expireTime === 'string' ? Date.parse(`${expireTime.replace(' ', 'T')}+08:00`) : Number.NaN
  return { url, expiresAt: Number.isFinite(at) ? at : null }
}

/** `2026-01-31 08:00:00`, the time of the vendor. */
const shanghai = (at: number) => new Date(at + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
