import type { Card } from '@thingwright/contracts/assistant-cards'
import type { Actor, Ctx } from '../../lib/context.ts'
import { isAppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Logger } from '../../lib/log.ts'
import {
  type Mention,
  type PlannedCall,
  quoted,
  type Tool,
  type ToolContext,
  ToolProblem,
  ToolQuestion,
  type ToolResult,
} from '../../lib/tools/tools.ts'
import type { Approvals, NewStep } from './approvals.service.ts'
import words from './assistant-words.json' with { type: 'json' }
import type { ReplyWriter, ToolOutcome, ToolRunner, Turn } from './engine.ts'
import { redact, redactText } from './redact.ts'
import { mayUse, type ToolRegistry } from './registry.ts'
import type { Ending, Reply } from './replies.ts'
import { createToolContext, fill } from './tool-context.ts'
import { appErrorText } from './tool-errors.ts'
import { viaAssistant } from './via.ts'

/** Bounds of one reply, whatever a model wants. */
const CALLS = 40
const RESULT_CHARACTERS = 200_000
/** Of work; waiting for a person does not count. */
const COMPUTING_MS = 5 * 60_000
const PLAN_STEPS = 10

export interface ToolRunnerDeps {
  ctx: Ctx
  reply: Reply
  turn: Turn
  out: ReplyWriter
  registry: ToolRegistry
  approvals: Approvals
  /** The caller looks only: nothing that changes anything is even prepared. */
  readOnly: boolean
  /** His rights are those of one role, not his own. */
  previewed: boolean
  callApi(ctx: Ctx, call: PlannedCall): Promise<unknown>
  currentActor(tenantId: string, actor: Actor): Promise<Actor | null>
  onRefused(ctx: Ctx, tool: string, permission: string): void
  logger: Logger
  /** Whether the engine says its words after the tool has shown its cards: then the cards wait for them. */
  cardsBelow(): boolean
  /** The reply has computed long enough. */
  onSpent(): void
}

export interface ReplyToolRunner extends ToolRunner {
  /** Names of the tools that were used, in order, each once. */
  readonly used: readonly string[]
  /** What was spoken of in this reply, the latest first. */
  readonly mentions: readonly Mention[]
  /** The reply is over. What waits for a decision is denied when a person stopped it, else it stays. */
  close(ending: Ending | null): Promise<void>
}

export function createToolRunner(deps: ToolRunnerDeps): ReplyToolRunner {
  const { ctx, reply, turn, out, registry, approvals, readOnly } = deps
  const { locale, signal } = turn
  const used = new Set<string>()
  const waitingFor = new Set<string>()
  /** Cards that wait for the words of the engine. */
  const held: Card[] = []
  let mentions: Mention[] = []
  let calls = 0
  let characters = 0
  const clock = createWorkClock(COMPUTING_MS, deps.onSpent)
  const say = (key: keyof typeof words.runner, values?: Record<string, unknown>) =>
    fill(words.runner[key][locale], values)
  const problem = (text: string, link?: { title: string; to: string }): ToolOutcome => ({
    state: 'problem',
    text,
    ...(link ? { link } : {}),
  })

  /** Tables and choices stand below the words that belong to them. */
  function present(card: Card): void {
    if (deps.cardsBelow()) held.push(card)
    else out.card(card)
  }

  function presentHeld(): void {
    for (const card of held.splice(0)) out.card(card)
  }

  function goOn(): void {
    if (signal.aborted) throw new Error('the reply was stopped')
  }

  /** The caller as he is now: he may have lost a right since he asked. */
  async function current(): Promise<Ctx> {
    const actor = await deps.currentActor(ctx.tenantId, ctx.actor)
    goOn()
    if (!actor) throw new ToolProblem(say('gone'))
    return {
      ...ctx,
      actor: deps.previewed ? ctx.actor : actor,
      now: Date.now(),
      userAgent: viaAssistant(ctx.userAgent),
    }
  }

  function contextOf(caller: Ctx, tool: Tool): ToolContext {
    return createToolContext(
      {
        ctx: caller,
        locale,
        now: turn.now,
        timeZone: turn.timeZone,
        finders: registry.finders,
        mentions: [...mentions, ...turn.mentions],
        callApi: async (asked, call) => {
          goOn()
          return deps.callApi(asked, call)
        },
      },
      tool.words,
    )
  }

  function remember(found: readonly Mention[]): void {
    const fresh = redact([...found])
    mentions = [...fresh, ...mentions.filter(m => !fresh.some(f => f.kind === m.kind && f.id === m.id))]
  }

  /** What may be used now, checked anew. @throws ToolProblem */
  function admitted(caller: Ctx, name: string, given: unknown): { tool: Tool; input: Record<string, unknown> } {
    const tool = registry.get(name)
    if (!tool) throw new ToolProblem(say('noSuchTool', { name: name.slice(0, 64) }))
    if (!mayUse(tool, caller.actor)) {
      deps.onRefused(caller, tool.name, tool.permission)
      throw new ToolProblem(appErrorText.denied(tool.permission, locale))
    }
    if (readOnly && tool.class !== 'read') throw new ToolProblem(say('readOnly'))
    const checked = registry.check(tool, given, locale)
    if ('problem' in checked) throw new ToolProblem(checked.problem)
    return { tool, input: checked.input }
  }

  /** One activity card around some work on a tool; every way to fail becomes an outcome. */
  async function attempt(tool: string, given: unknown, work: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
    goOn()
    presentHeld()
    const title = registry.get(tool)?.words.title[locale] ?? tool.slice(0, 64)
    const activity = { kind: 'activity', id: newId(), tool: tool.slice(0, 64), title } as const
    out.card({ ...activity, state: 'running' })
    let outcome: ToolOutcome
    try {
      outcome = await work()
    } catch (error) {
      if (signal.aborted) throw new Error('the reply was stopped')
      outcome = failed(error, tool, given)
    }
    goOn()
    // What was denied did not fail: its card tells the rest.
    out.card({ ...activity, state: outcome.state === 'problem' ? 'failed' : 'done' })
    return outcome
  }

  function failed(error: unknown, tool: string, given: unknown): ToolOutcome {
    if (error instanceof ToolQuestion) return asked(error, tool, given)
    if (error instanceof ToolProblem)
      return {
        ...problem(redactText(error.text), error.link),
        ...(error.notFound ? { notFound: true } : {}),
      } as ToolOutcome
    if (isAppError(error)) return problem(appErrorText.of(error, locale))
    deps.logger.error({ err: error, tool, replyId: reply.id }, 'a tool failed')
    return problem(say('broken'))
  }

  /** A question back; its choices are questions that lead on. */
  function asked(question: ToolQuestion, tool: string, given: unknown): ToolOutcome {
    const labels = question.options.map(option => option.label)
    const options = question.options.map(({ label, value }) => ({
      label: labels.filter(other => other === label).length > 1 ? `${label} (${value.slice(-6)})` : label,
      value,
    }))
    if (options.length > 0)
      present({
        kind: 'choices',
        id: newId(),
        question: question.question,
        options: options.map(({ label }) => ({ label, input: label })),
      })
    const input = given && typeof given === 'object' ? (given as Record<string, unknown>) : {}
    return {
      state: 'question',
      text: question.question,
      waiting: { tool, input, field: question.field, options },
    }
  }

  /** A result as it may be told: without secrets, counted against the reply's measure, its cards on their way. */
  function told(result: ToolResult): ToolOutcome {
    const clean: ToolResult = { ...result, text: redactText(result.text) }
    if (result.cards) clean.cards = redact(result.cards)
    if (result.data !== undefined) clean.data = redact(result.data)
    characters += clean.text.length + (clean.data === undefined ? 0 : JSON.stringify(clean.data).length)
    if (characters > RESULT_CHARACTERS) return problem(say('tooMuch'))
    if (result.mentions) remember(result.mentions)
    for (const card of clean.cards ?? []) present(card)
    return { state: 'done', result: clean }
  }

  function counted(): ToolOutcome | null {
    calls++
    return calls > CALLS ? problem(say('tooManyCalls', { limit: CALLS })) : null
  }

  /** Asks for it, or makes it at once where the chat was allowed the tool; waits; tells what came of it. */
  async function approved(caller: Ctx, steps: NewStep[]): Promise<ToolOutcome> {
    const about = { chatId: reply.chatId, replyId: reply.id, locale, timeZone: turn.timeZone }
    const show = (card: Card) => out.card(card)
    const id = await approvals.ask(caller, about, steps, show)
    waitingFor.add(id)
    const resume = clock.pause()
    try {
      const outcome = await approvals.outcome(id, signal)
      goOn()
      waitingFor.delete(id)
      if (outcome.mentions.length > 0) remember(outcome.mentions)
      if (outcome.state === 'denied') return { state: 'denied', text: say('denied') }
      if (outcome.state === 'failed') return problem(outcome.text)
      return told({ text: outcome.text, cards: outcome.cards, data: outcome.data })
    } finally {
      resume()
    }
  }

  async function prepared(caller: Ctx, tool: Tool, input: Record<string, unknown>): Promise<NewStep> {
    if (tool.class === 'read') throw new Error(`${tool.name} changes nothing`)
    const change = await tool.prepare(contextOf(caller, tool), input as never)
    if (change.object) remember([change.object])
    return { tool, input, change }
  }

  /** A question back has no place in a plan: one answer would leave the other steps behind. */
  async function preparedStep(caller: Ctx, tool: Tool, input: Record<string, unknown>, step: number) {
    try {
      return await prepared(caller, tool, input)
    } catch (error) {
      if (!(error instanceof ToolQuestion)) throw error
      const options = error.options.map(({ label }) => quoted(label)).join(say('comma'))
      const question = options === '' ? error.question : `${error.question} (${options})`
      throw new ToolProblem(say('planAsks', { step, question }))
    }
  }

  const runner: ReplyToolRunner = {
    get offered() {
      return registry.offered(ctx.actor, readOnly)
    },
    all: registry.all,
    get used() {
      return [...used]
    },
    get mentions() {
      return mentions
    },
    use(name, given) {
      return attempt(name, given, async () => {
        const over = counted()
        if (over) return over
        const caller = await current()
        const { tool, input } = admitted(caller, name, given)
        used.add(name)
        if (tool.class === 'read') return told(await tool.run(contextOf(caller, tool), input as never))
        return approved(caller, [await prepared(caller, tool, input)])
      })
    },
    async plan(steps) {
      goOn()
      if (steps.length === 1) return runner.use(steps[0]!.tool, steps[0]!.input)
      const first = steps[0]?.tool ?? 'plan'
      return attempt(first, steps[0]?.input, async () => {
        if (steps.length === 0) throw new ToolProblem(say('emptyPlan'))
        if (steps.length > PLAN_STEPS) throw new ToolProblem(say('planTooLong', { limit: PLAN_STEPS }))
        const over = counted()
        if (over) return over
        const caller = await current()
        const made: NewStep[] = []
        const touched = new Set<string>()
        for (const [place, step] of steps.entries()) {
          const later = dependsOn(step.input, place)
          const { tool, input } = admitted(caller, step.tool, step.input)
          if (tool.class === 'read') throw new ToolProblem(say('planReads', { title: tool.words.title[locale] }))
          used.add(step.tool)
          if (later) {
            made.push({ tool, input, change: null })
            continue
          }
          const found = await preparedStep(caller, tool, input, place + 1)
          const ids = objectsOf(found.change)
          made.push({ ...found, again: ids.some(id => touched.has(id)) })
          for (const id of ids) touched.add(id)
        }
        return approved(caller, made)
      })
    },
    async close(ending) {
      clock.stop()
      presentHeld()
      for (const id of waitingFor) {
        approvals.forget(id)
        if (ending !== 'stopped') continue
        const card = await approvals.denyStopped(ctx, id)
        if (card) reply.log.add(['card', { data: '', card }])
      }
    },
  }
  return runner

  /** Whether the input speaks of the result of an earlier step. @throws ToolProblem when it speaks of a later one */
  function dependsOn(input: Record<string, unknown>, place: number): boolean {
    const steps = [...JSON.stringify(input).matchAll(/\$(\d+)\.id\b/g)].map(match => Number(match[1]))
    const wrong = steps.find(step => step < 1 || step > place)
    if (wrong !== undefined) throw new ToolProblem(say('planOrder', { step: wrong }))
    return steps.length > 0
  }
}

/** Ids of what a change is made to. */
function objectsOf(change: NewStep['change']): string[] {
  const ids = (change?.calls ?? []).flatMap(call => Object.values(call.params ?? {}))
  return [...ids, change?.object?.id].filter(id => typeof id === 'string')
}

/** Counts time until `onSpent`, except while paused. */
function createWorkClock(limitMs: number, onSpent: () => void) {
  let left = limitMs
  let paused = 0
  let since = performance.now()
  let timer: NodeJS.Timeout | undefined
  const run = () => {
    since = performance.now()
    timer = setTimeout(onSpent, left)
    timer.unref()
  }
  run()
  return {
    pause() {
      if (paused++ === 0) {
        clearTimeout(timer)
        left -= performance.now() - since
      }
      return () => {
        if (--paused === 0) run()
      }
    },
    stop() {
      paused = Number.POSITIVE_INFINITY
      clearTimeout(timer)
    },
  }
}
