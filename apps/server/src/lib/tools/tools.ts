import type {
  BodyOf,
  ParamsOf,
  QueryOf,
  ResponseOf,
  RouteContract,
  RoutePermission,
} from '@thingwright/contracts/route'
import type { Static, TObject } from 'typebox'
import type { Locale } from '../context.ts'

/**
 * What the assistant and outside AI programs can do (docs/adr/0034-assistant.md). Each module contributes its tools in
 * `<module>.tools.ts`; their words stand beside them in `<module>.tools.json`.
 *
 * A tool has no way to the system of its own: it calls routes of the API as the caller, through the same checks as a
 * request from outside (right, data scope, company's state, schema, operation log).
 */
export type ToolClass = 'read' | 'write' | 'delete' | 'control'

export interface InBothLanguages {
  zh: string
  en: string
}

/** The arguments of a call: what the contract has of parameters, query and body. */
export type ApiInput<C> = (ParamsOf<C> extends undefined ? { params?: undefined } : { params: ParamsOf<C> }) &
  (QueryOf<C> extends undefined ? { query?: undefined } : { query?: Partial<QueryOf<C>> }) &
  (BodyOf<C> extends undefined ? { body?: undefined } : { body: BodyOf<C> })

/**
 * One route, called as the caller, now.
 * @throws AppError as the route answers it; permission.denied when the caller may not
 */
export type CallApi = <const C extends RouteContract>(contract: C, input: ApiInput<C>) => Promise<ResponseOf<C>>

/** A call that is not made yet: data only, so that it can be shown, kept and bound to an approval. */
export interface PlannedCall {
  /** `METHOD /path/{of}/the/contract` */
  route: string
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
}

/** Writes a call down for an approval. */
export function plannedCall<const C extends RouteContract>(contract: C, input: ApiInput<C>): PlannedCall {
  const { params, query, body } = input as { params?: object; query?: object; body?: unknown }
  return {
    route: `${contract.method} ${contract.path}`,
    ...(params ? { params: params as Record<string, unknown> } : {}),
    ...(query ? { query: query as Record<string, unknown> } : {}),
    ...(body === undefined ? {} : { body }),
  }
}

/** Something of the company that was spoken of: "it" in the next question. */
export interface Mention {
  kind: EntityKind
  id: string
  name: string
  /** Address in the console. */
  link?: string
}

/** What people name when they ask. Each kind has one finder, contributed by the module that owns it. */
export type EntityKind =
  | 'device'
  | 'product'
  | 'group'
  | 'member'
  | 'role'
  | 'firmware'
  | 'campaign'
  | 'subscription'
  | 'api_key'

/** Finds what a person means by a name, a number, an id or a part of a name, among what he may see. */
export interface EntityFinder {
  kind: EntityKind
  /** Best first, at most `limit`; a whole match alone when there is one. */
  find(call: CallApi, text: string, limit: number): Promise<Mention[]>
}

/** A span of time that was asked for, in the company's time zone. */
export interface TimeSpan {
  from: number
  to: number
  /** `last week (16–22 November)` in the language of the question. */
  label: string
}

export interface ToolContext {
  locale: Locale
  /** Epoch ms at which the question came. */
  now: number
  /** IANA name of the company's time zone. */
  timeZone: string
  call: CallApi
  /**
   * What the text names. "it", "this device", 它, 该设备 and an empty text mean what was spoken of last, or the page's object.
   * @throws ToolQuestion when several could be meant, ToolProblem when nothing is
   */
  find(kind: EntityKind, text: string | undefined): Promise<Mention>
  /**
   * Reads "last week", "过去 3 天", "2026-11-01/2026-11-05" and the like; absent: the last 24 hours.
   * @throws ToolProblem naming what can be said
   */
  period(text: string | undefined): TimeSpan
  /** Text of the module's `.tools.json` in the language of the question, `{placeholders}` filled. */
  say(key: string, values?: Record<string, unknown>): string
}

/** What is shown beside the text; the console draws it (packages/contracts/src/assistant-cards.ts). */
export type { Card } from '@thingwright/contracts/assistant-cards'

import type { Card } from '@thingwright/contracts/assistant-cards'

export interface ToolResult {
  /** Markdown in the language of the question. Names of things are data: escape them with `quoted`. */
  text: string
  cards?: Card[]
  /** What a model reads instead of the text: plain JSON without secrets, short (at most about 4 KB). */
  data?: unknown
  /** What "it" means from now on, the most important first. */
  mentions?: Mention[]
}

/** A change as it will be made, found out without making it. */
export interface PreparedChange {
  /** Made in this order with exactly these arguments when the change is allowed. */
  calls: PlannedCall[]
  /** What will happen, one line each, in the language of the question. */
  effects: string[]
  /** Fields as they are and as they will be. */
  changes?: { field: string; before: string | null; after: string | null }[]
  object?: Mention
  /** JSON that `finish` needs: what was there before, say. */
  memo?: unknown
}

interface ToolBase<I extends TObject> {
  /** `verb_noun`, unique: ^[a-z][a-z0-9_]{2,63}$ */
  name: string
  /** For models and MCP, in English: what it does, what it gives back, when to use it. */
  description: string
  /** The strictest right that the tool needs: it is offered only with it. Its calls are checked as well. */
  permission: RoutePermission
  /** References to things are texts as a person would say them: `t.find` resolves them. */
  input: I
  /** Words of both languages: `<module>.tools.json`. */
  words: ToolWords
  /**
   * Its results tell measured values or messages of devices although its right is not one on telemetry: shown to the
   * person, withheld from a model where the company wants that. Data under keys such as `values` is withheld anyway.
   */
  tellsValues?: boolean
}

export interface ReadTool<I extends TObject = TObject> extends ToolBase<I> {
  class: 'read'
  run(t: ToolContext, input: Static<I>): Promise<ToolResult>
}

export interface ChangeTool<I extends TObject = TObject> extends ToolBase<I> {
  class: 'write' | 'delete' | 'control'
  /**
   * The dry run: resolves every name to an id, checks what can be checked, reads what is there now. Changes nothing.
   * @throws ToolProblem, ToolQuestion, AppError: nothing is asked for then
   */
  prepare(t: ToolContext, input: Static<I>): Promise<PreparedChange>
  /** Tells what came of it, from the answers to the calls; `undo` takes it back (absent: it cannot be). Changes nothing. */
  finish(
    t: ToolContext,
    done: { input: Static<I>; memo: unknown; results: unknown[] },
  ): Promise<{ result: ToolResult; undo?: PlannedCall[] }>
}

export type Tool = ReadTool<never> | ChangeTool<never>

/** Keeps the literal types of a tool's input inside it. */
export function defineTool<I extends TObject>(tool: ReadTool<I> | ChangeTool<I>): Tool {
  return tool as unknown as Tool
}

/** Words of one tool in one file of a module: `{ "<tool name>": ToolWords }`. */
export interface ToolWords {
  /** `查询设备` / `Find devices` */
  title: InBothLanguages
  /**
   * How people ask for it, for the built-in engine (modules/assistant/builtin/phrases.ts tells the grammar):
   * `{slot}` takes text for the input of that name, `[…]` may be there, `(a|b)` one of them.
   */
  phrases: { zh: string[]; en: string[] }
  /** Texts for `say`. */
  texts?: Record<string, InBothLanguages>
}

/** What cannot be done, said to the person who asked. */
export class ToolProblem extends Error {
  constructor(
    /** In the language of the question, markdown. */
    readonly text: string,
    /** Where it can be done by hand. */
    readonly link?: { title: string; to: string },
    /** Nothing is called so: something else may have been meant. */
    readonly notFound = false,
  ) {
    super(text)
    this.name = 'ToolProblem'
  }
}

/** More must be known first. */
export class ToolQuestion extends Error {
  constructor(
    readonly question: string,
    /** The input that the answer belongs to, and what can be chosen. */
    readonly field: string,
    readonly options: { label: string; value: string }[],
  ) {
    super(question)
    this.name = 'ToolQuestion'
  }
}

/** A name from data inside markdown: never a link, an image, a heading or code of ours (CWE-79 by way of markdown). */
export function quoted(text: string): string {
  return text
    .replaceAll(/[\u0000-\u001f\u007f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu, ' ')
    .replaceAll(/[\\`*_{}[\]()#+!|<>~]/g, '\\$&')
    .slice(0, 200)
}
