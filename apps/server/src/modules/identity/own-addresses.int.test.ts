import { beforeAll, describe, expect, it } from 'vitest'
import { seedCompany } from '../../db/seeds/minimal/minimal.seed.ts'
import { type SignInHouse, signInHouse } from '../../db/testing/sign-in-house.ts'
import { type Ctx, WHOLE_COMPANY } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import { silentLogger } from '../../lib/log.ts'
import { createIdentityMails } from './mails.ts'
import { createOneTimeCodes } from './one-time-codes.ts'
import { createOwnAddresses, type OwnAddresses } from './own-addresses.service.ts'
import { hashPassword } from './passwords.ts'

const PASSWORD = 'Blue-Otter-Ladder-7'
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (error: AppError) => error.code,
  )

describe('one’s own phone and mail address', () => {
  let house: SignInHouse
  let own: OwnAddresses
  let ctx: Ctx
  let proven = true
  let loginId = ''

  beforeAll(async () => {
    house = await signInHouse()
    const { database } = house.db
    own = createOwnAddresses({
      database,
      smsCodes: house.smsCodes,
      mailCodes: createOneTimeCodes('mail', 'a'.repeat(64), () => house.now),
      mails: createIdentityMails(
        { send: async message => void house.mails.push(message), outbox: () => null },
        silentLogger,
      ),
      sms: { send: async message => void house.texts.push(message) },
      logger: silentLogger,
      me: house.identity.me,
      async requireFreshProof() {
        if (!proven) throw new AppError('auth.proof_required')
      },
      forget: house.identity.forget,
    })
    const person = async (username: string, phone: string) => {
      const tenantId = await database.withSystemScope('seed', async scope =>
        seedCompany(scope, {
          name: username,
          owner: { username, passwordHash: await hashPassword(PASSWORD), displayName: username, kind: 'member', phone },
        }),
      )
      return {
        tenantId,
        id: (await house.db.superuser.query('select id from logins where phone = $1', [phone])).rows[0].id,
      }
    }
    await person('other', '13800000002')
    await house.db.superuser.query(`update logins set email = 'other@acme.example' where username = 'other'`)
    const { tenantId, id } = await person('mine', '13800000001')
    loginId = id
    ctx = {
      tenantId,
      actor: {
        kind: 'member',
        loginId: id,
        username: 'mine',
        displayName: '',
        permissions: new Set(),
        dataScope: WHOLE_COMPANY,
      },
      locale: 'zh',
      requestId: 'r',
      now: house.now,
    }
  })

  const phoneCode = async (phone: string) => {
    house.now += 61_000
    await house.smsCodes.send(phone, 'bind', 'zh', { loginId })
    return house.texts.filter(text => text.phone === phone).at(-1)!
  }
  const mailCode = async (email: string) => {
    house.now += 61_000
    await own.sendEmailCode(ctx, email)
    return /\d{6}/.exec(house.mails.at(-1)!.text)![0]
  }

  it('a phone is bound by a code sent to it and a fresh proof, and signs in from then on', async () => {
    const code = (await phoneCode('13800000009')).params.code!
    const change = (over: object) => codeOf(own.changePhone(ctx, { phone: '13800000009', code, ...over }))
    proven = false
    expect(await change({})).toBe('auth.proof_required')
    proven = true
    expect(await change({ code: code === '000000' ? '111111' : '000000' })).toBe('auth.code_wrong')
    expect(await change({ phone: '13800000008' })).toBe('auth.code_wrong')
    expect(await change({})).toBe('ok')
    expect(await change({})).toBe('auth.code_wrong')
    expect((await house.identity.me(ctx)).phone).toBe('13800000009')
    // The old number is told where things are now.
    expect(house.texts.at(-1)).toMatchObject({
      phone: '13800000001',
      kind: 'address_changed',
      params: { username: 'mine', address: expect.stringMatching(/\*/) },
    })
    const { rows } = await house.db.superuser.query(
      `select before, after from audit_logs where action = 'profile.phone'`,
    )
    expect(rows).toEqual([{ before: { phone: '13800000001' }, after: { phone: '13800000009' } }])
  })

  it('a number that has a login gets no code, only the word that it has one', async () => {
    expect(await phoneCode('13800000002')).toMatchObject({ kind: 'phone_has_login', params: { username: 'other' } })
  })

  it('a mail address is bound by a code; another one’s is refused; the old one is told', async () => {
    const code = await mailCode(' Mine@Acme.Example ')
    const me = await own.changeEmail(ctx, { email: 'mine@acme.example', code })
    expect(me.email).toBe('mine@acme.example')
    const next = await mailCode('new@acme.example')
    proven = false
    expect(await codeOf(own.changeEmail(ctx, { email: 'new@acme.example', code: next }))).toBe('auth.proof_required')
    proven = true
    await own.changeEmail(ctx, { email: 'new@acme.example', code: next })
    expect(house.mails.at(-1)).toMatchObject({ to: 'mine@acme.example' })
    expect(house.mails.at(-1)!.text).toContain('ne***@acme.example')
    const taken = await mailCode('other@acme.example')
    expect(await codeOf(own.changeEmail(ctx, { email: 'other@acme.example', code: taken }))).toBe('auth.email_taken')
    expect(await codeOf(own.sendEmailCode(ctx, 'other@acme.example'))).toBe('auth.code_too_soon')
    for (const bad of ['x', 'a@b', 'a@b.cn\nBcc: c@d.cn'])
      expect(await codeOf(own.sendEmailCode(ctx, bad))).toBe('auth.email_invalid')
  })
})
