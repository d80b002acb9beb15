import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createChannelHttp } from './http-channel.ts'
import { createWebPush, encryptPush, pushKeysOf } from './web-push.ts'

const bytes = (text: string) => Buffer.from(text, 'base64url')
/** RFC 8291 §5 and appendix A. */
const RFC = {
  plain: 'When I grow up, I want to be a watermelon',
  privateKey: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
  receiver: {
    privateKey: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
  salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'),
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
}
const NOW = Date.parse('2026-03-01T00:00:00Z')
const KEYS = pushKeysOf(Buffer.alloc(32, 7))
const { p256dh, auth } = RFC.receiver

describe('a pushed message', () => {
  it('is encrypted as RFC 8291 says', () => {
    const body = encryptPush(
      Buffer.from(RFC.plain),
      { p256dh: bytes(p256dh), auth: bytes(auth) },
      { salt: RFC.salt, privateKey: RFC.privateKey },
    )
    expect(body.toString('base64url')).toBe(RFC.body)
  })

  it('has another salt and key each time', () => {
    const one = () => encryptPush(Buffer.from('x'), { p256dh: bytes(p256dh), auth: bytes(auth) }).toString('hex')
    expect(one()).not.toBe(one())
  })
})

/** A push service and a browser, with the Web Crypto API in the place of the code that sends. */
const { subtle } = globalThis.crypto
const imported = (point: Buffer, d: string | null, name: 'ECDH' | 'ECDSA') =>
  subtle.importKey(
    'jwk',
    {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
      ...(d === null ? {} : { d }),
    },
    { name, namedCurve: 'P-256' },
    false,
    name === 'ECDSA' ? ['verify'] : d === null ? [] : ['deriveBits'],
  )

async function derive(input: Buffer, salt: Buffer, info: Buffer, length: number): Promise<Buffer> {
  const key = await subtle.importKey('raw', input, 'HKDF', false, ['deriveBits'])
  return Buffer.from(await subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, key, length * 8))
}

async function opened(body: Buffer): Promise<string> {
  const [salt, length] = [body.subarray(0, 16), body[20]!]
  const sender = body.subarray(21, 21 + length)
  const own = await imported(bytes(p256dh), RFC.receiver.privateKey, 'ECDH')
  const shared = await subtle.deriveBits({ name: 'ECDH', public: await imported(sender, null, 'ECDH') }, own, 256)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), bytes(p256dh), sender])
  const input = await derive(Buffer.from(shared), bytes(auth), info, 32)
  const key = await derive(input, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const iv = await derive(input, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const aes = await subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt'])
  const plain = Buffer.from(await subtle.decrypt({ name: 'AES-GCM', iv }, aes, body.subarray(21 + length)))
  expect(plain.at(-1)).toBe(2)
  return plain.subarray(0, -1).toString('utf8')
}

async function signedBy(request: IncomingMessage): Promise<Record<string, unknown>> {
  const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(request.headers.authorization ?? '') ?? []
  const [head = '', claim = '', signature = ''] = token.split('.')
  const isSigned = await subtle.verify(
    { name: 'ECDSA', hash: 'SHA-256' },
    await imported(bytes(key), null, 'ECDSA'),
    bytes(signature),
    Buffer.from(`${head}.${claim}`),
  )
  expect(isSigned).toBe(true)
  expect(JSON.parse(bytes(head).toString())).toEqual({ typ: 'JWT', alg: 'ES256' })
  return { key, ...JSON.parse(bytes(claim).toString()) }
}

describe('a push service', () => {
  let status = 201
  const received: { headers: IncomingMessage['headers']; claim: Record<string, unknown>; text: string }[] = []
  const faults: unknown[] = []
  async function take(request: IncomingMessage): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const claim = await signedBy(request)
    received.push({ headers: request.headers, claim, text: await opened(Buffer.concat(parts)) })
  }
  const server = createServer((request, response) => {
    take(request)
      .catch(error => faults.push(error))
      .finally(() => response.writeHead(status).end())
  })
  let endpoint = ''
  beforeAll(async () => {
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/push/JzLQ3raZ`
  })
  afterAll(() => new Promise(resolve => server.close(resolve)))
  beforeEach(() => {
    status = 201
    received.length = faults.length = 0
  })

  const push = createWebPush({
    http: createChannelHttp({ allow: ['127.0.0.1/32'] }),
    keys: KEYS,
    consoleUrl: () => 'https://console.example',
    now: () => NOW,
  })
  const message = { title: 'Warm', text: '冷库：9.5 ℃', link: '/alarm', tag: 'a', isUrgent: true }
  const send = (more: object = {}) => push.send({ endpoint, p256dh, auth }, { ...message, ...more })

  it('reads who sends and when it ends, and the browser reads the message', async () => {
    await send()
    expect(faults).toEqual([])
    expect(received[0]).toMatchObject({
      headers: { 'content-encoding': 'aes128gcm', ttl: '86400', urgency: 'high' },
      claim: {
        key: push.publicKey,
        aud: new URL(endpoint).origin,
        sub: 'https://console.example',
        exp: NOW / 1_000 + 43_200,
      },
    })
    expect(JSON.parse(received[0]!.text)).toEqual({ title: 'Warm', text: '冷库：9.5 ℃', link: '/alarm', tag: 'a' })
  })

  it.each([['多条报警\n'.repeat(2_000)], ['😀'.repeat(3_000)], ['"\\\n'.repeat(3_000)]])(
    'takes a text of any length',
    async text => {
      await send({ text, isUrgent: false })
      expect(faults).toEqual([])
      expect(Number(received[0]!.headers['content-length'])).toBeLessThanOrEqual(4_096)
      const shown = JSON.parse(received[0]!.text).text as string
      expect(shown.endsWith('…')).toBe(true)
      expect(text.startsWith(shown.slice(0, -1))).toBe(true)
    },
  )

  it.each([
    [410, 'account'],
    [404, 'account'],
    [429, 'again'],
    [500, 'again'],
    [503, 'again'],
    [400, 'never'],
    [403, 'never'],
    [413, 'never'],
  ])('that answers %i', async (answer, kind) => {
    status = answer
    await expect(send()).rejects.toMatchObject({ kind, message: `HTTP ${answer}` })
  })

  it('inside the network of the installation is not asked', async () => {
    const guarded = createWebPush({
      http: createChannelHttp({ allow: [] }),
      keys: KEYS,
      consoleUrl: () => 'http://localhost',
      now: () => NOW,
    })
    await expect(guarded.send({ endpoint, p256dh, auth }, message)).rejects.toMatchObject({ kind: 'account' })
    expect(received).toEqual([])
  })
})
