import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { BodyOf } from '@thingwright/contracts'
import type { ErrorCode } from '@thingwright/contracts/errors'
import type { OidcSettings, SecurityOverview, securityContract } from '@thingwright/contracts/security.contract'
import { recordAudit } from '../../lib/audit.ts'
import { type Ctx, systemContext } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import { newId, randomKey } from '../../lib/ids.ts'
import { addressProblem } from '../../lib/outbound/outbound-address.ts'
import { portOf } from '../../lib/outbound/port-of.ts'
import { assignRoles } from '../roles/index.ts'
import { loginById } from './identity.repo.ts'
import * as repo from './oidc.repo.ts'
import type { FlowSecrets, OidcClient, OidcIdentity } from './oidc-client.ts'
import { loginIdOf, personOf } from './proofs.ts'
import type { SignInGate } from './second-step.ts'
import type { Peer, SessionStart, TokenReplyWithRefresh } from './session-start.ts'
import { checkUsername } from './usernames.ts'

export interface OidcService {
  settings(ctx: Ctx, callbackUrl: string): Promise<OidcSettings>
  /** @throws AppError oidc.discovery_failed, oidc.secret_missing, oidc.role_invalid, oidc.domain_taken, version.conflict */
  change(ctx: Ctx, input: BodyOf<(typeof securityContract)['setOidc']>, callbackUrl: string): Promise<OidcSettings>
  /** @throws AppError oidc.not_configured */
  lookup(company: string): Promise<{ name: string; label: string; host: string }>
  /** @returns the address for the browser and the value of its cookie */
  start(company: string, callbackUrl: string): Promise<{ url: string; browser: string }>
  link(ctx: Ctx, callbackUrl: string): Promise<{ url: string; browser: string }>
  /**
   * The browser came back. Linked: an identity was added to a login, or why not. Else: a session, or what is still in its
   * way.
   * @throws AppError oidc.flow_invalid, oidc.refused, oidc.no_member, oidc.identity_taken
   */
  finish(
    query: URLSearchParams,
    browser: string | undefined,
    peer: Peer,
  ): Promise<{ linked: true } | { notLinked: ErrorCode } | { session: TokenReplyWithRefresh }>
  unlink(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  stateOf(
    scope: SystemScope,
    tenantId: string,
    loginId: string,
  ): Promise<Pick<SecurityOverview, 'identities' | 'ssoAvailable'>>
}

export interface OidcDeps {
  database: Database
  client: OidcClient
  box: CryptoBox
  sessions: SessionStart
  gate: SignInGate
  requireFreshProof(ctx: Ctx): Promise<void>
  /** Networks of OUTBOUND_ALLOW. */
  outboundAllow: readonly string[]
  /** Room for one more member. @throws AppError quota.exceeded */
  holdMember(tenantId: string): Promise<void>
  now(): number
}

const FLOW_MS = 10 * 60_000
const DEFAULT_SCOPES = 'openid profile email'
const hash = (text: string) => createHash('sha256').update(text).digest()

export function createOidc(deps: OidcDeps): OidcService {
  const { database, client, box, now } = deps
  const inSystem = <T>(work: (scope: SystemScope) => Promise<T>) => database.withSystemScope('sign-in', work)

  const factsOf = (row: repo.ProviderRow) => ({
    issuer: row.issuer,
    clientId: row.client_id,
    clientSecret: row.secret_cipher ? box.open(row.secret_cipher, row.tenant_id).toString('utf8') : '',
  })

  async function begin(row: repo.ProviderRow, loginId: string | null, callbackUrl: string) {
    const { url, secrets } = await client.begin(factsOf(row), row.scopes, callbackUrl)
    const browser = randomBytes(24).toString('base64url')
    const id = newId(now())
    await inSystem(scope =>
      repo.insertFlow(
        scope,
        {
          id,
          tenant_id: row.tenant_id,
          login_id: loginId,
          state_hash: hash(secrets.state),
          browser_hash: hash(browser),
          secrets_cipher: box.seal(JSON.stringify(secrets), id),
          expires_at: new Date(now() + FLOW_MS),
        },
        new Date(now()),
      ),
    )
    return { url, browser }
  }

  /** The first sign-in of somebody whom the provider vouches for: a login with the role the company chose. */
  async function makeMember(row: repo.ProviderRow, who: OidcIdentity, peer: Peer): Promise<string> {
    const { role_id: roleId } = row
    if (!row.create_members || !roleId) throw new AppError('oidc.no_member')
    await deps.holdMember(row.tenant_id)
    return inSystem(async scope => {
      const id = newId(now())
      // Never an existing login of the same name or address: whoever runs the provider could take it over.
      const made = await firstFree(who.username, username =>
        repo.insertMember(scope, {
          id,
          tenantId: row.tenant_id,
          username,
          displayName: who.displayName.slice(0, 64),
          locale: peer.locale,
        }),
      )
      const ctx = { ...systemContext(row.tenant_id, 'oidc', now()), ip: peer.ip, requestId: peer.requestId }
      await recordAudit(scope, ctx, {
        action: 'member.create',
        objectType: 'login',
        objectId: id,
        objectName: made,
        after: { username: made, by: 'oidc', issuer: row.issuer },
      })
      await assignRoles(scope, ctx, id, [roleId])
      await keepIdentity(scope, row, id, who)
      return id
    })
  }

  async function keepIdentity(scope: SystemScope, row: repo.ProviderRow, loginId: string, who: OidcIdentity) {
    const kept = await repo.insertIdentity(scope, {
      id: newId(now()),
      tenantId: row.tenant_id,
      loginId,
      issuer: row.issuer,
      subject: who.subject,
      label: who.label,
    })
    if (!kept) throw new AppError('oidc.identity_taken')
  }

  /** What the answer of the provider leads to. */
  async function settle(
    flow: repo.FlowRow,
    query: URLSearchParams,
    browser: string | undefined,
    peer: Peer,
  ): Promise<{ linked: true } | { session: TokenReplyWithRefresh }> {
    if (flow.expires_at.getTime() <= now() || !timingSafeEqual(flow.browser_hash, hash(browser ?? '')))
      throw new AppError('oidc.flow_invalid')
    const row = await inSystem(scope => repo.providerOf(scope, flow.tenant_id))
    if (!row?.enabled) throw new AppError('oidc.not_configured')
    const secrets = JSON.parse(box.open(flow.secrets_cipher, flow.id).toString('utf8')) as FlowSecrets
    const who = await client.finish(factsOf(row), secrets, query)
    const identity = { tenantId: row.tenant_id, issuer: row.issuer, subject: who.subject }

    if (flow.login_id) {
      const loginId = flow.login_id
      await inSystem(async scope => {
        const login = await loginById(scope, loginId)
        if (login?.state !== 'active' || login.tenant_id !== row.tenant_id) throw new AppError('oidc.flow_invalid')
        await keepIdentity(scope, row, loginId, who)
        await recordAudit(
          scope,
          { ...systemContext(row.tenant_id, 'oidc', now()), ip: peer.ip, requestId: peer.requestId },
          {
            action: 'security.oidc_link',
            objectType: 'login',
            objectId: loginId,
            objectName: login.username,
            after: { issuer: row.issuer, label: who.label },
          },
        )
      })
      return { linked: true }
    }

    const loginId =
      (await inSystem(scope => repo.loginOfIdentity(scope, identity, new Date(now())))) ??
      (await makeMember(row, who, peer))
    const result = await inSystem(async scope => {
      const login = await loginById(scope, loginId)
      if (login?.state !== 'active') return new AppError('oidc.no_member')
      return (
        (await deps.gate(scope, login, 'web', peer, 'oidc')) ?? deps.sessions.begin(scope, login, 'web', peer, 'oidc')
      )
    })
    if (result instanceof AppError) throw result
    return { session: result }
  }

  return {
    settings: (ctx, callbackUrl) =>
      inSystem(async scope => toSettings(await repo.providerOf(scope, ctx.tenantId), callbackUrl)),

    async change(ctx, input, callbackUrl) {
      await deps.requireFreshProof(ctx)
      const before = await inSystem(scope => repo.providerOf(scope, ctx.tenantId))
      const issuer = readIssuer(input.issuer, deps.outboundAllow)
      // A stored secret goes only where it went before: else a new issuer would be handed the old one's.
      const kept = before?.issuer === issuer && before.client_id === input.clientId ? before.secret_cipher : null
      const secret = input.clientSecret ? box.seal(input.clientSecret, ctx.tenantId) : kept
      if (!secret)
        throw new AppError('oidc.secret_missing', { fields: { clientSecret: { code: 'oidc.secret_missing' } } })
      const row = {
        tenant_id: ctx.tenantId,
        enabled: input.enabled,
        issuer,
        client_id: input.clientId,
        secret_cipher: secret,
        scopes: scopesOf(input.scopes),
        domain: input.domain?.trim().toLowerCase() || null,
        label: input.label?.trim() ?? '',
        create_members: input.createMembers,
        role_id: input.createMembers ? (input.roleId ?? null) : null,
      }
      if (row.enabled) await client.check(factsOf({ ...row, tenant_name: '', version: 0 }))
      try {
        return await inSystem(async scope => {
          if (row.create_members && !(row.role_id && (await repo.roleForMembers(scope, ctx.tenantId, row.role_id))))
            throw new AppError('oidc.role_invalid', { fields: { roleId: { code: 'oidc.role_invalid' } } })
          if (!(await repo.storeProvider(scope, row, input.version))) {
            const current = toSettings(await repo.providerOf(scope, ctx.tenantId), callbackUrl)
            throw new AppError('version.conflict', { params: { current } })
          }
          await recordAudit(scope, ctx, {
            action: 'security.oidc_change',
            objectType: 'company',
            objectId: ctx.tenantId,
            before: before && describe(before),
            after: { ...describe(row), secretChanged: Boolean(input.clientSecret) },
          })
          return toSettings(await repo.providerOf(scope, ctx.tenantId), callbackUrl)
        })
      } catch (error) {
        if (!isUniqueViolation(error)) throw error
        throw new AppError('oidc.domain_taken', { fields: { domain: { code: 'oidc.domain_taken' } }, cause: error })
      }
    },

    async lookup(company) {
      const row = await inSystem(scope => repo.providerByCompany(scope, company))
      if (!row) throw new AppError('oidc.not_configured')
      return { name: row.tenant_name, label: row.label, host: new URL(row.issuer).host }
    },

    async start(company, callbackUrl) {
      const row = await inSystem(scope => repo.providerByCompany(scope, company))
      if (!row) throw new AppError('oidc.not_configured')
      return begin(row, null, callbackUrl)
    },

    async link(ctx, callbackUrl) {
      await deps.requireFreshProof(ctx)
      const row = await inSystem(async scope => {
        await recordAudit(scope, ctx, {
          action: 'security.oidc_link_begin',
          objectType: 'login',
          objectId: loginIdOf(ctx),
        })
        return repo.providerOf(scope, ctx.tenantId)
      })
      if (!row?.enabled) throw new AppError('oidc.not_configured')
      return begin(row, loginIdOf(ctx), callbackUrl)
    },

    async finish(query, browser, peer) {
      const state = query.get('state') ?? ''
      const flow = await inSystem(scope => repo.takeFlow(scope, hash(state)))
      if (!flow) throw new AppError('oidc.flow_invalid')
      try {
        return await settle(flow, query, browser, peer)
      } catch (error) {
        // A caller who was linking an identity is signed in already, so he is not sent to the sign-in page.
        if (flow.login_id && error instanceof AppError) return { notLinked: error.code }
        throw error
      }
    },

    unlink: (ctx, id) =>
      inSystem(async scope => {
        const { password_hash: password, passkeys } = await personOf(scope, loginIdOf(ctx))
        if (!password && passkeys === 0) throw new AppError('security.last_way_in')
        const removed = await repo.deleteIdentity(scope, id, loginIdOf(ctx))
        if (!removed) throw new AppError('request.not_found')
        await recordAudit(scope, ctx, {
          action: 'security.oidc_unlink',
          objectType: 'login',
          objectId: loginIdOf(ctx),
          before: { label: removed.label },
        })
        return { ok: true }
      }),

    async stateOf(scope, tenantId, loginId) {
      const provider = await repo.providerOf(scope, tenantId)
      const identities = await repo.identitiesOf(scope, loginId)
      return {
        ssoAvailable: provider?.enabled === true,
        identities: identities.map(({ created_at, ...rest }) => ({ ...rest, createdAt: created_at.toISOString() })),
      }
    },
  }
}

/** @throws AppError oidc.discovery_failed, saying beside the field what is wrong with the address */
function readIssuer(text: string, allow: readonly string[]): string {
  const refuse = (reason: string) =>
    new AppError('oidc.discovery_failed', {
      params: { reason },
      fields: { issuer: { code: 'oidc.discovery_failed', params: { reason } } },
    })
  let url: URL
  try {
    url = new URL(text.trim())
  } catch {
    throw refuse('not an address')
  }
  if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw refuse('not an address')
  const encrypted = url.protocol === 'https:'
  const port = portOf(url, encrypted ? 443 : 80)
  const problem = addressProblem(allow, { host: url.hostname, port, encrypted })
  if (problem)
    throw new AppError('oidc.discovery_failed', {
      params: { reason: 'blocked' },
      fields: { issuer: { code: problem } },
    })
  return text.trim()
}

/** `openid` is what makes it OpenID Connect. */
function scopesOf(text: string | undefined): string {
  const words = (text ?? DEFAULT_SCOPES).split(/\s+/).filter(word => /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/.test(word))
  return [...new Set(['openid', ...words])].join(' ')
}

/** The wanted name, else with some letters behind it; the provider's word is only a wish. */
async function firstFree(wanted: string, take: (username: string) => Promise<boolean>): Promise<string> {
  const base = [...wanted.normalize('NFKC').replace(/[^\p{L}\p{Nd}._-]/gu, '')].slice(0, 24).join('')
  for (const name of [base, `${base || 'member'}-${randomKey(6)}`, `member-${randomKey(12)}`]) {
    try {
      const username = checkUsername(name)
      if (await take(username)) return username
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
  }
  throw new AppError('server.error')
}

function describe(row: Omit<repo.ProviderRow, 'tenant_name' | 'version' | 'tenant_id'>): Record<string, unknown> {
  const {
    enabled,
    issuer,
    client_id: clientId,
    scopes,
    domain,
    label,
    create_members: createMembers,
    role_id: roleId,
  } = row
  return { enabled, issuer, clientId, scopes, domain, label, createMembers, roleId }
}

function toSettings(row: repo.ProviderRow | null, callbackUrl: string): OidcSettings {
  return {
    enabled: row?.enabled ?? false,
    issuer: row?.issuer ?? '',
    clientId: row?.client_id ?? '',
    hasSecret: Boolean(row?.secret_cipher),
    scopes: row?.scopes ?? DEFAULT_SCOPES,
    domain: row?.domain ?? '',
    label: row?.label ?? '',
    createMembers: row?.create_members ?? false,
    roleId: row?.role_id ?? null,
    callbackUrl,
    version: row?.version ?? 0,
  }
}
