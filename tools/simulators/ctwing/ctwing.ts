import { createHmac, randomBytes } from 'node:crypto'
import type { Behaviour } from '../cards/behaviour.ts'
import { type Asked, type PushAnswer, postJson, servePlatform } from '../platforms/platform-server.ts'
import texts from './texts.json' with { type: 'json' }

export interface CtwingOptions {
  port?: number
  host?: string
  appKey?: string
  appSecret?: string
  /** Product id → MasterKey. */
  products?: Record<string, string>
  now?: () => number
  /** How far a timestamp may be off. */
  skewMs?: number
}

export interface CtwingDevice {
  deviceId: string
  productId: string
  imei: string
  imsi?: string
  psk?: string
  name: string
}

export interface CtwingCommand {
  commandId: string
  deviceId: string
  productId: string
  content: Record<string, unknown>
  ttl: number
  at: number
  status: 1 | 2 | 3 | 4 | 6 | 999
}

export interface CtwingPlatform {
  url: string
  devices: CtwingDevice[]
  commands: CtwingCommand[]
  /** What was wrong with requests. */
  faults: string[]
  asked: string[]
  behave(behaviour: Behaviour, times?: number): void
  /** A device reports: transparent bytes, or names and values. */
  report(
    target: string,
    deviceId: string,
    payload: Buffer | Record<string, unknown>,
    over?: object,
  ): Promise<PushAnswer>
  push(target: string, message: object): Promise<PushAnswer>
  /** The device wakes up: what waits for it is sent, and it answers. @param answer false: it takes them and says nothing */
  wake(target: string, deviceId: string, answer?: boolean): Promise<void>
  close(): Promise<void>
}

/** Method and path → version, and whether the MasterKey is asked for. */
const CALLS: Readonly<Record<string, { version: string; master: boolean }>> = {
  'GET /aep_product_management/products': { version: '20190507004824', master: false },
  'POST /aep_device_management/device': { version: '20181031202117', master: true },
  'DELETE /aep_device_management/device': { version: '20181031202131', master: true },
  'GET /aep_nb_device_management/getDeviceByImei': { version: '20221130175656', master: true },
  'POST /aep_device_command/command': { version: '20190712225145', master: true },
  'GET /aep_device_command/command': { version: '20190712225241', master: true },
}

/** CTWing AEP: signed calls on its own port, and unsigned pushes to the address that it was given. */
export async function startCtwing(options: CtwingOptions = {}): Promise<CtwingPlatform> {
  const { appKey = 'simulated-app', appSecret = 'simulated-secret', now = Date.now, skewMs = 600_000 } = options
  const products = options.products ?? { '10000001': '00112233445566778899aabbccddeeff' }
  const devices: CtwingDevice[] = []
  const commands: CtwingCommand[] = []
  const faults: string[] = []
  const asked: string[] = []
  let serial = 0

  const fine = (result: unknown) => ({ code: 0, msg: 'ok', result })
  const wrong = (code: number | string, msg: string) => ({ code: Number(code), msg, result: null })

  function fault(what: string, code: number, msg: string) {
    faults.push(what)
    return wrong(code, msg)
  }

  /** The platform's own reading of its document: lines of key, time, sorted parameters with the MasterKey, body. */
  function signed({ query, headers, body }: Asked): boolean {
    const fields = [...query]
    const master = headers.masterkey
    if (typeof master === 'string') fields.push(['MasterKey', master])
    fields.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    let text = `application:${headers.application}\ntimestamp:${headers.timestamp}\n`
    for (const [name, value] of fields) text += `${name}:${value}\n`
    if (body) text += `${body}\n`
    const mac = createHmac('sha1', appSecret)
    mac.update(text, 'utf8')
    return mac.digest().toString('base64') === headers.signature
  }

  function answer(request: Asked): unknown {
    const { method, path, headers } = request
    asked.push(`${method} ${path}`)
    const call = CALLS[`${method} ${path}`]
    if (!call || headers.version !== call.version) return fault('no such call or version', 404, texts.version)
    if (headers.application !== appKey) return fault('no such application', 1403, texts.noApplication)
    const at = Number(headers.timestamp)
    if (!signed(request) || !(Math.abs(at - now()) <= skewMs))
      return fault('the signature does not fit', 1401, texts.signature)
    const body = request.body ? (JSON.parse(request.body) as Record<string, unknown>) : {}
    const query = Object.fromEntries(request.query)
    if (!call.master) return fine({ pageNum: 1, pageSize: 1, total: Object.keys(products).length, list: [] })
    const productId = String(body.productId ?? query.productId ?? '')
    const master = products[productId]
    if (master === undefined) return fault('no such product', 1002, texts.noProduct)
    if (headers.masterkey !== master) return fault('the MasterKey is wrong', 1404, texts.masterKey)
    switch (`${method} ${path}`) {
      case 'POST /aep_device_management/device': {
        const imei = String(body.imei ?? '')
        if (!/^\d{15}$/.test(imei) || !body.deviceName || !body.operator) return wrong(8803, texts.parameter)
        if (devices.some(device => device.imei === imei)) return wrong(2010115, texts.imeiThere)
        const other = (body.other ?? {}) as { imsi?: string; pskValue?: string }
        const device: CtwingDevice = {
          deviceId: randomBytes(16).toString('hex'),
          productId,
          imei,
          name: String(body.deviceName),
          ...(other.imsi ? { imsi: other.imsi } : {}),
          ...(other.pskValue ? { psk: other.pskValue } : {}),
        }
        devices.push(device)
        return fine({
          deviceId: device.deviceId,
          deviceName: device.name,
          productId: Number(productId),
          imei,
          token: null,
        })
      }
      case 'DELETE /aep_device_management/device': {
        const ids = (query.deviceIds ?? '').split(',')
        if (!ids.every(id => devices.some(device => device.deviceId === id))) return wrong(1104, texts.noDevice)
        for (const id of ids)
          devices.splice(
            devices.findIndex(device => device.deviceId === id),
            1,
          )
        return fine(null)
      }
      case 'GET /aep_nb_device_management/getDeviceByImei': {
        const device = devices.find(one => one.imei === query.imei && one.productId === productId)
        return device
          ? fine({
              deviceId: device.deviceId,
              deviceName: device.name,
              imei: device.imei,
              deviceStatus: 0,
              netStatus: null,
            })
          : wrong(1104, texts.noDevice)
      }
      case 'POST /aep_device_command/command': {
        const deviceId = String(body.deviceId ?? '')
        if (!devices.some(device => device.deviceId === deviceId)) return wrong(1104, texts.noDevice)
        const { content, ttl } = body as { content?: Record<string, unknown>; ttl?: number }
        if (typeof content !== 'object' || !Number.isInteger(ttl) || ttl! < 0 || ttl! > 864_000)
          return wrong(8803, texts.parameter)
        const command: CtwingCommand = {
          commandId: String(++serial),
          deviceId,
          productId,
          content,
          ttl: ttl!,
          at: now(),
          status: 1,
        }
        commands.push(command)
        return fine({ commandId: command.commandId, command: JSON.stringify(content), commandStatus: texts['1'] })
      }
      default: {
        const command = commands.find(one => one.commandId === query.commandId && one.deviceId === query.deviceId)
        if (!command) return wrong(1105, texts.noCommand)
        if (command.status === 1 && command.at + command.ttl * 1_000 < now()) command.status = 999
        return fine({
          commandId: command.commandId,
          commandStatus: texts[String(command.status) as '1'],
          resultCode: '',
          resultMessage: '',
        })
      }
    }
  }

  const server = await servePlatform(options, answer, wrong)
  const head = (deviceId: string) => {
    const device = devices.find(one => one.deviceId === deviceId)
    return {
      tenantId: '10000000',
      productId: device?.productId ?? '10000001',
      deviceId,
      protocol: 'lwm2m',
      timestamp: now(),
    }
  }
  const push = (target: string, message: object) => postJson(target, message)
  const result = (target: string, command: CtwingCommand, resultCode: string) =>
    push(target, {
      ...head(command.deviceId),
      messageType: 'commandResponse',
      taskId: Number(command.commandId),
      result: { resultCode, resultDetail: '' },
    })
  return {
    ...server,
    devices,
    commands,
    faults,
    asked,
    push,
    report(target, deviceId, payload, over = {}) {
      const device = devices.find(one => one.deviceId === deviceId)
      return push(target, {
        ...head(deviceId),
        messageType: 'dataReport',
        topic: Buffer.isBuffer(payload) ? 'v1/up/ad' : 'v1/up/ad19',
        IMEI: device?.imei ?? '',
        IMSI: 'undefined',
        deviceType: '',
        assocAssetId: '',
        upPacketSN: -1,
        upDataSN: -1,
        serviceId: '',
        payload: Buffer.isBuffer(payload) ? { APPdata: payload.toString('base64') } : payload,
        ...over,
      })
    },
    async wake(target, deviceId, answers = true) {
      await push(target, {
        ...head(deviceId),
        messageType: 'deviceOnlineOfflineReport',
        eventType: 1,
        iccid: 'undefined',
      })
      for (const command of commands) {
        if (command.deviceId !== deviceId || command.status !== 1) continue
        if (command.at + command.ttl * 1_000 < now()) {
          command.status = 999
          await result(target, command, 'EXPIRED')
          continue
        }
        command.status = 3
        await result(target, command, 'SENT')
        await result(target, command, 'DELIVERED')
        if (!answers) continue
        command.status = 4
        await result(target, command, 'SUCCESSFUL')
      }
    },
  }
}
