import type { Locale } from '../../../lib/context.ts'
import type { Tool } from '../../../lib/tools/tools.ts'
import words from './builtin-words.json' with { type: 'json' }
import type { Folded } from './folding.ts'
import { compilePhrase, matchPhrase, type Phrase } from './phrases.ts'
import { formsOf } from './question.ts'
import { propertiesOf, readSlot } from './slots.ts'
import { isPeriod, timeIn } from './times-in.ts'
import { wordsOf } from './words-of.ts'

export type Intent = keyof typeof words.intents

export interface ToolMatch {
  tool: Tool
  input: Record<string, unknown>
  /** How much of the question the phrase itself named, in characters; a time counts half. */
  literal: number
  /** The same as a part of the question, 0 to 1. */
  share: number
}

/** When and where it is asked: what a time means depends on it. */
export interface About {
  locale: Locale
  now: number
  timeZone: string
}

export interface NearTool {
  tool: Tool
  /** 0 to 1: how alike the words are. */
  score: number
}

const CLAUSES = new RegExp(words.clauses, 'u')
const LEAST = { zh: 1, en: 3 } as const
const LONGEST_SENTENCE = 300
const LOCALES = ['zh', 'en'] as const
const CLASS_ORDER = { read: 0, write: 1, control: 2, delete: 3 } as const

let ownPhrases: Record<Locale, { intent: Intent; phrase: Phrase }[]> | null = null

/** What needs no tool: a greeting, "what can you do". */
export function ownIntent(forms: readonly Folded[], locale: Locale): Intent | null {
  ownPhrases ??= Object.fromEntries(
    LOCALES.map(language => [
      language,
      Object.entries(words.intents).flatMap(([intent, phrases]) =>
        phrases[language].map(source => ({ intent: intent as Intent, phrase: compilePhrase(source) })),
      ),
    ]),
  ) as Record<Locale, { intent: Intent; phrase: Phrase }[]>
  for (const language of [locale, locale === 'zh' ? 'en' : 'zh'] as const)
    for (const form of forms)
      for (const { intent, phrase } of ownPhrases[language]) if (matchPhrase(phrase, form)) return intent
  return null
}

interface Indexed {
  tool: Tool
  phrases: Record<Locale, Phrase[]>
}
interface WordIndex {
  weights: Map<string, number>
  tools: { tool: Tool; vector: Map<string, number>; length: number }[]
}

/** The phrases and words of all tools, compiled at the first question. */
export class ToolIndex {
  private readonly indexed: Indexed[]
  private readonly near: Partial<Record<Locale, WordIndex>> = {}

  /** @throws Error naming a phrase that breaks the grammar */
  constructor(readonly tools: readonly Tool[]) {
    this.indexed = tools.map(tool => ({
      tool,
      phrases: {
        zh: tool.words.phrases.zh.map(compilePhrase),
        en: tool.words.phrases.en.map(compilePhrase),
      },
    }))
  }

  /** The tools whose phrases match one of the forms, best first, each tool once. */
  match(forms: readonly Folded[], about: About): ToolMatch[] {
    const found = this.matchTimed(forms, about.locale, about)
    return found.length > 0 ? found : this.matchTimed(forms, about.locale === 'zh' ? 'en' : 'zh', about)
  }

  /**
   * Of a sentence of several clauses the one that a look-up fits: "what was the highest temperature, and when?". Nothing
   * is changed on the strength of half a sentence.
   */
  matchClause(question: string, about: About): ToolMatch[] {
    const clauses = question.slice(0, LONGEST_SENTENCE).split(CLAUSES)
    if (clauses.length < 2) return []
    return clauses
      .flatMap(clause => this.match(formsOf(clause), about))
      .filter(({ tool, literal }) => tool.class === 'read' && literal > 1)
      .map(match => ({ ...match, share: match.literal / question.length }))
      .sort(bestFirst)
  }

  /** As the question stands, and for tools that take a time with the time in it taken out. */
  private matchTimed(forms: readonly Folded[], locale: Locale, about: About): ToolMatch[] {
    const found = this.matchIn(forms, locale, about)
    const timed = forms.length > 0 ? timeIn(forms[0]!, about) : null
    if (!timed) return found
    const length = forms[0]!.text.length
    const worth = timed.period.length / 2
    const others = this.matchIn(formsOf(timed.rest.raw), locale, about)
      .filter(({ tool, input }) => 'period' in propertiesOf(tool) && !('period' in input))
      .map(({ tool, input, literal }) => ({
        tool,
        input: { ...input, period: timed.period },
        literal: literal + worth,
        share: (literal + worth) / length,
      }))
    const byTool = new Map(found.map(match => [match.tool, match]))
    for (const match of others)
      if (match.literal > (byTool.get(match.tool)?.literal ?? 0)) byTool.set(match.tool, match)
    return [...byTool.values()].sort(bestFirst)
  }

  private matchIn(forms: readonly Folded[], locale: Locale, about: About): ToolMatch[] {
    const asked = forms[0]?.text.length || 1
    const found: ToolMatch[] = []
    for (const { tool, phrases } of this.indexed) {
      let best: ToolMatch | null = null
      let length = 0
      // A time must be one, so that it does not take the end of the name before it along.
      const allowed = (name: string, text: string) =>
        name === 'period' ? isPeriod(text, about) : readSlot(tool, name, text) !== undefined
      for (const phrase of phrases[locale])
        for (const form of forms) {
          const match = matchPhrase(phrase, form, allowed)
          // A phrase that is nothing but a slot says nothing about what is meant.
          if (!match || match.literal < LEAST[locale]) continue
          const literal = match.literal + (match.slots.period?.length ?? 0) / 2
          // Of two that name as much, the form with less politeness in its slots.
          if (best && !better(literal, form.text.length, best, length)) continue
          const input = inputOf(tool, match.slots)
          if (!input) continue
          best = { tool, input, literal, share: literal / asked }
          length = form.text.length
        }
      if (best) found.push(best)
    }
    return found.sort(bestFirst)
  }

  /** The tools whose titles and phrases are most alike in words, best first. */
  nearest(question: string, locale: Locale, among: ReadonlySet<Tool>, limit: number): NearTool[] {
    this.near[locale] ??= wordIndex(this.tools, locale)
    const index = this.near[locale]
    const asked = vectorOf(wordsOf(question, locale), index.weights)
    const length = lengthOf(asked)
    if (length === 0) return []
    return index.tools
      .filter(({ tool }) => among.has(tool))
      .map(({ tool, vector, length: own }) => {
        let dot = 0
        for (const [word, weight] of asked) dot += weight * (vector.get(word) ?? 0)
        return { tool, score: own === 0 ? 0 : dot / (own * length) }
      })
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
  }
}

/** Of what can be called anything, what is spoken of most: "disable X" is rather a device than a member. */
const KIND_ORDER = ['device', 'product', 'group', 'subscription', 'campaign', 'member', 'role']

const kindOf = ({ input }: ToolMatch) => KIND_ORDER.findIndex(kind => kind in input)

const bestFirst = (a: ToolMatch, b: ToolMatch) =>
  b.literal - a.literal ||
  Number(a.tool.class !== 'read') - Number(b.tool.class !== 'read') ||
  kindOf(a) - kindOf(b) ||
  CLASS_ORDER[a.tool.class] - CLASS_ORDER[b.tool.class]

function better(literal: number, length: number, best: ToolMatch, bestLength: number): boolean {
  return literal > best.literal || (literal === best.literal && length < bestLength)
}

function inputOf(tool: Tool, slots: Record<string, string>): Record<string, unknown> | null {
  const input: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(slots)) {
    const value = readSlot(tool, name, text)
    if (value === undefined) return null
    input[name] = value
  }
  return input
}

/** A phrase without its grammar: its words, for comparing. */
export function plainWords(source: string): string {
  return source.replace(/\{[^}]*\}/g, ' ').replace(/[()[\]|]/g, ' ')
}

function wordIndex(tools: readonly Tool[], locale: Locale): WordIndex {
  const texts = tools.map(tool => [
    ...wordsOf(tool.words.title[locale], locale),
    ...wordsOf(tool.words.title[locale], locale),
    ...tool.words.phrases[locale].flatMap(source => [...new Set(wordsOf(plainWords(source), locale))]),
  ])
  const inTools = new Map<string, number>()
  for (const text of texts) for (const word of new Set(text)) inTools.set(word, (inTools.get(word) ?? 0) + 1)
  const weights = new Map<string, number>()
  for (const [word, count] of inTools) weights.set(word, Math.log(1 + tools.length / count))
  return {
    weights,
    tools: tools.map((tool, i) => {
      const vector = vectorOf(texts[i]!, weights)
      return { tool, vector, length: lengthOf(vector) }
    }),
  }
}

function vectorOf(text: readonly string[], weights: ReadonlyMap<string, number>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of text) counts.set(word, (counts.get(word) ?? 0) + 1)
  // A word that no tool knows makes the question less like any of them.
  const rare = Math.log(1 + weights.size)
  return new Map([...counts].map(([word, count]) => [word, Math.sqrt(count) * (weights.get(word) ?? rare / 2)]))
}

function lengthOf(vector: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const weight of vector.values()) sum += weight * weight
  return Math.sqrt(sum)
}
