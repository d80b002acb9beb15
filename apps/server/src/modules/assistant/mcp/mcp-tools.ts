import { mcpContract } from '@thingwright/contracts/mcp.contract'
import type { RouteContract } from '@thingwright/contracts/route'
import { actorId, actorName, type Ctx } from '../../../lib/context.ts'
import { isAppError } from '../../../lib/errors.ts'
import { errorText } from '../../../lib/i18n.ts'
import type { Logger } from '../../../lib/log.ts'
import {
  type ChangeTool,
  type PlannedCall,
  type PreparedChange,
  type ReadTool,
  type Tool,
  type ToolContext,
  ToolProblem,
  ToolQuestion,
  type ToolResult,
} from '../../../lib/tools/tools.ts'
import { visible } from '../llm/prompt.ts'
import { redact } from '../redact.ts'
import type { ToolRegistry } from '../registry.ts'
import type { OutgoingTexts } from '../secrets/outgoing.ts'
import { createToolContext, fill } from '../tool-context.ts'
import { appErrorText } from '../tool-errors.ts'
import { CONFIRM_MS, createConfirmations } from './confirmations.ts'
import words from './mcp-words.json' with { type: 'json' }

/** A tool as MCP names it. */
export interface McpTool {
  name: string
  title: string
  description: string
  inputSchema: { type: 'object'; [key: string]: unknown }
  annotations: {
    title: string
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    openWorldHint: boolean
  }
}

/** The result of a tool call. */
export interface McpResult {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
  [key: string]: unknown
}

export interface McpToolsDeps {
  registry: ToolRegistry
  callApi(ctx: Ctx, call: PlannedCall): Promise<unknown>
  /** Takes the company's secrets out of what leaves. */
  outgoing(tenantId: string): Pick<OutgoingTexts, 'text' | 'value'>
  timeZone(tenantId: string): Promise<string>
  /** Somebody asked for a tool that he has no right to: that belongs into the operation log. */
  onRefused(
    ctx: Ctx,
    contract: RouteContract,
    outcome: { result: 'refused' | 'failed'; code: string; params: object },
  ): void
  logger: Logger
  now(): number
}

export interface McpTools {
  /** Text in the caller's language: his name and company, and how to use the tools. */
  instructions(ctx: Ctx): Promise<string>
  /** The tools that the caller may use, with titles in his language. */
  list(ctx: Ctx): McpTool[]
  /** Runs a tool; a change is made on its second call, with the confirmation id of the first. Null: no such tool. */
  call(ctx: Ctx, name: string, given: Record<string, unknown>): Promise<McpResult | null>
}

/** Characters of an answer; beyond it a result is told to be too large. */
const MAX_RESULT = 200_000
const CONFIRM = {
  type: 'string',
  maxLength: 64,
  description:
    'Leave it out on the first call, which changes nothing and answers what would happen. Then, if the user agrees, call again with the same arguments and the confirmation id of that answer.',
}
const TWO_STEPS =
  ' Changes something: the first call only answers what would happen and a confirmation id; the second call, with `confirm`, does it.'

/** The tools of the assistant for outside AI programs: the caller's rights, two steps for every change. */
export function createMcpTools(deps: McpToolsDeps): McpTools {
  const { registry } = deps
  const confirmations = createConfirmations(deps.now)
  const say = (ctx: Ctx, key: keyof typeof words, values?: Record<string, unknown>) =>
    fill(words[key][ctx.locale], values)
  /**
   * Tools that only need a sign-in read a person's own data, such as his inbox. An API key has none, so they are left
   * out.
   */
  const offered = ({ actor }: Ctx) =>
    registry.offered(actor).filter(tool => actor.kind !== 'apiKey' || tool.permission !== 'signed-in')
  /** As a model may read it: nothing that a person would not see. */
  const block = (text: string) => ({ type: 'text' as const, text: visible(text) })
  /** The same, and nothing secret. */
  const clean = async ({ tenantId }: Ctx, text: string) => block(await deps.outgoing(tenantId).text(visible(text)))
  const failed = async (ctx: Ctx, text: string): Promise<McpResult> => ({
    content: [await clean(ctx, text)],
    isError: true,
  })

  /** The caller with a name for the way he came by: the operation log shows it. */
  const byThisWay = (ctx: Ctx): Ctx => ({
    ...ctx,
    userAgent: `Thingwright MCP ${ctx.userAgent ?? ''}`.trim().slice(0, 300),
  })

  async function contextOf(ctx: Ctx, tool: Tool): Promise<ToolContext> {
    const asked = byThisWay(ctx)
    return createToolContext(
      {
        ctx: asked,
        locale: ctx.locale,
        now: deps.now(),
        timeZone: await deps.timeZone(ctx.tenantId),
        finders: registry.finders,
        mentions: [],
        callApi: deps.callApi,
      },
      tool.words,
    )
  }

  async function resultOf(ctx: Ctx, { text, data, cards }: ToolResult): Promise<McpResult> {
    const content = [await clean(ctx, text)]
    const more = data ?? (cards?.length ? cards : undefined)
    if (more !== undefined) {
      const json = JSON.stringify(redact(more))
      content.push(await clean(ctx, json.length > MAX_RESULT ? say(ctx, 'cut') : `${say(ctx, 'data')}\n${json}`))
    }
    return { content }
  }

  async function proposal(
    ctx: Ctx,
    tool: Tool,
    input: Record<string, unknown>,
    prepared: PreparedChange,
  ): Promise<McpResult> {
    const { id, expiresAt } = confirmations.keep({ caller: callerOf(ctx), tool: tool.name, input, prepared })
    const { effects: said, changes = [], calls } = prepared
    const told = await deps.outgoing(ctx.tenantId).value({ effects: said, changes, calls })
    const effects = told.effects.map(effect => `- ${effect}`).join('\n')
    // The confirmation looks like a secret and is none: it is set in when the rest is without.
    const shown = {
      done: false,
      confirm: id,
      expiresAt: new Date(expiresAt).toISOString(),
      class: tool.class,
      ...told,
    }
    return {
      content: [
        block(say(ctx, 'dryRun', { effects, minutes: CONFIRM_MS / 60_000, id })),
        block(`${say(ctx, 'data')}\n${JSON.stringify(shown)}`),
      ],
      structuredContent: shown,
    }
  }

  async function make(
    ctx: Ctx,
    tool: ChangeTool<never>,
    t: ToolContext,
    { input, prepared }: { input: Record<string, unknown>; prepared: PreparedChange },
  ): Promise<McpResult> {
    const results: unknown[] = []
    for (const call of prepared.calls) {
      try {
        results.push(redact(await deps.callApi(byThisWay(ctx), call)))
      } catch (error) {
        if (results.length === 0) throw error
        return failed(
          ctx,
          say(ctx, 'partly', { count: prepared.calls.length, done: results.length, why: whyNot(ctx, error) }),
        )
      }
    }
    const { result } = await tool.finish(t, { input: input as never, memo: prepared.memo, results })
    return { ...(await resultOf(ctx, result)), structuredContent: { done: true } }
  }

  /** Why something cannot be done, in the caller's language; nothing of the inside. */
  function whyNot(ctx: Ctx, error: unknown): string {
    if (error instanceof ToolProblem)
      return error.link ? `${error.text}\n${say(ctx, 'byHand', { ...error.link })}` : error.text
    if (error instanceof ToolQuestion) {
      const options = error.options.map(({ label, value }) => `- ${label} (${value})`)
      return [error.question, ...(options.length ? [say(ctx, 'options'), ...options] : [])].join('\n')
    }
    if (isAppError(error)) return appErrorText.of(error, ctx.locale)
    deps.logger.error({ err: error, requestId: ctx.requestId }, 'a tool failed')
    return errorText(ctx.locale, 'server.error', {})
  }

  return {
    async instructions(ctx) {
      return say(ctx, 'instructions', { name: actorName(ctx.actor), timeZone: await deps.timeZone(ctx.tenantId) })
    },
    list: ctx => offered(ctx).map(tool => described(tool, ctx)),
    async call(ctx, name, given) {
      const tool = registry.get(name)
      if (!tool) return null
      if (!offered(ctx).includes(tool)) {
        deps.onRefused(byThisWay(ctx), mcpContract.call, {
          result: 'refused',
          code: 'permission.denied',
          params: { permission: tool.permission, tool: name },
        })
        if (tool.permission === 'signed-in') return failed(ctx, errorText(ctx.locale, 'api_key.not_allowed', {}))
        return failed(ctx, say(ctx, 'notAllowed', { title: tool.words.title[ctx.locale], permission: tool.permission }))
      }
      const { confirm, ...rest } = given
      const checked = registry.check(tool, rest, ctx.locale)
      if ('problem' in checked) return failed(ctx, checked.problem)
      const { input } = checked
      const id = typeof confirm === 'string' && confirm !== '' ? confirm : null
      try {
        const t = await contextOf(ctx, tool)
        if (tool.class === 'read') {
          if (id) return failed(ctx, say(ctx, 'confirmRead'))
          return await resultOf(ctx, await (tool as ReadTool<never>).run(t, input as never))
        }
        if (!id) return await proposal(ctx, tool, input, await tool.prepare(t, input as never))
        const taken = confirmations.take({ id, caller: callerOf(ctx), tool: name, input })
        if (typeof taken === 'string')
          return failed(ctx, say(ctx, taken === 'other' ? 'confirmOther' : 'confirmUnknown'))
        return await make(ctx, tool, t, taken)
      } catch (error) {
        return failed(ctx, whyNot(ctx, error))
      }
    },
  }
}

const callerOf = (ctx: Ctx) => `${ctx.tenantId} ${actorId(ctx.actor)}`

function described(tool: Tool, { locale }: Ctx): McpTool {
  const title = tool.words.title[locale]
  const reads = tool.class === 'read'
  const schema = JSON.parse(JSON.stringify(tool.input)) as McpTool['inputSchema']
  return {
    name: tool.name,
    title,
    description: reads ? tool.description : tool.description + TWO_STEPS,
    inputSchema: reads ? schema : { ...schema, properties: { ...(schema.properties as object), confirm: CONFIRM } },
    annotations: {
      title,
      readOnlyHint: reads,
      destructiveHint: tool.class === 'delete' || tool.class === 'control',
      idempotentHint: reads,
      openWorldHint: false,
    },
  }
}
