import { apiKeysContract, developerContract, type EndpointsView } from '@thingwright/contracts/developer.contract'
import { ERROR_STATUS, type ErrorCode } from '@thingwright/contracts/errors'
import type { Ctx } from '../../lib/context.ts'
import { type BoundRoute, bind } from '../../lib/http.ts'
import { errorText } from '../../lib/i18n.ts'
import type { ApiKeysService } from './api-keys.service.ts'
import type { CallsService } from './calls/calls.service.ts'

export interface DeveloperRouteDeps {
  keys: ApiKeysService
  calls: CallsService
  endpoints(ctx: Ctx): Promise<EndpointsView>
}

export function developerRoutes({ keys, calls, endpoints }: DeveloperRouteDeps): BoundRoute[] {
  const k = apiKeysContract
  const d = developerContract
  return [
    bind(k.list, (ctx, { query }) => keys.list(ctx, query)),
    bind(k.current, ctx => keys.current(ctx)),
    bind(k.get, (ctx, { params }) => keys.get(ctx, params.id)),
    bind(k.create, (ctx, { body }) => keys.create(ctx, body)),
    bind(k.update, (ctx, { params, body }) => keys.update(ctx, params.id, body)),
    bind(k.rotate, (ctx, { params, body }) => keys.rotate(ctx, params.id, body)),
    bind(k.endOverlap, (ctx, { params }) => keys.endOverlap(ctx, params.id)),
    bind(k.takeOver, (ctx, { params }) => keys.takeOver(ctx, params.id)),
    bind(k.revoke, (ctx, { params }) => keys.revoke(ctx, params.id)),
    bind(k.remove, (ctx, { params }) => keys.remove(ctx, params.id)),
    bind(d.endpoints, ctx => endpoints(ctx)),
    bind(d.errors, async ctx => errorCatalogue(ctx)),
    bind(d.statistics, (ctx, { query }) => calls.statistics(ctx, query)),
    bind(d.calls, (ctx, { query }) => calls.calls(ctx, query)),
    bind(d.call, (ctx, { params }) => calls.call(ctx, params.id)),
  ]
}

/** Parameters of a text stay what they are called: {limit}. */
const AS_WRITTEN: Record<string, unknown> = new Proxy({}, { get: (_, name) => `{${String(name)}}` })

/** Every code a program may meet, with its text in the caller's language; parameters stay in braces. */
function errorCatalogue({ locale }: Ctx): { items: { code: string; status: number; message: string }[] } {
  return {
    items: Object.entries(ERROR_STATUS)
      .map(([code, status]) => ({ code, status, message: errorText(locale, code as ErrorCode, AS_WRITTEN) }))
      .toSorted((a, b) => (a.code < b.code ? -1 : 1)),
  }
}
