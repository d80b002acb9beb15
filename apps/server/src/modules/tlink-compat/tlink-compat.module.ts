import { tlinkContract } from '@thingwright/contracts/tlink.contract'
import type { Ctx } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import { type BoundRoute, bind } from '../../lib/http.ts'
import { type PlannedCall, plannedCall } from '../../lib/tools/tools.ts'
import { type IdentityService, peerOf } from '../identity/index.ts'
import type { Ask } from './tlink-ask.ts'
import { createTlinkCompatService, type TlinkCompatDeps } from './tlink-compat.service.ts'
import { createTlinkSignIn } from './tlink-sign-in.ts'
import { userNumber } from './tlink-words.ts'

export interface TlinkCompatModuleDeps extends Omit<TlinkCompatDeps, 'ask'> {
  /** Calls routes from inside, as the caller. */
  api: { call(ctx: Ctx, call: PlannedCall): Promise<unknown> }
  identity: Pick<IdentityService, 'token' | 'authenticate' | 'revoke'>
}

/** Programs of that family carry credentials of their own clients; here they all are the public client for programs. */
const CLIENT = 'cli'

/** Routes for programs written against the TLINK family's open API. */
export function createTlinkCompatModule(deps: TlinkCompatModuleDeps): { routes: BoundRoute[] } {
  const ask: Ask = (ctx, contract, input) => deps.api.call(ctx, plannedCall(contract, input)) as never
  const service = createTlinkCompatService({ ...deps, ask })
  const { token, userLogin, ...calls } = tlinkContract
  const signIn = createTlinkSignIn({ identity: deps.identity, client: CLIENT, getUserInfo: service.getUserInfo })
  return {
    routes: [
      bind(token, async (ctx, { query, body }, http) => {
        const form = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
        const asked = { ...form, ...query } as Record<string, unknown>
        const text = (name: string) => (typeof asked[name] === 'string' ? (asked[name] as string) : '')
        const peer = peerOf(ctx, http)
        const reply = await deps.identity.token(CLIENT, grantOf(text), peer)
        const appId = (reply as { thingwrightAppId?: string }).thingwrightAppId
        return {
          ...reply,
          userId: userNumber(String((reply as { id?: string }).id ?? '0')),
          clientId: appId,
          scope: 'read',
        }
      }),
      bind(userLogin, (ctx, { body }, http) => signIn(ctx, body, peerOf(ctx, http))),
      ...Object.entries(calls).map(([name, contract]) =>
        bind(contract, (ctx, { body }) => service[name as keyof typeof service](ctx, body)),
      ),
    ],
  }
}

type Grant = Parameters<IdentityService['token']>[1]

/** @throws AppError auth.grant_unsupported */
function grantOf(text: (name: string) => string): Grant {
  const grant = text('grant_type')
  if (grant === 'password')
    return { grant_type: grant, username: text('username'), password: text('password') } as Grant
  if (grant === 'refresh_token') return { grant_type: grant, refresh_token: text('refresh_token') } as Grant
  throw new AppError('auth.grant_unsupported')
}
