import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import swagger from '@fastify/swagger'
import { allContracts } from '@thingwright/contracts/all-contracts'
import { ErrorBody } from '@thingwright/contracts/common'
import { ERROR_STATUS, type ErrorCode } from '@thingwright/contracts/errors'
import type { RouteContract } from '@thingwright/contracts/route'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Actor, Ctx } from '../lib/context.ts'
import { AppError, isAppError } from '../lib/errors.ts'
import { type BoundRoute, NO_TENANT, StreamReply } from '../lib/http.ts'
import { errorText, localeOf } from '../lib/i18n.ts'
import type { Idempotency } from '../lib/idempotency.ts'
import { newId } from '../lib/ids.ts'
import type { Logger } from '../lib/log.ts'
import { fieldsOf, refuseUnstorableText, ValidationError, validatorFor } from './http-validation.ts'

/** A caller whose token was checked. */
export interface Caller {
  tenantId: string
  appId: string
  actor: Actor
  /** 0 not activated, 1 expired, 2 active */
  accountState: 0 | 1 | 2
}

export interface HttpOptions {
  routes: BoundRoute[]
  logger: Logger
  trustProxy: number
  publicUrl: string | null
  version: string
  /** Checks a bearer token. @throws AppError auth.* */
  authenticate(token: string): Promise<Caller>
  idempotency: Idempotency
  /** Paths taken before Fastify sees them: the devices' own HTTP, piped to the gateway. */
  proxyDevice(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Plain routes beside the API: health, metrics, console files. */
  plain(app: FastifyInstance): Promise<void> | void
  /** Makes an unwritten operation log an error instead of a log line (tests). */
  strictAudit?: boolean
}

interface RequestState {
  caller: Caller | null
  ctx: Ctx
}
const states = new WeakMap<FastifyRequest, RequestState>()

/** Everything that goes over HTTP: route table, sign-in check, validation, idempotency, errors, the OpenAPI document. */
export async function createHttp(options: HttpOptions): Promise<FastifyInstance> {
  checkRouteTable(options.routes)
  const app: FastifyInstance = fastify({
    loggerInstance: options.logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy === 0 ? false : (_address, hop) => hop <= options.trustProxy,
    bodyLimit: 1_048_576,
    genReqId: () => newId(),
    requestTimeout: 60_000,
    keepAliveTimeout: 72_000,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
    serverFactory: (handler): Server => {
      const server = createServer(
        { maxHeaderSize: 65_536, headersTimeout: 15_000, requestTimeout: 60_000 },
        (request, response) => {
          if (request.url?.startsWith('/device/')) options.proxyDevice(request, response)
          else handler(request, response)
        },
      )
      server.on('upgrade', options.upgrade)
      server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
        if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
        socket.end(
          `HTTP/1.1 ${error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
        )
      })
      return server
    },
  })
  app.setValidatorCompiler(({ schema, httpPart }) => validatorFor(httpPart, schema as object) as never)
  await app.register(cookie)
  await app.register(formbody)
  // An empty JSON body is no body: DELETE and POST without content are fine.
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined)
    app.getDefaultJsonParser('error', 'error')(request, body as string, done)
  })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Thingwright',
        version: options.version,
        description: 'Open enterprise IoT device-management cloud',
      },
      ...(options.publicUrl ? { servers: [{ url: options.publicUrl }] } : {}),
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
      security: [{ bearer: [] }],
    },
  })
  app.addHook('onRequest', async (request, reply) => {
    const locale = localeOf(request.headers['accept-language'])
    states.set(request, {
      caller: null,
      ctx: {
        tenantId: NO_TENANT,
        actor: { kind: 'system', reason: 'anonymous' },
        locale,
        requestId: request.id,
        now: Date.now(),
        ip: request.ip,
      },
    })
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    if (options.publicUrl?.startsWith('https:'))
      reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains')
    if (request.url.startsWith('/api/') || request.url.startsWith('/oauth/')) reply.header('cache-control', 'no-store')
  })
  app.setErrorHandler((error, request, reply) => sendError(options, error, request, reply))
  app.setNotFoundHandler((request, reply) => sendError(options, new AppError('request.not_found'), request, reply))

  for (const route of options.routes) addRoute(app, options, route)
  await options.plain(app)
  app.get('/api/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  await app.ready()
  return app
}

/** Refuses to start with a route that nobody guards, that leaves no trace, or that is declared but not built. */
function checkRouteTable(routes: BoundRoute[]): void {
  const bound = new Set<string>()
  for (const { contract } of routes) {
    const key = `${contract.method} ${contract.path}`
    if (bound.has(key)) throw new Error(`route declared twice: ${key}`)
    bound.add(key)
    if (!contract.permission) throw new Error(`route without a permission: ${key}`)
    if (contract.method !== 'GET' && !contract.audit)
      throw new Error(`route that changes something without an audit name: ${key}`)
  }
  for (const feature of Object.values(allContracts)) {
    for (const contract of Object.values(feature as Record<string, RouteContract>)) {
      if (!bound.has(`${contract.method} ${contract.path}`))
        throw new Error(`route without a handler: ${contract.method} ${contract.path}`)
    }
  }
}

function addRoute(app: FastifyInstance, options: HttpOptions, { contract, handler }: BoundRoute): void {
  const schema: Record<string, unknown> = { summary: contract.summary, tags: [contract.tag] }
  if (contract.permission === 'public') schema.security = []
  else schema['x-permission'] = contract.permission
  if (contract.params) schema.params = contract.params
  if (contract.query) schema.querystring = contract.query
  if (contract.body) schema.body = contract.body
  if (contract.produces) schema.produces = [contract.produces]
  schema.response = {
    ...(contract.produces ? {} : { [contract.status ?? 200]: contract.response }),
    '4xx': ErrorBody,
    '5xx': ErrorBody,
  }
  if (contract.path === '/oauth/token') schema.consumes = ['application/x-www-form-urlencoded']

  app.route({
    method: contract.method,
    url: contract.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema,
    // Who asks comes before what is asked: a stranger learns nothing about the shape of a body.
    preValidation: async request => {
      const state = states.get(request)!
      await signIn(options, contract, request, state)
      if (contract.body && request.body === undefined) request.body = {}
      refuseUnstorableText(request.params)
      refuseUnstorableText(request.query)
      refuseUnstorableText(request.body)
    },
    handler: async (request, reply) => {
      const state = states.get(request)!
      const run = () =>
        handler(state.ctx, { params: request.params, query: request.query, body: request.body } as never, {
          ip: request.ip,
          userAgent: String(request.headers['user-agent'] ?? '').slice(0, 300),
          headers: request.headers,
          setHeader: (name, value) => void reply.header(name, value),
        })
      if (contract.method === 'GET') return answer(reply, contract, await run())
      const key = request.headers['idempotency-key']
      const actor = state.caller && 'loginId' in state.caller.actor ? state.caller.actor.loginId : null
      if (typeof key !== 'string' || !actor) {
        const result = await run()
        checkAudit(options, contract, state.ctx)
        return answer(reply, contract, result)
      }
      return runOnce(options, contract, request, reply, { actor, key: key.slice(0, 128), run, ctx: state.ctx })
    },
  })
}

function answer(reply: FastifyReply, contract: RouteContract, result: unknown): unknown {
  if (result instanceof StreamReply) {
    reply.header('content-type', result.contentType)
    if (result.fileName)
      reply.header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(result.fileName)}`)
    return reply.send(result.body)
  }
  reply.status(contract.status ?? 200)
  return result
}

async function runOnce(
  options: HttpOptions,
  contract: RouteContract,
  request: FastifyRequest,
  reply: FastifyReply,
  once: { actor: string; key: string; ctx: Ctx; run: () => Promise<unknown> },
): Promise<unknown> {
  const { actor, key, ctx } = once
  const earlier = await options.idempotency.begin(actor, key, {
    method: request.method,
    path: request.url,
    body: request.body,
  })
  if (earlier) {
    reply
      .status(earlier.status)
      .header('idempotency-replayed', 'true')
      .header('content-type', 'application/json; charset=utf-8')
    return reply.serializer((text: unknown) => text as string).send(earlier.body as never)
  }
  try {
    const result = await once.run()
    checkAudit(options, contract, ctx)
    await options.idempotency.finish(actor, key, { status: contract.status ?? 200, body: JSON.stringify(result) })
    return answer(reply, contract, result)
  } catch (error) {
    const { status, body } = errorBody(options, error, request)
    await options.idempotency.finish(actor, key, { status, body: JSON.stringify(body) })
    throw error
  }
}

function checkAudit(options: HttpOptions, contract: RouteContract, ctx: Ctx): void {
  if (typeof contract.audit !== 'string' || ctx.audited) return
  const message = `${contract.method} ${contract.path} changed something without a line in the operation log`
  if (options.strictAudit) throw new Error(message)
  options.logger.error(message)
}

async function signIn(
  options: HttpOptions,
  contract: RouteContract,
  request: FastifyRequest,
  state: RequestState,
): Promise<void> {
  if (contract.permission === 'public') return
  const header = request.headers.authorization
  const token = header && /^bearer /i.test(header) ? header.slice(7).trim() : null
  if (!token) throw new AppError('auth.required')
  const caller = await options.authenticate(token)
  const appId = request.headers.thingwrightappid
  if (appId !== undefined && appId !== caller.appId) throw new AppError('auth.app_mismatch')
  state.caller = caller
  state.ctx.tenantId = caller.tenantId
  state.ctx.actor = caller.actor
  if (!contract.anyAccountState && caller.accountState !== 2)
    throw new AppError(caller.accountState === 1 ? 'company.expired' : 'company.not_active')
  if (contract.permission !== 'signed-in') {
    const actor = caller.actor
    if (actor.kind === 'system' || !actor.permissions.has(contract.permission))
      throw new AppError('permission.denied', { params: { permission: contract.permission } })
  }
}

function errorBody(
  options: HttpOptions,
  error: unknown,
  request: FastifyRequest,
): { status: number; body: Record<string, unknown>; retryAfter?: number } {
  const ctx = states.get(request)?.ctx
  const locale = ctx?.locale ?? 'zh'
  const known = asAppError(error)
  if (!known)
    options.logger.error({ err: error, requestId: request.id, route: request.routeOptions?.url }, 'request failed')
  const appError = known ?? new AppError('server.error')
  const status = appError.status ?? ERROR_STATUS[appError.code]
  const fields =
    appError.fields &&
    Object.fromEntries(
      Object.entries(appError.fields).map(([path, f]) => [
        path,
        { code: f.code, message: errorText(locale, f.code, f.params) },
      ]),
    )
  return {
    status,
    body: {
      code: appError.code,
      message: errorText(locale, appError.code, appError.params),
      requestId: request.id,
      ...(Object.keys(appError.params).length ? { params: appError.params } : {}),
      ...(fields ? { fields } : {}),
    },
    ...(appError.retryAfterSeconds === undefined ? {} : { retryAfter: appError.retryAfterSeconds }),
  }
}

/** What may be told to a caller; everything else is `server.error` without internals. */
function asAppError(error: unknown): AppError | null {
  if (isAppError(error)) return error
  if (error instanceof ValidationError) {
    const fields = fieldsOf(error)
    return new AppError('request.validation', { params: { count: Object.keys(fields).length }, fields })
  }
  const code = (error as { code?: string }).code ?? ''
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new AppError('request.too_large', { params: { limit: 1_048_576 } })
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new AppError('request.media_type')
  const status = (error as { statusCode?: number }).statusCode
  if (status !== undefined && status >= 400 && status < 500) return new AppError('request.malformed')
  // 57P0x, 53xxx, 08xxx: the database is going away, full or gone.
  if (
    /^(57P0|53|08)/.test(code) ||
    code === 'ECONNREFUSED' ||
    code === 'ENOENT' ||
    /Connection terminated|connect ECONN/.test(String((error as Error)?.message))
  )
    return new AppError('server.unavailable', { retryAfterSeconds: 2 })
  if (code === '22021' || code === '22P05') return new AppError('request.validation', { params: { count: 1 } })
  return null
}

function sendError(options: HttpOptions, error: unknown, request: FastifyRequest, reply: FastifyReply): unknown {
  const { status, body, retryAfter } = errorBody(options, error, request)
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  reply.status(status)
  // OAuth endpoints speak RFC 6749 §5.2 beside our own words.
  if (request.url.startsWith('/oauth/')) {
    const code = body.code as ErrorCode
    const oauth =
      code === 'auth.client_invalid'
        ? 'invalid_client'
        : code === 'auth.grant_unsupported'
          ? 'unsupported_grant_type'
          : status === 401 || status === 403
            ? 'invalid_grant'
            : status >= 500
              ? 'server_error'
              : 'invalid_request'
    return reply
      .type('application/json')
      .serializer((x: unknown) => x as string)
      .send(JSON.stringify({ error: oauth, error_description: body.message, ...body }))
  }
  return reply
    .type('application/json')
    .serializer((x: unknown) => x as string)
    .send(JSON.stringify(body))
}
