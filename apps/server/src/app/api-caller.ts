import type { RouteContract } from '@thingwright/contracts/route'
import type { Ctx } from '../lib/context.ts'
import { AppError, isAppError } from '../lib/errors.ts'
import { type BoundRoute, StreamReply } from '../lib/http.ts'
import type { Logger } from '../lib/log.ts'
import { TableSeen } from '../lib/table-export/table-sink.ts'
import type { PlannedCall } from '../lib/tools/tools.ts'
import { forPrograms, needsAPerson, refuseReadOnlySupport, requireRight } from './admission.ts'
import { errorAnswer } from './http-errors.ts'
import { closedQuery, fieldsOf, refuseUnstorableText, type ValidationError, validatorFor } from './http-validation.ts'
import { refusedOutcome } from './refused-outcome.ts'

/** Calls routes of the API from inside, as a caller from outside would: the same rights, schemas and operation log. */
export interface ApiCaller {
  /** @throws AppError as the route would answer it */
  call(ctx: Ctx, call: PlannedCall): Promise<unknown>
  /** The file of a route that takes a list out. A query that the route does not name is refused. @throws AppError as the route would answer it */
  download(ctx: Ctx, call: PlannedCall): Promise<StreamReply>
  /** The contract of such a route; null: there is none. */
  downloadOf(route: string): RouteContract | null
  /** The contract behind `METHOD /path`; null: there is none, or it cannot be called from inside (files, streams). */
  contractOf(route: string): RouteContract | null
  /** The routes, once all of them are there: some are of those who call. */
  serve(routes: readonly BoundRoute[]): void
}

export interface ApiCallerOptions {
  logger: Logger
  /** As of HttpOptions. */
  onRefused?(
    ctx: Ctx,
    contract: RouteContract,
    outcome: { result: 'refused' | 'failed'; code: string; params: object },
  ): void
  /** Makes an unwritten operation log an error instead of a log line (tests). */
  strictAudit?: boolean
}

type Part = 'params' | 'querystring' | 'body'

export function createApiCaller(options: ApiCallerOptions): ApiCaller {
  const table = new Map<string, BoundRoute>()
  /** Lists as files. */
  const files = new Map<string, BoundRoute>()
  const routeOf = (key: string) => table.get(key)
  const checks = new Map<object, ReturnType<typeof validatorFor>>()
  const closed = new Map<RouteContract, object>()

  /** A checked copy with defaults filled in. @throws AppError request.validation */
  function checked(part: Part, schema: object | undefined, given: unknown): unknown {
    if (!schema) return undefined
    const value: unknown = structuredClone(given ?? {})
    refuseUnstorableText(value)
    const check = checks.get(schema) ?? validatorFor(part, schema)
    checks.set(schema, check)
    const answer = check(value)
    if (answer !== true) {
      const { error } = answer as { error: ValidationError | AppError }
      if (isAppError(error)) throw error
      throw new AppError('request.validation', { params: { count: error.problems.length }, fields: fieldsOf(error) })
    }
    return value
  }

  return {
    serve(routes) {
      for (const route of routes) {
        const { method, path, upload, produces } = route.contract
        if (upload) continue
        if (!produces) table.set(`${method} ${path}`, route)
        else if (method === 'GET' && path.endsWith('/export')) files.set(`${method} ${path}`, route)
      }
    },
    contractOf: route => routeOf(route)?.contract ?? null,
    downloadOf: route => files.get(route)?.contract ?? null,
    async call(asked, call) {
      const { route, ctx, result } = await carryOut(table, asked, call)
      const { contract } = route
      if (contract.method !== 'GET' && typeof contract.audit === 'string' && !ctx.audited) {
        const message = `${call.route} changed something without a line in the operation log`
        if (options.strictAudit) throw new Error(message)
        options.logger.error(message)
      }
      return result
    },
    async download(asked, call) {
      const { result } = await carryOut(files, asked, call)
      if (!(result instanceof StreamReply)) throw new Error(`${call.route} answered without a file`)
      return result
    },
  }

  async function carryOut(
    known: ReadonlyMap<string, BoundRoute>,
    asked: Ctx,
    call: PlannedCall,
  ): Promise<{ route: BoundRoute; ctx: Ctx; result: unknown }> {
    const route = known.get(call.route)
    if (!route) throw new AppError('request.not_found')
    const { contract, handler } = route
    const ctx: Ctx = { ...asked, now: Date.now(), audited: false }
    try {
      if (ctx.actor.kind === 'apiKey' && (needsAPerson(contract) || !forPrograms(contract)))
        throw new AppError('api_key.not_allowed')
      refuseReadOnlySupport(contract, ctx.actor)
      requireRight(contract, ctx.actor)
      const query = known === files ? closedQueryOf(contract) : contract.query
      const input = {
        params: checked('params', contract.params, call.params),
        query: checked('querystring', query, call.query),
        body: checked('body', contract.body, call.body),
      }
      const result = await handler(
        ctx,
        input as never,
        {
          method: contract.method,
          ip: ctx.ip ?? '',
          userAgent: ctx.userAgent ?? '',
          headers: {},
          setHeader: () => undefined,
        } as never,
      )
      return { route, ctx, result }
    } catch (error) {
      if (!(error instanceof TableSeen)) note(ctx, contract, call, error)
      throw error
    }
  }

  /** One for each contract: checks are kept by their schema. */
  function closedQueryOf(contract: RouteContract): object {
    const made = closed.get(contract) ?? closedQuery(contract.query)
    closed.set(contract, made)
    return made
  }

  function note(ctx: Ctx, contract: RouteContract, call: PlannedCall, error: unknown): void {
    const { status, body } = errorAnswer(error, {
      locale: ctx.locale,
      requestId: ctx.requestId,
      route: contract.path,
      logger: options.logger,
    })
    const result = refusedOutcome(body.code, status, contract.method)
    if (result)
      options.onRefused?.(ctx, contract, { result, code: body.code, params: { ...body.params, ...call.params } })
  }
}
