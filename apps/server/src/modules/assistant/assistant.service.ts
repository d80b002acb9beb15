import { Readable } from 'node:stream'
import type { AssistantStatus, assistantContract, ToolView } from '@thingwright/contracts/assistant.contract'
import { devicesContract } from '@thingwright/contracts/devices.contract'
import { productsContract } from '@thingwright/contracts/products.contract'
import type { QueryOf } from '@thingwright/contracts/route'
import { inBackground } from '../../lib/background.ts'
import { type Actor, actorName, type Ctx, ownerIdOf } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import { type HttpInfo, StreamReply } from '../../lib/http.ts'
import { errorText } from '../../lib/i18n.ts'
import { newId } from '../../lib/ids.ts'
import type { Logger } from '../../lib/log.ts'
import { type Mention, type PlannedCall, plannedCall } from '../../lib/tools/tools.ts'
import { untilAborted } from '../../lib/until-aborted.ts'
import words from './assistant-words.json' with { type: 'json' }
import * as chats from './chats.repo.ts'
import type { Engine, EngineReport, ReplyWriter, Turn } from './engine.ts'
import type { Engines, MeteredEngine } from './engines.ts'
import { languageOf } from './language.ts'
import { isKeyRefused } from './llm/said.ts'
import { LlmError, type LlmMessage } from './llm.port.ts'
import { redact, redactText } from './redact.ts'
import type { ToolRegistry } from './registry.ts'
import * as log from './replies.repo.ts'
import type { Ending, Replies, Reply } from './replies.ts'
import { createToolRunner, type ToolRunnerDeps } from './runner.ts'
import type { AssistantSettings } from './settings.service.ts'
import { examplesOf } from './tool-examples.ts'

type Contract = typeof assistantContract

export interface AssistantService {
  /**
   * Asks a question, or goes on reading an answer.
   * @throws AppError assistant.question_empty, assistant.off, assistant.busy, assistant.reply_not_found
   */
  chat(ctx: Ctx, query: QueryOf<Contract['chat']>, http: HttpInfo): Promise<StreamReply>
  stop(ctx: Ctx, replyId: string): Promise<void>
  status(ctx: Ctx): Promise<AssistantStatus>
  /** What the caller may ask for, by the tools that he holds the rights for. */
  tools(ctx: Ctx): Promise<{ items: ToolView[] }>
  rate(ctx: Ctx, replyId: string, rating: 'up' | 'down' | null): Promise<void>
  removeChat(ctx: Ctx, chatId: string): Promise<void>
  clearChats(ctx: Ctx): Promise<void>
}

export interface AssistantServiceDeps {
  database: Database
  logger: Logger
  registry: ToolRegistry
  replies: Replies
  engines: Engines
  settings: AssistantSettings
  approvals: ToolRunnerDeps['approvals']
  callApi(ctx: Ctx, call: PlannedCall): Promise<unknown>
  currentActor(tenantId: string, actor: Actor): Promise<Actor | null>
  timeZone(tenantId: string): Promise<string>
  /** Somebody's question led to a tool that he has no right to. */
  onRefused(ctx: Ctx, tool: string, permission: string): void
}

const STREAM = 'text/event-stream; charset=utf-8'

export function createAssistantService(deps: AssistantServiceDeps): AssistantService {
  const { database, registry, replies, engines, logger } = deps

  function ownerOf(ctx: Ctx) {
    const loginId = ownerIdOf(ctx.actor)
    if (!loginId) throw new AppError('auth.required')
    return { tenantId: ctx.tenantId, loginId }
  }

  /** What the asker's page shows, read with his rights. @throws AppError as the page's own routes do */
  async function pageObjects(ctx: Ctx, query: QueryOf<Contract['chat']>): Promise<Mention[]> {
    const found: Mention[] = []
    if (query.deviceId) {
      const call = plannedCall(devicesContract.get, { params: { id: query.deviceId } } as never)
      const device = (await deps.callApi(ctx, call)) as { id: string; name: string }
      found.push({ kind: 'device', id: device.id, name: device.name })
    }
    if (query.productId) {
      const call = plannedCall(productsContract.get, { params: { id: query.productId } } as never)
      const product = (await deps.callApi(ctx, call)) as { id: string; name: string }
      found.push({ kind: 'product', id: product.id, name: product.name })
    }
    return found
  }

  /** Makes one reply, from the question to what is kept of it. Fails never: what breaks is told to the asker. */
  async function make(ctx: Ctx, reply: Reply, asked: Omit<Turn, 'signal'>, how: How): Promise<void> {
    const began = performance.now()
    let engine: Engine = how.engine
    const control = new AbortController()
    const signal = AbortSignal.any([reply.signal, control.signal])
    const said: string[] = []
    const out: ReplyWriter = {
      text(fragment) {
        if (fragment === '' || signal.aborted) return
        said.push(fragment)
        reply.log.add(['text', { data: fragment }])
      },
      card(card) {
        if (!signal.aborted) reply.log.add(['card', { data: '', card }])
      },
    }
    const turn: Turn = { ...asked, signal }
    const runner = createToolRunner({
      ctx,
      reply,
      turn,
      out,
      registry,
      approvals: deps.approvals,
      readOnly: how.readOnly,
      previewed: how.previewed,
      callApi: deps.callApi,
      currentActor: deps.currentActor,
      onRefused: deps.onRefused,
      logger,
      // A model may speak at length of several tools; the built-in engine says one text for each.
      cardsBelow: () => engine.kind === 'builtin',
      onSpent: () => control.abort('spent'),
    })
    let report: EngineReport | null = null
    let state: log.ReplyEnd['state'] = 'done'
    try {
      if (how.overQuota) out.text(words.replies.overQuota[turn.locale])
      try {
        report = await untilAborted(engine.answer(turn, runner, out), signal)
        await noted(how.keyAnswered(null), reply)
      } catch (error) {
        const refused = error instanceof LlmError && isKeyRefused(error)
        if (refused) await noted(how.keyAnswered(error.status), reply)
        const silent = said.length === 0 && runner.used.length === 0
        if (!(error instanceof LlmError) || engine === engines.builtin || !silent || signal.aborted) throw error
        logger.warn({ reason: error.reason, status: error.status, replyId: reply.id }, 'the model does not answer')
        engine = engines.builtin
        const told = refused && engine.kind === 'builtin' && how.engine.kind === 'own' ? 'keyRefused' : 'standIn'
        out.text(words.replies[told][turn.locale])
        report = await untilAborted(engine.answer(turn, runner, out), signal)
      }
      if (reply.signal.aborted) state = 'stopped'
      else if (signal.aborted) throw new AppError('server.unavailable')
    } catch (error) {
      state = reply.signal.aborted ? 'stopped' : 'failed'
      if (control.signal.aborted && state === 'failed')
        reply.log.add(['error', { data: '', code: 'assistant.too_long', message: words.runner.tooLong[turn.locale] }])
      else if (state === 'failed') reply.log.add(['error', { data: '', ...failure(error, turn, reply) }])
    }
    if (reply.signal.reason === ('shutdown' satisfies Ending))
      reply.log.add(['error', { data: '', ...failure(new AppError('server.stopping'), turn, reply) }])
    try {
      await runner.close(reply.signal.aborted ? (reply.signal.reason as Ending) : null)
    } catch (error) {
      logger.error({ err: error, replyId: reply.id }, 'what a reply still asked for was not denied')
    }
    try {
      await keep({ state, report, engine, said: said.join('') })
    } catch (error) {
      logger.error({ err: error, replyId: reply.id }, 'keeping a reply failed')
    }

    async function keep(end: {
      state: log.ReplyEnd['state']
      report: EngineReport | null
      engine: Engine
      said: string
    }) {
      const messages: LlmMessage[] = end.report
        ? [...end.report.messages]
        : end.said
          ? [{ role: 'assistant', content: end.said }]
          : []
      if (messages[0]?.role !== 'user') messages.unshift({ role: 'user', content: turn.question })
      await database.withTenant(ctx, async scope => {
        await chats.keepTurn(scope, reply.loginId, reply.chatId, {
          messages: redact(messages.filter(message => message.role !== 'system')),
          mentions: merged(runner.mentions, end.report?.mentions ?? [], turn.mentions),
          waiting: end.report?.waiting ?? null,
        })
        // A model has cost what it cost, also where it broke off and the built-in engine went on.
        const { promptTokens, completionTokens } = how.engine.spent?.() ??
          end.report ?? { promptTokens: 0, completionTokens: 0 }
        await log.endReply(scope, reply.id, {
          engine: end.engine.kind,
          model: end.engine.model,
          tools: runner.used,
          state: end.state,
          promptTokens,
          completionTokens,
          costFen: how.costFen(promptTokens, completionTokens),
          durationMs: performance.now() - began,
        })
      })
    }
  }

  /** The answer goes on whether that can be noted or not. */
  async function noted(work: Promise<void>, reply: Reply): Promise<void> {
    await work.catch(error => logger.error({ err: error, replyId: reply.id }, 'noting an answer to a key failed'))
  }

  function failure(error: unknown, turn: Turn, reply: Reply): { code: string; message: string } {
    if (error instanceof LlmError) return { code: `model.${error.reason}`, message: error.said }
    if (isAppError(error)) return { code: error.code, message: errorText(turn.locale, error.code, error.params) }
    logger.error({ err: error, replyId: reply.id }, 'a reply failed')
    return { code: 'server.error', message: errorText(turn.locale, 'server.error') }
  }

  return {
    async chat(ctx, query, http) {
      // HEAD asks nothing.
      if (http.method === 'HEAD') return new StreamReply(Readable.from([]), STREAM)
      const owner = ownerOf(ctx)
      http.setHeader('cache-control', 'no-store')
      http.setHeader('x-accel-buffering', 'no')
      const lastEventId = http.headers['last-event-id']
      if (typeof lastEventId === 'string' && lastEventId !== '')
        return new StreamReply(replies.resume(owner, lastEventId), STREAM)
      const question = redactText(query.input ?? '').trim()
      if (question === '') throw new AppError('assistant.question_empty')
      const choice = await engines.of(ctx)
      if (!choice) throw new AppError('assistant.off')
      const chatId = query.chatId ?? newId()
      const [page, timeZone, chat] = await Promise.all([
        pageObjects(ctx, query),
        deps.timeZone(ctx.tenantId),
        database.withTenant(ctx, scope => chats.openChat(scope, owner.loginId, chatId)),
      ])
      const previewed = http.headers['x-preview-role'] !== undefined
      const readOnly = previewed || (ctx.actor.kind === 'operator' && ctx.actor.support?.mayWrite === false)
      const turn: Omit<Turn, 'signal'> = {
        question,
        locale: languageOf(question, ctx.locale),
        now: ctx.now,
        timeZone,
        history: chat.messages,
        mentions: merged(page, chat.mentions),
        waiting: chat.waiting,
      }
      const how: How = {
        engine: choice.engine,
        overQuota: choice.overQuota,
        costFen: choice.costFen,
        keyAnswered: choice.keyAnswered,
        readOnly,
        previewed,
      }
      // The row stands before the work begins, which is not before this function's reader is there.
      let begin = () => {}
      const begun = new Promise<void>(resolve => {
        begin = resolve
      })
      const reply = replies.open(owner, chatId, async made => {
        await begun
        await make(ctx, made, turn, how)
      })
      const body = replies.read(reply)
      try {
        await database.withTenant(ctx, scope =>
          log.insertReply(scope, {
            id: reply.id,
            loginId: owner.loginId,
            userName: actorName(ctx.actor),
            engine: choice.engine.kind,
            model: choice.engine.model,
          }),
        )
      } catch (error) {
        body.destroy()
        inBackground('stopping a reply', replies.stop(owner, reply.id))
        throw error
      } finally {
        begin()
      }
      return new StreamReply(body, STREAM)
    },
    async status(ctx) {
      const { engine, model, overQuota, target } = await deps.settings.effective(ctx.tenantId)
      const over = overQuota && target !== null
      return {
        enabled: engine !== 'off',
        engine: over ? 'builtin' : engine,
        model: over ? null : model,
        overQuota: over,
      }
    },
    async tools(ctx) {
      return {
        items: registry.offered(ctx.actor).map(tool => ({
          name: tool.name,
          title: tool.words.title[ctx.locale],
          class: tool.class,
          permission: tool.permission,
          examples: examplesOf(tool, ctx.locale),
        })),
      }
    },
    stop: (ctx, replyId) => replies.stop(ownerOf(ctx), replyId),
    async rate(ctx, replyId, rating) {
      const { loginId } = ownerOf(ctx)
      if (!(await database.withTenant(ctx, scope => log.rateReply(scope, loginId, replyId, rating))))
        throw new AppError('assistant.reply_not_found')
    },
    async removeChat(ctx, chatId) {
      const owner = ownerOf(ctx)
      await replies.stopChats(owner, chatId)
      await database.withTenant(ctx, scope => chats.removeChats(scope, owner.loginId, chatId))
    },
    async clearChats(ctx) {
      const owner = ownerOf(ctx)
      await replies.stopChats(owner)
      await database.withTenant(ctx, scope => chats.removeChats(scope, owner.loginId, null))
    },
  }
}

interface How {
  engine: MeteredEngine
  overQuota: boolean
  costFen(promptTokens: number, completionTokens: number): number
  keyAnswered(status: number | null): Promise<void>
  readOnly: boolean
  /** The caller looks at the console as somebody with one role would. */
  previewed: boolean
}

/** The first of each thing, in order. */
function merged(...lists: (readonly Mention[])[]): Mention[] {
  const seen = new Map<string, Mention>()
  for (const mention of lists.flat()) {
    const key = `${mention.kind} ${mention.id}`
    if (!seen.has(key)) seen.set(key, mention)
  }
  return [...seen.values()]
}
