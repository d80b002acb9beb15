import { createCipheriv, createHash, createHmac, randomUUID } from 'node:crypto'
import type { Behaviour } from '../cards/behaviour.ts'
import { type Asked, type PushAnswer, postJson, servePlatform } from '../platforms/platform-server.ts'

export interface OneNetOptions {
  port?: number
  host?: string
  userId?: string
  /** Base64. */
  accessKey?: string
  products?: readonly string[]
  /** Of pushes. */
  token?: string
  /** Sixteen characters: pushes are encrypted. */
  aesKey?: string
  now?: () => number
}

export interface OneNetDevice {
  did: string
  product: string
  name: string
  imei: string
  psk?: string
  online: boolean
  /** What it was told and took. */
  properties: Record<string, unknown>
}

export interface OneNetCommand {
  uuid: string
  imei: string
  data: unknown
  status: 1 | 2 | 3 | 4 | 5 | 6
  until: number
}

export interface OneNetPlatform {
  url: string
  devices: OneNetDevice[]
  cached: OneNetCommand[]
  /** What was wrong with requests. */
  faults: string[]
  asked: string[]
  behave(behaviour: Behaviour, times?: number): void
  /** Shows the receiver a message that it has to say back. */
  check(target: string, over?: { msg?: string; nonce?: string; token?: string }): Promise<PushAnswer>
  /** @param over.id the same id again is the same message again */
  push(target: string, message: object, over?: { token?: string; id?: string; plain?: boolean }): Promise<PushAnswer>
  report(target: string, did: string, params: Record<string, { value: unknown; time: number }>): Promise<PushAnswer>
  close(): Promise<void>
}

const NONCE = 'Xy7+pQ9z'

/** OneNET, the current interface: tokens of version 2022-05-01, signed pushes, safe mode. */
export async function startOneNet(options: OneNetOptions = {}): Promise<OneNetPlatform> {
  const {
    userId = '100001',
    accessKey = 'ZmFrZS1hY2Nlc3Mta2V5LWZvci10ZXN0cy0wMDAwMDE=',
    products = ['FAKEPROD01'],
    token: pushToken = 'faketoken',
    aesKey,
    now = Date.now,
  } = options
  const devices: OneNetDevice[] = []
  const cached: OneNetCommand[] = []
  const faults: string[] = []
  const asked: string[] = []
  let serial = 1_000_000

  const fine = (data: unknown = undefined) => ({
    code: 0,
    msg: 'succ',
    request_id: randomUUID(),
    ...(data === undefined ? {} : { data }),
  })
  const wrong = (code: number | string, msg: string) => ({ code: Number(code), msg, request_id: randomUUID() })

  /** Why the token is not taken; null: it is. */
  function refused(header: string | undefined): string | null {
    const said = new URLSearchParams(header ?? '')
    const [version, res, et, method, sign] = ['version', 'res', 'et', 'method', 'sign'].map(
      name => said.get(name) ?? '',
    )
    if (version !== '2022-05-01') return 'unsupported version'
    if (res !== `userid/${userId}` && !products.some(product => res === `products/${product}`)) return 'unknown res'
    if (!['md5', 'sha1', 'sha256'].includes(method!)) return 'unknown method'
    if (Number(et) * 1_000 < now()) return 'token expired'
    const mac = createHmac(method!, Buffer.from(accessKey, 'base64'))
    mac.update([et, method, res, version].join('\n'))
    return mac.digest('base64') === sign ? null : 'sign mismatch'
  }

  function answer(request: Asked): unknown {
    const { method, path, headers } = request
    asked.push(`${method} ${path}`)
    const reason = refused(headers.authorization)
    if (reason) {
      faults.push(reason)
      return wrong(10403, `authorization failed: ${reason}`)
    }
    const query = Object.fromEntries(request.query)
    const body = request.body ? (JSON.parse(request.body) as Record<string, unknown>) : {}
    const product = String(body.product_id ?? query.product_id ?? '')
    const name = String(body.device_name ?? query.device_name ?? '')
    if (!path.startsWith('/nb-iot/') && !products.includes(product)) return wrong(10410, 'product not found')
    const device = devices.find(one => one.product === product && one.name === name)
    switch (`${method} ${path}`) {
      case 'GET /device/list':
        return fine({ list: [], offset: Number(query.offset), limit: Number(query.limit) })
      case 'GET /device/detail':
        return device
          ? fine({ did: device.did, name: device.name, status: device.online ? 1 : 0 })
          : wrong(10410, 'device not found')
      case 'POST /device/create': {
        if (!/^[\w-]{1,64}$/.test(name) || !/^\d{15}$/.test(String(body.imei ?? '')))
          return wrong(10415, 'invalid input')
        if (device || devices.some(one => one.imei === body.imei)) return wrong(10406, 'device already exists')
        const made: OneNetDevice = {
          did: String(++serial),
          product,
          name,
          imei: String(body.imei),
          online: false,
          properties: {},
          ...(body.psk ? { psk: String(body.psk) } : {}),
        }
        devices.push(made)
        return fine({ did: made.did, pid: product, name, sec_key: 'c2ltdWxhdGVk' })
      }
      case 'POST /device/delete':
        if (!device) return wrong(10410, 'device not found')
        devices.splice(devices.indexOf(device), 1)
        return fine()
      case 'POST /thingmodel/set-device-property':
      case 'POST /thingmodel/call-service':
        if (!device) return wrong(10410, 'device not found')
        if (!device.online) return wrong(10411, 'device not response in 10s')
        if (path.endsWith('property')) Object.assign(device.properties, body.params)
        return fine({ id: String(++serial), code: 200, msg: 'success' })
      case 'POST /nb-iot/offline': {
        const target = devices.find(one => one.imei === query.imei)
        if (!target) return wrong(10410, 'device not found')
        if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(query.expired_time ?? '')) return wrong(10415, 'expired_time')
        const command: OneNetCommand = {
          uuid: randomUUID(),
          imei: target.imei,
          data: body.data,
          status: 1,
          until: Date.parse(`${query.expired_time}+08:00`),
        }
        cached.push(command)
        return fine({ uuid: command.uuid })
      }
      default: {
        const command = cached.find(one => path === `/nb-iot/offline/history/${one.uuid}`)
        if (!command) return wrong(10404, 'not found')
        if (command.status === 1 && command.until < now()) command.status = 4
        return fine({ uuid: command.uuid, imei: command.imei, send_status: command.status, confirm_status: 0 })
      }
    }
  }

  const server = await servePlatform(options, answer, wrong)
  const signature = (text: string, token: string) =>
    createHash('md5')
      .update(Buffer.from(`${token}${NONCE}${text}`))
      .digest('base64')

  async function push(
    target: string,
    message: object,
    { token = pushToken, id = randomUUID(), plain = false }: { token?: string; id?: string; plain?: boolean } = {},
  ): Promise<PushAnswer> {
    let msg = JSON.stringify(message)
    if (aesKey && !plain) {
      const key = Buffer.from(aesKey, 'latin1')
      const cipher = createCipheriv('aes-128-cbc', key, key)
      msg = cipher.update(msg, 'utf8', 'base64') + cipher.final('base64')
    }
    return postJson(target, { msg, nonce: NONCE, signature: signature(msg, token), time: now(), id })
  }

  return {
    ...server,
    devices,
    cached,
    faults,
    asked,
    push,
    async check(target, { msg = 'hello123', nonce = NONCE, token = pushToken } = {}) {
      const made = createHash('md5').update(`${token}${nonce}${msg}`).digest('base64')
      // As the platform does it: the plus of Base64 is not encoded, and arrives as a space.
      const query = `msg=${encodeURIComponent(msg)}&nonce=${encodeURIComponent(nonce)}&signature=${encodeURIComponent(made).replaceAll('%2B', '+')}`
      const answered = await fetch(`${target}?${query}`)
      return { status: answered.status, body: await answered.text() }
    },
    report(target, did, params) {
      const device = devices.find(one => one.did === did)
      return push(target, {
        productId: device?.product ?? products[0],
        deviceId: did,
        deviceName: device?.name ?? '',
        imei: device?.imei ?? '',
        messageType: 'notify',
        notifyType: 'property',
        data: { id: String(now()), version: '1.0', params },
      })
    },
  }
}
