import { Readable } from 'node:stream'
import { mcpContract } from '@thingwright/contracts/mcp.contract'
import { actorId, type Ctx } from '../../../lib/context.ts'
import { AppError } from '../../../lib/errors.ts'
import { type BoundRoute, bind, type HttpInfo, StreamReply } from '../../../lib/http.ts'
import { answerMcp } from './mcp-server.ts'
import { createMcpTools, type McpToolsDeps } from './mcp-tools.ts'
import { ownPage } from './own-page.ts'

export interface McpDeps extends McpToolsDeps {
  /** The company's off switch holds for outside programs as well. */
  isOff(tenantId: string): Promise<boolean>
  version: string
  publicUrl: string | null
}

/** Messages of one person in a minute; programs with a key have the limit of their key. */
const PER_MINUTE = 300

/** `POST /mcp`. */
export function mcpRoutes(deps: McpDeps): BoundRoute[] {
  const tools = createMcpTools(deps)
  const admit = minuteLimit(deps.now)
  return [
    bind(mcpContract.call, async (ctx, { body }, http) => {
      refuseOtherPages(http, deps.publicUrl)
      admit(ctx)
      if (await deps.isOff(ctx.tenantId)) throw new AppError('assistant.off')
      const version = http.headers['mcp-protocol-version']
      const answer = await answerMcp(tools, ctx, body, {
        version: deps.version,
        protocolVersion: typeof version === 'string' ? version : undefined,
      })
      return answer ?? new StreamReply(Readable.from([]), 'application/json', undefined, 202)
    }),
  ]
}

/** A page of somebody else in a browser must not reach the tools. @throws AppError assistant.foreign_page */
function refuseOtherPages({ headers }: HttpInfo, publicUrl: string | null): void {
  const { origin, host } = headers
  if (typeof origin === 'string' && !ownPage({ origin, host: String(host ?? ''), publicUrl }))
    throw new AppError('assistant.foreign_page')
}

function minuteLimit(now: () => number): (ctx: Ctx) => void {
  let endsAt = 0
  const counts = new Map<string, number>()
  return ctx => {
    if (ctx.actor.kind === 'apiKey') return
    const time = now()
    if (time >= endsAt) {
      counts.clear()
      endsAt = time + 60_000
    }
    const caller = `${ctx.tenantId} ${actorId(ctx.actor)}`
    const count = (counts.get(caller) ?? 0) + 1
    counts.set(caller, count)
    const seconds = Math.max(1, Math.ceil((endsAt - time) / 1000))
    if (count > PER_MINUTE) throw new AppError('rate.limited', { params: { seconds }, retryAfterSeconds: seconds })
  }
}
