import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { seedCompany } from '../../db/seeds/minimal/minimal.seed.ts'
import { type SignInHouse, signInHouse } from '../../db/testing/sign-in-house.ts'
import { addressKey } from '../../lib/client-address.ts'
import type { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { createCaptchas } from './captchas.ts'
import { createKnownBrowsers } from './known-browsers.ts'
import { hashPassword } from './passwords.ts'

const PASSWORD = 'right horse battery'

describe('protection of the sign-in', () => {
  let house: SignInHouse
  let captchas: ReturnType<typeof createCaptchas>
  let count = 0
  let username: string
  let loginId: string
  const peer = { ip: '', userAgent: 'test', locale: 'zh' as const, requestId: 'r' }
  const phoneOf = (n: number) => `139${String(10_000_000 + n)}`

  beforeAll(async () => {
    house = await signInHouse()
    // The picture of a captcha says its letters here; the house checks them as it always does.
    captchas = createCaptchas(
      'a'.repeat(64),
      () => house.now,
      text => text,
    )
  })
  beforeEach(async () => {
    count += 1
    house.now += 86_400_000
    peer.ip = `203.0.113.${count}`
    username = `Person${count}`
    const tenantId = await house.db.database.withSystemScope('seed', async scope =>
      seedCompany(scope, {
        name: `Acme ${count}`,
        owner: {
          username,
          passwordHash: await hash(),
          displayName: username,
          kind: 'member',
          phone: phoneOf(count),
        },
      }),
    )
    loginId = (await house.db.superuser.query('select id from logins where tenant_id = $1', [tenantId])).rows[0].id
  })
  let hashed: Promise<string> | undefined
  const hash = () => (hashed ??= hashPassword(PASSWORD))

  const answer = () => {
    const { captchaId, image } = captchas.make()
    return { captcha_id: captchaId, captcha: image.toLowerCase() }
  }
  const attempt = (over: Record<string, string | undefined> = {}, from: object = {}) =>
    house.identity.token('cli', { grant_type: 'password', username, password: 'wrong', ...over }, { ...peer, ...from })
  const codeOf = async (promise: Promise<unknown>) =>
    promise.then(
      () => 'in',
      (error: AppError) => error.code,
    )
  const failTimes = async (n: number, over: Record<string, string | undefined> = {}, from: object = {}) => {
    const codes: string[] = []
    for (let i = 0; i < n; i++) codes.push(await codeOf(attempt({ ...answer(), ...over }, from)))
    return codes
  }

  it('asks for a captcha after three failures and locks after five, for 15 minutes', async () => {
    expect(await failTimes(3, { captcha: undefined })).toEqual(Array(3).fill('auth.wrong_credentials'))
    expect(await codeOf(attempt())).toBe('auth.captcha_required')
    // The right password does not help without the letters either.
    expect(await codeOf(attempt({ password: PASSWORD }))).toBe('auth.captcha_required')
    expect(await failTimes(2)).toEqual(Array(2).fill('auth.wrong_credentials'))
    const locked = (await attempt({ password: PASSWORD, ...answer() }).catch(e => e)) as AppError
    expect(locked.code).toBe('auth.locked')
    expect(locked.retryAfterSeconds).toBe(900)
    house.now += 899_000
    expect(await codeOf(attempt({ password: PASSWORD, ...answer() }))).toBe('auth.locked')
    house.now += 1_001
    expect(await codeOf(attempt({ password: PASSWORD, ...answer() }))).toBe('in')
    // A success forgets: no captcha the next time.
    expect(await codeOf(attempt({ password: PASSWORD }))).toBe('in')
  })

  it('takes each captcha for one answer, right or wrong, within five minutes', async () => {
    await failTimes(3, { captcha: undefined })
    const good = answer()
    const use = (over: object) => codeOf(attempt({ password: PASSWORD, ...good, ...over }))
    expect(await use({ captcha: 'XXXXX' })).toBe('auth.captcha_wrong')
    expect(await use({})).toBe('auth.captcha_wrong')
    const old = answer()
    house.now += 300_001
    expect(await codeOf(attempt({ password: PASSWORD, ...old }))).toBe('auth.captcha_wrong')
    const once = answer()
    expect(await codeOf(attempt({ password: 'wrong', ...once }))).toBe('auth.wrong_credentials')
    expect(await codeOf(attempt({ password: PASSWORD, ...once }))).toBe('auth.captcha_wrong')
    for (const id of ['', 'x', `${newId()}.9999999999999.${'A'.repeat(43)}`, '../../etc', "' or 1=1"])
      expect(await codeOf(attempt({ captcha_id: id, captcha: 'ABCDE' }))).toMatch(/^auth\.captcha_/)
    // An id whose expiry was moved is no longer signed.
    const { captcha_id, captcha } = answer()
    const moved = captcha_id.replace(/\.(\d+)\./, (_, at: string) => `.${Number(at) + 1}.`)
    expect(await codeOf(attempt({ captcha_id: moved, captcha }))).toBe('auth.captcha_wrong')
  })

  it('does the same for names that do not exist, so that nobody learns which do', async () => {
    const seen = async (name: string, ip: string) => {
      const codes: string[] = []
      for (let i = 0; i < 7; i++)
        codes.push(await codeOf(attempt({ username: name, ...(i > 2 ? answer() : {}) }, { ip })))
      return codes
    }
    expect(await seen('nobody-at-all', '198.51.100.1')).toEqual(await seen(username, '198.51.100.2'))
  })

  it('counts a name whatever its case and width, and from whatever address', async () => {
    await failTimes(1, { username: username.toLowerCase() }, { ip: '198.51.100.11' })
    await failTimes(1, { username: username.toUpperCase() }, { ip: '198.51.100.12' })
    await failTimes(1, { username: ` ${username} ` }, { ip: '198.51.100.13' })
    expect(await codeOf(attempt({}, { ip: '198.51.100.14' }))).toBe('auth.captcha_required')
  })

  it('lets forty guesses sent at once pass as five', async () => {
    const codes = await Promise.all(Array.from({ length: 40 }, () => codeOf(attempt(answer()))))
    expect(codes.filter(code => code === 'auth.wrong_credentials')).toHaveLength(5)
    expect(codes.filter(code => code === 'auth.locked')).toHaveLength(35)
  })

  it('counts different names from one address, so that guessing along a list of names is stopped too', async () => {
    for (let i = 0; i < 3; i++)
      expect(await codeOf(attempt({ username: `spray-${count}-${i}` }))).toBe('auth.wrong_credentials')
    expect(await codeOf(attempt({ username: `spray-${count}-3` }))).toBe('auth.captcha_required')
    for (let i = 3; i < 5; i++)
      expect(await codeOf(attempt({ username: `spray-${count}-${i}`, ...answer() }))).toBe('auth.wrong_credentials')
    expect(await codeOf(attempt({ password: PASSWORD, ...answer() }))).toBe('auth.locked')
    // Others are not concerned, and one who mistypes often does not lock his office.
    expect(await codeOf(attempt({ password: PASSWORD }, { ip: '198.51.100.21' }))).toBe('in')
    house.now += 900_001
    expect(await codeOf(attempt({ password: PASSWORD }))).toBe('in')
  })

  it('one colleague who mistypes does not lock the office', async () => {
    await failTimes(6, { username: `typo-${count}` })
    expect(await codeOf(attempt({ password: PASSWORD }))).toBe('in')
  })

  it('takes an IPv6 network of one customer for one address', () => {
    expect(addressKey('2001:db8:1:2:3:4:5:6')).toBe(addressKey('2001:db8:1:2:ffff::1'))
    expect(addressKey('2001:db8:1:2::1')).not.toBe(addressKey('2001:db8:1:3::1'))
    expect(addressKey('::ffff:192.0.2.1')).toBe('192.0.2.1')
    expect(addressKey('::1')).toBe('0:0:0:0::/64')
  })

  it('keeps its counts over a restart', async () => {
    await failTimes(5)
    const again = await signInHouse({ database: house.db })
    again.now = house.now
    expect(
      await codeOf(again.identity.token('cli', { grant_type: 'password', username, password: PASSWORD }, peer)),
    ).toBe('auth.locked')
  })

  it('lets the owner of a locked name in by a code on his phone, and forgets the failures then', async () => {
    await failTimes(5)
    await house.smsCodes.send(phoneOf(count), 'sign_in', 'zh', peer)
    const code = house.lastCode(phoneOf(count))
    expect(
      await codeOf(house.identity.token('cli', { grant_type: 'sms_code', phone: phoneOf(count), code }, peer)),
    ).toBe('in')
    expect(await codeOf(attempt({ password: PASSWORD }))).toBe('in')
  })

  it('does not lock a browser in which the owner signed in before, but counts it too', async () => {
    const browser = createKnownBrowsers('a'.repeat(64)).issue(loginId)
    await failTimes(5)
    expect(await codeOf(attempt({ password: PASSWORD }))).toBe('auth.locked')
    expect(await codeOf(attempt({ password: PASSWORD }, { browser }))).toBe('in')
    // Still locked for everybody else.
    expect(await codeOf(attempt({ password: PASSWORD }))).toBe('auth.locked')
    for (const forged of [`${browser}x`, browser.replace(/^./, c => (c === 'A' ? 'B' : 'A')), 'x.y', ''])
      expect(await codeOf(attempt({ password: PASSWORD }, { browser: forged }))).toBe('auth.locked')
    expect(await failTimes(5, {}, { browser })).toEqual(Array(5).fill('auth.wrong_credentials'))
    expect(await codeOf(attempt({ password: PASSWORD, ...answer() }, { browser }))).toBe('auth.locked')
  })

  it('tells the owner once, by mail and in the inbox', async () => {
    await house.db.superuser.query('update logins set email = $2 where id = $1', [loginId, `p${count}@acme.example`])
    const before = { mails: house.mails.length, notices: house.notices.length }
    await failTimes(8)
    await expect
      .poll(() => ({ mails: house.mails.length, notices: house.notices.length }))
      .toEqual({ mails: before.mails + 1, notices: before.notices + 1 })
    expect(house.mails.at(-1)).toMatchObject({ to: `p${count}@acme.example` })
    expect(house.mails.at(-1)!.text).toContain(peer.ip)
    expect(house.notices.at(-1)).toMatchObject({ to: { loginIds: [loginId] }, kind: 'login.locked' })
  })

  it('stores no typed name, because people type passwords there', async () => {
    await attempt({ username: 'my secret password' }).catch(() => {})
    const { rows } = await house.db.superuser.query('select * from sign_in_failures')
    expect(JSON.stringify(rows)).not.toContain('my secret password')
  })
})
