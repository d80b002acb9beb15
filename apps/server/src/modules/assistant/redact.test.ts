import { describe, expect, it } from 'vitest'
import { redact, redactText } from './redact.ts'

const CANARY = 'canary-7f3a91'

describe('what the assistant passes on', () => {
  it.each([
    'secret',
    'deviceSecret',
    'device_secret',
    'productSecret',
    'password',
    'newPassword',
    'accessToken',
    'access_token',
    'refreshToken',
    'apiKey',
    'api_key',
    'api_key_cipher',
    'privateKey',
    'webhookSecret',
    'authorization',
    'Cookie',
    'pin',
    'psk',
    'hash',
    'passphrase',
    'credentials',
  ])('holds no value under %s, wherever it stands', key => {
    for (const value of [CANARY, [CANARY], { inner: CANARY }])
      expect(JSON.stringify(redact({ items: [{ deep: { [key]: value } }] }))).not.toContain(CANARY)
  })

  it.each([
    ['a key of ours', 'twk_k3p9x7aaLONGLONG'],
    ['a JSON web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF-_123'],
    ['a private key', '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\nabc\n-----END EC PRIVATE KEY-----'],
    ['a private key that was cut', '-----BEGIN PRIVATE KEY-----\nMHcCAQEE'],
  ])('holds no text that is %s, also within other words', (_, secret) => {
    const told = redact({ note: `before ${secret} after`, list: [secret] })
    expect(JSON.stringify(told)).not.toContain(secret.slice(8, 24))
    expect(told.note).toMatch(/^before \[secret\]/)
    expect(redactText(secret)).toBe('[secret]')
  })

  it('holds no secret that is a number', () => {
    const told = redact({
      password: 12345678,
      pin: 4821,
      verificationCode: 482913,
      pairs: [{ name: 'password', value: 87654321 }],
    })
    expect(told).toEqual({
      password: '[secret]',
      pin: '[secret]',
      verificationCode: '[secret]',
      pairs: [{ name: 'password', value: '[secret]' }],
    })
  })

  it('keeps what only sounds like a secret', () => {
    const harmless = {
      id: '0190a0a0-0000-7000-8000-000000000001',
      hasApiKey: true,
      passwordChangedAt: '2026-11-22T00:00:00.000Z',
      promptTokens: 12,
      tokenCount: 3,
      secretKind: 'device',
      apiKeys: [{ id: '1', name: 'Warehouse' }],
      topic: 'v1/devices/me/telemetry',
      password: null,
      secret: '',
      keyword: 'temperature',
    }
    expect(redact(harmless)).toEqual(harmless)
  })

  it('changes a copy, also of what is nested without end', () => {
    const given = { a: { token: CANARY } }
    redact(given)
    expect(given.a.token).toBe(CANARY)
    let deep: Record<string, unknown> = { token: CANARY }
    for (let n = 0; n < 1000; n++) deep = { deep }
    expect(JSON.stringify(redact(deep))).not.toContain(CANARY)
  })

  it('copies what JSON would lose a way into the prototype by', () => {
    const told = redact(JSON.parse('{"__proto__":{"polluted":true},"a":1}')) as Record<string, unknown>
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(told.polluted).toBeUndefined()
  })
})
