import { setImmediate } from 'node:timers/promises'
import { type Mention, quoted, type Tool } from '../../../lib/tools/tools.ts'
import type { Engine, EngineReport, ReplyWriter, ToolOutcome, ToolRunner, Turn, Waiting } from '../engine.ts'
import type { Article } from '../knowledge/articles.ts'
import type { LlmMessage } from '../llm.port.ts'
import { readNumber } from '../words/number-words.ts'
import { readPeriod } from '../words/time-phrases.ts'
import words from './builtin-words.json' with { type: 'json' }
import { errorsIn } from './error-codes.ts'
import type { Folded } from './folding.ts'
import { ownIntent, ToolIndex, type ToolMatch } from './intents.ts'
import { formsOf } from './question.ts'
import { articleAbout, articleById, type Found, findArticles, passageOf } from './retrieval.ts'
import { stepsOf } from './several-steps.ts'
import { propertiesOf } from './slots.ts'
import { areaCounts, articleLinks, capabilities, choices, piecesOf, say, starters, toolTable } from './talk.ts'

const HOW = new RegExp(words.asksHow, 'iu')
/** An answer to nothing: no question about the product. */
const NUMBER = /^\d{1,2}$/
const FOLLOW = new RegExp(words.follow, 'iu')
const ORDINAL = new RegExp(words.ordinal, 'iu')

/** A phrase that named less of the question than this may have been hit by chance: `{device}的{property}`. */
const WEAK_SHARE = 0.34
/** Characters that say little by themselves: 的, "the … of". */
const FEW = { zh: 3, en: 8 }
const SURE_COVERAGE = 0.7
const ALL = 0.9
/** From here on an article is told although nobody asked how. */
const TOLD_SCORE = 6
/** An answer to a question of ours is a name or a number, not a page. */
const LONGEST_ANSWER = 100
/** So many tools are tried for one question, when the thing that the first names is not there. */
const TRIED = 3
const ALIKE = 0.5
/** How alike the words of a tool must be to be offered, and to be offered beside nothing better. */
const NEAR = 0.3
const NEAR_TOO = 0.4
const NEAREST = 3
/** An article that is worth naming, though not an answer. */
const MAYBE = [
  { coverage: 0.4, score: 4.6 },
  { coverage: 0.9, score: 1 },
]

const indexes = new WeakMap<readonly Tool[], ToolIndex>()

/** The engine that needs no model: phrases, the product's documentation, and honesty about the rest. */
export function createBuiltinEngine(): Engine {
  return {
    kind: 'builtin',
    model: null,
    answer: (turn, tools, out) => new Answer(turn, tools, out).run(),
  }
}

class Answer {
  private readonly messages: LlmMessage[] = []
  private readonly index: ToolIndex
  private readonly forms: Folded[]
  private mentions: Mention[] = []
  private waiting: Waiting | null = null
  private written = ''

  constructor(
    private readonly turn: Turn,
    private readonly tools: ToolRunner,
    private readonly out: ReplyWriter,
  ) {
    let index = indexes.get(tools.all)
    if (!index) {
      index = new ToolIndex(tools.all)
      indexes.set(tools.all, index)
    }
    this.index = index
    this.forms = formsOf(turn.question)
  }

  async run(): Promise<EngineReport> {
    await this.answer()
    if (this.written) this.messages.push({ role: 'assistant', content: this.written })
    return {
      promptTokens: 0,
      completionTokens: 0,
      messages: this.messages,
      mentions: this.mentions,
      waiting: this.waiting,
    }
  }

  private async answer(): Promise<void> {
    const { question, locale, waiting } = this.turn
    const intent = ownIntent(this.forms, locale)
    if (waiting) {
      if (intent === 'cancel') return this.write(say('cancelled', locale))
      const chosen = this.chosen(waiting)
      if (chosen !== null) return this.use(waiting.tool, { ...waiting.input, [waiting.field]: chosen })
    }
    if (intent) return this.own(intent)

    const titled = this.tools.all.find(tool => this.isTitle(tool))
    if (titled) return this.use(titled.name, {})

    const named = errorsIn(question, locale)
    const steps = stepsOf(question, this.turn, this.index)
    if (steps) return 'missing' in steps ? this.notAStep(steps.missing) : this.inSteps(steps.steps)

    const whole = this.index.match(this.forms, this.turn)
    const matches = whole.length > 0 ? whole : this.index.matchClause(question, this.turn)
    const best = matches[0]
    if (waiting && (!best || best.share < WEAK_SHARE) && this.maybeAnswer())
      return this.use(waiting.tool, { ...waiting.input, [waiting.field]: this.forms.at(-1)!.raw.trim() })
    const found = NUMBER.test(question.trim()) ? [] : await findArticles(question, locale)
    if (named.length > 0 && (!best || best.share < 0.5)) return this.explain(named)
    if (best && !this.betterInTheDocs(best, found)) return this.useBest(matches, found)
    if (await this.followed()) return
    const [first] = found
    const tellIt =
      first?.sure && (HOW.test(question) || first.score >= TOLD_SCORE || this.nearTitles(NEAR).length === 0)
    return tellIt ? this.tell(found) : this.offer(found)
  }

  /** Which of the choices that we offered is meant: by its number, its label, or a part of it that no other has. */
  private chosen(waiting: Waiting): string | null {
    const options = waiting.options ?? []
    const said = this.forms.map(form => form.text)
    const by = (fits: (label: string, text: string) => boolean) =>
      options.filter(({ label, value }) => said.some(text => fits(label.toLowerCase(), text) || value === text))
    const exact = by((label, text) => label === text)
    if (exact.length === 1) return exact[0]!.value
    for (const text of said) {
      const word = ORDINAL.exec(text)?.groups?.n
      if (word === undefined || options.length === 0) continue
      const place = (words.ordinals as Record<string, number>)[word] ?? readNumber(word)
      const option = place === null ? undefined : options.at(place < 0 ? place : place - 1)
      if (option && place !== 0) return option.value
    }
    const partly = by((label, text) => text.length > 1 && text.length <= LONGEST_ANSWER && label.includes(text))
    return partly.length === 1 ? partly[0]!.value : null
  }

  private maybeAnswer(): boolean {
    return this.turn.question.length <= LONGEST_ANSWER && !HOW.test(this.turn.question)
  }

  private isTitle(tool: Tool): boolean {
    return this.forms.some(
      form => form.text === tool.words.title.zh.toLowerCase() || form.text === tool.words.title.en.toLowerCase(),
    )
  }

  private async own(intent: NonNullable<ReturnType<typeof ownIntent>>): Promise<void> {
    const { locale } = this.turn
    const { offered, all } = this.tools
    switch (intent) {
      case 'greeting':
        await this.write(say('greeting', locale))
        this.out.card(starters(locale))
        return
      case 'thanks':
      case 'bye':
        return this.write(say(intent, locale))
      case 'cancel':
        return this.write(say('nothingToCancel', locale))
      case 'capabilities':
        await this.write(capabilities(offered, locale))
        this.out.card(choices(say('startersTitle', locale), words.texts.starters[locale].slice(1)))
        return
      case 'tools':
        if (offered.length === 0) return this.write(say('toolsNone', locale, { all: all.length }))
        await this.write(`${say('toolsAreas', locale, { areas: areaCounts(offered, locale) })}

`)
        await this.write(say('toolsIntro', locale, { count: offered.length, all: all.length }))
        this.out.card(toolTable(offered, locale))
        return
      case 'deleteAll':
        return this.refuseDeletingAll()
      case 'addDevice':
        return this.tellArticle(await articleById('add-device', locale))
    }
  }

  /** Nothing is deleted by one sentence: what it would concern, and the page that does it. */
  private async refuseDeletingAll(): Promise<void> {
    const { locale } = this.turn
    const outcome = await this.tools.use('count_devices', {})
    if (outcome.state !== 'done') return this.told([{ tool: 'count_devices', input: {} }], outcome)
    const { total } = outcome.result.data as { total: number }
    await this.write(say('deleteAll', locale, { count: total }))
    this.out.card({
      kind: 'links',
      title: say('openPage', locale),
      items: [{ title: say('devicesPage', locale), to: '/manage/device' }],
    })
  }

  private async use(name: string, input: Record<string, unknown>): Promise<void> {
    await this.told([{ tool: name, input }], await this.tools.use(name, input))
  }

  /** The tool that was meant; where what it names is not there, the next one whose phrase fits as well. */
  private async useBest(matches: readonly ToolMatch[], found: readonly Found[]): Promise<void> {
    const [best] = matches
    const tried = matches.slice(0, TRIED).filter(({ literal }) => literal >= best!.literal * ALIKE)
    let first: { match: ToolMatch; outcome: ToolOutcome } | null = null
    for (const match of tried) {
      const outcome = await this.tools.use(match.tool.name, match.input)
      if (outcome.state !== 'problem') return this.told([{ tool: match.tool.name, input: match.input }], outcome)
      first ??= { match, outcome }
      if (!outcome.notFound) break
    }
    if (!first) return
    // Nothing is called so, and the documentation speaks of nothing else: "MQTT topics" is no product.
    if (
      first.outcome.state === 'problem' &&
      first.outcome.notFound &&
      (found[0]?.coverage ?? 0) > ALL &&
      found[0]!.sure
    )
      return this.tell(found)
    await this.told([{ tool: first.match.tool.name, input: first.match.input }], first.outcome)
    this.alsoDocs(found)
  }

  private async told(made: readonly { tool: string; input: unknown }[], outcome: ToolOutcome): Promise<void> {
    const content = outcome.state === 'done' ? outcome.result.text : outcome.text
    const calls = made.map(({ tool, input }, place) => ({
      id: `builtin-${this.messages.length}-${place}`,
      name: tool,
      arguments: JSON.stringify(input),
    }))
    // A plan has one outcome: it stands with its last step.
    const answers = calls.map(
      ({ id }, place): LlmMessage => ({
        role: 'tool',
        toolCallId: id,
        content: place + 1 < calls.length ? '' : content,
      }),
    )
    this.messages.push({ role: 'assistant', content: '', toolCalls: calls }, ...answers)
    if (outcome.state === 'question') {
      this.waiting = outcome.waiting
      return this.write(outcome.text)
    }
    if (outcome.state === 'done') this.mentions = [...(outcome.result.mentions ?? []), ...this.mentions]
    await this.write(content)
    if (outcome.state === 'problem' && outcome.link)
      this.out.card({ kind: 'links', title: say('openPage', this.turn.locale), items: [outcome.link] })
  }

  private async inSteps(steps: readonly { tool: Tool; input: Record<string, unknown>; said: string }[]): Promise<void> {
    if (steps.length > 1 && steps.every(({ tool }) => tool.class !== 'read')) {
      const plan = steps.map(({ tool, input }) => ({ tool: tool.name, input }))
      return this.told(plan, await this.tools.plan(plan))
    }
    for (const [place, { tool, input }] of steps.entries()) {
      if (place > 0) await this.write('\n\n')
      const outcome = await this.tools.use(tool.name, input)
      await this.told([{ tool: tool.name, input }], outcome)
      if (outcome.state === 'done') continue
      const left = steps.slice(place + 1).map(({ said }) => quoted(said))
      if (left.length > 0)
        await this.write(
          say('stepNotRun', this.turn.locale, { steps: left.join(say('titlesBetween', this.turn.locale)) }),
        )
      return
    }
  }

  private notAStep(part: string): Promise<void> {
    return this.write(say('planPart', this.turn.locale, { part: quoted(part) }))
  }

  /** "And yesterday?": the look-up before, with one thing changed. */
  private async followed(): Promise<boolean> {
    const groups = FOLLOW.exec(this.forms[0]!.text)?.groups
    const what = (groups?.what ?? groups?.what2)?.trim()
    const last = what && what.length <= LONGEST_ANSWER ? this.lastLookUp() : null
    if (!what || !last) return false
    const { tool, input } = last
    const { now, timeZone, locale } = this.turn
    const known = propertiesOf(tool)
    const said = this.asTyped(what)
    if (readPeriod(what, { now, timeZone, locale })) {
      const timed = 'period' in known ? tool : this.sameOverTime(input)
      if (!timed) return false
      await this.use(timed.name, { ...input, period: said })
      return true
    }
    // A number is in names of things more often than in names of what they measure.
    const fields = ['property', 'device', 'product', 'group', 'member', 'campaign', 'subscription'].filter(
      field => field in known && (field in input || field === 'device'),
    )
    if (/\d/.test(what)) fields.sort((a, b) => Number(a === 'property') - Number(b === 'property'))
    for (const [place, field] of fields.entries()) {
      const outcome = await this.tools.use(tool.name, { ...input, [field]: said })
      if (outcome.state === 'problem' && place + 1 < fields.length) continue
      await this.told([{ tool: tool.name, input: { ...input, [field]: said } }], outcome)
      return true
    }
    return false
  }

  /** The look-up that takes what the last one took, and a time: the latest value becomes its history. */
  private sameOverTime(input: Record<string, unknown>): Tool | undefined {
    return this.tools.offered.find(tool => {
      const known = propertiesOf(tool)
      return tool.class === 'read' && 'period' in known && Object.keys(input).every(field => field in known)
    })
  }

  private asTyped(folded: string): string {
    const at = this.turn.question.toLowerCase().indexOf(folded)
    return at < 0 ? folded : this.turn.question.slice(at, at + folded.length)
  }

  private lastLookUp(): { tool: Tool; input: Record<string, unknown> } | null {
    for (const message of this.turn.history.toReversed()) {
      if (message.role !== 'assistant' || !message.toolCalls?.length) continue
      const call = message.toolCalls.at(-1)!
      const tool = this.tools.all.find(one => one.name === call.name)
      if (tool?.class !== 'read') return null
      const input = jsonObject(call.arguments)
      return input && { tool, input }
    }
    return null
  }

  /** How something is done is not doing it, and a phrase hit by chance is no answer to it. */
  private betterInTheDocs(best: ToolMatch, found: readonly Found[]): boolean {
    const first = found[0]
    if (!first?.sure || best.share >= WEAK_SHARE || !HOW.test(this.turn.question)) return false
    if (best.tool.class !== 'read') return true
    return first.coverage > SURE_COVERAGE && best.literal < (this.turn.locale === 'zh' ? FEW.zh : FEW.en)
  }

  private async tell(found: readonly Found[]): Promise<void> {
    const [first, ...others] = found
    await this.tellArticle(first!.article)
    const related = others
      .filter(({ sure, score }) => sure && score > first!.score / 2)
      .map(({ article }) => article.title)
    this.related([...this.nearTitles(NEAR_TOO), ...related])
  }

  private async tellArticle(article: Article): Promise<void> {
    await this.write(`**${article.title}**\n\n${passageOf(article, this.turn.question, this.turn.locale)}`)
    const links = articleLinks(article, this.turn.locale)
    if (links) this.out.card(links)
  }

  private alsoDocs(found: readonly Found[]): void {
    this.related(found.filter(({ sure }) => sure).map(({ article }) => article.title))
  }

  private related(titles: readonly string[]): void {
    if (titles.length > 0) this.out.card(choices(say('related', this.turn.locale), titles.slice(0, NEAREST)))
  }

  /** Titles of the tools whose words are nearest to the question's. */
  private nearTitles(least: number): string[] {
    const { locale, question } = this.turn
    return this.index
      .nearest(question, locale, new Set(this.tools.offered), NEAREST)
      .filter(({ score }) => score >= least)
      .map(({ tool }) => tool.words.title[locale])
  }

  private async explain(errors: ReturnType<typeof errorsIn>): Promise<void> {
    const { locale } = this.turn
    if (errors.length > 1) await this.write(`${say('errorSeveral', locale)}\n\n`)
    const lines = errors.map(({ code, status, text }) => say('error', locale, { code, status, text }))
    await this.write(errors.length > 1 ? lines.map(line => `- ${line}`).join('\n') : lines[0]!)
    const helpful = await articleAbout(errors[0]!.code, locale)
    if (!helpful) return
    await this.write(say('errorMore', locale))
    await this.tellArticle(helpful)
  }

  /** Nothing fits: what comes nearest, else what can be done instead. */
  private async offer(found: readonly Found[]): Promise<void> {
    const { locale } = this.turn
    const { offered } = this.tools
    const near = this.nearTitles(NEAR)
    const articles = found
      .filter(one => MAYBE.some(least => one.coverage >= least.coverage && one.score >= least.score))
      .slice(0, 2)
      .map(({ article }) => article.title)
    if (near.length + articles.length > 0) {
      const options = [...new Set([...near, ...articles])]
      await this.write(say('nearestOnly', locale))
      this.out.card(choices(say('nearest', locale), options))
      return
    }
    await this.write(say('unknown', locale))
    const titles = offered
      .slice(0, 6)
      .map(tool => tool.words.title[locale])
      .join(say('titlesBetween', locale))
    if (titles) await this.write(say('unknownCan', locale, { titles }))
    this.out.card(starters(locale))
  }

  /** Sends the text in pieces, each before the next is made; a stopped reply ends between two pieces. */
  private async write(text: string): Promise<void> {
    for (const piece of piecesOf(text)) {
      this.turn.signal.throwIfAborted()
      this.out.text(piece)
      this.written += piece
      await setImmediate()
    }
  }
}

function jsonObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return value && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : null
  } catch {
    // Written by a model that answered before: not a look-up of ours.
    return null
  }
}
