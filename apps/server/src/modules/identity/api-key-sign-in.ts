import type { TokenReply } from '@thingwright/contracts/identity.contract'
import { AppError } from '../../lib/errors.ts'
import type { SignedIn } from './identity.service.ts'
import type { RequestOrigin } from './session-rules.ts'
import type { Peer } from './session-start.ts'
import { ACCESS_SECONDS, type AccessClaims, type Tokens } from './tokens.ts'

/** How the text of every API key begins; an access token never does. */
export const API_KEY_START = 'twk_'

/** What the sign-in needs of API keys; they themselves belong to modules/developer. */
export interface ApiKeySignIn {
  /** The caller behind a key. @throws AppError api_key.* */
  authenticate(key: string, origin?: RequestOrigin): Promise<SignedIn & { expiresAt: number }>
  /** The caller behind a short token that was given for a key. @throws AppError api_key.*, auth.token_invalid */
  authenticateToken(
    claims: AccessClaims & { exp: number },
    origin?: RequestOrigin,
  ): Promise<SignedIn & { expiresAt: number }>
  /**
   * Checks the credentials and returns the claims of the short token that the key would get. @throws AppError
   * api_key.*, rate.limited
   */
  grant(
    credentials: ProgramCredentials,
    ip: string,
  ): Promise<{ claims: AccessClaims; name: string; scopes: readonly string[] }>
  /** What is known of keys that stand on this login, or of all, is asked again. */
  forgetOwner(loginId?: string): void
}

export interface ProgramCredentials {
  /** Beginning of the key, twk_ and eight characters. */
  clientId: string
  /** The whole key. */
  clientSecret: string
}

const refuse = () => Promise.reject(new AppError('api_key.invalid'))

/** An installation without API keys: none is taken. */
export const NO_API_KEYS: ApiKeySignIn = {
  authenticate: refuse,
  authenticateToken: refuse,
  grant: refuse,
  forgetOwner: () => undefined,
}

/** Credentials of a program: Basic (RFC 6749 §2.3.1), or in the body. @throws AppError auth.client_invalid */
export function programCredentials(
  body: { client_id?: string | undefined; client_secret?: string | undefined },
  authorization: string | undefined,
): ProgramCredentials {
  const encoded = /^basic ([A-Za-z0-9+/=_-]{1,400})$/i.exec(authorization ?? '')?.[1]
  if (encoded && body.client_secret === undefined) {
    const [clientId = '', clientSecret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
    return { clientId, clientSecret }
  }
  if (!body.client_id || !body.client_secret) throw new AppError('auth.client_invalid')
  return { clientId: body.client_id, clientSecret: body.client_secret }
}

/** grant_type=client_credentials: an access token without a refresh token. */
export async function programToken(
  keys: Pick<ApiKeySignIn, 'grant'>,
  tokens: Pick<Tokens, 'signAccess'>,
  credentials: ProgramCredentials,
  peer: Pick<Peer, 'ip'>,
): Promise<TokenReply> {
  const { claims, name, scopes } = await keys.grant(credentials, peer.ip)
  return {
    access_token: tokens.signAccess(claims),
    token_type: 'bearer',
    expires_in: ACCESS_SECONDS,
    id: claims.sub,
    username: name,
    thingwrightAppId: claims.app,
    scope: scopes.join(' '),
  }
}
