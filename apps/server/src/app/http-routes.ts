import { allContracts } from '@thingwright/contracts/all-contracts'
import { ErrorBody } from '@thingwright/contracts/common'
import { shownExample } from '@thingwright/contracts/examples'
import chinese from '@thingwright/contracts/locales/operations.json' with { type: 'json' }
import type { RouteContract } from '@thingwright/contracts/route'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { actorId, type Ctx } from '../lib/context.ts'
import { type BoundRoute, RedirectReply, StreamReply, type UploadedFile } from '../lib/http.ts'
import { forPrograms } from './admission.ts'
import { fieldsOfGet } from './get-bodies.ts'
import { liftBodyDeadline } from './http-deadlines.ts'
import { answerTo, type HttpOptions, states, userAgentOf } from './http-request.ts'
import { signIn } from './http-sign-in.ts'
import { checkUploadHeaders, formSchema, readUpload } from './http-upload.ts'
import { closedQuery, refuseUnstorableText, validatorFor } from './http-validation.ts'

/** Refuses to start with a route that has no permission, no line in the operation log or no handler. */
export function checkRouteTable(routes: BoundRoute[]): void {
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

/** The tag and the summary of a route in Chinese: OpenAPI has one language, so they stand beside it. */
function inChinese(contract: RouteContract): Record<string, string> {
  const [group = '', name = ''] = operationIds.get(contract)?.split('_') ?? []
  const summary = (chinese.operations as Record<string, Record<string, string>>)[group]?.[name]
  const tag = (chinese.tags as Record<string, string>)[contract.tag]
  return { ...(summary ? { 'x-summary-zh': summary } : {}), ...(tag ? { 'x-tag-zh': tag } : {}) }
}

/** Registers a route: sign-in, validation, uploads, idempotency and its part of the OpenAPI document. */
export function addRoute(app: FastifyInstance, options: HttpOptions, { contract, handler }: BoundRoute): void {
  const schema: Record<string, unknown> = {
    operationId: operationIds.get(contract),
    summary: contract.summary,
    tags: [contract.tag],
    ...inChinese(contract),
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
    // The caller is checked before the body, so that a stranger learns nothing about the body's shape.
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
