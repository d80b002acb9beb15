import { createHmac, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts'

const SECRET = 'secret-of-this-test'
const NOW = 1767225600000
let receiver: WebhookReceiver
beforeAll(async () => {
  receiver = await startWebhookReceiver({ secret: SECRET, now: () => NOW })
})
afterAll(() => receiver.close())

const BODY = JSON.stringify({
  items: [{ id: 'a', type: 'property', ts: 1, productKey: 'p', deviceNo: 'd', deviceId: 'x', data: { n: 1 } }],
})

async function post(
  over: { body?: string; sent?: string; at?: number; nonce?: string; secret?: string; signal?: AbortSignal } = {},
): Promise<number> {
  const { body = BODY, at = NOW, nonce = randomBytes(12).toString('hex'), secret = SECRET } = over
  const v1 = createHmac('sha256', secret).update(`${at}.${nonce}.${body}`).digest('hex')
  const reply = await fetch(receiver.url, {
    method: 'POST',
    body: over.sent ?? body,
    ...(over.signal ? { signal: over.signal } : {}),
    headers: { 'thingwright-signature': `t=${at},n=${nonce},v1=${v1}` },
  })
  return reply.status
}

describe('a receiver that believes nobody', () => {
  it('takes what is signed, now and once', async () => {
    expect(await post({ nonce: 'a-nonce-that-comes-twice' })).toBe(200)
    expect(receiver.items.map(({ id }) => id)).toEqual(['a'])
    expect(await post({ nonce: 'a-nonce-that-comes-twice' })).toBe(401)
    expect(await post({ sent: BODY.replace('"n":1', '"n":2') })).toBe(401)
    expect(await post({ secret: 'another' })).toBe(401)
    expect(await post({ at: NOW - 301_000 })).toBe(401)
    expect(await post({ at: NOW + 301_000 })).toBe(401)
    expect(receiver.faults.splice(0)).toEqual([
      'a nonce came twice',
      'the signature does not fit',
      'the signature does not fit',
      'the time is not now',
      'the time is not now',
    ])
    expect(receiver.items.length).toBe(1)
  })

  it('sees duplicates, changed duplicates and disorder', async () => {
    expect(await post()).toBe(200)
    expect(receiver.duplicates).toBe(1)
    expect(await post({ body: BODY.replace('"n":1', '"n":2') })).toBe(422)
    expect(receiver.faults.splice(0)).toEqual(['item a came again with other content'])
    expect(await post({ body: BODY.replace('"a"', '"b"').replace('"n":1', '"n":0') })).toBe(200)
    expect(receiver.outOfOrder(({ data }) => data.n as number)).toEqual(['b'])
  })

  it('hangs once it has taken as many as it was told', async () => {
    const taken = receiver.items.length
    receiver.behave({ kind: 'slow', ms: 1, most: taken + 1 })
    expect(await post({ body: BODY.replace('"a"', '"c"') })).toBe(200)
    const giveUp = new AbortController()
    const before = receiver.requests
    const hanging = post({ body: BODY.replace('"a"', '"d"'), signal: giveUp.signal })
    await expect.poll(() => receiver.requests).toBe(before + 1)
    receiver.behave({ kind: 'take' })
    expect(await post({ body: BODY.replace('"a"', '"e"') })).toBe(200)
    giveUp.abort()
    await expect(hanging).rejects.toThrow()
    expect(receiver.items.slice(taken).map(({ id }) => id)).toEqual(['c', 'e'])
  })
})
