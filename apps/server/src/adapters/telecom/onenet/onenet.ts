import { createHmac } from 'node:crypto'
import type { Outbound } from '../../../lib/outbound/outbound.ts'
import {
  askPlatform,
  type PlatformAccess,
  type PlatformCommand,
  type PlatformCommandState,
  PlatformError,
  type PlatformFault,
  type TelecomPlatform,
} from '../../../modules/telecom/platform.port.ts'

const VERSION = '2022-05-01'
const METHOD = 'sha256'
const TOKEN_SECONDS = 3_600
const FAULTS: Readonly<Record<string, PlatformFault>> = { '10403': 'credentials', '10411': 'away', '10415': 'refused' }
/** Names of LwM2M resources in a model: object, instance, resource. */
const RESOURCE = /^(\d{1,5})_(\d{1,5})_(\d{1,5})$/
const CACHED: Readonly<Record<string, PlatformCommandState['state']>> = {
  '1': 'saved',
  '2': 'cancelled',
  '3': 'sent',
  '4': 'expired',
  '5': 'succeeded',
  '6': 'failed',
}

/** The header `authorization` of a call: what is signed stands in lines, what is sent is encoded value by value. */
export function onenetToken(
  accessKey: string,
  res: string,
  et: number,
  method: 'md5' | 'sha1' | 'sha256' = METHOD,
  version: string = VERSION,
): string {
  const sign = createHmac(method, Buffer.from(accessKey, 'base64'))
    .update(`${et}\n${method}\n${res}\n${version}`)
    .digest('base64')
  const values = { version, res, et: String(et), method, sign }
  return Object.entries(values)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
}

/** OneNET of China Mobile, its current interface (docs/integrations/onenet.md). */
export function createOneNet(
  access: PlatformAccess,
  { outbound, now }: { outbound: Pick<Outbound, 'fetch'>; now(): number },
): TelecomPlatform {
  async function call(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    query: Readonly<Record<string, string>>,
    body?: object,
  ): Promise<unknown> {
    const url = new URL(access.baseUrl.replace(/\/+$/, '') + path)
    for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value)
    const res = `${access.auth === 'user' ? 'userid' : 'products'}/${access.account}`
    const et = Math.floor(now() / 1_000) + TOKEN_SECONDS
    const answer = await askPlatform(outbound, url, {
      method,
      headers: {
        authorization: onenetToken(access.appSecret, res, et),
        ...(body ? { 'Content-Type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const code = String(answer.code ?? answer.errno ?? '')
    if (code === '0') return answer.data
    const text = [answer.msg, answer.error].find(one => typeof one === 'string') as string | undefined
    if (code === '') throw new PlatformError('answer', JSON.stringify(answer).slice(0, 300))
    throw new PlatformError(faultOf(code, text ?? ''), text ?? '', code)
  }

  const detail = async (product: string, deviceNo: string) =>
    (await call('GET', '/device/detail', { product_id: product, device_name: deviceNo })) as Record<
      string,
      unknown
    > | null

  return {
    async verify(product) {
      if (product === null) throw new PlatformError('unsupported', 'a product is needed')
      await call('GET', '/device/list', { product_id: product, offset: '0', limit: '1' })
    },

    async createDevice({ platformProduct }, device) {
      const result = (await call(
        'POST',
        '/device/create',
        {},
        {
          product_id: platformProduct,
          device_name: device.deviceNo,
          desc: device.name,
          imei: device.imei,
          ...(device.imsi ? { imsi: device.imsi } : {}),
          ...(device.psk ? { psk: device.psk } : {}),
        },
      )) as { did?: unknown } | null
      return textOf(result?.did)
    },

    async findDevice({ platformProduct }, { deviceNo }) {
      try {
        const found = await detail(platformProduct, deviceNo)
        return found ? textOf(found.did) : null
      } catch (error) {
        if (error instanceof PlatformError && error.fault === 'unknown') return null
        throw error
      }
    },

    async deleteDevice({ platformProduct }, { deviceNo }) {
      try {
        await call('POST', '/device/delete', {}, { product_id: platformProduct, device_name: deviceNo })
      } catch (error) {
        if (!(error instanceof PlatformError) || error.fault !== 'unknown') throw error
      }
    },

    async send({ platformProduct }, device, command) {
      const cached = resourcesOf(command)
      if (cached) return { platformNo: await writeCached(device.imei, cached, command.ttlSeconds) }
      if (command.bytes) throw new PlatformError('unsupported', 'OneNET takes names and values, no bytes')
      const named = { product_id: platformProduct, device_name: device.deviceNo }
      const data =
        command.kind === 'service'
          ? await call(
              'POST',
              '/thingmodel/call-service',
              {},
              {
                ...named,
                identifier: command.identifier,
                params: command.params,
              },
            )
          : await call('POST', '/thingmodel/set-device-property', {}, { ...named, params: command.params })
      return { ended: { state: 'succeeded', text: '', ...(data ? { data } : {}) } }
    },

    async stateOf(_product, { imei }, platformNo) {
      const result = (await call('GET', `/nb-iot/offline/history/${encodeURIComponent(platformNo)}`, { imei })) as {
        send_status?: unknown
        confirm_status?: unknown
      } | null
      const code = String(result?.send_status ?? '')
      const state = CACHED[code]
      if (!state) throw new PlatformError('answer', JSON.stringify(result ?? null).slice(0, 300))
      return { state, text: `send_status ${code}`, code }
    },
  }

  /** Resources of one instance, written when the device wakes up. */
  async function writeCached(
    imei: string,
    { object, instance, data }: ReturnType<typeof resourcesOf> & object,
    ttlSeconds: number,
  ): Promise<string> {
    const local = (ms: number) => new Date(ms + 8 * 3_600_000).toISOString().slice(0, 19)
    const result = (await call(
      'POST',
      '/nb-iot/offline',
      {
        imei,
        obj_id: object,
        obj_inst_id: instance,
        mode: '2',
        expired_time: local(now() + ttlSeconds * 1_000),
      },
      { data },
    )) as { uuid?: unknown } | null
    if (typeof result?.uuid !== 'string') throw new PlatformError('answer', 'no uuid in the answer')
    return result.uuid
  }
}

/** The resources that a write means, if all of them are of one instance; null: it means no resources. */
function resourcesOf({ kind, params }: PlatformCommand) {
  const found = Object.entries(params).map(([name, value]) => ({ path: RESOURCE.exec(name), value }))
  if (kind !== 'property_set' || found.length === 0 || found.some(({ path }) => !path)) return null
  const [, object, instance] = found[0]!.path!
  if (found.some(({ path }) => path![1] !== object || path![2] !== instance))
    throw new PlatformError('unsupported', 'OneNET writes resources of one instance with a command')
  return {
    object: object!,
    instance: instance!,
    data: found.map(({ path, value }) => ({ res_id: Number(path![3]), val: value })),
  }
}

/** The table of codes is not public: what is known of it, and the words beside it. */
function faultOf(code: string, text: string): PlatformFault {
  // 10411 says that a device did not answer, and also that a name is wrong.
  if (code === '10411') return /identifier|not exist|invalid/i.test(text) ? 'refused' : 'away'
  const known = FAULTS[code]
  if (known) return known
  if (/exist(s|ed)?\b/i.test(text) && !/not/i.test(text)) return 'exists'
  if (/not (found|exist)|no such/i.test(text)) return 'unknown'
  return /auth|token|sign/i.test(text) ? 'credentials' : 'refused'
}

function textOf(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  throw new PlatformError('answer', 'no did in the answer')
}
