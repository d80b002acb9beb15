import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import type { TokenReply } from '@thingwright/contracts/identity.contract'
import type { wechatAppletSignInContract } from '@thingwright/contracts/wechat-applet-sign-in.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { HttpInfo } from '../../lib/http.ts'
import type { AppletPermissions } from '../contacts/index.ts'
import * as repo from './applet-logins.repo.ts'
import { find } from './applets.repo.ts'
import type { PlatformClient } from './platform-client.ts'
import { WechatError } from './wechat.port.ts'

type Contract = typeof wechatAppletSignInContract

/** A session of an end user who proved himself by WeChat. @throws AppError when he may not come in, or not by this alone */
export type AdmitApplet = (ctx: Ctx, tenantId: string, loginId: string, http: HttpInfo) => Promise<TokenReply>

export interface AppletSignIn {
  /** @throws AppError wechat_sign_in.not_offered, wechat_sign_in.failed with WeChat's own words */
  enter(
    ctx: Ctx,
    suffix: string,
    input: BodyOf<Contract['enter']>,
    http: HttpInfo,
  ): Promise<ResponseOf<Contract['enter']>>
  /** A ticket for the WeChat user of a code, at a portal that is shown. @throws AppError as `enter` */
  prove(suffix: string, code: string): Promise<string>
  own(ctx: Ctx): Promise<ResponseOf<Contract['own']>>
  /** The person allowed one more message of each template. @throws AppError wechat_sign_in.not_bound */
  accept(ctx: Ctx, templateIds: readonly string[]): Promise<ResponseOf<Contract['own']>>
  /** @throws AppError wechat_sign_in.nothing_to_bind, wechat_sign_in.taken */
  bind(ctx: Ctx, ticket: string): Promise<{ ok: boolean }>
  unbind(ctx: Ctx): Promise<{ ok: boolean }>
}

interface Proof {
  tenantId: string
  appletId: string
  openid: string
  until: number
}

const TICKET_MS = 15 * 60_000
const PURPOSE = 'ticket'

export function createAppletSignIn(deps: {
  database: Database
  client: Pick<PlatformClient, 'openid'>
  box: CryptoBox
  admitApplet: AdmitApplet
  permissions: AppletPermissions
  now(): number
}): AppletSignIn {
  const { database, box, permissions, now } = deps
  const system = <T>(work: Parameters<typeof database.withSystemScope<T>>[1]) => database.withSystemScope('apps', work)

  const loginOf = ({ actor }: Ctx): string => {
    if (actor.kind !== 'end_user') throw new AppError('permission.denied')
    return actor.loginId
  }

  function readTicket(ticket: string): Proof | null {
    try {
      const proof = JSON.parse(box.open(Buffer.from(ticket, 'base64url'), PURPOSE).toString('utf8')) as Proof
      return proof.until > now() ? proof : null
    } catch {
      // Not one of ours.
      return null
    }
  }

  /**
   * Asks WeChat which person a sign-in code belongs to. @throws AppError wechat_sign_in.not_offered,
   * wechat_sign_in.failed
   */
  async function personOf(suffix: string, code: string): Promise<Omit<Proof, 'until'>> {
    const applet = await system(async scope => {
      const found = await repo.appletOfPortal(scope, suffix)
      return found && (await find(scope, found.appletId))
    })
    if (!applet) throw new AppError('wechat_sign_in.not_offered')
    const openid = await deps.client.openid(applet, code).catch((error: unknown) => {
      if (!(error instanceof WechatError)) throw error
      throw new AppError('wechat_sign_in.failed', { params: { reason: error.message }, cause: error })
    })
    return { tenantId: applet.tenantId, appletId: applet.id, openid }
  }

  const ticketOf = (person: Omit<Proof, 'until'>): string =>
    box.seal(JSON.stringify({ ...person, until: now() + TICKET_MS }), PURPOSE).toString('base64url')

  async function stateOf(scope: TenantScope, ctx: Ctx): Promise<ResponseOf<Contract['own']>> {
    const loginId = loginOf(ctx)
    const bound = await repo.isBound(scope, loginId)
    return { bound, templates: bound ? await permissions.offered(scope, ctx, loginId) : [] }
  }

  const note = (
    scope: TenantScope,
    ctx: Ctx,
    verb: 'bind_wechat' | 'unbind_wechat' | 'accept_messages',
    after: Record<string, unknown>,
  ) =>
    recordAudit(scope, ctx, {
      action: `end_user.${verb}`,
      objectType: 'end_user',
      objectId: loginOf(ctx),
      objectName: 'username' in ctx.actor ? ctx.actor.username : '',
      after,
    })

  return {
    async enter(ctx, suffix, { code, prove = false }, http) {
      const person = await personOf(suffix, code)
      const loginId = prove ? null : await system(scope => repo.boundTo(scope, person.appletId, person.openid))
      if (loginId !== null)
        return { session: await deps.admitApplet(ctx, person.tenantId, loginId, http), ticket: null }
      return { session: null, ticket: ticketOf(person) }
    },

    prove: async (suffix, code) => ticketOf(await personOf(suffix, code)),

    own: ctx => database.withTenant(ctx, scope => stateOf(scope, ctx)),

    async accept(ctx, templateIds) {
      const loginId = loginOf(ctx)
      // People do not see the mini-program itself.
      const person = await system(scope => repo.openidOf(scope, loginId))
      if (!person) throw new AppError('wechat_sign_in.not_bound')
      return database.withTenant(ctx, async scope => {
        await permissions.accept(scope, ctx, { loginId, ...person }, templateIds)
        await note(scope, ctx, 'accept_messages', { templates: templateIds })
        return await stateOf(scope, ctx)
      })
    },

    async bind(ctx, ticket) {
      const loginId = loginOf(ctx)
      const proof = readTicket(ticket)
      if (proof?.tenantId !== ctx.tenantId) throw new AppError('wechat_sign_in.nothing_to_bind')
      return database.withTenant(ctx, async scope => {
        if (!(await repo.bind(scope, proof.appletId, proof.openid, loginId))) throw new AppError('wechat_sign_in.taken')
        await note(scope, ctx, 'bind_wechat', { appletId: proof.appletId })
        return { ok: true }
      })
    },

    unbind: ctx =>
      database.withTenant(ctx, async scope => {
        const removed = await repo.unbind(scope, loginOf(ctx))
        await permissions.forget(scope, loginOf(ctx))
        await note(scope, ctx, 'unbind_wechat', { removed })
        return { ok: true }
      }),
  }
}
