import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { deriveKey } from '../../lib/crypto/crypto-box.ts'
import { newId } from '../../lib/ids.ts'
import { ACCESS_SECONDS, createTokens } from './tokens.ts'

const SECRET = 'a'.repeat(64)
const claims = { sub: newId(), tid: newId(), app: 'app', ep: 0 }

function forge(header: object, payload: object, key: Buffer | string = 'x'): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const body = `${part(header)}.${part(payload)}`
  return `${body}.${createHmac('sha256', key).update(body).digest('base64url')}`
}

describe('access tokens', () => {
  let now = Date.UTC(2026, 0, 1)
  const tokens = createTokens(SECRET, () => now)

  it('are read back as they were signed', () => {
    expect(tokens.verifyAccess(tokens.signAccess(claims))).toMatchObject(claims)
  })

  it('end after a quarter of an hour, to the second', () => {
    const token = tokens.signAccess(claims)
    now += ACCESS_SECONDS * 1000 - 1
    expect(tokens.verifyAccess(token).sub).toBe(claims.sub)
    now += 1
    expect(() => tokens.verifyAccess(token)).toThrowError('auth.token_expired')
  })

  const good = { ...claims, iss: 'thingwright', aud: 'thingwright-api', iat: 1, exp: 4_000_000_000 }
  const key = deriveKey(SECRET, 'access-token')
  it('can be forged with the right key (the control of the refusals below)', () => {
    expect(tokens.verifyAccess(forge({ alg: 'HS256', typ: 'JWT' }, good, key)).sub).toBe(claims.sub)
  })

  it.each([
    ['another key', forge({ alg: 'HS256', typ: 'JWT' }, good, 'other')],
    ['no signature', `${forge({ alg: 'none', typ: 'JWT' }, good, key).split('.').slice(0, 2).join('.')}.`],
    ['algorithm none with a signature', forge({ alg: 'none', typ: 'JWT' }, good, key)],
    ['another algorithm', forge({ alg: 'HS512', typ: 'JWT' }, good, key)],
    ['an asymmetric algorithm', forge({ alg: 'RS256', typ: 'JWT' }, good, key)],
    ['another issuer', forge({ alg: 'HS256', typ: 'JWT' }, { ...good, iss: 'evil' }, key)],
    ['another audience', forge({ alg: 'HS256', typ: 'JWT' }, { ...good, aud: 'other' }, key)],
    ['no expiry', forge({ alg: 'HS256', typ: 'JWT' }, { ...good, exp: undefined }, key)],
    ['a text as expiry', forge({ alg: 'HS256', typ: 'JWT' }, { ...good, exp: 'never' }, key)],
    ['a login id that is none', forge({ alg: 'HS256', typ: 'JWT' }, { ...good, sub: "x' or 1=1" }, key)],
    ['nothing', ''],
    ['two dots', '..'],
    ['a refresh token', tokens.refreshToken(newId(), 0)],
    ['100 KB', 'a.'.repeat(50_000)],
  ])('with %s are refused', (_name, token) => {
    expect(() => tokens.verifyAccess(token)).toThrowError('auth.token_invalid')
  })

  it('of another installation are refused', () => {
    const other = createTokens('b'.repeat(64), () => now)
    expect(() => tokens.verifyAccess(other.signAccess(claims))).toThrowError('auth.token_invalid')
  })
})

describe('refresh tokens', () => {
  const tokens = createTokens(SECRET, () => 0)
  const family = newId()

  it('are the same for the same family and count, and different for the next', () => {
    expect(tokens.refreshToken(family, 3)).toBe(tokens.refreshToken(family, 3))
    expect(tokens.refreshToken(family, 3)).not.toBe(tokens.refreshToken(family, 4))
    expect(tokens.parseRefresh(tokens.refreshToken(family, 3))).toEqual({ familyId: family, counter: 3 })
  })

  it.each([
    '',
    'x',
    `${family}.0.${'A'.repeat(43)}`,
    `${family}.1e3.${'A'.repeat(43)}`,
    `${'x'.repeat(36)}.0.${'A'.repeat(43)}`,
  ])('that are not ours are refused: %s', token => {
    expect(tokens.parseRefresh(token)).toBeNull()
  })

  it('of another count do not carry this one’s signature', () => {
    const [id, , mac] = tokens.refreshToken(family, 3).split('.')
    expect(tokens.parseRefresh(`${id}.4.${mac}`)).toBeNull()
  })
})
