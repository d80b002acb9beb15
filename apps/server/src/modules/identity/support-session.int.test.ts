import { beforeAll, describe, expect, it } from 'vitest'
import { insertTenant } from '../../db/fixtures.ts'
import { refusal } from '../../db/testing/management.ts'
import { type SignInHouse, signInHouse } from '../../db/testing/sign-in-house.ts'
import { type Ctx, WHOLE_COMPANY } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import { hashPassword } from './passwords.ts'

let house: SignInHouse
let companyCtx: Ctx
let operatorCtx: Ctx
const login = async (tenantId: string, kind: string, username: string) => {
  const id = newId()
  await house.db.superuser.query(
    'insert into logins (id, tenant_id, kind, username, password_hash) values ($1, $2, $3, $4, $5)',
    [id, tenantId, kind, username, await hashPassword('long-enough-secret')],
  )
  return id
}
const peer = { ip: '192.0.2.1', userAgent: 'test', locale: 'zh' as const, requestId: 'r' }

beforeAll(async () => {
  house = await signInHouse()
  const platform = await insertTenant(house.db.superuser, { kind: 'platform' })
  const tenant = await insertTenant(house.db.superuser, { name: '北海仪表' })
  await login(platform.id, 'operator', 'operator-1')
  const owner = await login(tenant.id, 'member', 'owner-1')
  const actor = {
    kind: 'member' as const,
    loginId: owner,
    username: 'owner-1',
    displayName: '',
    permissions: new Set<never>(),
    dataScope: WHOLE_COMPANY,
  }
  companyCtx = { tenantId: tenant.id, actor, locale: 'zh', requestId: 'r', now: house.now }
  const { access_token } = await house.identity.token(
    'cli',
    { grant_type: 'password', username: 'operator-1', password: 'long-enough-secret' },
    peer,
  )
  const signedIn = await house.identity.authenticate(access_token)
  operatorCtx = { ...signedIn, locale: 'zh', requestId: 'r', now: house.now }
})

const enter = async (mayWrite: boolean) => {
  const grant = await house.support.grant(companyCtx, { hours: 2, mayWrite })
  const access = (await house.support.running(companyCtx.tenantId, house.now))!
  return { grant, token: await house.identity.supportToken(operatorCtx, access) }
}

describe('an operator inside a company', () => {
  it('is there as himself, marked, with rights to read only unless the company said more', async () => {
    const { token } = await enter(false)
    const inside = await house.identity.authenticate(token.access_token)
    expect(inside).toMatchObject({
      tenantId: companyCtx.tenantId,
      actor: { kind: 'operator', username: 'operator-1', support: { companyName: '北海仪表', mayWrite: false } },
    })
    const rights = (actor: typeof inside.actor) => (actor.kind === 'system' ? [] : [...actor.permissions])
    expect(rights(inside.actor)).toContain('device:read')
    expect(rights(inside.actor).filter(right => !right.endsWith(':read'))).toEqual([])
    const me = await house.identity.me({ ...companyCtx, actor: inside.actor })
    expect(me).toMatchObject({ company: { name: '北海仪表' }, support: { mayWrite: false } })
    expect(me.menuPermissions).toContain('/manage/device')
    const writing = await house.identity.authenticate((await enter(true)).token.access_token)
    expect(rights(writing.actor)).toEqual(expect.arrayContaining(['device:write', 'company:write']))
    for (const never of [
      'operator:use',
      'role:write',
      'member:write',
      'security:write',
      'device:secret',
      'company:export',
    ])
      expect(rights(writing.actor)).not.toContain(never)
  })

  it('is out the moment the company ends its consent, and when its hours are over', async () => {
    const { grant, token } = await enter(true)
    await house.support.end(companyCtx, grant.id)
    expect((await refusal(house.identity.authenticate(token.access_token))).code).toBe('auth.token_invalid')
    const second = await enter(true)
    house.now += 10 * 60_000
    await house.identity.authenticate(second.token.access_token)
    house.now += 6 * 60_000
    expect((await refusal(house.identity.authenticate(second.token.access_token))).code).toBe('auth.token_expired')
  })

  it('gets in whoever else changes something at that moment', async () => {
    const access = (await house.support.running(companyCtx.tenantId, house.now))!
    // What the server remembered of him is forgotten with every change of a company.
    house.identity.forget()
    const { access_token } = await house.identity.supportToken(operatorCtx, access)
    expect((await house.identity.authenticate(access_token)).tenantId).toBe(companyCtx.tenantId)
  })

  it('is out when he signs out of his own session', async () => {
    const { token } = await enter(false)
    await house.db.superuser.query('update refresh_families set revoked_at = now()')
    house.identity.forget()
    expect((await refusal(house.identity.authenticate(token.access_token))).code).toBe('auth.token_invalid')
  })

  it('cannot be a member, and cannot go on from one company into the next', async () => {
    const access = (await house.support.running(companyCtx.tenantId, house.now))!
    await expect(house.identity.supportToken(companyCtx, access)).rejects.toThrow('permission.denied')
    const actor = {
      ...(operatorCtx.actor as Extract<Ctx['actor'], { kind: 'operator' }>),
      support: { grantId: 'x', companyName: '', mayWrite: true, expiresAt: 0 },
    }
    await expect(house.identity.supportToken({ ...operatorCtx, actor }, access)).rejects.toThrow('permission.denied')
  })
})
