import { isUtf8 } from 'node:buffer'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import swagger from '@fastify/swagger'
import { allContracts } from '@thingwright/contracts/all-contracts'
import { ErrorBody } from '@thingwright/contracts/common'
import { shownExample } from '@thingwright/contracts/examples'
import type { RouteContract } from '@thingwright/contracts/route'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { isThingsboardPath } from '../ingest/transports/http/thingsboard-path.ts'
import { believedHops } from '../lib/client-address.ts'
import { type Actor, type ApiKeyActor, actorId, type Ctx } from '../lib/context.ts'
import type { Idempotency } from '../lib/database/idempotency.ts'
import { AppError } from '../lib/errors.ts'
import { withExactIntegers } from '../lib/exact-json.ts'
import { type BoundRoute, NO_TENANT, RedirectReply, StreamReply, type UploadedFile } from '../lib/http.ts'
import { localeOf } from '../lib/i18n.ts'
import { isUuid, newId } from '../lib/ids.ts'
import type { Logger } from '../lib/log.ts'
import { toOriginForm } from '../lib/origin-form.ts'
import type { Programs } from '../modules/developer/index.ts'
import { forPrograms, needsAPerson, refuseReadOnlySupport, requireRight } from './admission.ts'
import { compressAnswers } from './compressed-answers.ts'
import { fieldsOfGet } from './get-bodies.ts'
import { liftBodyDeadline, limitBodyTime, UPLOAD_DEADLINE_MS } from './http-deadlines.ts'
import { type ErrorAnswer, errorAnswer, oauthWord } from './http-errors.ts'
import { checkUploadHeaders, drain, formSchema, readUpload } from './http-upload.ts'
import { closedQuery, refuseUnstorableText, validatorFor } from './http-validation.ts'
import { lazySerializers } from './lazy-serializers.ts'
import { challengeMcp, mcpMethods } from './mcp.ts'
import { takeWebSockets } from './offered-protocol.ts'
import { refusedOutcome } from './refused-outcome.ts'
import { withSharedSchemas } from './shared-schemas.ts'

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

interface RequestState {
  caller: Caller | null
  ctx: Ctx
  contract?: RouteContract
  /** What a program was answered, for its log. */
  answer?: string
}
const states = new WeakMap<FastifyRequest, RequestState>()

/** Everything that goes over HTTP: route table, sign-in check, validation, idempotency, errors, the OpenAPI document. */
export async function createHttp(options: HttpOptions): Promise<FastifyInstance> {
  checkRouteTable(options.routes)
  const app: FastifyInstance = fastify({
    loggerInstance: options.logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // So many proxies in front are believed, not one more: behind them stands what the client itself wrote.
    trustProxy: believedHops(options.trustProxy),
    bodyLimit: 1_048_576,
    genReqId: () => newId(),
    requestTimeout: UPLOAD_DEADLINE_MS,
    keepAliveTimeout: 72_000,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
    schemaController: { compilersFactory: { buildSerializer: lazySerializers() as never } },
    // An address that cannot be read (half a character, say) never meets a hook.
    frameworkErrors: (error, request, reply) => void sendError(options, error, request, reply),
    serverFactory: (handler): Server => {
      const server = createServer(
        { maxHeaderSize: 65_536, headersTimeout: 15_000, requestTimeout: UPLOAD_DEADLINE_MS },
        (request, response) => {
          limitBodyTime(request)
          toOriginForm(request)
          if (isDevicePath(request.url)) options.proxyDevice(request, response)
          else handler(request, response)
        },
      )
      takeWebSockets(server, options.upgrade)
      server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
        if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
        socket.end(
          `HTTP/1.1 ${error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
        )
      })
      return server
    },
  })
  app.setValidatorCompiler(({ schema, httpPart, method }) => validatorFor(httpPart, schema as object, method) as never)
  await app.register(cookie)
  await app.register(formbody)
  await app.register(multipart)
  // An empty JSON body is no body: DELETE and POST without content are fine.
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer
    if (bytes.length === 0) done(null, undefined)
    // JSON is UTF-8 (RFC 8259 §8.1): bytes of another charset would be stored as signs that nobody wrote.
    else if (!isUtf8(bytes) || !/^(?:utf-?8|us-ascii)$/i.test(charsetOf(request.headers['content-type'])))
      done(notUtf8(), undefined)
    // What a provider of payments signed are these bytes, not what a parser makes of them.
    else if (request.url.startsWith('/callbacks/pay/')) done(null, bytes.toString('utf8'))
    // Whole numbers that JavaScript would round come as texts of their digits: an int64 takes them, a number refuses them.
    else return app.getDefaultJsonParser('error', 'error')(request, withExactIntegers(bytes.toString('utf8')), done)
  })
  // WeChat's messages; nothing else of this server is told anything in XML.
  app.addContentTypeParser(['text/xml', 'application/xml'], { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer
    if (!request.url.startsWith('/callbacks/')) done(notXml(), undefined)
    else if (isUtf8(bytes)) done(null, bytes.toString('utf8'))
    else done(notUtf8(), undefined)
  })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Thingwright',
        version: options.version,
        description: 'Open enterprise IoT device-management cloud',
      },
      servers: [{ url: options.publicUrl ?? '/' }],
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: 'An access token of /oauth/token, or an API key (twk_…)',
          },
          program: {
            type: 'oauth2',
            description: 'A token of 15 minutes for an API key: its beginning is the client_id, the key the secret',
            flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: {} } },
          },
        },
      },
      security: [{ bearer: [] }, { program: [] }],
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
        gone: () => goneSignal(reply.raw),
        ...(userAgentOf(request) ? { userAgent: userAgentOf(request) } : {}),
      },
    })
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    if (options.publicUrl?.startsWith('https:'))
      reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains')
    if (/^\/(?:api|oauth|mcp|compat)(?:[/?]|$)/.test(request.url)) reply.header('cache-control', 'no-store')
  })
  app.addHook('onResponse', async request => {
    if (request.isMultipart()) drain(request.raw)
  })
  if (options.programs) logPrograms(app, options.programs)
  compressAnswers(app)
  app.setErrorHandler((error, request, reply) => sendError(options, error, request, reply))
  app.setNotFoundHandler((request, reply) => sendError(options, new AppError('request.not_found'), request, reply))

  for (const route of options.routes) addRoute(app, options, route)
  mcpMethods(app)
  await options.plain(app)
  let described: object | undefined
  app.get('/api/openapi.json', { schema: { hide: true } }, async () => {
    described ??= withSharedSchemas(app.swagger())
    return described
  })
  await app.ready()
  return app
}

/** Aborted when the caller hangs up before the answer. */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (response.destroyed) gone.abort()
  else response.once('close', () => response.writableFinished || gone.abort())
  return gone.signal
}

/** Tells of every call of a program when it has ended; calls of people are not looked at. */
function logPrograms(app: FastifyInstance, programs: Programs): void {
  const programOf = (request: FastifyRequest) => {
    const state = states.get(request)
    return state?.caller?.actor.kind === 'apiKey' ? { state, actor: state.caller.actor } : null
  }
  app.addHook('onSend', (request, _reply, payload, done) => {
    const program = programOf(request)
    if (program && typeof payload === 'string') program.state.answer = payload
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const program = programOf(request)
    if (program?.state.contract)
      programs.note({
        keyId: program.actor.keyId,
        tenantId: program.state.ctx.tenantId,
        contract: program.state.contract,
        url: request.url,
        status: reply.statusCode,
        durationMs: reply.elapsedTime,
        ip: request.ip,
        userAgent: userAgentOf(request),
        requestId: request.id,
        requestBody: request.body,
        requestBytes: Number(request.headers['content-length'] ?? 0) || 0,
        responseBody: program.state.answer ?? null,
        responseBytes: Number(reply.getHeader('content-length') ?? 0) || 0,
      })
    done()
  })
}

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

function userAgentOf(request: FastifyRequest): string {
  return String(request.headers['user-agent'] ?? '').slice(0, 300)
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

/** The name of each route in the document of the API: its group and its own, as in the contracts. */
const operationIds = new Map<RouteContract, string>(
  Object.entries(allContracts).flatMap(([group, contracts]) =>
    Object.entries(contracts as Record<string, RouteContract>).map(
      ([name, contract]) => [contract, `${group}_${name}`] as const,
    ),
  ),
)

function addRoute(app: FastifyInstance, options: HttpOptions, { contract, handler }: BoundRoute): void {
  const schema: Record<string, unknown> = {
    operationId: operationIds.get(contract),
    summary: contract.summary,
    tags: [contract.tag],
    ...(contract.alsoGet ? { description: 'Also with GET: the fields in the query, in a JSON body, or in both.' } : {}),
  }
  if (contract.permission === 'public') schema.security = []
  else {
    schema['x-permission'] = contract.permission
    schema['x-api-keys'] = forPrograms(contract)
  }
  if (contract.params) schema.params = contract.params
  // What others call with parameters of their own (providers, browsers that sign in) stays open.
  if (contract.path.startsWith('/api/v1/')) schema.querystring = closedQuery(contract.query)
  else if (contract.query) schema.querystring = contract.query
  if (contract.upload) Object.assign(schema, { consumes: ['multipart/form-data'], body: formSchema(contract.body) })
  else if (contract.body) schema.body = withExample(contract.body, contract)
  if (contract.produces) schema.produces = [contract.produces]
  schema.response = {
    ...(contract.produces ? {} : { [contract.status ?? 200]: contract.response }),
    '4xx': ErrorBody,
    '5xx': ErrorBody,
  }
  if (contract.path === '/oauth/token') schema.consumes = ['application/x-www-form-urlencoded']

  const url = contract.path.replaceAll(/\{(\w+)\}/g, ':$1')
  app.route({
    method: contract.method,
    url,
    schema,
    // A form is checked while it is read, in readUpload.
    ...(contract.upload
      ? {
          validatorCompiler: ({ schema, httpPart }) =>
            (httpPart === 'body' ? () => true : validatorFor(httpPart, schema as object)) as never,
        }
      : {}),
    // Who asks comes before what is asked: a stranger learns nothing about the shape of a body.
    preValidation: async (request, reply) => {
      const state = states.get(request)!
      state.contract = contract
      await signIn(options, contract, request, reply, state)
      checkUploadHeaders(request, contract.upload)
      if (contract.body && request.body === undefined) request.body = {}
      refuseUnstorableText(request.params)
      refuseUnstorableText(request.query)
      refuseUnstorableText(request.body)
    },
    handler: async (request, reply) => {
      if (!contract.upload) return handle(request, reply, null)
      liftBodyDeadline(request.raw)
      const { fields, file } = await readUpload(request, contract.upload, contract.body)
      request.body = fields
      try {
        return await handle(request, reply, file)
      } finally {
        file.body.destroy()
      }
    },
  })
  if (contract.alsoGet) {
    const check = validatorFor('body', contract.body!)
    app.route({
      method: 'GET',
      url,
      // It is what POST is in the document of the API. HEAD would do the work and throw its answer away.
      schema: { hide: true, response: schema.response },
      exposeHeadRoute: false,
      preValidation: async (request, reply) => {
        const state = states.get(request)!
        state.contract = contract
        await signIn(options, contract, request, reply, state)
        request.body = await fieldsOfGet(request, check)
        refuseUnstorableText(request.body)
      },
      handler: (request, reply) => handle(request, reply, null),
    })
  }

  async function handle(request: FastifyRequest, reply: FastifyReply, file: UploadedFile | null): Promise<unknown> {
    const state = states.get(request)!
    const http = {
      method: request.method,
      ip: request.ip,
      userAgent: userAgentOf(request),
      headers: request.headers,
      setHeader: (name: string, value: string) => void reply.header(name, value),
      ...(file ? { file } : {}),
    }
    const run = () =>
      handler(state.ctx, { params: request.params, query: request.query, body: request.body } as never, http as never)
    // HEAD returns the content type only: the export itself is not made.
    if (request.method === 'HEAD' && contract.produces && contract.path.endsWith('/export'))
      return reply.type(contract.produces).send()
    if (contract.method === 'GET') return answer(reply, contract, await run())
    const key = request.headers['idempotency-key']
    const actor = state.caller && actorId(state.caller.actor)
    // What is no JSON answer of ours cannot be kept and told again.
    if (typeof key !== 'string' || !actor || contract.produces) {
      const result = await run()
      checkAudit(options, contract, state.ctx)
      return answer(reply, contract, result)
    }
    // The bytes of a file are not known yet: its name and announced length stand for it.
    const body = file
      ? { fields: request.body, file: file.fileName, length: request.headers['content-length'] }
      : request.body
    return runOnce(options, contract, request, reply, { actor, key: key.slice(0, 128), run, ctx: state.ctx, body })
  }
}

/** The schema of a body with its example, which the document of the API shows. */
function withExample(body: object, { example }: RouteContract): object {
  return example?.body ? { ...body, examples: [shownExample(example.body)] } : body
}

function answer(reply: FastifyReply, contract: RouteContract, result: unknown): unknown {
  if (result instanceof RedirectReply) return reply.redirect(result.location, 303)
  if (result instanceof StreamReply) {
    reply.status(result.status)
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
  once: { actor: string; key: string; ctx: Ctx; body: unknown; run: () => Promise<unknown> },
): Promise<unknown> {
  const { actor, key, ctx } = once
  const earlier = await options.idempotency.begin(actor, key, {
    method: request.method,
    path: request.url,
    body: once.body,
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
    const { status, body } = answerTo(error, options, request)
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

/** Sent by a console that shows itself as somebody with this role would see it; nothing can be changed meanwhile. */
const PREVIEW_HEADER = 'x-preview-role'

async function signIn(
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

/** What a signed-in person was denied, and changes that broke, belong into the operation log as well. */
function noteRefusal(
  options: HttpOptions,
  request: FastifyRequest,
  status: number,
  { code, params }: ErrorAnswer['body'],
): void {
  const { caller, ctx, contract } = states.get(request) ?? {}
  if (!caller || !ctx || !contract) return
  const result = refusedOutcome(code, status, contract.method)
  if (!result) return
  const said = { ...params, ...(request.params as object | undefined) }
  options.onRefused?.(ctx, contract, { result, code, params: said })
}

function answerTo(error: unknown, { logger }: HttpOptions, request: FastifyRequest): ErrorAnswer {
  const locale = states.get(request)?.ctx.locale ?? localeOf(request.headers['accept-language'])
  return errorAnswer(error, { locale, requestId: request.id, route: request.routeOptions?.url, logger })
}

function sendError(options: HttpOptions, error: unknown, request: FastifyRequest, reply: FastifyReply): unknown {
  const { status, body, retryAfterSeconds } = answerTo(error, options, request)
  noteRefusal(options, request, status, body)
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  challengeMcp(request, reply, status)
  const said = request.url.startsWith('/oauth/')
    ? { error: oauthWord(body.code, status), error_description: body.message, ...body }
    : body
  return reply
    .status(status)
    .type('application/json')
    .serializer((x: unknown) => x as string)
    .send(JSON.stringify(said))
}

/** Devices' own addresses, and those of ThingsBoard's clients, whose tokens have a form that no path of ours has. */
function isDevicePath(url: string | undefined): boolean {
  return url?.startsWith('/device/') === true || isThingsboardPath(url)
}

/** The charset that a content type names; without one it is UTF-8. */
function charsetOf(contentType: string | undefined): string {
  return /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8'
}

function notXml(): Error {
  return Object.assign(new Error('no XML is taken there'), { statusCode: 415, code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE' })
}

function notUtf8(): Error {
  return Object.assign(new Error('the body is not UTF-8'), { statusCode: 400, code: 'FST_ERR_CTP_INVALID_JSON_BODY' })
}
