import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../lib/clock.ts'
import { secretHash } from '../../lib/crypto/secrets.ts'
import { silentLogger } from '../../lib/log.ts'
import type { Directory, DirectoryEntry } from '../directory/directory.ts'
import type { IdentityQueries } from '../identity/identity.repo.ts'
import type { RegistrationDesk } from '../identity/registration-desk.ts'
import { SignIn } from './sign-in.ts'

const NOW = Date.UTC(2026, 10, 1)
const UNTIL = NOW + 3_600_000

const entry = {
  record: { num: 7, enabled: true },
  published: true,
  companyOpen: true,
  secretHash: secretHash('the new secret'),
  previousSecretHash: secretHash('the old secret'),
  previousSecretUntil: UNTIL,
  tokenHash: secretHash('the new token'),
  previousTokenHash: secretHash('the old token'),
  previousTokenUntil: UNTIL,
} as unknown as DirectoryEntry
const peer = { address: '192.0.2.1:50000', transport: 'mqtt' } as const
const name = { productKey: 'pk', deviceNo: 'one' }

function desk() {
  const clock = new ManualClock(NOW)
  const signIn = new SignIn({
    directory: { find: async () => entry } as unknown as Directory,
    // The database finds whatever is asked for: what counts is what the entry says.
    queries: {
      tokenOwners: async (hashes: string[]) => new Map(hashes.map(hash => [hash, name])),
    } as unknown as IdentityQueries,
    secrets: null,
    desk: {} as RegistrationDesk,
    clock,
    logger: silentLogger,
  })
  const ways = {
    secret: (secret: string) => signIn.check({ kind: 'secret', ...peer, ...name, secret: Buffer.from(secret) }),
    token: (token: string) => signIn.check({ kind: 'token', ...peer, token }),
  }
  return { clock, ways }
}

describe('what a device signed in with before a rotation', () => {
  it.each([
    ['secret', 'wrong_secret'],
    ['token', 'wrong_token'],
  ] as const)('is a good %s up to the last millisecond of its time, and the new one for good', async (kind, reason) => {
    const { clock, ways } = desk()
    const signIn = ways[kind]
    expect(await signIn(`the old ${kind}`)).toMatchObject({ ok: true, device: { num: 7 } })
    clock.advance(UNTIL - NOW - 1)
    expect(await signIn(`the old ${kind}`)).toMatchObject({ ok: true })
    clock.advance(1)
    expect(await signIn(`the old ${kind}`)).toEqual({ ok: false, reason })
    expect(await signIn(`the new ${kind}`)).toMatchObject({ ok: true })
    expect(await signIn(`another ${kind}`)).toEqual({ ok: false, reason })
  })
})
