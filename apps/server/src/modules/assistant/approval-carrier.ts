import type { Card } from '@thingwright/contracts/assistant-cards'
import type { Ctx } from '../../lib/context.ts'
import { isAppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import { type Mention, type PlannedCall, type Tool, ToolProblem, ToolQuestion } from '../../lib/tools/tools.ts'
import type { ApprovalRow, StoredStep } from './approvals.repo.ts'
import words from './assistant-words.json' with { type: 'json' }
import { changedSince, presentOf } from './present-value.ts'
import { redact, redactText } from './redact.ts'
import type { ToolRegistry } from './registry.ts'
import { createToolContext, fill } from './tool-context.ts'
import { appErrorText } from './tool-errors.ts'
import { viaAssistant } from './via.ts'

export interface Carried {
  text: string
  cards: Card[]
  data: unknown
  mentions: Mention[]
}

export interface CarrierDeps {
  logger: Logger
  registry: ToolRegistry
  callApi(ctx: Ctx, call: PlannedCall): Promise<unknown>
  timeZone(tenantId: string): Promise<string>
}

/** Makes the calls of approved steps as the one who approved them, and takes them back. */
export interface Carrier {
  /**
   * Step by step; after a failure the rest is left out. `stepped` is awaited after each step.
   * @throws AppError auth.proof_required when nothing was done yet
   */
  carry(ctx: Ctx, row: ApprovalRow, stepped: () => Promise<void>): Promise<Carried>
  /**
   * In the order given, each by itself.
   * @returns how many steps could not be taken back; why stands on them
   */
  takeBack(ctx: Ctx, row: ApprovalRow, steps: readonly StoredStep[]): Promise<number>
  /** Of these steps, those whose objects somebody changed since; why stands on them. Writes nothing. */
  changed(ctx: Ctx, row: ApprovalRow, steps: readonly StoredStep[]): Promise<StoredStep[]>
}

export function createCarrier(deps: CarrierDeps): Carrier {
  const { registry, logger } = deps

  return {
    async carry(ctx, row, stepped) {
      const caller = callerOf(ctx)
      const timeZone = await deps.timeZone(ctx.tenantId)
      const carried: Carried = { text: '', cards: [], data: undefined, mentions: [] }
      const texts: string[] = []
      const data: unknown[] = []
      /** Answers to the last call of each step, for `$1.id`. */
      const answers: unknown[] = []
      let broken = false
      for (const [place, step] of row.steps.entries()) {
        if (broken) {
          step.state = 'skipped'
          continue
        }
        let made = 0
        try {
          const tool = registry.get(step.tool)
          if (!tool || tool.class === 'read') throw new ToolProblem(say(row, 'noSuchTool', { name: step.tool }))
          // A name means what it meant when the plan was shown, also of what an earlier step has renamed.
          const named = row.steps.flatMap(({ object }) => (object ? [object] : []))
          const t = contextOf(caller, tool, row, timeZone, [...carried.mentions, ...named])
          if (step.dependent || step.again) await prepareNow(step, tool, t, answers, row)
          for (const call of step.calls) {
            step.results.push(redact(await deps.callApi(caller, call)))
            made++
          }
          answers[place] = step.results.at(-1)
          step.state = 'done'
          const finished = await finish(step, tool, t)
          step.undo = tool.class !== 'control' && finished?.undo?.length ? finished.undo : null
          const text = redactText(finished?.result.text ?? say(row, 'done', { title: step.title }))
          step.outcome = text
          texts.push(text)
          data.push(redact(finished?.result.data ?? { done: true }))
          carried.cards.push(...redact(finished?.result.cards ?? []))
          carried.mentions.unshift(...redact(finished?.result.mentions ?? []))
        } catch (error) {
          const needsProof = isAppError(error) && error.code === 'auth.proof_required'
          if (needsProof && place === 0 && made === 0) throw error
          broken = true
          step.state = 'failed'
          const why = reasonOf(error, row, step)
          step.outcome = made > 0 ? say(row, 'partly', { made, of: step.calls.length, why }) : why
          texts.push(`${step.title}: ${step.outcome}`)
          data.push({ failed: step.outcome })
        }
        await stepped()
      }
      await notePresent(caller, row.steps)
      const skipped = row.steps.filter(step => step.state === 'skipped').length
      if (skipped > 0) texts.push(say(row, 'skipped', { skipped }))
      carried.text =
        row.steps.length === 1 ? (texts[0] ?? '') : texts.map((text, place) => `${place + 1}. ${text}`).join('\n')
      carried.data = row.steps.length === 1 ? data[0] : data.map((result, place) => ({ step: place + 1, result }))
      return carried
    },
    async changed(ctx, row, steps) {
      const caller = callerOf(ctx)
      const found: StoredStep[] = []
      for (const step of steps) {
        const name = step.object?.name ?? step.title
        const why = await changedSince(call => deps.callApi(caller, call), step.present, name, row.locale)
        if (why === null) continue
        step.outcome = say(row, 'notUndone', { why })
        found.push(step)
      }
      return found
    },
    async takeBack(ctx, row, steps) {
      const caller = callerOf(ctx)
      let failures = 0
      /** What an object is at after our own undo of a later step: no change of somebody else. */
      const versions = new Map<string, number>()
      for (const step of steps) {
        try {
          for (const call of step.undo ?? []) noteVersion(versions, await deps.callApi(caller, follow(versions, call)))
          step.state = 'undone'
          step.undo = null
        } catch (error) {
          failures++
          step.outcome = say(row, 'notUndone', { why: reasonOf(error, row, step) })
        }
      }
      // What is left is compared with what we left behind now.
      if (failures > 0 && failures < steps.length) await notePresent(caller, row.steps)
      return failures
    },
  }

  function callerOf(ctx: Ctx): Ctx {
    return { ...ctx, userAgent: viaAssistant(ctx.userAgent) }
  }

  function say(row: ApprovalRow, key: keyof typeof words.runner, values?: Record<string, unknown>): string {
    return fill(words.runner[key][row.locale], values)
  }

  function contextOf(ctx: Ctx, tool: Tool, row: ApprovalRow, timeZone: string, mentions: readonly Mention[]) {
    return createToolContext(
      {
        ctx,
        locale: row.locale,
        now: ctx.now,
        timeZone,
        finders: registry.finders,
        mentions,
        callApi: deps.callApi,
      },
      tool.words,
    )
  }

  /** Notes what the undo of each step would write over; a step whose object cannot be read is not taken back. */
  async function notePresent(caller: Ctx, steps: readonly StoredStep[]): Promise<void> {
    for (const step of steps) {
      if (step.state !== 'done' || !step.undo) continue
      const present = await presentOf(call => deps.callApi(caller, call), step.undo)
      if (present) step.present = present
      else step.undo = null
    }
  }

  /** Finds out the calls of a step that stands on what others did. @throws what `prepare` does */
  async function prepareNow(
    step: StoredStep,
    tool: Extract<Tool, { prepare: unknown }>,
    t: ReturnType<typeof contextOf>,
    answers: readonly unknown[],
    row: ApprovalRow,
  ): Promise<void> {
    const checked = registry.check(tool, filledIn(step.input, answers), row.locale)
    if ('problem' in checked) throw new ToolProblem(checked.problem)
    const change = await tool.prepare(t, checked.input as never)
    if (step.again && !sameTargets(step.calls, change.calls)) throw new ToolProblem(say(row, 'changedSince'))
    step.input = checked.input
    step.calls = change.calls
    step.effects = change.effects
    step.changes = change.changes ?? []
    step.object = change.object ?? null
    step.memo = change.memo ?? null
  }

  /** The change is made, whatever its words do. */
  async function finish(step: StoredStep, tool: Extract<Tool, { finish: unknown }>, t: ReturnType<typeof contextOf>) {
    try {
      return await tool.finish(t, { input: step.input as never, memo: step.memo, results: step.results })
    } catch (error) {
      logger.error({ err: error, tool: tool.name }, 'a tool could not tell what it did')
      return null
    }
  }

  function reasonOf(error: unknown, row: ApprovalRow, step: StoredStep): string {
    if (error instanceof ToolProblem) return redactText(error.text)
    if (error instanceof ToolQuestion) return redactText(error.question)
    if (isAppError(error)) return appErrorText.of(error, row.locale)
    logger.error({ err: error, tool: step.tool, approvalId: row.id }, 'an approved change failed')
    return say(row, 'broken')
  }
}

/** Whether calls go to the same routes and objects, whatever they say there. */
function sameTargets(shown: readonly PlannedCall[], now: readonly PlannedCall[]): boolean {
  const targets = (calls: readonly PlannedCall[]) => JSON.stringify(calls.map(({ route, params }) => [route, params]))
  return targets(shown) === targets(now)
}

function noteVersion(versions: Map<string, number>, answer: unknown): void {
  const { id, version } = (answer ?? {}) as { id?: unknown; version?: unknown }
  if (typeof id === 'string' && typeof version === 'number') versions.set(id, version)
}

/** The call at the version that we left the object at ourselves. */
function follow(versions: ReadonlyMap<string, number>, call: PlannedCall): PlannedCall {
  const version = versions.get(String(call.params?.id))
  const body = call.body as { version?: unknown } | undefined
  if (version === undefined || typeof body?.version !== 'number') return call
  return { ...call, body: { ...body, version } }
}

/** The input with `$1.id` replaced by what step 1 answered. @throws ToolProblem never: what is unknown stays */
export function filledIn(input: Record<string, unknown>, answers: readonly unknown[]): Record<string, unknown> {
  const fillText = (text: string) =>
    text.replaceAll(/\$(\d+)\.id\b/g, (whole, step: string) => {
      const id = (answers[Number(step) - 1] as { id?: unknown } | undefined)?.id
      return typeof id === 'string' ? id : whole
    })
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return fillText(value)
    if (Array.isArray(value)) return value.map(walk)
    if (value && typeof value === 'object')
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]))
    return value
  }
  return walk(input) as Record<string, unknown>
}
