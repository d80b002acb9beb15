import { isUtf8 } from 'node:buffer'
import { createServer, type Server, type ServerResponse } from 'node:http'
import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import swagger from '@fastify/swagger'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { isThingsboardPath } from '../ingest/transports/http/thingsboard-path.ts'
import { believedHops } from '../lib/client-address.ts'
import { AppError } from '../lib/errors.ts'
import { withExactIntegers } from '../lib/exact-json.ts'
import { NO_TENANT } from '../lib/http.ts'
import { localeOf } from '../lib/i18n.ts'
import { newId } from '../lib/ids.ts'
import { toOriginForm } from '../lib/origin-form.ts'
import type { Programs } from '../modules/developer/index.ts'
import { answerClientError } from './client-errors.ts'
import { compressAnswers } from './compressed-answers.ts'
import { limitBodyTime, UPLOAD_DEADLINE_MS } from './http-deadlines.ts'
import { type ErrorAnswer, oauthWord } from './http-errors.ts'
import { answerTo, type HttpOptions, states, userAgentOf } from './http-request.ts'
import { addRoute, checkRouteTable } from './http-routes.ts'
import { drain } from './http-upload.ts'
import { validatorFor } from './http-validation.ts'
import { lazySerializers } from './lazy-serializers.ts'
import { challengeMcp, mcpMethods } from './mcp.ts'
import { takeWebSockets } from './offered-protocol.ts'
import { refusedOutcome } from './refused-outcome.ts'
import { withSharedSchemas } from './shared-schemas.ts'

/** The HTTP server: content types, headers, errors, the routes, and the OpenAPI document. */
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
      server.on('clientError', answerClientError)
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
    // A payment provider signs these bytes, so they must not be parsed and written again.
    else if (request.url.startsWith('/callbacks/pay/')) done(null, bytes.toString('utf8'))
    // Whole numbers that JavaScript would round come as texts of their digits: an int64 takes them, a number refuses them.
    else return app.getDefaultJsonParser('error', 'error')(request, withExactIntegers(bytes.toString('utf8')), done)
  })
  // Only WeChat sends messages in XML.
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

/** Writes a denied request of a signed-in person, and a change that failed, into the operation log. */
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
