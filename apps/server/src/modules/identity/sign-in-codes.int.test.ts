import { securityContract } from '@thingwright/contracts/security.contract'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { seedCompany } from '../../db/seeds/minimal/minimal.seed.ts'
import { type SignInHouse, signInHouse } from '../../db/testing/sign-in-house.ts'
import type { AppError } from '../../lib/errors.ts'
import { createKnownBrowsers } from './known-browsers.ts'
import { hashPassword } from './passwords.ts'

const PASSWORD = 'Blue-Otter-Ladder-7'
const DAY = 86_400_000
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (error: AppError) => error.code,
  )

describe('codes that strangers ask for', () => {
  let house: SignInHouse
  let n = 0
  let phone = ''
  let loginId = ''
  const stranger = { ip: '198.51.100.7' }
  const home = { ip: '203.0.113.9', userAgent: 'test', locale: 'zh' as const, requestId: 'r' }

  beforeAll(async () => {
    house = await signInHouse()
  })
  beforeEach(async () => {
    n += 1
    house.now += 2 * DAY
    phone = `1380000${String(1000 + n)}`
    const tenantId = await house.db.database.withSystemScope('seed', async scope =>
      seedCompany(scope, {
        name: `Acme ${n}`,
        owner: {
          username: `person${n}`,
          passwordHash: await hashPassword(PASSWORD),
          displayName: '',
          kind: 'member',
          phone,
        },
      }),
    )
    loginId = (await house.db.superuser.query('select id from logins where tenant_id = $1', [tenantId])).rows[0].id
  })

  /** As many codes to the phone as one stranger can have sent in a day. */
  async function nuisance(from: { ip: string }): Promise<number> {
    let sent = 0
    for (let i = 0; i < 30; i++) {
      house.now += 61_000
      if ((await codeOf(house.smsCodes.send(phone, i % 2 ? 'sign_in' : 'reset', 'zh', from))) === 'ok') sent++
    }
    return sent
  }
  const signIn = (code: string, peer: object = {}) =>
    house.identity.token('cli', { grant_type: 'sms_code', phone, code }, { ...home, ...peer })

  it('leave the person’s own: from another address, and in a browser where he signed in before', async () => {
    expect(await nuisance(stranger)).toBeLessThanOrEqual(20)
    house.now += 61_000
    expect(await codeOf(house.smsCodes.send(phone, 'sign_in', 'zh', stranger))).toBe('auth.code_too_soon')
    expect(await codeOf(house.smsCodes.send(phone, 'sign_in', 'zh', home))).toBe('ok')
    expect((await signIn(house.lastCode(phone))).id).toBe(loginId)
    // Even with as many addresses as he likes, and at the same second.
    for (let i = 0; i < 40; i++) {
      house.now += 61_000
      await codeOf(house.smsCodes.send(phone, 'sign_in', 'zh', { ip: `192.0.2.${i}` }))
    }
    const browser = createKnownBrowsers('a'.repeat(64)).issue(loginId)
    expect(await codeOf(house.smsCodes.send(phone, 'sign_in', 'zh', { ip: home.ip, browser }))).toBe('ok')
    expect((await signIn(house.lastCode(phone), { browser })).id).toBe(loginId)
  })

  it('leave the codes of those who are signed in, and of the second step', async () => {
    await nuisance(stranger)
    expect(await codeOf(house.smsCodes.send(phone, 'bind', 'zh', { loginId }))).toBe('ok')
    house.now += 61_000
    const reply = await house.identity.token(
      'cli',
      { grant_type: 'password', username: `person${n}`, password: PASSWORD },
      home,
    )
    const { actor, tenantId, sessionId } = await house.identity.authenticate(reply.access_token)
    const ctx = { tenantId, actor, locale: 'zh' as const, requestId: 'r', now: house.now, sessionId: sessionId! }
    const sendOwn = house.module.routes.find(({ contract }) => contract === securityContract.sendCode)!
    const input = { params: {}, query: {}, body: { channel: 'sms', purpose: 'password' } }
    const sent = house.texts.length
    await sendOwn.handler(ctx, input as never, {} as never)
    expect(house.texts.length).toBe(sent + 1)
  })

  it('count by purpose: who used up his codes for one has those for another', async () => {
    for (let i = 0; i < 10; i++) {
      house.now += 61_000
      await codeOf(house.smsCodes.send(phone, 'sign_in', 'zh', home))
    }
    house.now += 61_000
    expect(await codeOf(house.smsCodes.send(phone, 'sign_in', 'zh', home))).toBe('auth.code_too_soon')
    expect(await codeOf(house.smsCodes.send(phone, 'reset', 'zh', home))).toBe('ok')
  })

  it('cannot be tried away by strangers: who asked for a code has his own tries', async () => {
    await house.smsCodes.send(phone, 'sign_in', 'zh', home)
    const code = house.lastCode(phone)
    const wrong = code === '000000' ? '111111' : '000000'
    for (let i = 0; i < 12; i++)
      expect(await codeOf(signIn(wrong, { ip: i % 2 ? stranger.ip : `192.0.2.${i}` }))).toBe('auth.code_wrong')
    // A stranger is not let in with it any more, its owner is.
    expect(await codeOf(signIn(code, stranger))).toBe('auth.code_wrong')
    expect((await signIn(code)).id).toBe(loginId)
  })

  it('a stranger’s later code does not end the one the person has in his hand', async () => {
    await house.smsCodes.send(phone, 'sign_in', 'zh', home)
    const mine = house.lastCode(phone)
    house.now += 61_000
    await house.smsCodes.send(phone, 'sign_in', 'zh', stranger)
    expect((await signIn(mine)).id).toBe(loginId)
    expect(await codeOf(signIn(house.lastCode(phone)))).toBe('auth.code_wrong')
  })

  it('to many numbers come ever more slowly to one address, IPv6 by its /64', async () => {
    const ask = (i: number, ip: string) =>
      codeOf(house.smsCodes.send(`1390${n}${String(100000 + i)}`, 'register', 'zh', { ip }))
    let sent = 0
    for (let i = 0; i < 60; i++) {
      house.now += 250
      if ((await ask(i, `2001:db8:1:2::${i.toString(16)}`)) === 'ok') sent++
    }
    expect(sent).toBeLessThanOrEqual(4)
    expect(await ask(70, '2001:db8:1:3::1')).toBe('ok')
    // An hour of patience is 60 codes for nobody either.
    for (let i = 0; i < 3600; i += 20) {
      house.now += 20_000
      if ((await ask(1000 + i, '2001:db8:1:2::1')) === 'ok') sent++
    }
    expect(sent).toBeLessThan(16)
    house.now += DAY
    expect(await ask(80, '2001:db8:1:2::1')).toBe('ok')
  })

  it('at once from one address are counted one after the other', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        codeOf(house.smsCodes.send(`1391${n}${String(100000 + i)}`, 'register', 'zh', stranger)),
      ),
    )
    expect(answers.filter(answer => answer === 'ok').length).toBe(3)
  })

  it('have a number of their own for the whole installation and day, which those of people signed in do not use', async () => {
    const small = await signInHouse({ database: house.db, codesPerDay: { register: 5, sign_in: 5, reset: 5, link: 5 } })
    small.now = house.now
    const ask = (i: number) =>
      codeOf(small.smsCodes.send(`1392${n}${String(100000 + i)}`, 'register', 'zh', { ip: `10.9.${i}.1` }))
    const answers: string[] = []
    for (let i = 0; i < 8; i++) answers.push(await ask(i))
    expect(answers.filter(answer => answer === 'ok').length).toBe(5)
    expect(await codeOf(small.smsCodes.send(phone, 'sign_in', 'zh', home))).toBe('ok')
    expect(await codeOf(small.smsCodes.send(`1393${n}100000`, 'bind', 'zh', { loginId }))).toBe('ok')
    small.now += DAY
    expect(await ask(20)).toBe('ok')
  })

  it('links for a new password asked for by strangers leave the person’s, and the administrator’s', async () => {
    const email = `p${n}@acme.example`
    await house.db.superuser.query('update logins set email = $2 where id = $1', [loginId, email])
    for (let i = 0; i < 30; i++) {
      house.now += 61_000
      await codeOf(house.module.passwordReset.askByMail(email, stranger))
    }
    const mailed = house.mails.length
    expect(await codeOf(house.module.passwordReset.askByMail(email, home))).toBe('ok')
    expect(house.mails.length).toBe(mailed + 1)
  })
})
