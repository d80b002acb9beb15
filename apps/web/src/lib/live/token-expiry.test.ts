import { describe, expect, it } from 'vitest'
import { tokenExpiry } from './token-expiry.ts'

const jwt = (payload: unknown) => `h.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.s`

describe('end of a token', () => {
  it('is what the token says', () => {
    expect(tokenExpiry(jwt({ exp: 1_800_000_000, name: '物匠云??>>' }))).toBe(1_800_000_000_000)
  })

  it.each(['', 'opaque', 'a.b.c', jwt({}), jwt({ exp: 'soon' }), jwt(null)])('is unknown for %j', token =>
    expect(tokenExpiry(token)).toBeNull(),
  )
})
