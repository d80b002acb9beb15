import type { RouteContract } from '@thingwright/contracts/route'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiKeyActor } from '../lib/context.ts'
import { AppError } from '../lib/errors.ts'
import { isUuid } from '../lib/ids.ts'
import { needsAPerson, refuseReadOnlySupport, requireRight } from './admission.ts'
import type { HttpOptions, RequestState } from './http-request.ts'

/** Sent by a console that shows itself as somebody with this role would see it; nothing can be changed meanwhile. */
const PREVIEW_HEADER = 'x-preview-role'

/** Holds a program against its limit. @throws AppError rate.limited */
function admitProgram(options: HttpOptions, actor: ApiKeyActor, reply: FastifyReply): void {
  const rate = options.programs?.admit(actor)
  if (!rate) return
  reply.header('ratelimit-limit', String(rate.limit))
  reply.header('ratelimit-remaining', String(rate.remaining))
}

/** A role to preview is a person's as well: a key has none. */
function meansAPerson(contract: RouteContract, request: FastifyRequest): boolean {
  return needsAPerson(contract) || request.headers[PREVIEW_HEADER] !== undefined
}

/** Checks who calls a route and that he may call it, and fills the state of the request. @throws AppError */
export async function signIn(
  options: HttpOptions,
  contract: RouteContract,
  request: FastifyRequest,
  reply: FastifyReply,
  state: RequestState,
): Promise<void> {
  if (contract.permission === 'public') return
  const header = request.headers.authorization
  const token = header && /^bearer /i.test(header) ? header.slice(7).trim() : null
  if (!token) throw new AppError('auth.required')
  const idle = request.headers['x-idle-seconds']
  const caller = await options.authenticate(token, {
    ip: request.ip,
    idleSeconds: typeof idle === 'string' && /^\d{1,7}$/.test(idle) ? Number(idle) : undefined,
  })
  const appId = request.headers.thingwrightappid
  if (appId !== undefined && appId !== caller.appId) throw new AppError('auth.app_mismatch')
  state.caller = caller
  state.ctx.tenantId = caller.tenantId
  state.ctx.actor = caller.actor
  if (caller.sessionId) state.ctx.sessionId = caller.sessionId
  if (caller.actor.kind === 'apiKey') admitProgram(options, caller.actor, reply)
  if (!contract.anyAccountState && caller.accountState !== 2)
    throw new AppError(
      caller.accountState === 1 ? 'company.expired' : caller.isFrozen ? 'company.frozen' : 'company.not_active',
    )
  const { actor } = caller
  if (actor.kind === 'apiKey' && meansAPerson(contract, request)) throw new AppError('api_key.not_allowed')
  refuseReadOnlySupport(contract, actor)
  const previewed = request.headers[PREVIEW_HEADER]
  if (typeof previewed === 'string' && options.asRole) {
    if (contract.method !== 'GET') throw new AppError('role.preview_read_only')
    if (!isUuid(previewed)) throw new AppError('role.not_found')
    state.ctx.actor = await options.asRole(state.ctx, previewed)
  }
  requireRight(contract, state.ctx.actor)
}
