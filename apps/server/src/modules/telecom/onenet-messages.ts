import { createDecipheriv, createHash, timingSafeEqual } from 'node:crypto'
import { parseExact } from '../../lib/exact-json.ts'
import {
  type Fields,
  fieldsOf,
  imeiOf,
  optionalText,
  type PlatformMessage,
  textOf,
  timeOf,
  UnreadableMessage,
} from './messages.ts'

/** What OneNET signs: token, nonce and message one behind the other. */
export function onenetSignature(token: string, nonce: string, msg: string): string {
  return createHash('md5').update(`${token}${nonce}${msg}`).digest('base64')
}

/** @param signature as it came: in an address its plus has become a space */
export function isSigned(token: string, nonce: string, msg: string, signature: string): boolean {
  const wanted = Buffer.from(onenetSignature(token, nonce, msg))
  const given = Buffer.from(signature.replaceAll(' ', '+'))
  return wanted.length === given.length && timingSafeEqual(wanted, given)
}

/** A message of safe mode. @throws Error when it was not made with this key */
export function openMessage(msg: string, aesKey: string): string {
  const key = Buffer.from(aesKey, 'latin1')
  const decipher = createDecipheriv('aes-128-cbc', key, key)
  return decipher.update(msg, 'base64', 'utf8') + decipher.final('utf8')
}

/** One message of OneNET, in the clear. @param id of the push @throws UnreadableMessage */
export function readOneNet(text: string, id: string | null): PlatformMessage {
  let value: unknown
  try {
    value = parseExact(text)
  } catch {
    throw new UnreadableMessage('body', 'msg is no JSON')
  }
  const said = fieldsOf(value, 'msg')
  return {
    identity: id ?? createHash('sha256').update(text).digest('hex'),
    platformDevice: textOf(said.deviceId, 'deviceId'),
    platformProduct: optionalText(said.productId) ?? '',
    imei: imeiOf(said.imei),
    deviceNo: optionalText(said.deviceName),
    says: saysOf(said),
  }
}

function saysOf(said: Fields): PlatformMessage['says'] {
  const messageType = textOf(said.messageType, 'messageType')
  if (messageType === 'lifeCycle') {
    const { status } = fieldsOf(said.data, 'data')
    if (status === 'online' || status === 'offline') return { kind: status }
    throw new UnreadableMessage('kind_unknown', `status ${String(status)}`)
  }
  if (messageType === 'notify') {
    const params = fieldsOf(fieldsOf(said.data, 'data').params, 'data.params')
    if (said.notifyType === 'property') return { kind: 'values', readings: readingsOf(params) }
    if (said.notifyType === 'event')
      return {
        kind: 'events',
        events: Object.entries(params).map(([identifier, each]) => {
          const event = fieldsOf(each, `data.params.${identifier}`)
          return {
            identifier,
            ts: timeOf(event.time, `${identifier}.time`),
            params: fieldsOf(event.value ?? {}, `${identifier}.value`),
          }
        }),
      }
    throw new UnreadableMessage('kind_unknown', `notifyType ${String(said.notifyType)}`)
  }
  // Answers to calls stand in the answers of the calls already; logs of scenes are about no device.
  if (messageType === 'reply' || messageType === 'sceneLog') return { kind: 'nothing' }
  throw new UnreadableMessage('kind_unknown', `messageType ${messageType}`)
}

/** Values of one time are one reading. */
function readingsOf(params: Fields): { ts: number | null; values: Fields }[] {
  const found = new Map<number | null, Fields>()
  for (const [identifier, each] of Object.entries(params)) {
    const said = fieldsOf(each, `data.params.${identifier}`)
    const ts = timeOf(said.time, `${identifier}.time`)
    const values = found.get(ts) ?? {}
    values[identifier] = said.value
    found.set(ts, values)
  }
  return [...found].map(([ts, values]) => ({ ts, values }))
}
