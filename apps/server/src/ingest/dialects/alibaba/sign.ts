import type { Signature } from '../dialect.ts'

const METHODS = new Set(['hmacmd5', 'hmacsha1', 'hmacsha256'])

/** A sign-in as Alibaba's clients make it, without the peer. */
export interface AlibabaSignIn extends Signature {
  productKey: string
  deviceNo: string
}

/**
 * Reads MQTT's CONNECT of such a client (https://help.aliyun.com/zh/iot, "MQTT-TCP 连接通信"): client id
 * `{id}|securemode=3,signmethod=hmacsha256,timestamp=…|`, user name `{deviceName}&{productKey}`, password the hex HMAC of
 * `clientId{id}deviceName{…}productKey{…}timestamp{…}`, keyed with the device secret. Null: no such client.
 */
export function readAlibabaSignIn(clientId: string, username: string, password: Buffer): AlibabaSignIn | null {
  const and = username.lastIndexOf('&')
  const bar = clientId.indexOf('|')
  if (and <= 0 || bar < 0) return null
  const deviceName = username.slice(0, and)
  const productKey = username.slice(and + 1)
  const options = new Map(
    clientId
      .slice(bar)
      .split(/[|,]/)
      .filter(part => part.includes('='))
      .map(part => [part.slice(0, part.indexOf('=')).trim().toLowerCase(), part.slice(part.indexOf('=') + 1).trim()]),
  )
  const signature = signatureOf({
    productKey,
    deviceName,
    clientId: clientId.slice(0, bar),
    timestamp: options.get('timestamp') ?? null,
    method: options.get('signmethod') ?? 'hmacmd5',
    sign: password.toString('latin1'),
  })
  return signature ? { ...signature, productKey, deviceNo: deviceName } : null
}

/** The signed text: names and values in the order of the names, nothing between. Null: no such method. */
export function signatureOf(input: {
  productKey: string
  deviceName: string
  clientId: string
  timestamp: string | null
  method: string
  sign: string
}): Signature | null {
  const method = input.method.toLowerCase()
  if (!METHODS.has(method) || !/^[0-9a-fA-F]{32,64}$/.test(input.sign)) return null
  const { clientId, deviceName, productKey, timestamp } = input
  const time = timestamp === null ? '' : `timestamp${timestamp}`
  return {
    method: method as Signature['method'],
    content: `clientId${clientId}deviceName${deviceName}productKey${productKey}${time}`,
    signature: input.sign,
  }
}
