import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { seedCompany } from '../../db/seeds/minimal/minimal.seed.ts'
import { type SignInHouse, signInHouse } from '../../db/testing/sign-in-house.ts'
import type { TestDatabase } from '../../db/testing.ts'
import type { IdentityService } from './identity.service.ts'
import { hashPassword } from './passwords.ts'

const PASSWORD = 'right horse battery'
const PHONE = '13912345678'

describe('sign-in', () => {
  let house: SignInHouse
  let db: TestDatabase
  let identity: IdentityService
  let tenantId: string
  const peer = { ip: '127.0.0.1', userAgent: 'test', locale: 'zh' as const, requestId: 'r' }
  // Each test comes from an address of its own: failures of one do not count for the next.
  let address = 0
  beforeEach(() => {
    address += 1
    peer.ip = `198.51.100.${address}`
  })

  beforeAll(async () => {
    house = await signInHouse()
    ;({ db, identity } = house)
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
    house.now += 31_000
    await expect(
      identity.token('cli', { grant_type: 'refresh_token', refresh_token: first.refresh_token }, peer),
    ).rejects.toThrowError('auth.refresh_reused')
    await expect(
      identity.token('cli', { grant_type: 'refresh_token', refresh_token: second.refresh_token }, peer),
    ).rejects.toThrowError('auth.refresh_invalid')
    house.now += 6_000
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

  it('is over with sign-out also for what was asked at the same moment', async () => {
    const reply = await signIn()
    // It has read that the session is there, and has not answered yet, when the session ends.
    let read = () => {}
    let answer = () => {}
    const hasRead = new Promise<void>(resolve => (read = resolve))
    const mayAnswer = new Promise<void>(resolve => (answer = resolve))
    const slow = vi.spyOn(db.database, 'withSystemScope').mockImplementationOnce(async (reason, work) => {
      slow.mockRestore()
      const found = await db.database.withSystemScope(reason, work)
      read()
      await mayAnswer
      return found
    })
    const asked = identity.authenticate(reply.access_token)
    await hasRead
    await identity.revoke(reply.refresh_token)
    answer()
    await asked
    await expect(identity.authenticate(reply.access_token)).rejects.toThrowError('auth.token_invalid')
  })

  it('keeps nothing of a refresh token but its hash', async () => {
    const reply = await signIn()
    const { rows } = await db.superuser.query('select * from refresh_families')
    expect(JSON.stringify(rows)).not.toContain(reply.refresh_token)
  })

  it('by code: one message a minute, five tries, one use', async () => {
    await house.smsCodes.send(PHONE, 'sign_in', 'zh', peer)
    await expect(house.smsCodes.send(PHONE, 'sign_in', 'zh', peer)).rejects.toThrowError('auth.code_too_soon')
    const code = house.lastCode(PHONE)
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

    house.now += 61_000
    await house.smsCodes.send(PHONE, 'sign_in', 'zh', peer)
    const next = house.lastCode(PHONE)
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
    const before = house.texts.length
    await expect(house.smsCodes.send('13700000000', 'sign_in', 'zh', peer)).resolves.toEqual({ retryAfterSeconds: 60 })
    expect(house.texts.length).toBe(before)
    await expect(house.smsCodes.send('not a phone', 'sign_in', 'zh', peer)).rejects.toThrowError('auth.phone_invalid')
  })

  it('tells people what of the company they see as it is stored, not as it is still remembered', async () => {
    const { actor } = await identity.authenticate((await signIn()).access_token)
    const scope = async () => (await identity.me({ tenantId, actor, now: house.now, ...peer })).dataScope
    const set = (dataScope: object) =>
      db.superuser.query('update roles set data_scope = $2 where tenant_id = $1', [tenantId, dataScope])
    expect(await scope()).toEqual({ kind: 'all', groupIds: [], productIds: [], own: false })
    const [a, b] = ['00000000-0000-7000-8000-00000000000a', '00000000-0000-7000-8000-00000000000b']
    await set({ kind: 'groups', groupIds: [b, a] })
    expect(await scope()).toEqual({ kind: 'limited', groupIds: [a, b], productIds: [], own: false })
    await set({ kind: 'own' })
    expect(await scope()).toEqual({ kind: 'limited', groupIds: [], productIds: [], own: true })
    await set({ kind: 'all' })
  })

  it('takes rights away within five seconds', async () => {
    const reply = await signIn()
    await identity.authenticate(reply.access_token)
    await db.superuser.query('delete from login_roles where tenant_id = $1', [tenantId])
    house.now += 5_001
    const caller = await identity.authenticate(reply.access_token)
    expect(caller.actor.kind === 'member' && caller.actor.permissions.size).toBe(0)
    await db.superuser.query(`update logins set state = 'frozen' where tenant_id = $1`, [tenantId])
    house.now += 5_001
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
