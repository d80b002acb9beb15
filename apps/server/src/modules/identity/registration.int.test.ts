import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { seedCompany } from '../../db/seeds/minimal/minimal.seed.ts'
import { type SignInHouse, signInHouse } from '../../db/testing/sign-in-house.ts'
import type { AppError } from '../../lib/errors.ts'
import { normaliseEmail, normalisePhone } from './addresses.ts'
import { createRegistration } from './registration.service.ts'
import { createSessionStart } from './session-start.ts'

const PASSWORD = 'Blue-Otter-Ladder-7'
const peer = { ip: '', userAgent: 'test', locale: 'zh' as const, requestId: 'r' }
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (error: AppError) => Object.values(error.fields ?? {})[0]?.code ?? error.code,
  )

describe('registration and forgotten passwords', () => {
  let house: SignInHouse
  let registration: ReturnType<typeof createRegistration>
  let n = 0
  let phone = ''
  let username = ''

  beforeAll(async () => {
    house = await signInHouse()
    registration = createRegistration({
      database: house.db.database,
      smsCodes: house.smsCodes,
      sessions: createSessionStart(house.module.tokens, () => house.now),
      createCompany: seedCompany,
      now: () => house.now,
    })
  })
  beforeEach(() => {
    n += 1
    peer.ip = `192.0.2.${n}`
    house.now += 120_000
    phone = `1370000${String(1000 + n)}`
    username = `founder${n}`
  })

  const input = (over: object = {}) => ({
    companyName: '新科技有限公司',
    username,
    phone,
    code: '000000',
    password: PASSWORD,
    acceptTerms: true,
    ...over,
  })
  const register = async (over: object = {}) => {
    house.now += 61_000
    await house.smsCodes.send(phone, 'register', 'zh', peer)
    return registration.register('cli', input({ code: house.lastCode(phone), ...over }), peer)
  }
  const signIn = (password: string, name = username) =>
    house.identity.token('cli', { grant_type: 'password', username: name, password }, peer)

  it('makes a company with a 30-day trial, its roles, its owner and his consent, and signs him in', async () => {
    const reply = await register()
    const caller = await house.identity.authenticate(reply.access_token)
    expect(caller).toMatchObject({ accountState: 2 })
    expect(caller.actor.kind === 'member' && caller.actor.permissions.has('member:write')).toBe(true)
    const { rows } = await house.db.superuser.query(
      `select t.name, t.status, t.expires_at, (select count(*)::int from roles where tenant_id = t.id) as roles,
         c.document, c.version, c.ip from tenants t join consents c on c.tenant_id = t.id where t.id = $1`,
      [caller.tenantId],
    )
    expect(rows[0]).toMatchObject({
      name: '新科技有限公司',
      status: 'trial',
      document: 'terms-of-service',
      ip: peer.ip,
    })
    expect(rows[0].expires_at.getTime()).toBe(house.now + 30 * 86_400_000)
    expect(rows[0].roles).toBeGreaterThan(5)
    const log = await house.db.superuser.query('select action from audit_logs where tenant_id = $1 order by id', [
      caller.tenantId,
    ])
    expect(log.rows.map(row => row.action)).toEqual(['company.register', 'session.sign_in'])
    expect((await signIn(PASSWORD)).username).toBe(username)
  })

  it.each([
    ['a company name of one letter', { companyName: ' A ' }, 'field.minLength'],
    ['a user name of two letters', { username: 'ab' }, 'auth.username_invalid'],
    ['a user name of digits', { username: '13800138000' }, 'auth.username_invalid'],
    ['a user name with blanks', { username: 'a b c' }, 'auth.username_invalid'],
    ['a user name with markup', { username: '<img src=x>' }, 'auth.username_invalid'],
    ['a user name with a right-to-left mark', { username: 'ab\u202ecd' }, 'auth.username_invalid'],
    ['a phone with letters', { phone: 'call me' }, 'auth.phone_invalid'],
    ['terms not accepted', { acceptTerms: false }, 'auth.terms_required'],
    ['a short password', { password: 'short' }, 'password.too_short'],
    ['a password everybody has', { password: 'password123' }, 'password.common'],
  ])('refuses %s and leaves nothing behind', async (_name, over, code) => {
    const count = async () => (await house.db.superuser.query('select count(*)::int as n from tenants')).rows[0].n
    const before = await count()
    expect(await codeOf(registration.register('cli', input(over), peer))).toBe(code)
    expect(await count()).toBe(before)
  })

  it('takes a code for this number and this purpose only, five tries, and keeps it when the name is taken', async () => {
    await register()
    const taken = username
    n += 1
    phone = `1370000${String(2000 + n)}`
    house.now += 61_000
    await house.smsCodes.send(phone, 'register', 'zh', peer)
    const code = house.lastCode(phone)
    expect(await codeOf(registration.register('cli', input({ username: taken.toUpperCase(), code }), peer))).toBe(
      'auth.username_taken',
    )
    expect(await codeOf(house.identity.token('cli', { grant_type: 'sms_code', phone, code }, peer))).toBe(
      'auth.code_wrong',
    )
    const wrong = code === '111111' ? '222222' : '111111'
    for (let i = 0; i < 4; i++)
      expect(await codeOf(registration.register('cli', input({ username: `other${n}`, code: wrong }), peer))).toBe(
        'auth.code_wrong',
      )
    expect(await codeOf(registration.register('cli', input({ username: `other${n}`, code }), peer))).toBe('ok')
    expect(await codeOf(registration.register('cli', input({ username: `third${n}`, code }), peer))).toBe(
      'auth.code_wrong',
    )
  })

  it('of two who register a name at the same time lets one in', async () => {
    const phones = [`1360000${3000 + n}`, `1360000${4000 + n}`]
    for (const p of phones) await house.smsCodes.send(p, 'register', 'zh', peer)
    const results = await Promise.all(
      phones.map(p => codeOf(registration.register('cli', input({ phone: p, code: house.lastCode(p) }), peer))),
    )
    expect(results.sort()).toEqual(['auth.username_taken', 'ok'])
  })

  it('tells only the holder of a number that it has a login already', async () => {
    await register()
    house.now += 61_000
    const before = house.texts.length
    expect(await house.smsCodes.send(phone, 'register', 'zh', peer)).toEqual({ retryAfterSeconds: 60 })
    expect(house.texts.slice(before)).toMatchObject([{ phone, kind: 'phone_has_login', params: { username } }])
    // And for a number without one, a reset looks the same from outside and sends nothing.
    expect(await house.smsCodes.send('13600009999', 'reset', 'zh', peer)).toEqual({ retryAfterSeconds: 60 })
    expect(house.texts.length).toBe(before + 1)
  })

  it('sends a number ten codes a day for one purpose and asker, one a minute, whatever they are for', async () => {
    const number = '13512340000'
    house.now += 3_600_000
    const begun = house.now
    await house.smsCodes.send(number, 'sign_in', 'zh', peer)
    expect(await codeOf(house.smsCodes.send(number, 'register', 'zh', peer))).toBe('auth.code_too_soon')
    for (let i = 1; i < 10; i++) {
      house.now += 60_000
      await house.smsCodes.send(number, 'sign_in', 'zh', peer)
    }
    house.now += 60_000
    const refused = (await house.smsCodes.send(number, 'sign_in', 'zh', peer).catch(e => e)) as AppError
    expect(refused.code).toBe('auth.code_too_soon')
    expect(refused.retryAfterSeconds).toBe(86_400 - (house.now - begun) / 1000)
    house.now += 86_400_000
    expect(await codeOf(house.smsCodes.send(number, 'sign_in', 'zh', peer))).toBe('ok')
  })

  it('sets a new password by a code on the phone, ends all sessions and the lock', async () => {
    const first = await register()
    for (let i = 0; i < 3; i++) await signIn('wrong').catch(() => {})
    house.now += 61_000
    await house.smsCodes.send(phone, 'reset', 'zh', peer)
    const code = house.lastCode(phone)
    const reset = (over: object) =>
      codeOf(house.module.passwordReset.reset({ phone, code, password: 'Green-Heron-Anvil-3', ...over }, peer))
    expect(await reset({ code: undefined })).toBe('auth.proof_missing')
    expect(await reset({ code: code === '999999' ? '888888' : '999999' })).toBe('auth.code_wrong')
    // A bad password does not use the code up.
    expect(await reset({ password: 'short' })).toBe('password.too_short')
    expect(await reset({ password: `x${username}x-1` })).toBe('password.contains_name')
    expect(await reset({})).toBe('ok')
    expect(await reset({})).toBe('auth.code_wrong')
    expect(await codeOf(house.identity.authenticate(first.access_token))).toBe('auth.token_invalid')
    expect(
      await codeOf(
        house.identity.token('cli', { grant_type: 'refresh_token', refresh_token: first.refresh_token }, peer),
      ),
    ).toBe('auth.refresh_invalid')
    expect(await codeOf(signIn(PASSWORD))).toBe('auth.wrong_credentials')
    expect((await signIn('Green-Heron-Anvil-3')).username).toBe(username)
  })

  it('mails a link that is good once, for two hours, and of which only a hash is kept', async () => {
    const first = await register()
    const email = `f${n}@acme.example`
    await house.db.superuser.query('update logins set email = $2 where id = $1', [first.id, email])
    const mailed = house.mails.length
    await house.module.passwordReset.askByMail(` F${n}@ACME.example `, peer)
    // A minute has to pass, whether anybody has the address or not.
    expect(await codeOf(house.module.passwordReset.askByMail(email, peer))).toBe('auth.code_too_soon')
    await house.module.passwordReset.askByMail('unknown@acme.example', peer)
    expect(await codeOf(house.module.passwordReset.askByMail('unknown@acme.example', peer))).toBe('auth.code_too_soon')
    expect(house.mails.length).toBe(mailed + 1)
    const link = /https:\/\/iot\.example\/index\?reset=1#([\w-]+)/.exec(house.mails.at(-1)!.text)!
    const token = link[1]!
    expect(JSON.stringify((await house.db.superuser.query('select * from password_links')).rows)).not.toContain(token)
    const reset = (over: object = {}) =>
      codeOf(house.module.passwordReset.reset({ token, password: 'Green-Heron-Anvil-3', ...over }, peer))
    for (const wrong of ['x', `${token}x`, "' or true --", 'A'.repeat(43)])
      expect(await reset({ token: wrong })).toBe('auth.link_invalid')
    expect(await reset({ password: 'short' })).toBe('password.too_short')
    const both = await Promise.all([reset(), reset()])
    expect(both.sort()).toEqual(['auth.link_invalid', 'ok'])
    house.now += 61_000
    await house.module.passwordReset.askByMail(email, peer)
    const late = /reset=1#([\w-]+)/.exec(house.mails.at(-1)!.text)![1]!
    house.now += 2 * 3_600_000 + 1
    expect(await reset({ token: late })).toBe('auth.link_invalid')
  })

  it('reads phones and mail addresses, and refuses what could break out of a header or a form', () => {
    expect(normalisePhone('+86 139-1234-5678')).toBe('13912345678')
    expect(normalisePhone('+49 151 23456789')).toBe('+4915123456789')
    expect(normaliseEmail(' Li.Na+iot@Acme.Example ')).toBe('li.na+iot@acme.example')
    for (const bad of [
      '',
      'a',
      'a@b',
      '@b.cn',
      'a@',
      'a b@c.cn',
      'a@b.cn\nBcc: x@y.cn',
      'a@b..cn',
      'a@-b.cn',
      '"a b"@c.cn',
      'a@[1.2.3.4]',
      'a@b.cn,c@d.cn',
      `${'a'.repeat(65)}@b.cn`,
      '张@b.cn',
    ])
      expect(() => normaliseEmail(bad), bad).toThrowError('auth.email_invalid')
    for (const bad of ['', '12345', 'abc', '+', '1'.repeat(16), '139 1234 567８'])
      expect(() => normalisePhone(bad), bad).toThrowError('auth.phone_invalid')
  })
})
