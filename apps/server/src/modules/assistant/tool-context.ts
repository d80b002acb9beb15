import type { Ctx, Locale } from '../../lib/context.ts'
import { isUuid } from '../../lib/ids.ts'
import {
  type CallApi,
  type EntityFinder,
  type EntityKind,
  type Mention,
  type PlannedCall,
  plannedCall,
  quoted,
  type ToolContext,
  ToolProblem,
  ToolQuestion,
  type ToolWords,
} from '../../lib/tools/tools.ts'
import words from './assistant-words.json' with { type: 'json' }
import { readPeriod } from './words/time-phrases.ts'

/** How many of the same name are offered to choose from. */
const CHOICES = 6

export interface ToolContextDeps {
  ctx: Ctx
  locale: Locale
  now: number
  timeZone: string
  finders: ReadonlyMap<EntityKind, EntityFinder>
  /** What "it" can mean, the most likely first. */
  mentions: readonly Mention[]
  callApi(ctx: Ctx, call: PlannedCall): Promise<unknown>
}

/** "it", "this device", 它, 该设备: what was spoken of last. */
const PRONOUN: Record<Locale, RegExp> = {
  zh: new RegExp(words.pronouns.zh, 'iu'),
  en: new RegExp(words.pronouns.en, 'iu'),
}

/** Text of a dictionary with `{placeholders}` filled; an unknown placeholder stays empty. */
export function fill(text: string, values: Record<string, unknown> = {}): string {
  return text.replace(/\{(\w+)\}/g, (_, key: string) => (values[key] === undefined ? '' : String(values[key])))
}

/** The world as one tool sees it, for one question. `field` names the input that a question back belongs to. */
export function createToolContext(deps: ToolContextDeps, tool: ToolWords): ToolContext {
  const { ctx, locale, now, timeZone } = deps
  const call: CallApi = (contract, input) => deps.callApi(ctx, plannedCall(contract, input)) as never
  const own = (key: keyof typeof words.texts, values?: Record<string, unknown>) =>
    fill(words.texts[key][locale], values)

  async function find(kind: EntityKind, given: string | undefined): Promise<Mention> {
    const text = (given ?? '').trim()
    const noun = words.kinds[kind][locale]
    if (text === '' || PRONOUN[locale].test(text)) {
      const last = deps.mentions.find(mention => mention.kind === kind)
      if (last) return last
      if (text !== '') throw new ToolProblem(own('nothingSpokenOf', { noun }))
    }
    const known = deps.mentions.find(mention => mention.kind === kind && mention.name === text)
    if (known) return known
    const finder = deps.finders.get(kind)
    if (!finder) throw new ToolProblem(own('cannotFind', { noun, name: quoted(text) }))
    const found = await finder.find(call, text, CHOICES)
    if (found.length === 1) return found[0]!
    const exact = found.filter(mention => mention.name === text || mention.id === text)
    if (exact.length === 1) return exact[0]!
    if (text !== '' && found.length === 0)
      throw new ToolProblem(
        own(isUuid(text) ? 'notThereOrNotYours' : 'cannotFind', { noun, name: quoted(text) }),
        undefined,
        true,
      )
    throw new ToolQuestion(
      text === '' ? own('which', { noun }) : own('severalMatch', { noun, name: quoted(text) }),
      kind,
      found.map(mention => ({ label: mention.name, value: mention.id })),
    )
  }

  return {
    locale,
    now,
    timeZone,
    call,
    find,
    period(text) {
      const span = readPeriod(text, { now, timeZone, locale })
      if (span) return span
      throw new ToolProblem(own('whatPeriod', { text: quoted(text ?? '') }))
    },
    say(key, values) {
      const text = tool.texts?.[key]
      if (!text) throw new Error(`the tool has no text ${key}`)
      return fill(text[locale], values)
    },
  }
}
