import { createHmac } from 'node:crypto'
import type { Outbound } from '../../../lib/outbound/outbound.ts'
import {
  askPlatform,
  type PlatformAccess,
  type PlatformCommand,
  type PlatformCommandState,
  PlatformError,
  type PlatformFault,
  type PlatformProduct,
  type TelecomPlatform,
} from '../../../modules/telecom/platform.port.ts'
import words from './ctwing-words.json' with { type: 'json' }

/** Each call of the platform has a version of its own. */
const CALLS = {
  products: ['GET', '/aep_product_management/products', '20190507004824'],
  create: ['POST', '/aep_device_management/device', '20181031202117'],
  remove: ['DELETE', '/aep_device_management/device', '20181031202131'],
  byImei: ['GET', '/aep_nb_device_management/getDeviceByImei', '20221130175656'],
  command: ['POST', '/aep_device_command/command', '20190712225145'],
  commandState: ['GET', '/aep_device_command/command', '20190712225241'],
} as const

const STATES = words.states as Readonly<Record<string, PlatformCommandState['state']>>
const FAULTS: Readonly<Record<string, PlatformFault>> = {
  '1002': 'unknown',
  '1104': 'unknown',
  '2010115': 'exists',
  '8800': 'unavailable',
}
/** Longest time that AEP keeps a command. */
const MOST_TTL_SECONDS = 864_000
const OPERATOR = 'thingwright'

/**
 * What AEP signs: key, time, every declared parameter in the order of bytes, and the body as it is sent; each ended by
 * a line feed.
 */
export function ctwingSignature(
  access: Pick<PlatformAccess, 'account' | 'appSecret'>,
  timestamp: number,
  params: Readonly<Record<string, string>>,
  body: string,
): string {
  const names = Object.keys(params)
  names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const lines = [
    `application:${access.account}\n`,
    `timestamp:${timestamp}\n`,
    ...names.map(name => `${name}:${params[name]}\n`),
    body === '' ? '' : `${body}\n`,
  ]
  return createHmac('sha1', access.appSecret).update(lines.join('')).digest('base64')
}

/** CTWing AEP of China Telecom (docs/integrations/ctwing.md). */
export function createCtwing(
  access: PlatformAccess,
  { outbound, now }: { outbound: Pick<Outbound, 'fetch'>; now(): number },
): TelecomPlatform {
  async function call(
    which: keyof typeof CALLS,
    query: Readonly<Record<string, string>>,
    product: PlatformProduct | null,
    body?: object,
  ): Promise<unknown> {
    const [method, path, version] = CALLS[which]
    const sent = body ? JSON.stringify(body) : ''
    const timestamp = now()
    const master: Record<string, string> = product ? { MasterKey: product.masterKey } : {}
    const url = new URL(access.baseUrl.replace(/\/+$/, '') + path)
    for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value)
    const answer = await askPlatform(outbound, url, {
      method,
      headers: {
        application: access.account,
        timestamp: String(timestamp),
        version,
        signature: ctwingSignature(access, timestamp, { ...query, ...master }, sent),
        ...master,
        'Content-Type': 'application/json; charset=UTF-8',
      },
      ...(body ? { body: sent } : {}),
    })
    const code = String(answer.code ?? '')
    if (code === '0') return answer.result
    const text = [answer.msg, answer.desc, answer.message].find(one => typeof one === 'string' && one !== '') as
      | string
      | undefined
    if (code === '') throw new PlatformError('answer', JSON.stringify(answer).slice(0, 300))
    throw new PlatformError(faultOf(code, text ?? ''), text ?? '', code)
  }

  return {
    async verify() {
      await call('products', { searchValue: '', pageNow: '1', pageSize: '1' }, null)
    },

    async createDevice(product, device) {
      const result = (await call('create', {}, product, {
        deviceName: device.name,
        imei: device.imei,
        operator: OPERATOR,
        productId: idOf(product),
        other: {
          autoObserver: 0,
          ...(device.imsi ? { imsi: device.imsi } : {}),
          ...(device.psk ? { pskValue: device.psk } : {}),
        },
      })) as { deviceId?: unknown } | null
      return textOf(result?.deviceId, 'deviceId')
    },

    async findDevice(product, { imei }) {
      try {
        const result = (await call('byImei', { productId: product.platformProduct, imei }, product)) as {
          deviceId?: unknown
        } | null
        return result ? textOf(result.deviceId, 'deviceId') : null
      } catch (error) {
        if (error instanceof PlatformError && error.fault === 'unknown') return null
        throw error
      }
    },

    async deleteDevice(product, { platformDevice }) {
      try {
        await call('remove', { productId: product.platformProduct, deviceIds: platformDevice }, product)
      } catch (error) {
        if (!(error instanceof PlatformError) || error.fault !== 'unknown') throw error
      }
    },

    async send(product, { platformDevice }, command) {
      const result = (await call('command', {}, product, {
        content: contentOf(command),
        deviceId: platformDevice,
        operator: OPERATOR,
        productId: idOf(product),
        ttl: Math.max(0, Math.min(MOST_TTL_SECONDS, command.ttlSeconds)),
        level: 1,
      })) as { commandId?: unknown } | null
      return { platformNo: textOf(result?.commandId, 'commandId') }
    },

    async stateOf(product, { platformDevice }, platformNo) {
      const query = { commandId: platformNo, productId: product.platformProduct, deviceId: platformDevice }
      const result = (await call('commandState', query, product)) as Record<string, unknown> | null
      const text = String(result?.commandStatus ?? '')
      const state = STATES[text]
      if (!state) throw new PlatformError('answer', text || JSON.stringify(result ?? null).slice(0, 300))
      const said = result?.resultMessage
      return {
        state,
        text: typeof said === 'string' && said !== '' ? `${text} ${said}` : text,
        ...(result?.resultCode ? { code: String(result.resultCode) } : {}),
      }
    },
  }
}

/** The gateway of AEP names what is wrong with a signature in words of its own, with codes that are in no public table. */
function faultOf(code: string, text: string): PlatformFault {
  const known = FAULTS[code]
  if (known) return known
  return /sign|application|auth|MasterKey|timestamp/i.test(text) ? 'credentials' : 'refused'
}

/** A transparent product is told bytes as hex, one with a model names and values. */
function contentOf({ kind, identifier, params, bytes }: PlatformCommand): object {
  if (bytes) return { dataType: 2, payload: bytes.toString('hex').toUpperCase() }
  // AEP writes properties through services too: a write of one property is the service of its name.
  const names = Object.keys(params)
  const service = kind === 'service' ? identifier : names.length === 1 ? names[0] : null
  if (service === null || service === undefined)
    throw new PlatformError('unsupported', 'AEP takes one property with a command')
  return { serviceIdentifier: service, params }
}

/** Numbers of products are numbers in bodies where they can be. */
function idOf({ platformProduct }: PlatformProduct): number | string {
  const number = Number(platformProduct)
  return Number.isSafeInteger(number) && String(number) === platformProduct ? number : platformProduct
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  throw new PlatformError('answer', `no ${name} in the answer`)
}
