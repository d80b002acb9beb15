import type { TokenReply } from '@thingwright/contracts/identity.contract'
import { recordAudit } from '../../lib/audit.ts'
import { type Ctx, type Locale, WHOLE_COMPANY } from '../../lib/context.ts'
import type { SystemScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import { insertFamily, type LoginRow, type SignInPlace, touchLogin } from './identity.repo.ts'
import type { SignInWatch } from './sign-in-history.ts'
import { ACCESS_SECONDS, REFRESH_DAYS, type Tokens, tokenHash } from './tokens.ts'

/** Where a request comes from. */
export interface Peer extends SignInPlace {
  ip: string
  userAgent: string
  locale: Locale
  requestId: string
  /** What the cookie of a browser that signed in before says; see known-browsers.ts. */
  browser?: string | undefined
}

/** How a person proved who he is. */
export type SignInGrant = 'password' | 'sms_code' | 'register' | 'invitation' | 'passkey' | 'oidc' | 'wechat'

export type TokenReplyWithRefresh = TokenReply & { refresh_token: string }

export interface SessionStart {
  /**
   * The one place where a session begins: the person has proven who he is and may come in. Makes the refresh family,
   * notes the sign-in, gives the tokens. Whatever must stand between proof and session stands here.
   */
  begin(
    scope: SystemScope,
    login: LoginRow,
    clientId: string,
    peer: Peer,
    grant: SignInGrant,
  ): Promise<TokenReplyWithRefresh>
  /** Tokens of a session that runs already. */
  reply(login: LoginRow, familyId: string, refreshToken: string): TokenReplyWithRefresh
}

/** @param watch told of every session that begins */
export function createSessionStart(
  tokens: Tokens,
  now: () => number,
  watch?: Pick<SignInWatch, 'begun'>,
): SessionStart {
  function reply(login: LoginRow, familyId: string, refreshToken: string): TokenReplyWithRefresh {
    return {
      access_token: tokens.signAccess({
        sub: login.id,
        tid: login.tenant_id,
        app: login.app_id,
        ep: login.token_epoch,
        fam: familyId,
      }),
      token_type: 'bearer',
      expires_in: ACCESS_SECONDS,
      id: login.id,
      username: login.username,
      thingwrightAppId: login.app_id,
      refresh_token: refreshToken,
    }
  }

  return {
    reply,
    async begin(scope, login, clientId, peer, grant) {
      const familyId = newId(now())
      const token = tokens.refreshToken(familyId, 0)
      await insertFamily(scope, {
        id: familyId,
        loginId: login.id,
        clientId,
        hash: tokenHash(token),
        createdAt: new Date(now()),
        expiresAt: new Date(now() + REFRESH_DAYS * 86_400_000),
        ip: peer.ip,
        userAgent: peer.userAgent,
      })
      await touchLogin(scope, login.id)
      await watch?.begun(scope, login, clientId, peer, grant)
      await recordAudit(scope, contextOf(login, peer), {
        action: 'session.sign_in',
        objectType: 'login',
        objectId: login.id,
        objectName: login.username,
        after: { grant, client: clientId },
      })
      return reply(login, familyId, token)
    },
  }
}

/** A context for what a person does before he has a session. */
export function contextOf(login: LoginRow, peer: Peer): Ctx {
  return {
    tenantId: login.tenant_id,
    actor: {
      kind: login.kind === 'operator' ? 'operator' : 'member',
      loginId: login.id,
      username: login.username,
      displayName: login.display_name,
      permissions: new Set(),
      dataScope: WHOLE_COMPANY,
    },
    locale: peer.locale,
    requestId: peer.requestId,
    now: Date.now(),
    ip: peer.ip,
    ...(peer.userAgent === '' ? {} : { userAgent: peer.userAgent }),
  }
}
