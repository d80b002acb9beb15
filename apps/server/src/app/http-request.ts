import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { RouteContract } from '@thingwright/contracts/route'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Actor, Ctx } from '../lib/context.ts'
import type { Idempotency } from '../lib/database/idempotency.ts'
import type { BoundRoute } from '../lib/http.ts'
import { localeOf } from '../lib/i18n.ts'
import type { Logger } from '../lib/log.ts'
import type { Programs } from '../modules/developer/index.ts'
import { type ErrorAnswer, errorAnswer } from './http-errors.ts'

/** A caller whose token was checked. */
export interface Caller {
  tenantId: string
  appId: string
  actor: Actor
  /** 0 not activated, 1 expired, 2 active */
  accountState: 0 | 1 | 2
  /** The operator has closed the company's account: it is 0 too, and says why. */
  isFrozen?: boolean
  /** Refresh family of the token. */
  sessionId?: string
}

/** What the HTTP server needs of the rest of the application. */
export interface HttpOptions {
  routes: BoundRoute[]
  logger: Logger
  trustProxy: number
  publicUrl: string | null
  version: string
  /** Checks a bearer token, and that its session may be used from there. @throws AppError auth.* */
  authenticate(token: string, origin: { ip: string; idleSeconds?: number | undefined }): Promise<Caller>
  /** Counts and logs calls of programs with an API key. */
  programs?: Programs
  /** The caller as he would be with one role only: for a console that previews it. */
  asRole?(ctx: Ctx, roleId: string): Promise<Actor>
  idempotency: Idempotency
  /** Paths taken before Fastify sees them: the devices' own HTTP, piped to the gateway. */
  proxyDevice(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** A signed-in caller was denied something, or his change broke. */
  onRefused?(
    ctx: Ctx,
    contract: RouteContract,
    outcome: { result: 'refused' | 'failed'; code: string; params: object },
  ): void
  /** Plain routes beside the API: health, metrics, console files. */
  plain(app: FastifyInstance): Promise<void> | void
  /** Makes an unwritten operation log an error instead of a log line (tests). */
  strictAudit?: boolean
}

/** What is known of a request while it is handled. */
export interface RequestState {
  caller: Caller | null
  ctx: Ctx
  contract?: RouteContract
  /** The response to a program, for its log. */
  answer?: string
}
/** The state of every request that is under way. */
export const states = new WeakMap<FastifyRequest, RequestState>()

/** The User-Agent header, cut to 300 characters; empty without one. */
export function userAgentOf(request: FastifyRequest): string {
  return String(request.headers['user-agent'] ?? '').slice(0, 300)
}

/** The response to an error, in the language of the request. */
export function answerTo(error: unknown, { logger }: HttpOptions, request: FastifyRequest): ErrorAnswer {
  const locale = states.get(request)?.ctx.locale ?? localeOf(request.headers['accept-language'])
  return errorAnswer(error, { locale, requestId: request.id, route: request.routeOptions?.url, logger })
}
