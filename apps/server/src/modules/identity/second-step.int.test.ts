import { securityContract as c } from '@thingwright/contracts/security.contract'
import { generate } from 'otplib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, refusal, type SecurityHouse, securityHouse } from '../../db/testing/security-house.ts'
import type { Ctx } from '../../lib/context.ts'

describe('the second step', () => {
  let house: SecurityHouse
  beforeAll(async () => {
    house = await securityHouse()
  })
  afterAll(() => house.db.drop())

  const codeOf = (secret: string) => generate({ secret, epoch: Math.floor(house.now / 1000) })
  const nextStep = () => {
    house.now += 30_000
  }
  const prove = (ctx: Ctx) => house.call(c.prove, ctx, { body: { method: 'password', password: PASSWORD } })

  /** A person with an authenticator app. */
  async function withTotp() {
    const person = await house.company()
    const ctx = await house.ctxOf((await house.signIn(person.username)).access_token)
    await prove(ctx)
    const { secret, uri } = await house.call<{ secret: string; uri: string }>(c.totpBegin, ctx)
    const { backupCodes } = await house.call<{ backupCodes: string[] }>(c.totpConfirm, ctx, {
      body: { code: await codeOf(secret) },
    })
    nextStep()
    return { ...person, ctx, secret, uri, backupCodes }
  }
  const ticketOf = async (username: string) => {
    const error = await refusal(house.signIn(username))
    return { code: error.code, params: error.params as { ticket: string; methods: string[] } }
  }
  const finish = (input: object, over: object = {}) =>
    house.module.service.token('cli', { grant_type: 'second_factor', ...input }, house.peer(over))

  it('is asked for once an authenticator app is confirmed, and its code opens the session', async () => {
    const person = await withTotp()
    expect(person.uri).toMatch(/^otpauth:\/\/totp\/Thingwright/)
    expect(person.backupCodes).toHaveLength(10)
    const { code, params } = await ticketOf(person.username)
    expect(code).toBe('auth.second_factor_required')
    expect(params.methods).toEqual(['totp', 'backup'])
    const reply = await finish({ ticket: params.ticket, method: 'totp', code: await codeOf(person.secret) })
    expect(reply.username).toBe(person.username)
  })

  it('does not count before a code confirmed it, and keeps the secret sealed', async () => {
    const person = await house.company()
    const ctx = await house.ctxOf((await house.signIn(person.username)).access_token)
    expect((await refusal(house.call(c.totpBegin, ctx))).code).toBe('auth.proof_required')
    await prove(ctx)
    const { secret } = await house.call<{ secret: string }>(c.totpBegin, ctx)
    expect((await house.signIn(person.username)).username).toBe(person.username)
    expect((await refusal(house.call(c.totpConfirm, ctx, { body: { code: '000000' } }))).code).toBe(
      'security.code_wrong',
    )
    const { rows } = await house.db.superuser.query('select * from login_totp where login_id = $1', [person.loginId])
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(Buffer.from(rows[0].pending_cipher).toString('latin1')).not.toContain(secret)
  })

  it('takes a code once: the same code again, and an older one, are refused', async () => {
    const person = await withTotp()
    const code = await codeOf(person.secret)
    await finish({ ticket: (await ticketOf(person.username)).params.ticket, method: 'totp', code })
    const again = await refusal(
      finish({ ticket: (await ticketOf(person.username)).params.ticket, method: 'totp', code }),
    )
    expect([again.code, again.params.left]).toEqual(['auth.second_factor_wrong', 4])
    const older = await generate({ secret: person.secret, epoch: Math.floor(house.now / 1000) - 30 })
    const second = await refusal(
      finish({ ticket: (await ticketOf(person.username)).params.ticket, method: 'totp', code: older }),
    )
    expect(second.code).toBe('auth.second_factor_wrong')
  })

  it('of two requests with the same code at once lets one in', async () => {
    const person = await withTotp()
    const [a, b] = [await ticketOf(person.username), await ticketOf(person.username)]
    const code = await codeOf(person.secret)
    const results = await Promise.allSettled([
      finish({ ticket: a.params.ticket, method: 'totp', code }),
      finish({ ticket: b.params.ticket, method: 'totp', code }),
    ])
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(1)
  })

  it('uses a ticket once, within five minutes, for its client only', async () => {
    const person = await withTotp()
    const { ticket } = (await ticketOf(person.username)).params
    const other = await refusal(
      house.module.service.token(
        'web',
        { grant_type: 'second_factor', ticket, method: 'totp', code: await codeOf(person.secret) },
        house.peer(),
      ),
    )
    expect(other.code).toBe('auth.ticket_invalid')
    await finish({ ticket, method: 'totp', code: await codeOf(person.secret) })
    nextStep()
    expect((await refusal(finish({ ticket, method: 'totp', code: await codeOf(person.secret) }))).code).toBe(
      'auth.ticket_invalid',
    )
    const late = (await ticketOf(person.username)).params.ticket
    house.now += 5 * 60_000
    expect((await refusal(finish({ ticket: late, method: 'totp', code: await codeOf(person.secret) }))).code).toBe(
      'auth.ticket_invalid',
    )
    for (const bad of [undefined, '', 'x', 'a'.repeat(128), "' or 1=1"])
      expect((await refusal(finish({ ticket: bad, method: 'totp', code: '123456' }))).code).toBe('auth.ticket_invalid')
  })

  it('cannot be guessed: five tries a ticket, ten a quarter of an hour over all tickets', async () => {
    const person = await withTotp()
    const wrong = async (ticket: string) => (await refusal(finish({ ticket, method: 'totp', code: '000000' }))).code
    const first = (await ticketOf(person.username)).params.ticket
    const answers = []
    for (let i = 0; i < 6; i++) answers.push(await wrong(first))
    expect(answers).toEqual([
      ...Array(4).fill('auth.second_factor_wrong'),
      'auth.ticket_invalid',
      'auth.ticket_invalid',
    ])
    const second = (await ticketOf(person.username)).params.ticket
    for (let i = 0; i < 5; i++) await wrong(second)
    // The right code does not help while the login waits, on whatever ticket.
    const third = (await ticketOf(person.username)).params.ticket
    const locked = await refusal(finish({ ticket: third, method: 'totp', code: await codeOf(person.secret) }))
    expect(locked.code).toBe('auth.factor_locked')
    expect(locked.retryAfterSeconds).toBeGreaterThan(0)
    house.now += 16 * 60_000
    const after = (await ticketOf(person.username)).params.ticket
    expect((await finish({ ticket: after, method: 'totp', code: await codeOf(person.secret) })).username).toBe(
      person.username,
    )
  })

  it('takes each backup code once, in whatever spelling', async () => {
    const person = await withTotp()
    const code = person.backupCodes[0]!
    const spelled = code.toUpperCase().replace('-', ' ')
    await finish({ ticket: (await ticketOf(person.username)).params.ticket, method: 'backup', code: spelled })
    expect(
      (await refusal(finish({ ticket: (await ticketOf(person.username)).params.ticket, method: 'backup', code }))).code,
    ).toBe('auth.second_factor_wrong')
    const { rows } = await house.db.superuser.query('select * from backup_codes where login_id = $1', [person.loginId])
    expect(JSON.stringify(rows)).not.toContain(code.replace('-', ''))
    await prove(person.ctx).catch(() => undefined)
  })

  it('refuses ways that are not turned on', async () => {
    const person = await withTotp()
    for (const method of ['password', 'sms', 'passkey', 'none', '', '__proto__']) {
      const { ticket } = (await ticketOf(person.username)).params
      const error = await refusal(finish({ ticket, method, password: PASSWORD, code: '123456' }))
      expect(error.code).toBe('security.factor_unavailable')
    }
  })

  it('by SMS: the code goes to the phone that is known, and a sign-in by SMS asks for the password instead', async () => {
    const person = await house.company()
    const ctx = await house.ctxOf((await house.signIn(person.username)).access_token)
    await prove(ctx)
    await house.call(c.setFactors, ctx, { body: { factors: ['sms'] } })
    const { params } = await ticketOf(person.username)
    expect(params.methods).toContain('sms')
    const sent = await house.call<{ target: string }>(c.factorCode, null, {
      body: { ticket: params.ticket, method: 'sms' },
    })
    expect(sent.target).not.toContain(person.phone)
    expect(house.texts.at(-1)).toMatchObject({ phone: person.phone, kind: 'security_code' })
    expect((await finish({ ticket: params.ticket, method: 'sms', code: house.lastCode(person.phone) })).username).toBe(
      person.username,
    )

    house.now += 61_000
    await house.smsCodes.send(person.phone, 'sign_in', 'zh', house.peer())
    const bySms = await refusal(
      house.module.service.token(
        'cli',
        { grant_type: 'sms_code', phone: person.phone, code: house.lastCode(person.phone) },
        house.peer(),
      ),
    )
    expect(bySms.code).toBe('auth.second_factor_required')
    expect(bySms.params.methods).toEqual(['password', 'backup'])
    const ticket = String(bySms.params.ticket)
    expect((await finish({ ticket, method: 'password', password: PASSWORD })).username).toBe(person.username)
  })

  it('is demanded by a role: who has no way yet sets up an app on the way in', async () => {
    const person = await house.company()
    await house.db.superuser.query('update logins set phone = null where id = $1', [person.loginId])
    await house.db.superuser.query('update roles set require_second_factor = true where tenant_id = $1', [
      person.tenantId,
    ])
    const error = await refusal(house.signIn(person.username))
    expect(error.code).toBe('auth.second_factor_setup_required')
    const ticket = String(error.params.ticket)
    const { secret } = await house.call<{ secret: string }>(c.factorSetup, null, { body: { ticket } })
    expect((await refusal(finish({ ticket, method: 'totp', code: '000000' }))).code).toBe('auth.second_factor_wrong')
    const reply = await finish({ ticket, method: 'totp', code: await codeOf(secret) })
    const ctx = await house.ctxOf(reply.access_token)
    nextStep()
    await house.call(c.prove, ctx, { body: { method: 'totp', code: await codeOf(secret) } })
    // What is demanded cannot be turned off.
    expect((await refusal(house.call(c.totpRemove, ctx))).code).toBe('security.factor_needed')
  })

  it('stays counted for one company only: another company’s demand does not reach here', async () => {
    const demanding = await house.company()
    const relaxed = await house.company()
    await house.db.superuser.query(
      `update tenants set settings = '{"security":{"secondFactorRequired":true}}' where id = $1`,
      [demanding.tenantId],
    )
    expect((await refusal(house.signIn(demanding.username))).code).toBe('auth.second_factor_required')
    expect((await house.signIn(relaxed.username)).username).toBe(relaxed.username)
  })

  it('a password that is too old, or given by somebody else, is changed before the session begins', async () => {
    const person = await house.company()
    await house.db.superuser.query('update logins set must_change_password = true where id = $1', [person.loginId])
    const error = await refusal(house.signIn(person.username))
    expect(error.code).toBe('auth.password_change_required')
    const change = (new_password: string) =>
      house.module.service.token(
        'cli',
        { grant_type: 'password_change', ticket: String(error.params.ticket), new_password },
        house.peer(),
      )
    expect((await refusal(change('short'))).fields).toMatchObject({ new_password: { code: 'password.too_short' } })
    expect((await refusal(change(PASSWORD))).fields).toMatchObject({ new_password: { code: 'password.reused' } })
    expect((await change('another horse battery')).username).toBe(person.username)
    expect((await refusal(change('yet another battery'))).code).toBe('auth.ticket_invalid')
    expect((await house.signIn(person.username, { password: 'another horse battery' })).username).toBe(person.username)
    await house.db.superuser.query(
      `update tenants set settings = '{"security":{"passwordExpiryDays":30}}' where id = $1`,
      [person.tenantId],
    )
    house.now += 31 * 86_400_000
    expect((await refusal(house.signIn(person.username, { password: 'another horse battery' }))).code).toBe(
      'auth.password_change_required',
    )
  })
})
