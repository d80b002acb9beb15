import { createCipheriv, createECDH, createPrivateKey, hkdfSync, randomBytes, sign } from 'node:crypto'
import { ChannelError, type PushMessage, type WebPush } from '../../modules/contacts/channel.port.ts'
import type { ChannelHttp } from './http-channel.ts'

const CURVE = 'prime256v1'
/** The record size that is written down (RFC 8188); a message is one record. */
const RECORD_SIZE = 4_096
/** Bytes of a message that every push service takes (RFC 8030 §7.2) less header, tag and delimiter (RFC 8291 §4). */
const MOST_BYTES = 3_993
/** Seconds that a push service keeps a message for a device that is switched off. */
const TTL_SECONDS = 86_400
/** Seconds for which a signed claim is valid; push services refuse more than a day (RFC 8292 §2). */
const CLAIM_SECONDS = 43_200
/** The browser unsubscribed, or the address never was. */
const GONE = new Set([404, 410])

/** A P-256 key pair of this installation, by which push services know who sends. */
export interface PushKeys {
  /** 32 bytes. */
  privateKey: Buffer
  /** 65 bytes, uncompressed. */
  publicKey: Buffer
}

/** @param secret 32 bytes that are derived from the installation's secret; the pair is the same for the same secret */
export function pushKeysOf(secret: Buffer): PushKeys {
  const pair = createECDH(CURVE)
  pair.setPrivateKey(secret)
  return { privateKey: secret, publicKey: pair.getPublicKey() }
}

/** What a browser handed over when it subscribed. */
export interface ReceiverKeys {
  /** 65 bytes. */
  p256dh: Buffer
  /** 16 bytes. */
  auth: Buffer
}

/**
 * Encrypts a message for one browser: RFC 8291 with the content coding aes128gcm of RFC 8188, one record.
 * @param fresh salt and sender's key, for the vector of RFC 8291 §5; absent: random
 * @throws RangeError for more than 3,993 bytes
 */
export function encryptPush(
  plain: Buffer,
  { p256dh, auth }: ReceiverKeys,
  fresh?: { salt: Buffer; privateKey: Buffer },
): Buffer {
  if (plain.length > MOST_BYTES) throw new RangeError(`${plain.length} bytes`)
  const own = createECDH(CURVE)
  if (fresh) own.setPrivateKey(fresh.privateKey)
  else own.generateKeys()
  const ownPublic = own.getPublicKey()
  const shared = own.computeSecret(p256dh)
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, ownPublic])
  const input = Buffer.from(hkdfSync('sha256', shared, auth, keyInfo, 32))
  const salt = fresh?.salt ?? randomBytes(16)
  const key = Buffer.from(hkdfSync('sha256', input, salt, 'Content-Encoding: aes128gcm\0', 16))
  const nonce = Buffer.from(hkdfSync('sha256', input, salt, 'Content-Encoding: nonce\0', 12))
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  // 2 ends the last record.
  const body = Buffer.concat([cipher.update(plain), cipher.update(Buffer.from([2])), cipher.final()])
  const head = Buffer.alloc(21)
  salt.copy(head)
  head.writeUInt32BE(RECORD_SIZE, 16)
  head.writeUInt8(ownPublic.length, 20)
  return Buffer.concat([head, ownPublic, body, cipher.getAuthTag()])
}

/** `Authorization` of a request to a push service: a claim signed with ES256 (RFC 8292). @param now ms */
export function vapidHeader(keys: PushKeys, endpoint: URL, subject: string, now: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claim = { aud: endpoint.origin, exp: Math.floor(now / 1_000) + CLAIM_SECONDS, sub: subject }
  const signed = `${part({ typ: 'JWT', alg: 'ES256' })}.${part(claim)}`
  const [x, y] = [keys.publicKey.subarray(1, 33), keys.publicKey.subarray(33)]
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: keys.privateKey.toString('base64url'),
      x: x.toString('base64url'),
      y: y.toString('base64url'),
    },
  })
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
  return `vapid t=${signed}.${signature}, k=${keys.publicKey.toString('base64url')}`
}

export interface WebPushDeps {
  http: ChannelHttp
  keys: PushKeys
  /** Where the console is. */
  consoleUrl(): string
  now(): number
}

/** Pushes messages to browsers through the push services that they name. */
export function createWebPush({ http, keys, consoleUrl, now }: WebPushDeps): WebPush {
  return {
    publicKey: keys.publicKey.toString('base64url'),
    async send({ endpoint, p256dh, auth }, message) {
      const url = new URL(endpoint)
      const receiver = { p256dh: Buffer.from(p256dh, 'base64url'), auth: Buffer.from(auth, 'base64url') }
      const headers = {
        authorization: vapidHeader(keys, url, subjectOf(consoleUrl()), now()),
        'content-encoding': 'aes128gcm',
        'content-type': 'application/octet-stream',
        ttl: String(TTL_SECONDS),
        urgency: message.isUrgent ? 'high' : 'normal',
      }
      const { status } = await http.post(null, endpoint, headers, encryptPush(fitted(message), receiver))
      if (status >= 200 && status < 300) return
      const isLater = status === 429 || status >= 500
      throw new ChannelError(GONE.has(status) ? 'account' : isLater ? 'again' : 'never', `HTTP ${status}`)
    },
  }
}

/** Push services take `https:` and `mailto:` alone. */
const subjectOf = (consoleUrl: string) =>
  consoleUrl.startsWith('https://') ? consoleUrl : 'mailto:console@thingwright.invalid'

/** As JSON of no more bytes than every push service takes: a longer text is cut. */
function fitted({ title, text, link, tag }: PushMessage): Buffer {
  const jsonOf = (length: number) => {
    const cut = [...text]
    const shown = cut.length <= length ? text : `${cut.slice(0, length).join('')}…`
    return Buffer.from(JSON.stringify({ title: title.slice(0, 200), text: shown, link, tag }))
  }
  for (let length = 1_000; ; length = Math.floor(length * 0.8)) {
    const json = jsonOf(length)
    if (json.length <= MOST_BYTES || length === 0) return json
  }
}
