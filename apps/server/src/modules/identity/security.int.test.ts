import { securityContract as c } from '@thingwright/contracts/security.contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, refusal, type SecurityHouse, securityHouse } from '../../db/testing/security-house.ts'
import type { Ctx } from '../../lib/context.ts'
import { StreamReply } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'

const DAY = 86_400_000
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36'

describe('the security centre', () => {
  let house: SecurityHouse
  beforeAll(async () => {
    house = await securityHouse()
  })
  afterAll(() => house.db.drop())

  const prove = (ctx: Ctx, password = PASSWORD) => house.call(c.prove, ctx, { body: { method: 'password', password } })
  async function someone(over: { email?: string } = {}) {
    const person = await house.company(over)
    const reply = await house.signIn(person.username)
    return { ...person, token: reply.access_token, ctx: await house.ctxOf(reply.access_token) }
  }
  const authenticate = (token: string, ip = '192.0.2.7', more: object = {}) =>
    house.module.service.authenticate(token, { ip, ...more })
  const setPolicy = async (person: { ctx: Ctx }, change: object) => {
    await prove(person.ctx)
    return house.call(c.setPolicy, person.ctx, { body: change })
  }

  describe('proof that it is still the same person', () => {
    it('is asked for dangerous things, counts ten minutes, and for that session only', async () => {
      const person = await someone()
      const other = await house.ctxOf((await house.signIn(person.username)).access_token)
      const { requireFreshProof } = house.module.security
      const error = await refusal(requireFreshProof(person.ctx))
      expect([error.code, error.params.methods]).toEqual(['auth.proof_required', ['password', 'sms']])
      await prove(person.ctx)
      await requireFreshProof(person.ctx)
      expect((await refusal(requireFreshProof(other))).code).toBe('auth.proof_required')
      house.now += 10 * 60_000
      expect((await refusal(requireFreshProof(person.ctx))).code).toBe('auth.proof_required')
    })

    it('without a session (a token of a program) can never be given', async () => {
      const person = await someone()
      const { sessionId: _, ...ctx } = person.ctx
      expect((await refusal(house.module.security.requireFreshProof(ctx))).code).toBe('auth.proof_required')
      expect((await refusal(prove(ctx))).code).toBe('auth.required')
    })

    it('cannot be guessed', async () => {
      const person = await someone()
      const codes = []
      for (let i = 0; i < 11; i++) codes.push((await refusal(prove(person.ctx, `wrong ${i}`))).code)
      expect(codes).toEqual([...Array(10).fill('security.password_wrong'), 'auth.factor_locked'])
      expect((await refusal(prove(person.ctx))).code).toBe('auth.factor_locked')
      const log = await house.db.superuser.query(
        `select result from audit_logs where action = 'security.proof' and actor_id = $1`,
        [person.loginId],
      )
      expect(log.rows).toHaveLength(10)
    })
  })

  describe('password', () => {
    const change = (ctx: Ctx, body: object) => house.call(c.changePassword, ctx, { body })

    it('is changed with the old one; all other sessions end, this one stays', async () => {
      const person = await someone({ email: 'p1@acme.example' })
      const other = (await house.signIn(person.username)).access_token
      expect((await refusal(change(person.ctx, { newPassword: 'new horse battery', oldPassword: 'wrong' }))).code).toBe(
        'security.password_wrong',
      )
      await change(person.ctx, { newPassword: 'new horse battery', oldPassword: PASSWORD })
      expect((await refusal(authenticate(other))).code).toBe('auth.token_invalid')
      expect((await authenticate(person.token)).tenantId).toBe(person.tenantId)
      expect((await refusal(house.signIn(person.username))).code).toBe('auth.wrong_credentials')
      expect((await house.signIn(person.username, { password: 'new horse battery' })).username).toBe(person.username)
      expect(house.mails.at(-1)?.to).toBe('p1@acme.example')
    })

    it('is changed with a code sent to the phone', async () => {
      const person = await someone()
      await house.call(c.sendCode, person.ctx, { body: { channel: 'sms', purpose: 'password' } })
      const code = house.lastCode(person.phone)
      const wrong = code === '000000' ? '000001' : '000000'
      expect(
        (await refusal(change(person.ctx, { newPassword: 'new horse battery', channel: 'sms', code: wrong }))).code,
      ).toBe('security.code_wrong')
      await change(person.ctx, { newPassword: 'new horse battery', channel: 'sms', code })
      expect((await house.signIn(person.username, { password: 'new horse battery' })).username).toBe(person.username)
      // A code for something else does not count.
      house.now += 61_000
      await house.call(c.sendCode, person.ctx, { body: { channel: 'sms', purpose: 'proof' } })
      expect(
        (
          await refusal(
            change(person.ctx, {
              newPassword: 'third horse battery',
              channel: 'sms',
              code: house.lastCode(person.phone),
            }),
          )
        ).code,
      ).toBe('security.code_wrong')
    })

    it('does not return: the last three are remembered, the fourth may come again', async () => {
      const person = await someone()
      const passwords = [PASSWORD, 'second horse battery', 'third horse battery', 'fourth horse battery']
      for (const [at, password] of passwords.entries()) {
        if (at === 0) continue
        house.now += 1000
        const newPassword = passwords[at - 1]!
        expect(
          (await refusal(change(person.ctx, { newPassword, oldPassword: passwords[at - 1] }))).fields?.newPassword
            ?.code,
        ).toBe('password.reused')
        await change(person.ctx, { newPassword: password, oldPassword: passwords[at - 1] })
      }
      const old = (newPassword: string) => change(person.ctx, { newPassword, oldPassword: passwords[3] })
      expect((await refusal(old(passwords[2]!))).fields?.newPassword?.code).toBe('password.reused')
      expect((await refusal(old(passwords[1]!))).fields?.newPassword?.code).toBe('password.reused')
      await old(passwords[0]!)
    })
  })

  describe('sessions', () => {
    it('are listed with their device, this one marked; an ended one is refused with its next request', async () => {
      const person = await house.company()
      const first = await house.signIn(person.username, { userAgent: CHROME, ip: '10.1.2.3' })
      const second = await house.signIn(person.username, { ip: '203.0.113.9' })
      const ctx = await house.ctxOf(second.access_token)
      const { items } = await house.call<{ items: { id: string; current: boolean; client: string; place: string }[] }>(
        c.sessions,
        ctx,
      )
      expect(items.map(({ client, place, current }) => ({ client, place, current }))).toEqual(
        expect.arrayContaining([
          { client: 'Chrome · Windows', place: 'intranet', current: false },
          { client: 'test', place: 'unknown', current: true },
        ]),
      )
      await authenticate(first.access_token)
      const id = items.find(item => !item.current)!.id
      expect((await refusal(house.call(c.endSession, ctx, { params: { id } }))).code).toBe('auth.proof_required')
      await prove(ctx)
      await house.call(c.endSession, ctx, { params: { id: items.find(item => !item.current)!.id } })
      expect((await refusal(authenticate(first.access_token))).code).toBe('auth.token_invalid')
      expect(
        (
          await refusal(
            house.module.service.token(
              'cli',
              { grant_type: 'refresh_token', refresh_token: first.refresh_token },
              house.peer(),
            ),
          )
        ).code,
      ).toBe('auth.refresh_invalid')
      await authenticate(second.access_token)
    })

    it('of others are nobody’s business: ids of another person are not found', async () => {
      const mine = await someone()
      const other = await someone()
      const { rows } = await house.db.superuser.query('select id from refresh_families where login_id = $1', [
        other.loginId,
      ])
      await prove(mine.ctx)
      const error = await refusal(house.call(c.endSession, mine.ctx, { params: { id: rows[0].id } }))
      expect(error.code).toBe('security.session_not_found')
      await authenticate(other.token)
      for (const operation of [c.memberSecurity, c.memberSessions, c.endMemberSessions, c.resetMemberFactors]) {
        await prove(mine.ctx)
        expect((await refusal(house.call(operation, mine.ctx, { params: { id: other.loginId } }))).code).toBe(
          'security.member_not_found',
        )
      }
      expect((await refusal(house.call(c.memberSessions, mine.ctx, { params: { id: newId() } }))).code).toBe(
        'security.member_not_found',
      )
    })

    it('of all others end with one press, of a member by an administrator', async () => {
      const person = await someone()
      const more = [await house.signIn(person.username), await house.signIn(person.username)]
      await prove(person.ctx)
      expect(await house.call(c.endOtherSessions, person.ctx)).toEqual({ ended: 2 })
      for (const { access_token } of more)
        expect((await refusal(authenticate(access_token))).code).toBe('auth.token_invalid')
      await authenticate(person.token)
      const again = await house.signIn(person.username)
      const done = await house.call(c.endMemberSessions, person.ctx, { params: { id: person.loginId }, body: {} })
      expect(done).toEqual({ ended: 2 })
      expect((await refusal(authenticate(again.access_token))).code).toBe('auth.token_invalid')
    })

    it('and second factors of a member are seen and taken away by who sets the rules; of an owner by owners only', async () => {
      const boss = await someone()
      const { rows } = await house.db.superuser.query<{ id: string }>(
        `with l as (insert into logins (id, tenant_id, kind, username, password_hash, second_factors)
           select gen_random_uuid(), tenant_id, 'member', $2, password_hash, '{mail}' from logins where id = $1 returning id, tenant_id)
         insert into login_roles (login_id, role_id, tenant_id) select l.id, r.id, l.tenant_id from l join roles r
           on r.tenant_id = l.tenant_id and r.key = 'administrator' returning login_id as id`,
        [boss.loginId, `colleague-${boss.username}`],
      )
      const params = { id: rows[0]!.id }
      const seen = () => house.call(c.memberSecurity, boss.ctx, { params })
      expect(await seen()).toMatchObject({ factors: ['mail'], passkeys: 0, secondFactorRequired: false })
      expect((await refusal(house.call(c.resetMemberFactors, boss.ctx, { params }))).code).toBe('auth.proof_required')
      // A colleague with the right to rules, but no owner.
      const colleague: Ctx = {
        ...boss.ctx,
        actor: { ...boss.ctx.actor, loginId: params.id } as Ctx['actor'],
      }
      await prove(boss.ctx)
      for (const operation of [c.resetMemberFactors, c.endMemberSessions])
        expect((await refusal(house.call(operation, colleague, { params: { id: boss.loginId }, body: {} }))).code).toBe(
          'member.owner_only',
        )
      await authenticate(boss.token)
      const notices = house.notices.length
      await house.call(c.resetMemberFactors, boss.ctx, { params })
      expect(await seen()).toMatchObject({ factors: [], passkeys: 0, backupCodesLeft: 0 })
      expect(house.notices.slice(notices)).toMatchObject([
        { to: { loginIds: [params.id] }, kind: 'security.factors_reset', level: 'warning' },
      ])
    })

    it('end by age, whatever they are refreshed, and by being idle', async () => {
      const person = await someone()
      await setPolicy(person, { sessionHours: 2, idleMinutes: 10 })
      const start = house.now
      let reply = await house.signIn(person.username)
      const refresh = async () => {
        reply = await house.module.service.token(
          'cli',
          { grant_type: 'refresh_token', refresh_token: reply.refresh_token },
          house.peer(),
        )
      }
      for (let minutes = 5; minutes < 120; minutes += 5) {
        house.now = start + minutes * 60_000
        await refresh()
        await authenticate(reply.access_token)
      }
      house.now = start + 120 * 60_000
      expect((await refusal(authenticate(reply.access_token))).code).toBe('auth.token_invalid')
      expect((await refusal(refresh())).code).toBe('auth.refresh_invalid')

      const idle = await house.signIn(person.username)
      house.now += 9 * 60_000
      // The page works on by itself: refreshing, an open socket, requests in the background.
      await authenticate(idle.access_token, '192.0.2.7', { passive: true })
      await authenticate(idle.access_token, '192.0.2.7', { idleSeconds: 9 * 60 })
      house.now += 61_000
      expect((await refusal(authenticate(idle.access_token))).code).toBe('auth.token_invalid')
    })
  })

  describe('allowed addresses', () => {
    it('hold for sign-in, every request, refresh and open sockets', async () => {
      const person = await someone()
      await setPolicy(person, { ipAllowList: ['192.0.2.0/24', '2001:db8::/32'] })
      await authenticate(person.token)
      await authenticate(person.token, '2001:db8::5')
      const outside = await refusal(authenticate(person.token, '203.0.113.5'))
      expect([outside.code, outside.params.address]).toEqual(['auth.address_refused', '203.0.113.5'])
      expect((await refusal(authenticate(person.token, '203.0.113.5', { passive: true }))).code).toBe(
        'auth.address_refused',
      )
      expect((await refusal(house.signIn(person.username, { ip: '203.0.113.5' }))).code).toBe('auth.address_refused')
      const reply = await house.signIn(person.username)
      expect(
        (
          await refusal(
            house.module.service.token(
              'cli',
              { grant_type: 'refresh_token', refresh_token: reply.refresh_token },
              house.peer({ ip: '203.0.113.5' }),
            ),
          )
        ).code,
      ).toBe('auth.address_refused')
      // Another company is not concerned.
      const other = await someone()
      await authenticate(other.token, '203.0.113.5')
    })

    it('that would keep the caller out are refused, rubbish too', async () => {
      const person = await someone()
      const error = await refusal(setPolicy(person, { ipAllowList: ['198.51.100.0/24'] }))
      expect([error.code, error.fields?.ipAllowList?.code]).toEqual(['security.locked_out', 'security.locked_out'])
      for (const bad of ['x', '10.0.0.0/33', '', '10.0.0', '*'])
        expect((await refusal(setPolicy(person, { ipAllowList: ['192.0.2.7', bad] }))).code).toBe(
          'security.network_invalid',
        )
      const saved = await setPolicy(person, { ipAllowList: [' 192.0.2.77/24', '192.0.2.0/24'] })
      expect(saved).toMatchObject({ ipAllowList: ['192.0.2.0/24'] })
      await setPolicy(person, { ipAllowList: [] })
      await authenticate(person.token, '203.0.113.5')
    })
  })

  describe('sign-in history', () => {
    it('holds who came in and who was refused, for oneself and for the company, and never a password', async () => {
      const person = await someone()
      house.now += 1000
      await refusal(house.signIn(person.username, { password: 'typed wrong' }))
      const { items } = await house.call<{ items: Record<string, unknown>[] }>(c.history, person.ctx)
      expect(items.map(({ result, reason, method }) => [result, reason, method])).toEqual([
        ['refused', 'auth.wrong_credentials', 'password'],
        ['ok', null, 'password'],
      ])
      const other = await someone()
      const company = await house.call<{ items: { username: string }[] }>(c.companyHistory, other.ctx)
      expect(new Set(company.items.map(item => item.username))).toEqual(new Set([other.username]))
      const { rows } = await house.db.superuser.query('select * from sign_in_events')
      expect(JSON.stringify(rows)).not.toContain('typed wrong')
      const file = await house.call<StreamReply>(c.companyHistoryExport, other.ctx, { query: { format: 'csv' } })
      expect(file).toBeInstanceOf(StreamReply)
      file.body.destroy()
    })

    it('is read page by page without gaps or doubles', async () => {
      const person = await someone()
      for (let i = 0; i < 7; i++) {
        house.now += 1000
        await house.signIn(person.username)
      }
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await house.call<{ items: { id: string }[]; nextCursor: string | null }>(c.history, person.ctx, {
          query: { limit: 3, ...(cursor ? { cursor } : {}) },
        })
        seen.push(...page.items.map(item => item.id))
        cursor = page.nextCursor ?? undefined
      } while (cursor)
      expect([seen.length, new Set(seen).size]).toEqual([8, 8])
      expect((await refusal(house.call(c.history, person.ctx, { query: { cursor: 'rubbish' } }))).code).toBe(
        'request.cursor_invalid',
      )
    })

    it('tells of a device or a network not seen before, not of the first sign-in and not of known ones', async () => {
      const person = await house.company({ email: 'seen@acme.example' })
      const told = () => house.notices.filter(n => n.kind === 'security.new_device' && n.tenantId === person.tenantId)
      await house.signIn(person.username, { userAgent: CHROME })
      await house.signIn(person.username, { userAgent: CHROME.replace('143.0', '144.0'), ip: '192.0.2.99' })
      expect(told()).toHaveLength(0)
      await house.signIn(person.username, { userAgent: CHROME, ip: '203.0.113.5' })
      expect(told()).toHaveLength(1)
      expect(house.mails.at(-1)).toMatchObject({ to: 'seen@acme.example' })
      await house.signIn(person.username, { userAgent: 'curl/8', ip: '203.0.113.5' })
      expect(told()).toHaveLength(2)
      await setPolicy(
        { ctx: await house.ctxOf((await house.signIn(person.username)).access_token) },
        { noticeNewDevice: false },
      )
      const before = told().length
      await house.signIn(person.username, { userAgent: 'wget/1', ip: '198.51.100.1' })
      expect(told()).toHaveLength(before)
    })
  })

  describe('closing', () => {
    it('one’s own login needs a proof and its name, and leaves nothing personal', async () => {
      const person = await someone()
      // A second owner, so that the company keeps one.
      await house.db.superuser.query(
        `with second as (insert into logins (id, tenant_id, kind, username) values (gen_random_uuid(), $1, 'member', $2) returning id)
         insert into login_roles (login_id, role_id, tenant_id) select second.id, r.id, $1 from second, roles r where r.tenant_id = $1 and r.key = 'owner'`,
        [person.tenantId, `second-${person.username}`],
      )
      // He talked with the assistant.
      const about = [person.tenantId, person.loginId]
      await house.db.superuser.query(
        'insert into assistant_chats (id, tenant_id, login_id) values (gen_random_uuid(), $1, $2)',
        about,
      )
      await house.db.superuser.query(
        `insert into assistant_messages (id, tenant_id, login_id, chat_id, message)
         select gen_random_uuid(), tenant_id, login_id, id, '{"role":"user","content":"private"}' from assistant_chats where login_id = $1`,
        [person.loginId],
      )
      await house.db.superuser.query(
        `insert into assistant_approvals (id, tenant_id, login_id, locale, steps) values (gen_random_uuid(), $1, $2, 'zh', '[]')`,
        about,
      )
      await house.db.superuser.query(
        `insert into assistant_replies (id, tenant_id, login_id, user_name, engine, prompt_tokens) values (gen_random_uuid(), $1, $2, $3, 'own', 7)`,
        [...about, person.username],
      )
      const close = (username: string) => house.call(c.closeOwn, person.ctx, { body: { username } })
      expect((await refusal(close(person.username))).code).toBe('auth.proof_required')
      await prove(person.ctx)
      expect((await refusal(close('somebody'))).code).toBe('security.name_mismatch')
      await close(person.username)
      expect((await refusal(authenticate(person.token))).code).toBe('auth.token_invalid')
      expect((await refusal(house.signIn(person.username))).code).toBe('auth.wrong_credentials')
      const { rows } = await house.db.superuser.query('select * from logins where id = $1', [person.loginId])
      expect(JSON.stringify(rows)).not.toContain(person.phone)
      expect(rows[0].password_hash).toBeNull()
      const talked = await house.db.superuser.query(
        `select (select count(*)::int from assistant_chats where login_id = $1) as chats,
           (select count(*)::int from assistant_messages where login_id = $1) as messages,
           (select count(*)::int from assistant_approvals where login_id = $1) as approvals,
           (select user_name from assistant_replies where login_id = $1) as name,
           (select prompt_tokens from assistant_replies where login_id = $1) as tokens`,
        [person.loginId],
      )
      expect(talked.rows[0]).toMatchObject({ chats: 0, messages: 0, approvals: 0, tokens: 7 })
      expect(talked.rows[0].name).toMatch(/^closed-/)
    })

    it('by the only owner is refused', async () => {
      const person = await someone()
      await prove(person.ctx)
      expect((await refusal(house.call(c.closeOwn, person.ctx, { body: { username: person.username } }))).code).toBe(
        'security.last_owner',
      )
    })

    it('codes of more than a day ago are deleted with the phones and mail addresses they were sent to', async () => {
      const insert = (table: string, column: string, address: string, hoursAgo: number) =>
        house.db.superuser.query(
          `insert into ${table} (id, ${column}, purpose, code_hash, created_at, expires_at)
           values (gen_random_uuid(), $1, 'sign_in', '\\x00', to_timestamp($2::float8 / 1000), to_timestamp($2::float8 / 1000))`,
          [address, house.now - hoursAgo * 3_600_000],
        )
      for (const hours of [1, 23, 25, 24 * 400]) {
        await insert('sms_codes', 'phone', `swept-${hours}`, hours)
        await insert('mail_codes', 'email', `swept-${hours}`, hours)
      }
      await house.module.security.sweep()
      const { rows } = await house.db.superuser.query(
        `select phone as address from sms_codes where phone like 'swept-%'
         union all select email from mail_codes where email like 'swept-%' order by 1`,
      )
      expect(rows.map(({ address }) => address)).toEqual(['swept-1', 'swept-1', 'swept-23', 'swept-23'])
    })

    it('a company cools off for seven days, can be kept, and is then frozen and deleted, others untouched', async () => {
      const owner = await someone({ email: 'boss@acme.example' })
      const bystander = await someone()
      const close = () => house.call<{ dueAt: string }>(c.closeCompany, owner.ctx, { body: { name: owner.name } })
      const sweep = () => house.module.security.sweep()
      expect((await refusal(close())).code).toBe('auth.proof_required')
      await prove(owner.ctx)
      expect((await refusal(house.call(c.closeCompany, owner.ctx, { body: { name: 'x' } }))).code).toBe(
        'security.name_mismatch',
      )
      await close()
      expect((await refusal(close())).code).toBe('security.closing_pending')
      house.now += 6 * DAY
      await sweep()
      await house.call(c.keepCompany, owner.ctx)
      house.now += 2 * DAY
      await sweep()
      await authenticate((await house.signIn(owner.username)).access_token)

      const ctx = await house.ctxOf((await house.signIn(owner.username)).access_token)
      await prove(ctx)
      await house.call(c.closeCompany, ctx, { body: { name: owner.name } })
      await house.db.superuser.query(
        `insert into groups (id, tenant_id, kind, name) select gen_random_uuid(), t, 'device', 'g' from unnest($1::uuid[]) t`,
        [[owner.tenantId, bystander.tenantId]],
      )
      house.now += 7 * DAY
      await sweep()
      const status = async () =>
        (await house.db.superuser.query('select status, name from tenants where id = $1', [owner.tenantId])).rows[0]
      expect((await status()).status).toBe('frozen')
      expect((await refusal(house.call(c.keepCompany, ctx))).code).toBe('security.not_closing')
      house.now += DAY
      await sweep()
      expect(await status()).toMatchObject({ status: 'frozen', name: 'closed' })
      const left = await house.db.superuser.query(
        `select (select count(*)::int from logins where tenant_id = $1) as logins, (select count(*)::int from groups where tenant_id = $1) as groups,
           (select count(*)::int from audit_logs where tenant_id = $1) as log, (select count(*)::int from groups where tenant_id = $2) as other`,
        [owner.tenantId, bystander.tenantId],
      )
      expect(left.rows[0]).toMatchObject({ logins: 0, groups: 0, other: 1 })
      expect(left.rows[0].log).toBeGreaterThan(0)
      expect((await refusal(house.signIn(owner.username))).code).toBe('auth.wrong_credentials')
      // Done is done: the next sweep finds nothing.
      await sweep()
    })

    it('is for owners', async () => {
      const person = await someone()
      await house.db.superuser.query('delete from login_roles where login_id = $1', [person.loginId])
      for (const operation of [c.closePreview, c.keepCompany])
        expect((await refusal(house.call(operation, person.ctx))).code).toBe('security.owner_only')
      await prove(person.ctx)
      expect((await refusal(house.call(c.closeCompany, person.ctx, { body: { name: person.name } }))).code).toBe(
        'security.owner_only',
      )
    })
  })
})
