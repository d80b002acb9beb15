import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedCompany } from '../../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { createTenantsService } from '../tenants/index.ts'
import { createIdentityService, createSmsCodes, createTokens, hashPassword, type IdentityService } from './index.ts'

const SECRET = 'a'.repeat(64)
const PASSWORD = 'right horse battery'
const PHONE = '13912345678'
const peer = { ip: '127.0.0.1', userAgent: 'test', locale: 'zh' as const, requestId: 'r' }

describe('sign-in', () => {
  let db: TestDatabase
  let identity: IdentityService
  let tenantId: string
  let now = Date.UTC(2026, 5, 1)
  const sent: { phone: string; code: string }[] = []
  let codes: ReturnType<typeof createSmsCodes>

  beforeAll(async () => {
    db = await testDatabase()
    const clock = () => now
    const sms = {
      send: async (m: { phone: string; params: Record<string, string> }) =>
        void sent.push({ phone: m.phone, code: m.params.code! }),
      outbox: () => null,
    }
    codes = createSmsCodes(db.database, sms, SECRET, clock)
    identity = createIdentityService({
      database: db.database,
      tenants: createTenantsService(db.database),
      tokens: createTokens(SECRET, clock),
      smsCodes: codes,
      menuKeys: ['/manage/product', '/manage/device'],
      now: clock,
    })
    tenantId = await db.database.withSystemScope('seed', async scope =>
      seedCompany(scope, {
        name: 'Acme',
        owner: {
          username: 'Alice',
          passwordHash: await hashPassword(PASSWORD),
          displayName: 'Alice',
          kind: 'member',
          phone: PHONE,
        },
      }),
    )
  })
  afterAll(() => db.drop())

  const signIn = () => identity.token('cli', { grant_type: 'password', username: 'alice', password: PASSWORD }, peer)

  it('by password takes the user name in any case, and gives tokens that name company and rights', async () => {
    const reply = await signIn()
    expect(reply).toMatchObject({ token_type: 'bearer', expires_in: 900, username: 'Alice' })
    const caller = await identity.authenticate(reply.access_token)
    expect(caller).toMatchObject({ tenantId, accountState: 2, appId: reply.thingwrightAppId })
    expect(caller.actor.kind === 'member' && caller.actor.permissions.has('device:write')).toBe(true)
    // Rights of the platform's operators are not in a company's “all”.
    expect(caller.actor.kind === 'member' && caller.actor.permissions.has('operator:use')).toBe(false)
  })

  it.each([
    ['a wrong password', { username: 'alice', password: 'wrong' }],
    ['an unknown name', { username: 'nobody', password: PASSWORD }],
    ['no name', { password: PASSWORD }],
    ['SQL', { username: "alice' --", password: PASSWORD }],
    ['an empty password', { username: 'alice', password: '' }],
  ])('with %s is refused with the same words', async (_name, input) => {
    await expect(identity.token('cli', { grant_type: 'password', ...input }, peer)).rejects.toThrowError(
      'auth.wrong_credentials',
    )
  })

  it('writes who came in and who was refused', async () => {
    const { rows } = await db.superuser.query(
      `select result, after from audit_logs where action = 'session.sign_in' order by id`,
    )
    expect(rows.map(r => r.result)).toContain('ok')
    expect(rows.map(r => r.result)).toContain('refused')
    expect(JSON.stringify(rows)).not.toContain(PASSWORD)
  })

  it('refreshes: the token is replaced, the old one gets the same successor for 30 s, later it ends the family', async () => {
    const first = await signIn()
    const second = await identity.token(
      'cli',
      { grant_type: 'refresh_token', refresh_token: first.refresh_token },
      peer,
    )
    expect(second.refresh_token).not.toBe(first.refresh_token)
    const sameAgain = await identity.token(
      'cli',
      { grant_type: 'refresh_token', refresh_token: first.refresh_token },
      peer,
    )
    expect(sameAgain.refresh_token).toBe(second.refresh_token)
    now += 31_000
    await expect(
      identity.token('cli', { grant_type: 'refresh_token', refresh_token: first.refresh_token }, peer),
    ).rejects.toThrowError('auth.refresh_reused')
    await expect(
      identity.token('cli', { grant_type: 'refresh_token', refresh_token: second.refresh_token }, peer),
    ).rejects.toThrowError('auth.refresh_invalid')
    now += 6_000
    await expect(identity.authenticate(second.access_token)).rejects.toThrowError('auth.token_invalid')
  })

  it('of two tabs that refresh at once ends with one successor', async () => {
    const first = await signIn()
    const replies = await Promise.all(
      Array.from({ length: 5 }, () =>
        identity.token('cli', { grant_type: 'refresh_token', refresh_token: first.refresh_token }, peer),
      ),
    )
    expect(new Set(replies.map(r => r.refresh_token)).size).toBe(1)
  })

  it('does not refresh for another client, nor after sign-out', async () => {
    const reply = await signIn()
    await expect(
      identity.token('web', { grant_type: 'refresh_token', refresh_token: reply.refresh_token }, peer),
    ).rejects.toThrowError('auth.refresh_invalid')
    await identity.revoke(reply.refresh_token)
    await expect(
      identity.token('cli', { grant_type: 'refresh_token', refresh_token: reply.refresh_token }, peer),
    ).rejects.toThrowError('auth.refresh_invalid')
    await expect(identity.authenticate(reply.access_token)).rejects.toThrowError('auth.token_invalid')
  })

  it('keeps nothing of a refresh token but its hash', async () => {
    const reply = await signIn()
    const { rows } = await db.superuser.query('select * from refresh_families')
    expect(JSON.stringify(rows)).not.toContain(reply.refresh_token)
  })

  it('by code: one message a minute, five tries, one use', async () => {
    await codes.send(PHONE, 'sign_in', 'zh')
    await expect(codes.send(PHONE, 'sign_in', 'zh')).rejects.toThrowError('auth.code_too_soon')
    const code = sent.at(-1)!.code
    expect(code).toMatch(/^\d{6}$/)
    const wrong = code === '000000' ? '000001' : '000000'
    await expect(
      identity.token('web', { grant_type: 'sms_code', phone: PHONE, code: wrong }, peer),
    ).rejects.toThrowError('auth.code_wrong')
    const reply = await identity.token('web', { grant_type: 'sms_code', phone: `+86 ${PHONE}`, code }, peer)
    expect(reply.username).toBe('Alice')
    await expect(identity.token('web', { grant_type: 'sms_code', phone: PHONE, code }, peer)).rejects.toThrowError(
      'auth.code_wrong',
    )

    now += 61_000
    await codes.send(PHONE, 'sign_in', 'zh')
    const next = sent.at(-1)!.code
    const bad = next === '000000' ? '000001' : '000000'
    for (let i = 0; i < 5; i++)
      await expect(
        identity.token('web', { grant_type: 'sms_code', phone: PHONE, code: bad }, peer),
      ).rejects.toThrowError('auth.code_wrong')
    // The sixth try does not help, though it is right.
    await expect(
      identity.token('web', { grant_type: 'sms_code', phone: PHONE, code: next }, peer),
    ).rejects.toThrowError('auth.code_wrong')
  })

  it('by code says nothing about who has an account', async () => {
    const before = sent.length
    await expect(codes.send('13700000000', 'sign_in', 'zh')).resolves.toEqual({ retryAfterSeconds: 60 })
    expect(sent.length).toBe(before)
    await expect(codes.send('not a phone', 'sign_in', 'zh')).rejects.toThrowError('auth.phone_invalid')
  })

  it('takes rights away within five seconds', async () => {
    const reply = await signIn()
    await identity.authenticate(reply.access_token)
    await db.superuser.query('delete from login_roles where tenant_id = $1', [tenantId])
    now += 5_001
    const caller = await identity.authenticate(reply.access_token)
    expect(caller.actor.kind === 'member' && caller.actor.permissions.size).toBe(0)
    await db.superuser.query(`update logins set state = 'frozen' where tenant_id = $1`, [tenantId])
    now += 5_001
    await expect(identity.authenticate(reply.access_token)).rejects.toThrowError('auth.token_invalid')
    await expect(signIn()).rejects.toThrowError('auth.login_frozen')
  })

  it('knows its two public clients only', () => {
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
    expect(identity.client(basic('web:web'))).toBe('web')
    for (const header of [
      undefined,
      '',
      'Basic',
      basic('web:'),
      basic('web:cli'),
      basic('admin:admin'),
      basic('__proto__:x'),
      basic('toString:x'),
      'Bearer x',
    ]) {
      expect(() => identity.client(header)).toThrowError('auth.client_invalid')
    }
  })

  it('refuses other grants', async () => {
    await expect(
      (async () => identity.token('cli', { grant_type: 'client_credentials' }, peer))(),
    ).rejects.toThrowError('auth.grant_unsupported')
  })
})
