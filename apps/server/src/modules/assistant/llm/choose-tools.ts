import type { Tool } from '../../../lib/tools/tools.ts'
import type { LlmMessage } from '../llm.port.ts'

/** Providers take 128; one place is the plan's. */
export const MOST_TOOLS = 120
/** Earlier questions that say what a short one ("and last week?") is about. */
const QUESTIONS = 4

/**
 * The tools that are offered to a model: all, as long as a provider takes them; else those whose words are the
 * question's, and those that the conversation has used. In the order of their names, always: providers charge less for
 * what they have read before.
 */
export function chooseTools(
  offered: readonly Tool[],
  question: string,
  history: readonly LlmMessage[],
  most = MOST_TOOLS,
): Tool[] {
  const sorted = offered.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  if (sorted.length <= most) return sorted
  const earlier = history.filter(({ role }) => role === 'user').slice(-QUESTIONS)
  const asked = wordsOf([question, ...earlier.map(({ content }) => content)].join(' '))
  const used = new Set(
    history.flatMap(message => (message.role === 'assistant' ? (message.toolCalls ?? []).map(({ name }) => name) : [])),
  )
  const texts = new Map(sorted.map(tool => [tool, wordsOf(textOf(tool))]))
  /** A word that few tools have says more. */
  const weightOf = (word: string) => {
    let having = 0
    for (const words of texts.values()) if (words.has(word)) having++
    return having === 0 ? 0 : Math.log(1 + sorted.length / having)
  }
  const weights = [...asked].map(word => [word, weightOf(word)] as const).filter(([, weight]) => weight > 0)
  const scoreOf = (tool: Tool) =>
    (used.has(tool.name) ? 1000 : 0) +
    weights.reduce((sum, [word, weight]) => sum + (texts.get(tool)!.has(word) ? weight : 0), 0)
  const scores = new Map(sorted.map(tool => [tool, scoreOf(tool)]))
  const best = new Set(sorted.toSorted((a, b) => scores.get(b)! - scores.get(a)!).slice(0, most))
  return sorted.filter(tool => best.has(tool))
}

function textOf({ name, description, words }: Tool): string {
  const { title, phrases } = words
  return [name.replaceAll('_', ' '), description, title.zh, title.en, ...phrases.zh, ...phrases.en].join(' ')
}

/** Latin words without their endings, pairs of Chinese characters. */
function wordsOf(text: string): Set<string> {
  const words = new Set<string>()
  for (const [word] of text.toLowerCase().matchAll(/[a-z]{3,}/g)) words.add(word.replace(/(?<=...)(s|es|ed|ing)$/, ''))
  for (const [run] of text.matchAll(/\p{Script=Han}+/gu))
    for (let at = 0; at < Math.max(1, run.length - 1); at++) words.add(run.slice(at, at + 2))
  return words
}
