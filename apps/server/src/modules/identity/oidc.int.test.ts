import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { securityContract as c } from '@thingwright/contracts/security.contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, refusal, type SecurityHouse, securityHouse } from '../../db/testing/security-house.ts'
import type { Ctx } from '../../lib/context.ts'
import type { RedirectReply } from '../../lib/http.ts'

const CALLBACK = 'https://iot.example/oauth/oidc/callback'

const meddled = (back: URL, browser: string, name: string, value: string): string => {
  back.searchParams.set(name, value)
  return browser
}

interface Simulator {
  issuer: string
  clientId: string
  clientSecret: string
}

describe('single sign-on', () => {
  let house: SecurityHouse
  let guarded: SecurityHouse
  let child: ChildProcess
  let provider: Simulator

  beforeAll(async () => {
    const program = join(import.meta.dirname, '../../../../../tools/simulators/oidc/main.ts')
    child = spawn(process.execPath, ['--import', 'tsx', program, '--redirect', CALLBACK], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const [line] = (await once(child.stdout!, 'data')) as [Buffer]
    provider = JSON.parse(line.toString())
    house = await securityHouse({ outboundAllow: ['127.0.0.0/8'] })
    guarded = await securityHouse()
  })
  afterAll(async () => {
    child.stdin?.end()
    child.kill()
    await house.db.drop()
    await guarded.db.drop()
  })

  async function owner(at = house) {
    const person = await at.company()
    const ctx = await at.ctxOf((await at.signIn(person.username)).access_token)
    await at.call(c.prove, ctx, { body: { method: 'password', password: PASSWORD } })
    const role = async (key: string) =>
      (await at.db.superuser.query('select id from roles where tenant_id = $1 and key = $2', [person.tenantId, key]))
        .rows[0].id as string
    return { ...person, ctx, role }
  }
  const settings = (over: object = {}) => ({
    enabled: true,
    issuer: provider.issuer,
    clientId: provider.clientId,
    clientSecret: provider.clientSecret,
    createMembers: false,
    version: 0,
    ...over,
  })
  const set = (ctx: Ctx, over: object = {}, at = house) =>
    at.call<{ version: number; hasSecret: boolean }>(c.setOidc, ctx, { body: settings(over) })

  async function company(over: object = {}) {
    const person = await owner()
    const domain = `${person.username}.example`
    const roleId = await person.role('read_only')
    await set(person.ctx, { domain, createMembers: true, roleId, ...over })
    return { ...person, domain, roleId }
  }

  /** What a browser does: keeps cookies of the provider, follows its redirects until it is sent back to us. */
  async function visit(url: string, choice: string): Promise<URL> {
    const cookies = new Map<string, string>()
    let next = new URL(url)
    for (let hop = 0; hop < 12; hop++) {
      const answer = await fetch(next, {
        redirect: 'manual',
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      })
      for (const line of answer.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
        cookies.set(name!, value!)
      }
      const location = answer.headers.get('location')
      if (!location) next = new URL(`?${choice}`, next)
      else {
        next = new URL(location, next)
        if (next.href.startsWith(CALLBACK)) return next
      }
    }
    throw new Error('the provider never sent the browser back')
  }

  /** Begins, signs in at the provider, and comes back; returns where the console goes and the cookies it set. */
  async function signInAs(
    begin: () => Promise<{ url: string; browser: string }>,
    choice: string,
    meddle: (back: URL, browser: string) => string | undefined = (_back, browser) => browser,
  ) {
    const { url, browser } = await begin()
    const back = await visit(url, choice)
    return comeBack(back, meddle(back, browser))
  }
  async function comeBack(back: URL, browser: string | undefined) {
    const cookies: string[] = []
    const reply = await house.call<RedirectReply>(
      c.oidcCallback,
      null,
      { query: Object.fromEntries(back.searchParams) },
      {
        ...(browser ? { cookies: `tw_oidc=${browser}` } : {}),
        setHeader: (_name, value) => void cookies.push(value),
      },
    )
    return { location: reply.location, cookies }
  }
  const starting = (name: string) => async () => {
    let browser = ''
    const { url } = await house.call<{ url: string }>(
      c.oidcStart,
      null,
      { body: { company: name } },
      {
        setHeader: (_name, value) => {
          browser = /tw_oidc=([^;]*)/.exec(value)?.[1] ?? ''
          expect(value).toMatch(/HttpOnly; SameSite=Lax/)
        },
      },
    )
    return { url, browser }
  }

  it('is found by domain or app id, and says where it leads', async () => {
    const firm = await company()
    const found = await house.call(c.oidcLookup, null, { query: { company: firm.domain.toUpperCase() } })
    expect(found).toMatchObject({ name: firm.name, host: new URL(provider.issuer).host })
    const { rows } = await house.db.superuser.query('select app_id from tenants where id = $1', [firm.tenantId])
    expect(await house.call(c.oidcLookup, null, { query: { company: rows[0].app_id } })).toEqual(found)
    for (const unknown of ['nobody.example', '%', "' or 1=1", firm.name])
      expect((await refusal(house.call(c.oidcLookup, null, { query: { company: unknown } }))).code).toBe(
        'oidc.not_configured',
      )
  })

  it('signs in by code with PKCE, state and nonce; the first time a member with the chosen role is made', async () => {
    const firm = await company()
    const { url } = await starting(firm.domain)()
    const asked = new URL(url).searchParams
    expect([asked.get('code_challenge_method'), asked.get('response_type')]).toEqual(['S256', 'code'])
    expect(asked.get('state')!.length).toBeGreaterThan(20)
    expect(asked.get('nonce')!.length).toBeGreaterThan(20)

    const first = await signInAs(starting(firm.domain), 'account=lina')
    expect(first.location).toBe('/index?sso=ok')
    expect(first.cookies.join()).toMatch(/tw_refresh=/)
    await signInAs(starting(firm.domain), 'account=lina')
    const { rows } = await house.db.superuser.query(
      `select l.username, l.display_name, l.password_hash, l.email, r.key from logins l join login_roles lr on lr.login_id = l.id
       join roles r on r.id = lr.role_id where l.tenant_id = $1 and l.id <> $2`,
      [firm.tenantId, firm.loginId],
    )
    expect(rows).toEqual([
      { username: 'li.na', display_name: '李娜', password_hash: null, email: null, key: 'read_only' },
    ])
  })

  it('never takes over a login of the same name', async () => {
    const firm = await company()
    await house.db.superuser.query(
      `insert into logins (id, tenant_id, kind, username) values (gen_random_uuid(), $1, 'member', 'Admin') on conflict do nothing`,
      [firm.tenantId],
    )
    expect((await signInAs(starting(firm.domain), 'account=admin')).location).toBe('/index?sso=ok')
    const { rows } = await house.db.superuser.query(
      'select l.username from login_identities i join logins l on l.id = i.login_id where i.tenant_id = $1',
      [firm.tenantId],
    )
    expect(rows[0].username).toMatch(/^admin-/)
  })

  it.each([
    ['another browser', (_back: URL) => undefined],
    ['a made-up state', (back: URL, browser: string) => meddled(back, browser, 'state', 'x'.repeat(43))],
    ['a made-up code', (back: URL, browser: string) => meddled(back, browser, 'code', 'x'.repeat(43))],
    [
      'the name of another issuer',
      (back: URL, browser: string) => meddled(back, browser, 'iss', 'https://evil.example'),
    ],
  ])('refuses to come back with %s', async (_name, meddle) => {
    const firm = await company()
    const { location, cookies } = await signInAs(starting(firm.domain), 'account=lina', meddle)
    expect(location).toMatch(/^\/index\?sso=oidc\.(flow_invalid|refused)$/)
    expect(cookies).toEqual([])
  })

  it('takes an answer once, and within ten minutes', async () => {
    const firm = await company()
    const { url, browser } = await starting(firm.domain)()
    const back = await visit(url, 'account=lina')
    expect((await comeBack(back, browser)).location).toBe('/index?sso=ok')
    expect((await comeBack(back, browser)).location).toBe('/index?sso=oidc.flow_invalid')
    const late = await starting(firm.domain)()
    const lateBack = await visit(late.url, 'account=lina')
    house.now += 10 * 60_000
    expect((await comeBack(lateBack, late.browser)).location).toBe('/index?sso=oidc.flow_invalid')
    house.now -= 10 * 60_000
  })

  it('says so when the person refuses, when nobody is to be made, and when the member is gone', async () => {
    const firm = await company()
    expect((await signInAs(starting(firm.domain), 'deny=1')).location).toBe('/index?sso=oidc.refused')
    const closed = await owner()
    await set(closed.ctx, { domain: 'closed.example' })
    expect((await signInAs(starting('closed.example'), 'account=wang')).location).toBe('/index?sso=oidc.no_member')
    await signInAs(starting(firm.domain), 'account=wang')
    await house.db.superuser.query(`update logins set state = 'frozen' where tenant_id = $1 and id <> $2`, [
      firm.tenantId,
      firm.loginId,
    ])
    expect((await signInAs(starting(firm.domain), 'account=wang')).location).toBe('/index?sso=oidc.no_member')
  })

  it('is linked to a login by its owner with a proof, and unlinked', async () => {
    const firm = await company({ createMembers: false })
    const linking = async () => {
      let browser = ''
      const { url } = await house.call<{ url: string }>(
        c.linkOidc,
        firm.ctx,
        {},
        {
          setHeader: (_name, value) => {
            browser = /tw_oidc=([^;]*)/.exec(value)?.[1] ?? ''
          },
        },
      )
      return { url, browser }
    }
    expect((await signInAs(linking, 'account=wang')).location).toBe('/admin/security?tab=sso&linked=1')
    expect((await signInAs(starting(firm.domain), 'account=wang')).location).toBe('/index?sso=ok')
    const { identities } = await house.call<{ identities: { id: string; label: string }[] }>(c.overview, firm.ctx)
    expect(identities.map(each => each.label)).toEqual(['wang.qiang@factory.example'])
    await house.call(c.unlinkOidc, firm.ctx, { params: { id: identities[0]!.id } })
    expect((await signInAs(starting(firm.domain), 'account=wang')).location).toBe('/index?sso=oidc.no_member')
    house.now += 11 * 60_000
    expect((await refusal(linking())).code).toBe('auth.proof_required')
  })

  it('that cannot be linked leads a signed-in person back to his security page with the reason', async () => {
    const firm = await company({ createMembers: true })
    await signInAs(starting(firm.domain), 'account=lina')
    const linking = async () => {
      let cookies = ''
      const setHeader = (_name: string, value: string) => {
        cookies += value
      }
      const { url } = await house.call<{ url: string }>(c.linkOidc, firm.ctx, {}, { setHeader })
      return { url, browser: /tw_oidc=([^;]*)/.exec(cookies)![1]! }
    }
    const back = (code: string) => `/admin/security?tab=sso&failed=${code}`
    for (const [what, code, meddle] of [
      ['account=lina', 'oidc.identity_taken', undefined],
      ['deny=1', 'oidc.refused', undefined],
      ['account=wang', 'oidc.flow_invalid', () => undefined],
    ] as const) {
      const { location, cookies } = await signInAs(linking, what, ...(meddle ? [meddle] : []))
      expect(location).toBe(back(code))
      expect(cookies.join()).not.toMatch(/tw_refresh=/)
    }
    const late = await linking()
    const lateBack = await visit(late.url, 'account=wang')
    house.now += 10 * 60_000
    expect((await comeBack(lateBack, late.browser)).location).toBe(back('oidc.flow_invalid'))
    house.now -= 10 * 60_000
  })

  it('keeps the client secret sealed, never shows it, and sends it to no other issuer', async () => {
    const firm = await owner()
    await set(firm.ctx)
    const shown = JSON.stringify(await house.call(c.oidc, firm.ctx))
    expect(shown).not.toContain(provider.clientSecret)
    const { rows } = await house.db.superuser.query('select * from oidc_providers where tenant_id = $1', [
      firm.tenantId,
    ])
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(provider.clientSecret).toString('hex'))
    const log = await house.db.superuser.query('select before, after from audit_logs where tenant_id = $1', [
      firm.tenantId,
    ])
    expect(JSON.stringify(log.rows)).not.toContain(provider.clientSecret)
    const { clientSecret: _, ...without } = settings({
      version: 1,
      issuer: provider.issuer.replace('127.0.0.1', 'localhost'),
    })
    expect((await refusal(house.call(c.setOidc, firm.ctx, { body: without }))).code).toBe('oidc.secret_missing')
  })

  it('refuses what cannot be right', async () => {
    const firm = await company()
    const other = await owner()
    const code = async (over: object) => (await refusal(set(other.ctx, over))).code
    expect(await code({ issuer: 'nonsense' })).toBe('oidc.discovery_failed')
    expect(await code({ issuer: 'file:///etc/passwd' })).toBe('oidc.discovery_failed')
    expect(await code({ issuer: `${provider.issuer}/nowhere` })).toBe('oidc.discovery_failed')
    expect(await code({ createMembers: true })).toBe('oidc.role_invalid')
    expect(await code({ createMembers: true, roleId: await other.role('owner') })).toBe('oidc.role_invalid')
    expect(await code({ createMembers: true, roleId: firm.roleId })).toBe('oidc.role_invalid')
    expect(await code({ domain: firm.domain })).toBe('oidc.domain_taken')
    expect(await code({ version: 7 })).toBe('version.conflict')
    await set(other.ctx)
    expect(await code({ version: 0 })).toBe('version.conflict')
  })

  it('asks no internal address unless the installation allows it', async () => {
    const firm = await owner(guarded)
    for (const issuer of [provider.issuer, 'https://127.0.0.1', 'https://169.254.169.254', 'https://localhost']) {
      const error = await refusal(set(firm.ctx, { issuer }, guarded))
      expect(error.code).toBe('oidc.discovery_failed')
      expect(String(error.params.reason)).not.toContain('ECONNREFUSED')
      expect(error.fields?.issuer?.code).toMatch(/^outbound\.(internal|unencrypted)$/)
      // Nor kept for later: what is switched off today is switched on tomorrow.
      const off = await refusal(set(firm.ctx, { issuer, enabled: false }, guarded))
      expect([off.code, Object.keys(off.fields ?? {})]).toEqual(['oidc.discovery_failed', ['issuer']])
    }
  })
})
