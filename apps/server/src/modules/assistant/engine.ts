import type { Card } from '@thingwright/contracts/assistant-cards'
import type { Locale } from '../../lib/context.ts'
import type { Mention, Tool, ToolResult } from '../../lib/tools/tools.ts'
import type { LlmMessage } from './llm.port.ts'

/** One question on its way to its answer. */
export interface Turn {
  question: string
  /** Language of the question, not of the console. */
  locale: Locale
  now: number
  timeZone: string
  /** Earlier messages of the conversation, oldest first; the question is not among them. */
  history: readonly LlmMessage[]
  /** What was spoken of last, and before it what the asker's page shows when he said so. */
  mentions: readonly Mention[]
  /** A question of ours that this may be the answer to. */
  waiting: Waiting | null
  signal: AbortSignal
}

/** A tool that could not go on without an answer. */
export interface Waiting {
  tool: string
  input: Record<string, unknown>
  /** Which input the answer belongs to. */
  field: string
  /** What was offered: an answer that is one of the labels means its value. */
  options?: { label: string; value: string }[]
}

/** Where an engine writes; what is written is on its way to the screen at once. */
export interface ReplyWriter {
  text(fragment: string): void
  card(card: Card): void
}

/**
 * What came of a tool. A change asks for approval by itself: `denied` when it was not given, and the person has seen why.
 * `question`: more must be known (already shown as choices). `problem`: it cannot be done, in words for the person.
 */
export type ToolOutcome =
  | { state: 'done'; result: ToolResult }
  | { state: 'denied'; text: string }
  | { state: 'question'; text: string; waiting: Waiting }
  /** `notFound`: nothing is called what the question calls it. */
  | { state: 'problem'; text: string; link?: { title: string; to: string }; notFound?: boolean }

/** The tools as the caller may use them, for one reply. Cards of activity, approval and results are shown by it. */
export interface ToolRunner {
  /** Tools whose right the caller has. */
  readonly offered: readonly Tool[]
  /** Every tool there is: to say "you may not" instead of "there is no such thing". */
  readonly all: readonly Tool[]
  /**
   * Reads, or prepares a change, asks for its approval, waits for the decision and makes it.
   * @throws only when the reply was stopped
   */
  use(name: string, input: unknown): Promise<ToolOutcome>
  /**
   * Several changes as one plan with one approval and one undo. An input may hold `$1.id`, which stands for the field
   * `id` of the answer to the last call of step 1.
   */
  plan(steps: readonly { tool: string; input: Record<string, unknown> }[]): Promise<ToolOutcome>
}

export interface EngineReport {
  promptTokens: number
  completionTokens: number
  /** What was said and done, to be kept as the conversation's context. */
  messages: LlmMessage[]
  mentions: readonly Mention[]
  waiting: Waiting | null
}

/** Turns a question into an answer with the tools. */
export interface Engine {
  readonly kind: 'builtin' | 'installation' | 'own'
  readonly model: string | null
  /** @throws LlmError, and whatever ends a stopped reply */
  answer(turn: Turn, tools: ToolRunner, out: ReplyWriter): Promise<EngineReport>
}
