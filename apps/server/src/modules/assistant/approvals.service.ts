import type { ApprovalCard, Card } from '@thingwright/contracts/assistant-cards'
import { recordAudit } from '../../lib/audit.ts'
import { type Ctx, type Locale, ownerIdOf } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Logger } from '../../lib/log.ts'
import { type Mention, type PlannedCall, type PreparedChange, quoted, type Tool } from '../../lib/tools/tools.ts'
import { untilAborted } from '../../lib/until-aborted.ts'
import { approvalCard, isExpired, isUndoable, mayAllowForChat, undoableSteps, withoutSecrets } from './approval-card.ts'
import { type Carried, createCarrier } from './approval-carrier.ts'
import * as repo from './approvals.repo.ts'
import words from './assistant-words.json' with { type: 'json' }
import * as chats from './chats.repo.ts'
import { redactText } from './redact.ts'
import type { ToolRegistry } from './registry.ts'
import { fill } from './tool-context.ts'

/** A change that is to be asked for. `change` null: it depends on the results of steps before it. */
export interface NewStep {
  tool: Tool
  input: Record<string, unknown>
  change: PreparedChange | null
  /** A step before it changes the same object. */
  again?: boolean
}

/** What came of an approval, for the reply that waited for it. */
export interface ApprovalOutcome {
  state: 'done' | 'failed' | 'denied'
  text: string
  cards: Card[]
  data: unknown
  mentions: Mention[]
}

export interface Approvals {
  /** Asks; or makes it at once when the chat was allowed all its tools. `show` is called whenever its state changes. */
  ask(
    ctx: Ctx,
    about: { chatId: string; replyId: string; locale: Locale; timeZone: string },
    steps: readonly NewStep[],
    show: (card: ApprovalCard) => void,
  ): Promise<string>
  /** Waits for what comes of it. */
  outcome(id: string, signal: AbortSignal): Promise<ApprovalOutcome>
  /** Its reply is over: nobody waits any more. */
  forget(id: string): void
  /** Denies it because its reply was stopped; null: it was decided before. */
  denyStopped(ctx: Ctx, id: string): Promise<ApprovalCard | null>

  /** @throws AppError assistant.approval_not_found */
  get(ctx: Ctx, id: string): Promise<ApprovalCard>
  /**
   * Makes it, with the rights of this moment, or denies it. What fails of it is told on the card.
   * @throws AppError assistant.approval_not_found, assistant.already_decided, assistant.always_ask, auth.proof_required
   */
  decide(ctx: Ctx, id: string, decision: repo.Decision): Promise<ApprovalCard>
  /** Takes back what can be, in the reverse order. @throws AppError assistant.cannot_undo */
  undo(ctx: Ctx, id: string): Promise<ApprovalCard>
}

export interface ApprovalsDeps {
  database: Database
  logger: Logger
  registry: ToolRegistry
  callApi(ctx: Ctx, call: PlannedCall): Promise<unknown>
  timeZone(tenantId: string): Promise<string>
  /** Whether the company has an assistant. */
  enabled(tenantId: string): Promise<boolean>
  now(): number
}

const NOTHING = { cards: [], data: undefined, mentions: [] }

interface Listener {
  show(card: ApprovalCard): void
  settle(outcome: ApprovalOutcome): void
  outcome: Promise<ApprovalOutcome>
}

export function createApprovals(deps: ApprovalsDeps): Approvals {
  const { database, now } = deps
  const carrier = createCarrier(deps)
  /** Replies that wait, by approval. */
  const listeners = new Map<string, Listener>()

  function ownerOf(ctx: Ctx): string {
    const loginId = ownerIdOf(ctx.actor)
    if (!loginId) throw new AppError('assistant.approval_not_found')
    return loginId
  }

  /** Runs a change of one row under its lock. @throws AppError assistant.approval_not_found */
  function locked<T>(ctx: Ctx, id: string, work: (row: repo.ApprovalRow, scope: Scope) => Promise<T>): Promise<T> {
    return database.withTenant(ctx, async scope => {
      const row = await repo.findApproval(scope, ownerOf(ctx), id, true)
      if (!row) throw new AppError('assistant.approval_not_found')
      return work(row, scope)
    })
  }
  type Scope = Parameters<Parameters<Database['withTenant']>[1]>[0]

  /** A line in the operation log that says who decided what about which calls. */
  async function logged(scope: Scope, ctx: Ctx, row: repo.ApprovalRow, action: 'decide' | 'undo', said: object) {
    await recordAudit(scope, ctx, {
      action: `assistant.${action}`,
      objectType: 'assistant_approval',
      objectId: row.id,
      objectName: row.steps
        .map(step => step.title)
        .join(' → ')
        .slice(0, 200),
      after: {
        ...said,
        steps: row.steps.map(step => ({
          tool: step.tool,
          class: step.class,
          ...(step.object ? { object: step.object.name } : {}),
          calls: withoutSecrets(step).calls,
        })),
      },
    })
  }

  function show(row: repo.ApprovalRow): void {
    listeners.get(row.id)?.show(approvalCard(row, now()))
  }

  function settle(row: repo.ApprovalRow, outcome: ApprovalOutcome): void {
    listeners.get(row.id)?.settle(outcome)
  }

  /** Makes an approved change and tells everybody concerned. @throws AppError auth.proof_required before anything was done */
  async function carryOut(ctx: Ctx, row: repo.ApprovalRow): Promise<repo.ApprovalRow> {
    show(row)
    let carried: Carried
    try {
      carried = await carrier.carry(ctx, row, async () => {
        await database.withTenant(ctx, scope => repo.storeApproval(scope, row))
        show(row)
      })
    } catch (error) {
      const unproven = isAppError(error) && error.code === 'auth.proof_required'
      // Somebody must prove that it is he, and asks again: nothing happened yet. Whatever else broke may have left something.
      if (unproven) Object.assign(row, { state: 'pending', decision: null, decided_at: null })
      else row.state = 'failed'
      await database.withTenant(ctx, scope => repo.storeApproval(scope, row))
      show(row)
      if (!unproven) settle(row, { state: 'failed', text: words.runner.broken[row.locale], ...NOTHING })
      throw error
    }
    row.state = row.steps.every(step => step.state === 'done') ? 'done' : 'failed'
    row.steps = row.steps.map(withoutSecrets)
    const waited = listeners.has(row.id)
    await database.withTenant(ctx, async scope => {
      await repo.storeApproval(scope, row)
      if (row.decision === 'chat' && row.chat_id)
        await chats.allowTool(
          scope,
          row.login_id,
          row.chat_id,
          row.steps.map(step => step.tool),
        )
      // Its reply is over; the conversation hears of it all the same.
      if (!waited && row.chat_id)
        await chats.noteLater(scope, row.login_id, row.chat_id, carried.text, carried.mentions)
    })
    show(row)
    settle(row, { ...carried, state: row.state === 'done' ? 'done' : 'failed' })
    return row
  }

  async function deny(scope: Scope, ctx: Ctx, row: repo.ApprovalRow, why: object): Promise<void> {
    row.state = 'denied'
    row.decision = 'deny'
    row.decided_at = new Date(now())
    row.steps = row.steps.map(step => withoutSecrets({ ...step, state: 'skipped' }))
    await repo.storeApproval(scope, row)
    await logged(scope, ctx, row, 'decide', { decision: 'deny', ...why })
  }

  return {
    async ask(ctx, about, steps, showCard) {
      const id = newId()
      let settleIt: (outcome: ApprovalOutcome) => void = () => {}
      const outcome = new Promise<ApprovalOutcome>(resolve => {
        settleIt = resolve
      })
      const stored = steps.map(step => storedStep(step, about.locale))
      const row = await database.withTenant(ctx, async scope => {
        const allowed = new Set(await chats.toolsAllowed(scope, ownerOf(ctx), about.chatId))
        const free = mayAllowForChat(stored) && stored.every(step => allowed.has(step.tool))
        const made = await repo.insertApproval(scope, {
          id,
          loginId: ownerOf(ctx),
          chatId: about.chatId,
          replyId: about.replyId,
          locale: about.locale,
          steps: stored,
          state: free ? 'running' : 'pending',
          decision: free ? 'chat' : null,
          now: now(),
        })
        if (free) await logged(scope, ctx, made, 'decide', { decision: 'chat', asked: false })
        return made
      })
      listeners.set(id, { show: showCard, settle: settleIt, outcome })
      if (row.state === 'pending') show(row)
      else
        await carryOut(ctx, row).catch(error => {
          // It is on the screen as a card that waits, and is asked for there.
          if (!isAppError(error)) throw error
        })
      return id
    },
    async outcome(id, signal) {
      const listener = listeners.get(id)
      if (!listener) throw new Error('nobody waits for this approval')
      // What was allowed for the chat, or decided at once, has its outcome before anybody asks for it.
      const outcome = await untilAborted(listener.outcome, signal)
      if (!outcome) throw new Error('the reply was stopped')
      listeners.delete(id)
      return outcome
    },
    forget: id => void listeners.delete(id),
    denyStopped: (ctx, id) =>
      locked(ctx, id, async (row, scope) => {
        if (row.state !== 'pending') return null
        await deny(scope, { ...ctx }, row, { stopped: true })
        return approvalCard(row, now())
      }),

    async get(ctx, id) {
      const row = await database.withTenant(ctx, scope => repo.findApproval(scope, ownerOf(ctx), id))
      if (!row) throw new AppError('assistant.approval_not_found')
      return approvalCard(row, now())
    },
    async decide(ctx, id, decision) {
      if (decision !== 'deny' && !(await deps.enabled(ctx.tenantId))) throw new AppError('assistant.off')
      const row = await locked(ctx, id, async (found, scope) => {
        if (found.state !== 'pending' || isExpired(found, now())) throw new AppError('assistant.already_decided')
        if (decision === 'deny') {
          await deny(scope, ctx, found, {})
          return found
        }
        if (decision === 'chat' && !mayAllowForChat(found.steps)) throw new AppError('assistant.always_ask')
        found.state = 'running'
        found.decision = decision
        found.decided_at = new Date(now())
        await repo.storeApproval(scope, found)
        await logged(scope, ctx, found, 'decide', { decision })
        return found
      })
      if (row.state === 'denied') {
        show(row)
        settle(row, { state: 'denied', text: '', ...NOTHING })
        return approvalCard(row, now())
      }
      return approvalCard(await carryOut(ctx, row), now())
    },
    async undo(ctx, id) {
      const row = await locked(ctx, id, async (found, scope) => {
        const reason = whyNotUndone(found)
        if (reason) throw new AppError('assistant.cannot_undo', { params: { reason: words.undo[reason][ctx.locale] } })
        // Held against a second click: it is given back when something could not be undone.
        found.undone_at = new Date(now())
        await repo.storeApproval(scope, found)
        return found
      })
      const claimed = row.undone_at
      row.undone_at = null
      const steps = undoableSteps(row, now())
      const changed = await carrier.changed(ctx, row, steps).catch(async error => {
        // Nothing was written: it may be tried again.
        await database.withTenant(ctx, scope => repo.storeApproval(scope, row))
        throw error
      })
      const refused = changed.length > 0 ? { refused: changed.map(step => step.object?.name ?? step.title) } : {}
      await database.withTenant(ctx, scope => logged(scope, ctx, row, 'undo', { decision: row.decision, ...refused }))
      const failures = changed.length > 0 ? steps.length : await carrier.takeBack(ctx, row, steps)
      if (failures === 0) {
        row.undone_at = claimed
        row.state = 'undone'
      }
      await database.withTenant(ctx, async scope => {
        await repo.storeApproval(scope, row)
        if (row.chat_id)
          await chats.noteLater(scope, row.login_id, row.chat_id, undoneText(row, failures, steps.length), [])
      })
      show(row)
      return approvalCard(row, now())
    },
  }

  function whyNotUndone(row: repo.ApprovalRow): keyof typeof words.undo | null {
    if (row.undone_at || row.state === 'undone') return 'already'
    if (row.state !== 'done' && row.state !== 'failed') return 'notDone'
    if (undoableSteps(row, now()).length > 0) return null
    return row.steps.some(isUndoable) ? 'tooLate' : 'cannot'
  }

  function undoneText(row: repo.ApprovalRow, failures: number, of: number): string {
    const title = row.steps.map(step => step.title).join(' → ')
    const key = failures === 0 ? 'undone' : failures === of ? 'notUndoneAtAll' : 'undonePartly'
    return fill(words.runner[key][row.locale], { title })
  }
}

function storedStep({ tool, input, change, again = false }: NewStep, locale: Locale): repo.StoredStep {
  return {
    tool: tool.name,
    class: tool.class,
    title: tool.words.title[locale],
    input,
    dependent: change === null,
    again,
    calls: change?.calls ?? [],
    effects: change?.effects ?? laterEffects(input, locale),
    changes: change?.changes ?? [],
    object: change?.object ?? null,
    memo: change?.memo ?? null,
    state: 'waiting',
    outcome: null,
    results: [],
    undo: null,
  }
}

/** What a step will be told whose calls are not known yet: its arguments, one a line. */
function laterEffects(input: Record<string, unknown>, locale: Locale): string[] {
  const shown = (value: unknown) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    const step = /^\$(\d+)\.id$/.exec(text)?.[1]
    return step ? fill(words.runner.resultOf[locale], { step }) : quoted(redactText(text))
  }
  return [words.runner.laterStep[locale], ...Object.entries(input).map(([name, value]) => `${name}: ${shown(value)}`)]
}
