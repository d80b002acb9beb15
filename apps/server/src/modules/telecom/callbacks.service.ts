import { createHash, timingSafeEqual } from 'node:crypto'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import { readCtwing } from './ctwing-messages.ts'
import * as devices from './devices.repo.ts'
import * as keys from './keys.repo.ts'
import { type PlatformMessage, UnreadableMessage } from './messages.ts'
import { isSigned, openMessage, readOneNet } from './onenet-messages.ts'
import type { PlatformCommandState, PlatformKind } from './platform.port.ts'
import type { PlatformAct, PlatformLink } from './platform-link.port.ts'
import type { Platforms } from './platforms.ts'
import * as refusals from './refused.repo.ts'
import * as seen from './seen.repo.ts'
import { isAllowed } from './sources.ts'

/** What came over the wire, and from where. */
interface Call {
  connection: string
  source: string
}

export interface CallbacksService {
  /** @throws AppError telecom_callback.refused, telecom_callback.later */
  ctwing(call: Call, body: unknown): Promise<object>
  onenet(call: Call, body: unknown): Promise<object>
  /** @returns what OneNET wants to read: its own message */
  onenetCheck(call: Call, said: { msg: string; nonce: string; signature: string }): Promise<string>
  /** Calls to addresses that belong to no key at all. */
  strangers(): number
}

export interface CallbacksDeps {
  database: Database
  platforms: Platforms
  link: PlatformLink
  /** What became of a command, as its platform pushed it. */
  commandSaid(key: keys.KeyRow, deviceId: string, platformNo: string, state: PlatformCommandState): Promise<void>
  /** The device is there: what waits for it may be tried. */
  awake(scope: SystemScope, deviceId: string): Promise<void>
  logger: Logger
  now(): number
}

const CONNECTION = /^([0-9a-f]{12})-([\w-]{43})$/
/** Pushes of one request; AEP sends one. */
const MOST_MESSAGES = 100

export function createCallbacksService(deps: CallbacksDeps): CallbacksService {
  const { database, platforms, link, now } = deps
  let strangers = 0

  const system = <T>(work: (scope: Parameters<Parameters<Database['withSystemScope']>[1]>[0]) => Promise<T>) =>
    database.withSystemScope('telecom', work)

  const list = (key: keys.KeyRow, call: Call, reason: refusals.RefusalReason, detail: string, excerpt: string) =>
    system(scope => refusals.note(scope, key, { reason, detail, source: call.source, excerpt, at: new Date(now()) }))

  async function refuse(
    key: keys.KeyRow,
    call: Call,
    reason: refusals.RefusalReason,
    detail: string,
    excerpt: string,
  ): Promise<never> {
    await list(key, call, reason, detail, excerpt)
    throw new AppError('telecom_callback.refused', { params: { reason } })
  }

  /** The key whose address this is, open to this caller. */
  async function keyOf(platform: PlatformKind, call: Call, excerpt: string): Promise<keys.KeyRow> {
    const [, no, secret = ''] = CONNECTION.exec(call.connection) ?? []
    const key = no === undefined ? undefined : await system(scope => keys.ofCallback(scope, no))
    if (!key || key.platform !== platform) {
      strangers++
      deps.logger.warn({ platform, source: call.source }, 'a callback to an address that no key has')
      throw new AppError('telecom_callback.refused', { params: { reason: 'address' } })
    }
    const given = Buffer.from(secret)
    const wanted = Buffer.from(key.callbackSecret)
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
      return refuse(key, call, 'address', '', excerpt)
    if (!isAllowed(key.allow, call.source)) return refuse(key, call, 'source', '', excerpt)
    if (key.state === 'disabled') return refuse(key, call, 'disabled', '', excerpt)
    return key
  }

  /** Takes one message: the answer is given when it is durable. What is refused for good is listed, and not pushed again. */
  async function take(key: keys.KeyRow, call: Call, read: () => PlatformMessage, excerpt: string): Promise<void> {
    let message: PlatformMessage
    try {
      message = read()
    } catch (error) {
      if (!(error instanceof UnreadableMessage)) throw error
      return list(key, call, error.reason, error.detail, excerpt)
    }
    if (message.says.kind === 'nothing') return
    const digest = createHash('sha256').update(message.identity).digest()
    const found = await system(async scope => ({
      isSeen: await seen.isSeen(scope, key.id, digest),
      device: await devices.ofMessage(scope, key, message),
    }))
    if (found.isSeen) return
    const { device } = found
    const called = [message.platformDevice, message.imei].filter(Boolean).join(' ')
    if (!device) return list(key, call, 'device_unknown', called, excerpt)
    if (device.linkedKey !== key.id) return list(key, call, 'product_link', device.deviceNo, excerpt)
    if (message.says.kind === 'command') {
      const { platformNo, state } = message.says
      await deps.commandSaid(key, device.deviceId, platformNo, state)
    } else
      for (const act of actsOf(message.says, device.format)) {
        const outcome = await link.report({
          productKey: device.productKey,
          deviceNo: device.deviceNo,
          address: key.name,
          act,
        })
        if (!outcome || (outcome.outcome === 'unavailable' && outcome.reason === 'overloaded'))
          throw new AppError('telecom_callback.later')
        if (outcome.outcome !== 'stored') {
          const path = outcome.outcome === 'refused' ? outcome.path : ''
          await list(key, call, 'message', [device.deviceNo, outcome.reason, path].filter(Boolean).join(' '), excerpt)
        }
      }
    await system(async scope => {
      await seen.note(scope, key, digest, new Date(now()))
      await devices.learn(scope, device.deviceId, {
        lastMessageAt: new Date(now()),
        // Known by its IMEI until now: the platform has made it, or somebody did there.
        ...(device.platformDevice === null && device.mirror !== 'removing'
          ? {
              platformDevice: message.platformDevice,
              keyId: key.id,
              platformProduct: message.platformProduct,
              mirror: 'mirrored' as const,
              mirrorFault: null,
              dueAt: null,
            }
          : {}),
      })
      if (message.says.kind !== 'offline') await deps.awake(scope, device.deviceId)
      await keys.heard(scope, key.id, new Date(now()))
    })
  }

  return {
    strangers: () => strangers,

    async ctwing(call, body) {
      const excerpt = excerptOf(body)
      const key = await keyOf('ctwing', call, excerpt)
      const messages = Array.isArray(body) ? body : [body]
      if (messages.length > MOST_MESSAGES) await refuse(key, call, 'body', `${messages.length} messages`, excerpt)
      for (const message of messages) await take(key, call, () => readCtwing(message), excerptOf(message))
      return { code: 0, msg: 'ok' }
    },

    async onenet(call, body) {
      const excerpt = excerptOf(body)
      const key = await keyOf('onenet', call, excerpt)
      const said = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
      const { msg, nonce, signature, id } = said
      if (typeof msg !== 'string' || typeof nonce !== 'string' || typeof signature !== 'string')
        return refuse(key, call, 'body', 'msg, nonce and signature', excerpt)
      const { token, aesKey } = platforms.secretsOf(key)
      if (token === '' || !isSigned(token, nonce, msg, signature))
        return refuse(key, call, 'signature', token === '' ? 'no token is set' : '', excerpt)
      let text = msg
      if (aesKey !== '')
        try {
          text = openMessage(msg, aesKey)
        } catch {
          return refuse(key, call, 'cipher', '', excerpt)
        }
      await take(key, call, () => readOneNet(text, typeof id === 'string' && id !== '' ? id : null), text)
      return { code: 0, msg: 'ok' }
    },

    async onenetCheck(call, { msg, nonce, signature }) {
      const key = await keyOf('onenet', call, msg)
      const { token } = platforms.secretsOf(key)
      if (token === '' || !isSigned(token, nonce, msg, signature))
        return refuse(key, call, 'signature', token === '' ? 'no token is set' : '', msg)
      return msg
    },
  }
}

/** What a message means in the device path. */
function actsOf(
  says: Exclude<PlatformMessage['says'], { kind: 'command' | 'nothing' }>,
  format: { kind?: string },
): PlatformAct[] {
  switch (says.kind) {
    case 'bytes':
      return [{ kind: 'raw', bytes: says.bytes }]
    case 'values':
      // A product with a format of its own reads what its device sends; the platform handed it on as it came.
      if (format.kind !== 'json' || Object.keys(format).length > 1)
        return says.readings.map(({ values }) => ({ kind: 'raw', bytes: Buffer.from(JSON.stringify(values)) }))
      return says.readings.map(({ ts, values }) => ({
        kind: 'property',
        payload: JSON.stringify(ts === null ? values : { ts, values }),
      }))
    case 'events':
      return says.events.map(({ identifier, ts, params }) => ({
        kind: 'event',
        identifier,
        payload: JSON.stringify(ts === null ? { params } : { ts, params }),
      }))
    default:
      return [says]
  }
}

const excerptOf = (body: unknown) => (JSON.stringify(body) ?? '').slice(0, 1_000)
