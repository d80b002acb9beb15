import { text } from 'node:stream/consumers'
import type { MemberView } from '@thingwright/contracts/members.contract'
import type { Permission } from '@thingwright/contracts/permissions'
import { PERMISSIONS } from '@thingwright/contracts/permissions'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertDevice, insertProduct } from '../../db/fixtures.ts'
import { seedCompany } from '../../db/seeds/minimal/minimal.seed.ts'
import { memoryStore } from '../../db/testing/memory-store.ts'
import { type SignInHouse, signInHouse } from '../../db/testing/sign-in-house.ts'
import type { Ctx } from '../../lib/context.ts'
import type { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { silentLogger } from '../../lib/log.ts'
import { ownedDevices } from '../devices/index.ts'
import { createGroupsModule } from '../groups/index.ts'
import { hashPassword } from '../identity/index.ts'
import { ownedProducts } from '../products/index.ts'
import { createTenantsModule } from '../tenants/index.ts'
import { createMembersModule, type MembersModule } from './index.ts'

const PASSWORD = 'Blue-Otter-Ladder-7'
const peer = { ip: '192.0.2.9', userAgent: 'test', locale: 'zh' as const, requestId: 'r' }
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (error: AppError) => Object.values(error.fields ?? {})[0]?.code ?? error.code,
  )

describe('members', () => {
  let house: SignInHouse
  let members: MembersModule
  let tenantId: string
  let owner: Ctx
  let roles: Record<string, string>
  let count = 0
  let tenants: ReturnType<typeof createTenantsModule>

  beforeAll(async () => {
    house = await signInHouse()
    const { database } = house.db
    tenants = createTenantsModule({
      database,
      inbox: { notify: async (_scope, notice) => void house.notices.push(notice) },
      store: memoryStore(),
    })
    members = createMembersModule({
      database,
      groups: createGroupsModule({ database, countObjects: {} }).service,
      identity: house.module,
      quotas: tenants.quotas,
      inbox: { notify: async (_scope, notice) => void house.notices.push(notice) },
      mail: { send: async message => void house.mails.push(message), outbox: () => null },
      sms: { send: async message => void house.texts.push(message), outbox: () => null },
      owned: () => [ownedDevices, ownedProducts],
      publicUrl: () => 'https://iot.example',
      logger: silentLogger,
    })
  })
  beforeEach(async () => {
    count += 1
    tenantId = await house.db.database.withSystemScope('seed', async scope =>
      seedCompany(scope, {
        name: `Company ${count}`,
        owner: { username: `owner${count}`, passwordHash: await hash(), displayName: '王芳', kind: 'member' },
      }),
    )
    const { rows } = await house.db.superuser.query('select id, key from roles where tenant_id = $1', [tenantId])
    roles = Object.fromEntries(rows.map(row => [row.key, row.id]))
    owner = await contextOf(`owner${count}`)
  })
  let hashed: Promise<string> | undefined
  const hash = () => (hashed ??= hashPassword(PASSWORD))

  /** A person of the company as the HTTP layer would see him. */
  async function contextOf(username: string, permissions: readonly Permission[] = PERMISSIONS): Promise<Ctx> {
    const { rows } = await house.db.superuser.query('select id, tenant_id from logins where username = $1', [username])
    return {
      tenantId: rows[0].tenant_id,
      actor: {
        kind: 'member',
        loginId: rows[0].id,
        username,
        displayName: username,
        permissions: new Set(permissions),
        dataScope: { kind: 'all' },
      },
      locale: 'zh',
      requestId: newId(),
      now: Date.now(),
      ip: '192.0.2.7',
      sessionId: newId(),
    }
  }
  /** The session of a context has confirmed just now that it is he. */
  const proven = (ctx: Ctx) =>
    house.db.superuser.query(
      `with f as (insert into refresh_families (id, login_id, client_id, current_hash, expires_at)
         values ($1, $2, 'web', '\\x00', now() + interval '1 day') returning id)
       insert into session_proofs (family_id, method, proven_at) select id, 'password', $3 from f`,
      [ctx.sessionId, idOf(ctx), new Date(house.now)],
    )
  const idOf = (ctx: Ctx) => (ctx.actor.kind === 'member' ? ctx.actor.loginId : '')
  const later = (ctx: Ctx, ms: number): Ctx => ({ ...ctx, now: ctx.now + ms })
  const invite = (over: object = {}, ctx = owner) =>
    members.invitations.invite(ctx, {
      address: `guest${count}@acme.example`,
      roleIds: [roles.operations!],
      displayName: '李娜',
      ...over,
    })
  const tokenOf = (body: string) => /\/index\?invite=1#([\w-]+)/.exec(body)![1]!
  const lastToken = () => tokenOf(house.mails.at(-1)!.text)
  const accept = (token: string, over: object = {}) =>
    members.invitations.accept(
      'cli',
      { token, username: `guest${count}`, password: PASSWORD, acceptTerms: true, ...over },
      peer,
    )
  /** A member who came by invitation. */
  async function joined(name = `guest${count}`, over: object = {}): Promise<{ view: MemberView; ctx: Ctx }> {
    await invite({ address: `${name}@acme.example`, ...over })
    await accept(lastToken(), { username: name })
    const ctx = await contextOf(name, ['member:read', 'member:write'])
    return { ctx, view: await members.service.get(owner, idOf(ctx)) }
  }
  const list = async (query: object = {}, ctx = owner) => (await members.service.list(ctx, query)).items

  it('are invited by mail, shown as invited, and come in with the roles they were given', async () => {
    const invited = await invite()
    expect(invited).toMatchObject({
      state: 'invited',
      username: null,
      email: `guest${count}@acme.example`,
      displayName: '李娜',
    })
    expect(invited.invitation).toMatchObject({
      channel: 'mail',
      sentCount: 1,
      expired: false,
      invitedBy: `owner${count}`,
    })
    const mail = house.mails.at(-1)!
    expect(mail.to).toBe(`guest${count}@acme.example`)
    expect(mail.subject).toContain('王芳')
    const token = lastToken()
    expect(await members.invitations.preview(token)).toMatchObject({
      company: `Company ${count}`,
      inviter: '王芳',
      address: 'gu***@acme.example',
      addressTaken: false,
      roles: [{ key: 'operations' }],
    })
    const reply = await accept(token)
    const caller = await house.identity.authenticate(reply.access_token)
    expect(caller.tenantId).toBe(tenantId)
    expect(caller.actor.kind === 'member' && caller.actor.permissions.has('device:command')).toBe(true)
    expect((await list({ state: 'active' })).map(m => m.username).sort()).toEqual([`guest${count}`, `owner${count}`])
    expect(await list({ state: 'invited' })).toEqual([])
    expect(await codeOf(accept(token, { username: 'again' }))).toBe('invitation.gone')
    const consent = await house.db.superuser.query('select * from consents where tenant_id = $1', [tenantId])
    expect(consent.rows).toHaveLength(1)
  })

  it('are invited by SMS with a link in their own language', async () => {
    await invite({ address: '+86 135-0000-1111', locale: 'en' })
    expect(house.texts.at(-1)).toMatchObject({ phone: '13500001111', kind: 'invitation', locale: 'en' })
    const reply = await accept(/#([\w-]+)/.exec(house.texts.at(-1)!.params.link!)![1]!)
    expect((await members.service.get(owner, reply.id)).phone).toBe('13500001111')
  })

  it('keep nothing of an invitation’s link but its hash', async () => {
    await invite()
    const { rows } = await house.db.superuser.query('select * from invitations')
    expect(JSON.stringify(rows)).not.toContain(lastToken())
  })

  it('with an address that has a login elsewhere are told so, and join without it', async () => {
    const name = `twice${count}`
    await house.db.superuser.query('update logins set email = $2 where id = $1', [idOf(owner), `${name}@acme.example`])
    await house.db.superuser.query('update logins set tenant_id = tenant_id where id = $1', [idOf(owner)])
    const other = await house.db.database.withSystemScope('seed', async scope =>
      seedCompany(scope, {
        name: 'Other',
        owner: { username: `other${count}`, passwordHash: await hash(), displayName: 'x', kind: 'member' },
      }),
    )
    const { rows } = await house.db.superuser.query(
      `select id from roles where tenant_id = $1 and key = 'operations'`,
      [other],
    )
    const theirs = await contextOf(`other${count}`)
    // The inviter learns nothing about people of other companies.
    await members.invitations.invite(theirs, { address: `${name}@acme.example`, roleIds: [rows[0].id] })
    const token = lastToken()
    expect((await members.invitations.preview(token)).addressTaken).toBe(true)
    const reply = await accept(token, { username: name })
    expect(await members.service.get(theirs, reply.id)).toMatchObject({ username: name, email: null })
  })

  it('refuse a second invitation, a member’s own address, strange addresses, foreign roles and a full company', async () => {
    await invite()
    expect(await codeOf(invite({ address: ` GUEST${count}@acme.example` }))).toBe('invitation.open')
    await house.db.superuser.query('update logins set email = $2 where id = $1', [
      idOf(owner),
      `me${count}@acme.example`,
    ])
    const error = (await invite({ address: `me${count}@acme.example` }).catch(e => e)) as AppError
    expect(error).toMatchObject({ code: 'member.already_here', params: { username: `owner${count}` } })
    for (const [address, code] of [
      ['nobody@', 'auth.email_invalid'],
      ['a@b.cn\r\nBcc: c@d.cn', 'auth.email_invalid'],
      ['call me', 'auth.phone_invalid'],
      ['123', 'auth.phone_invalid'],
    ] as const)
      expect(await codeOf(invite({ address }))).toBe(code)
    const foreign = await house.db.superuser.query('select id from roles where tenant_id <> $1 limit 1', [tenantId])
    expect(await codeOf(invite({ address: 'x@y.example', roleIds: [foreign.rows[0]?.id ?? newId()] }))).toBe(
      'role.not_found',
    )
    expect(await codeOf(invite({ address: 'x@y.example', groupId: newId() }))).toBe('group.not_found')
    // Open invitations hold a place.
    await invite({ address: 'z@y.example' })
    const used = async () =>
      (await tenants.quotas.usage({ tenantId, now: Date.now() })).find(({ kind }) => kind === 'members')?.used
    expect(await used()).toBe(3)
    await house.db.superuser.query(
      `update tenants set settings = jsonb_set(settings, '{quotas}', '{"members":3}') where id = $1`,
      [tenantId],
    )
    const full = (await invite({ address: 'w@y.example' }).catch(e => e)) as AppError
    expect(full).toMatchObject({ code: 'quota.exceeded', params: { kind: 'members', used: 3, limit: 3 } })
    // One that is taken back gives its place up.
    const { items } = await members.service.list(owner, { q: 'z@y.example' })
    await members.invitations.revoke(owner, items[0]!.id)
    expect(await used()).toBe(2)
    expect(await codeOf(invite({ address: 'w@y.example' }))).toBe('ok')
  })

  it('cannot be given more by somebody who has less', async () => {
    const { ctx, view } = await joined()
    expect(await codeOf(invite({ address: 'p@y.example', roleIds: [roles.owner!] }, ctx))).toBe('role.beyond_own')
    expect(
      await codeOf(members.service.update(ctx, idOf(ctx), { version: view.version, roleIds: [roles.owner!] })),
    ).toBe('role.beyond_own')
  })

  it('are invited again with a new link after a minute; a withdrawn or old link is good no more', async () => {
    const { id } = await invite()
    const first = lastToken()
    expect(await codeOf(members.invitations.resend(owner, id))).toBe('invitation.too_soon')
    const again = await members.invitations.resend(later(owner, 61_000), id)
    expect(again.invitation).toMatchObject({ sentCount: 2 })
    const second = lastToken()
    expect(second).not.toBe(first)
    expect(await codeOf(accept(first))).toBe('invitation.gone')
    await members.invitations.revoke(owner, id)
    expect(await codeOf(accept(second))).toBe('invitation.gone')
    expect(await codeOf(members.invitations.revoke(owner, id))).toBe('invitation.not_found')
    await invite()
    await house.db.superuser.query(
      `update invitations set expires_at = now() - interval '1 second' where revoked_at is null and tenant_id = $1`,
      [tenantId],
    )
    expect(await codeOf(accept(lastToken()))).toBe('invitation.gone')
    for (const token of ['A'.repeat(43), "' or true --                ", '../../../../etc/passwd'])
      expect(await codeOf(accept(token))).toBe('invitation.gone')
  })

  it('of two who accept one link at once are one', async () => {
    await invite()
    const token = lastToken()
    const results = await Promise.all(
      [accept(token, { username: `a${count}xx` }), accept(token, { username: `b${count}xx` })].map(codeOf),
    )
    expect(results.sort()).toEqual(['invitation.gone', 'ok'])
  })

  it('choose a name and a password that are refused for the same reasons as at registration', async () => {
    await invite()
    const token = lastToken()
    expect(await codeOf(accept(token, { username: `owner${count}` }))).toBe('auth.username_taken')
    expect(await codeOf(accept(token, { username: 'a b' }))).toBe('auth.username_invalid')
    expect(await codeOf(accept(token, { password: 'short' }))).toBe('password.too_short')
    expect(await codeOf(accept(token, { acceptTerms: false }))).toBe('auth.terms_required')
    expect(await codeOf(accept(token))).toBe('ok')
  })

  it('frozen lose their sessions at once and come back with none of them', async () => {
    const { view } = await joined()
    const session = await house.identity.token(
      'cli',
      { grant_type: 'password', username: view.username!, password: PASSWORD },
      peer,
    )
    expect((await members.service.freeze(owner, view.id)).state).toBe('frozen')
    expect(await codeOf(house.identity.authenticate(session.access_token))).toBe('auth.token_invalid')
    const refresh = () =>
      house.identity.token('cli', { grant_type: 'refresh_token', refresh_token: session.refresh_token }, peer)
    expect(await codeOf(refresh())).toBe('auth.refresh_invalid')
    const signIn = () =>
      house.identity.token('cli', { grant_type: 'password', username: view.username!, password: PASSWORD }, peer)
    expect(await codeOf(signIn())).toBe('auth.login_frozen')
    expect(await codeOf(members.service.freeze(owner, view.id))).toBe('member.state_invalid')
    expect((await members.service.unfreeze(owner, view.id)).state).toBe('active')
    expect(await codeOf(refresh())).toBe('auth.refresh_invalid')
    expect(await codeOf(signIn())).toBe('ok')
  })

  it('are frozen, let go and taken back together with the end of their sessions, or not at all', async () => {
    const { view } = await joined()
    const signIn = () =>
      house.identity.token('cli', { grant_type: 'password', username: view.username!, password: PASSWORD }, peer)
    await signIn()
    const lines = async () =>
      (
        await house.db.superuser.query(
          `select action from audit_logs where tenant_id = $1 and action in ('member.freeze', 'member.unfreeze', 'member.leave')`,
          [tenantId],
        )
      ).rows.map(row => row.action)
    /** Nobody's session can be ended any more. */
    const stuck = async (work: () => Promise<void>) => {
      await house.db.superuser.query(
        `create function stuck() returns trigger language plpgsql as $$ begin raise exception 'stuck'; end $$;
         create trigger stuck before update on refresh_families for each row execute function stuck()`,
      )
      try {
        await work()
      } finally {
        await house.db.superuser.query('drop trigger stuck on refresh_families; drop function stuck()')
      }
    }
    const state = async () => (await members.service.get(owner, view.id)).state
    await stuck(async () => {
      await expect(members.service.freeze(owner, view.id)).rejects.toThrow()
      expect([await state(), await lines()]).toEqual(['active', []])
      await expect(members.ownership.leave(owner, view.id, {})).rejects.toThrow()
      expect([await state(), await lines()]).toEqual(['active', []])
    })
    const frozen = await members.service.freeze(owner, view.id)
    // What is answered is what the next change has to name.
    expect((await members.service.get(owner, view.id)).version).toBe(frozen.version)
    // A session that was left over, from before.
    await house.db.superuser.query('update refresh_families set revoked_at = null where login_id = $1', [view.id])
    await stuck(async () => {
      await expect(members.service.unfreeze(owner, view.id)).rejects.toThrow()
      expect([await state(), await lines()]).toEqual(['frozen', ['member.freeze']])
    })
    await members.service.unfreeze(owner, view.id)
    expect([await state(), await lines()]).toEqual(['active', ['member.freeze', 'member.unfreeze']])
  })

  it('cannot freeze or dismiss themselves, nor the last owner, nor as no owner any owner', async () => {
    expect(await codeOf(members.service.freeze(owner, idOf(owner)))).toBe('member.yourself')
    expect(await codeOf(members.ownership.leave(owner, idOf(owner), {}))).toBe('member.yourself')
    const { ctx } = await joined()
    expect(await codeOf(members.service.freeze(ctx, idOf(owner)))).toBe('member.owner_only')
    expect(await codeOf(members.ownership.leave(ctx, idOf(owner), {}))).toBe('member.owner_only')
    expect(await codeOf(members.service.unlock(ctx, idOf(owner)))).toBe('member.owner_only')
    expect(await codeOf(members.service.update(owner, idOf(owner), { version: 1, roleIds: [] }))).toBe(
      'role.last_owner',
    )
  })

  it('are changed with a version; name, group and roles', async () => {
    const { view } = await joined()
    const changed = await members.service.update(owner, view.id, {
      version: view.version,
      displayName: 'Li Na',
      roleIds: [roles.read_only!],
    })
    expect(changed).toMatchObject({ displayName: 'Li Na', roles: [{ key: 'read_only' }] })
    const error = (await members.service
      .update(owner, view.id, { version: view.version, displayName: 'x' })
      .catch(e => e)) as AppError
    expect(error.code).toBe('version.conflict')
    expect(error.params.current).toMatchObject({ displayName: 'Li Na' })
    expect(await codeOf(members.service.update(owner, view.id, { version: changed.version, groupId: newId() }))).toBe(
      'group.not_found',
    )
  })

  it('hand over what they own, all of it, and are gone afterwards', async () => {
    const { view } = await joined()
    const product = await insertProduct(house.db.superuser, { id: tenantId })
    for (let i = 0; i < 3; i++) await insertDevice(house.db.superuser, product)
    await house.db.superuser.query('update products set created_by = $2 where tenant_id = $1', [tenantId, view.id])
    await house.db.superuser.query('update devices set created_by = $2 where tenant_id = $1', [tenantId, view.id])
    expect((await members.ownership.owned(owner, view.id)).items).toEqual([
      { kind: 'device', count: 3 },
      { kind: 'product', count: 1 },
    ])
    for (const to of [view.id, newId()])
      expect(await codeOf(members.ownership.handOver(owner, view.id, to))).toBe('member.receiver_invalid')
    const left = await members.ownership.leave(owner, view.id, { handOverTo: idOf(owner) })
    expect(left).toMatchObject({ state: 'left', phone: null, email: null, roles: [], username: view.username })
    expect((await members.ownership.owned(owner, idOf(owner))).items.map(i => i.count)).toEqual([3, 1])
    expect((await list()).map(m => m.id)).toEqual([idOf(owner)])
    expect((await list({ state: 'left' })).map(m => m.id)).toEqual([view.id])
    const signIn = house.identity.token(
      'cli',
      { grant_type: 'password', username: view.username!, password: PASSWORD },
      peer,
    )
    expect(await codeOf(signIn)).toBe('auth.wrong_credentials')
    expect(await codeOf(members.service.unfreeze(owner, view.id))).toBe('member.state_invalid')
    // The address is free: the same person may be invited again, under a new user name.
    await invite({ address: `guest${count}@acme.example` })
    const back = await accept(lastToken(), { username: `back${count}` })
    expect((await members.service.get(owner, back.id)).email).toBe(`guest${count}@acme.example`)
  })

  it('take over ownership after a fresh proof of the owner; both are told; the old owner is administrator', async () => {
    const { view, ctx } = await joined()
    expect(await codeOf(members.ownership.transferOwnership(owner, view.id))).toBe('auth.proof_required')
    await proven(owner)
    // A proof belongs to its session.
    expect(await codeOf(members.ownership.transferOwnership({ ...owner, sessionId: newId() }, view.id))).toBe(
      'auth.proof_required',
    )
    await proven(ctx)
    expect(await codeOf(members.ownership.transferOwnership(owner, idOf(owner)))).toBe('member.receiver_invalid')
    expect(await codeOf(members.ownership.transferOwnership(ctx, idOf(owner)))).toBe('member.not_owner')
    const notices = house.notices.length
    expect(await members.ownership.transferOwnership(owner, view.id)).toMatchObject({ isOwner: true })
    expect((await members.service.get(owner, idOf(owner))).roles.map(r => r.key)).toEqual(['administrator'])
    expect(house.notices.slice(notices).map(n => n.to)).toEqual([{ loginIds: [view.id] }, { loginIds: [idOf(owner)] }])
    expect(house.mails.at(-1)!.to).toBe(view.email)
    const log = await house.db.superuser.query(
      `select before, after from audit_logs where tenant_id = $1 and action = 'member.transfer_ownership'`,
      [tenantId],
    )
    expect(log.rows).toEqual([{ before: { owner: `owner${count}` }, after: { owner: `guest${count}` } }])
  })

  it('locked by wrong passwords are shown so and unlocked', async () => {
    const { view } = await joined()
    house.now = Date.now()
    const wrong = (ip: string) =>
      house.identity
        .token('cli', { grant_type: 'password', username: view.username!, password: 'x' }, { ...peer, ip })
        .catch(() => {})
    for (let i = 0; i < 3; i++) await wrong(`203.0.113.${i}`)
    await house.db.superuser.query(
      `insert into sign_in_failures (subject, login_id, address, at) select subject, login_id, address, at from sign_in_failures where login_id = $1 limit 2`,
      [view.id],
    )
    const locked = await members.service.get(await contextOf(`owner${count}`), view.id)
    expect(Date.parse(locked.lockedUntil!)).toBeGreaterThan(Date.now())
    expect((await list({ locked: '1' }, await contextOf(`owner${count}`))).map(m => m.id)).toEqual([view.id])
    expect((await members.service.unlock(owner, view.id)).lockedUntil).toBeNull()
    expect(
      await codeOf(
        house.identity.token('cli', { grant_type: 'password', username: view.username!, password: PASSWORD }, peer),
      ),
    ).toBe('ok')
  })

  it('get a link for a new password from an administrator, who never sees it', async () => {
    const { view } = await joined()
    expect(await members.service.resetPassword(owner, view.id)).toEqual({ sentTo: 'gu***@acme.example' })
    expect(house.mails.at(-1)!.text).toMatch(/\/index\?reset=1#[\w-]{43}/)
    expect(await codeOf(members.service.resetPassword(owner, view.id))).toBe('auth.code_too_soon')
    expect(await codeOf(members.service.resetPassword(owner, idOf(owner)))).toBe('member.yourself')
    await house.db.superuser.query('update logins set email = null where id = $1', [view.id])
    expect(await codeOf(members.service.resetPassword(owner, view.id))).toBe('member.no_address')
  })

  it('are listed page by page, sorted, searched and filtered, invitations among them', async () => {
    for (const name of ['张伟', '王芳芳', 'Ann', 'bob', 'Émile'])
      await invite({ address: `m${newId().slice(-8)}@acme.example`, displayName: name })
    const walk = async (sort: string) => {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await members.service.list(owner, { limit: 2, sort, total: '1', ...(cursor ? { cursor } : {}) })
        expect(page.total).toBe(6)
        seen.push(...page.items.map(m => m.id))
        cursor = page.nextCursor ?? undefined
      } while (cursor)
      expect(new Set(seen).size).toBe(6)
      return seen
    }
    for (const sort of ['-createdAt', 'createdAt', 'name', '-name', 'lastSignInAt', '-lastSignInAt'])
      expect((await walk(sort)).length).toBe(6)
    expect((await list({ q: '芳' })).length).toBe(2)
    expect((await list({ q: 'ＡＮＮ' })).map(m => m.displayName)).toEqual(['Ann'])
    expect((await list({ q: '%' })).length).toBe(0)
    expect((await list({ roleId: roles.owner! })).map(m => m.isOwner)).toEqual([true])
    expect((await list({ roleId: roles.operations! })).length).toBe(5)
    for (const bad of [
      { sort: 'password' },
      { cursor: 'x' },
      { cursor: Buffer.from('["a","b"]').toString('base64url') },
    ])
      expect(await codeOf(members.service.list(owner, bad))).toMatch(/^request\./)
  })

  it('are exported with words, and no formula runs in the file', async () => {
    await invite({ displayName: '=cmd|calc' })
    const file = await members.service.export(owner, { format: 'csv' })
    const csv = await text(file.body)
    expect(csv).toContain('待激活')
    expect(csv).not.toMatch(/(^|,)"?=cmd/m)
  })

  it('of another company do not exist', async () => {
    const { view } = await joined()
    const { id: invited } = await invite({ address: 'q@y.example' })
    const stranger = owner
    tenantId = await house.db.database.withSystemScope('seed', async scope =>
      seedCompany(scope, {
        name: 'Strangers',
        owner: { username: `st${count}x`, passwordHash: await hash(), displayName: 'x', kind: 'member' },
      }),
    )
    const other = await contextOf(`st${count}x`)
    expect((await list({}, other)).map(m => m.username)).toEqual([`st${count}x`])
    for (const attempt of [
      () => members.service.get(other, view.id),
      () => members.service.update(other, view.id, { version: 1, displayName: 'mine' }),
      () => members.service.freeze(other, view.id),
      () => members.service.unlock(other, view.id),
      () => members.service.resetPassword(other, view.id),
      () => members.ownership.owned(other, view.id),
      () => members.ownership.handOver(other, view.id, idOf(other)),
      () => members.ownership.leave(other, view.id, {}),
    ])
      expect(await codeOf(attempt())).toBe('member.not_found')
    await proven(other)
    expect(await codeOf(members.ownership.transferOwnership(other, view.id))).toBe('member.receiver_invalid')
    expect(await codeOf(members.ownership.handOver(stranger, view.id, idOf(other)))).toBe('member.receiver_invalid')
    expect(await codeOf(members.invitations.resend(other, invited))).toBe('invitation.not_found')
    expect(await codeOf(members.invitations.revoke(other, invited))).toBe('invitation.not_found')
  })
})
