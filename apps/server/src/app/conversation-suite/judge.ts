import type { Answer } from '../testing/assistant-house.ts'
import questions from './questions.json' with { type: 'json' }
import said from './said.json' with { type: 'json' }

/** How an argument must be: this text in any case, this number, a pattern, or absent because "it" is meant. */
type Wanted = string | number | boolean | { re: string } | { it: true }

export interface Expected {
  /** Any of these does. */
  tool?: string | string[]
  /** `device|group`: one of the two. */
  input?: Record<string, Wanted>
  /** It must have been asked for, and nothing may have happened; `may`: one of the tools asks, another does not. */
  approval?: boolean | 'may'
  /** Steps of one approval. */
  plan?: string[]
  /** The right without which it is refused. */
  refusal?: string
  /** The input that is asked back for. */
  question?: string
  /** Patterns of the text: it came from the documentation. */
  document?: string[]
  /** It says that it cannot. */
  honest?: boolean
}

export interface Question {
  id: string
  locale: 'zh' | 'en'
  area: string
  who: 'owner' | 'readonly' | 'powerless' | 'support'
  /** What was asked before in the same conversation. */
  context?: string[]
  question: string
  expect: Expected
  /** What a model would call for the question before. */
  contextCall?: { name: string; input: Record<string, unknown> }
  /** What a model would call; the expected tool with the expected input when it is not said. */
  call?: { name: string; input: Record<string, unknown> }
}

export const QUESTIONS = questions as Question[]

/** Holds an answer against what was expected. @returns why it is wrong; null: it is right */
export function judge({ expect, locale }: Question, answer: Answer): string | null {
  if (answer.error) return `an error: ${answer.error.code} ${answer.error.message}`
  const choices = answer.cards.some(card => card.kind === 'choices' && card.options.length > 1)
  if (answer.text.trim() === '' && !choices) return 'no text'
  const asked = answer.approvals.flatMap(({ steps }) => steps.map(step => step.tool))
  const text = answer.text.replaceAll(/\s+/g, ' ').slice(0, 160)
  const called = answer.tools.map(({ name, input }) => `${name}(${JSON.stringify(input)})`).join(', ') || 'nothing'
  if (answer.text !== '' && !new RegExp(said.script[locale], 'u').test(answer.text))
    return `not in its language: ${text}`

  if (expect.refusal) {
    if (asked.length > 0) return `asked for approval of ${asked}`
    const words = `${expect.refusal}|${said.refused[locale]}`
    return new RegExp(words, 'i').test(answer.text) ? null : `no refusal: ${text}`
  }
  if (expect.honest) {
    if (answer.tools.length > 0) return `called ${called}`
    return new RegExp(said.cannot[locale], 'i').test(answer.text) ? null : `no honest no: ${text}`
  }
  if (expect.document) {
    if (asked.length > 0) return `asked for approval of ${asked}`
    const missing = expect.document.filter(pattern => !new RegExp(pattern, 'i').test(answer.text))
    return missing.length === 0 ? null : `the text lacks ${missing}: ${text}`
  }
  if (expect.plan) {
    if (answer.approvals.length !== 1) return `${answer.approvals.length} approvals; called ${called}`
    return `${asked}` === `${expect.plan}` ? null : `a plan of ${asked}`
  }

  const names = [expect.tool ?? []].flat()
  const call = answer.tools.find(({ name }) => names.includes(name))
  if (!call) return `called ${called}: ${text}`
  for (const [field, wanted] of Object.entries(expect.input ?? {}))
    if (!field.split('|').some(name => fits(wanted, call.input[name])))
      return `${field} is ${JSON.stringify(call.input[field])} in ${called}`
  if (expect.question) {
    if (asked.length > 0) return `asked for approval of ${asked}`
    return choices ? null : 'nothing to choose from'
  }
  if (expect.approval && (expect.approval !== 'may' || asked.length > 0)) {
    if (answer.approvals.length !== 1) return `${answer.approvals.length} approvals: ${text}`
    return names.includes(asked[0]!) ? null : `asked for approval of ${asked}`
  }
  if (asked.length > 0) return `asked for approval of ${asked}`
  const failed = answer.cards.find(card => card.kind === 'activity' && card.state === 'failed')
  return failed ? `it failed: ${text}` : null
}

function fits(wanted: Wanted, given: unknown): boolean {
  if (typeof wanted === 'object' && 'it' in wanted)
    return given === undefined || given === '' || new RegExp(said.it, 'i').test(String(given))
  if (typeof wanted === 'object') return given !== undefined && new RegExp(wanted.re, 'i').test(String(given))
  return normal(wanted) === normal(given)
}

const normal = (value: unknown) =>
  String(value)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^the\s+|[\s"“”'‘’]/g, '')
