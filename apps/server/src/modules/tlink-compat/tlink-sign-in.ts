import type { TlinkBody } from '@thingwright/contracts/tlink.contract'
import type { Ctx } from '../../lib/context.ts'
import type { IdentityService, Peer } from '../identity/index.ts'
import { flagged } from './tlink-flags.ts'
import { Refused } from './tlink-refused.ts'
import type { TlinkReply } from './tlink-words.ts'

export interface TlinkSignInDeps {
  identity: Pick<IdentityService, 'token' | 'authenticate' | 'revoke'>
  /** The client of programs: its id is its secret. */
  client: string
  /** Who is signed in, as the call of that name answers it. */
  getUserInfo(ctx: Ctx, body: TlinkBody): Promise<TlinkReply>
}

/**
 * The first call of programs of that family: a name and a password become the credentials with which the token is asked
 * for, and the facts of the account. The session that proves the password ends with the call, for no token is handed out.
 */
export function createTlinkSignIn({ identity, client, getUserInfo }: TlinkSignInDeps) {
  return (ctx: Ctx, { userName, password }: TlinkBody, peer: Peer): Promise<TlinkReply> =>
    flagged(ctx, async () => {
      if (!userName) throw new Refused('userName')
      if (!password) throw new Refused('password')
      const token = await identity.token(client, { grant_type: 'password', username: userName, password }, peer)
      try {
        const { tenantId, actor, sessionId } = await identity.authenticate(token.access_token)
        const inside: Ctx = { ...ctx, tenantId, actor, ...(sessionId ? { sessionId } : {}) }
        return { secret: client, ...(await getUserInfo(inside, {})) }
      } finally {
        await identity.revoke(token.refresh_token, peer)
      }
    })
}
