import { readPeriod } from '../words/time-phrases.ts'
import words from './builtin-words.json' with { type: 'json' }
import { type Folded, fold, isBoundary, typed } from './folding.ts'
import type { About } from './intents.ts'

const HINT = new RegExp(words.times.hint, 'iu')
const BEGIN = new RegExp(words.times.begin, 'iu')
const BEFORE = new RegExp(words.times.before, 'iu')
const AFTER = new RegExp(words.times.after, 'iu')
const EDGE = new RegExp(words.times.edge, 'u')
const END = new RegExp(words.times.end, 'u')
const PLACE = new RegExp(words.times.place, 'u')
/** Longer texts are pasted; a time in them is theirs. */
const LONGEST_QUESTION = 200
const LONGEST_TIME = 40

/**
 * Whether a part of a question is a time. A number alone, and a day without its month, are rather parts of a name:
 * "pump 2026", 冷库1号.
 */
export function isPeriod(text: string, about: About): boolean {
  // The same few words are asked about by hundreds of phrases.
  let known = asked.get(about)
  if (!known) {
    known = new Map()
    asked.set(about, known)
  }
  let is = known.get(text)
  if (is === undefined) {
    is = text.length <= LONGEST_TIME && /\D/.test(text) && !PLACE.test(text.trim()) && readPeriod(text, about) !== null
    known.set(text, is)
  }
  return is
}

const asked = new WeakMap<About, Map<string, boolean>>()

/** A question without the time that stands in it. */
export interface Timed {
  period: string
  rest: Folded
}

/**
 * The longest time that a question names, taken out: "the messages of pump 1 from the last hour" is "the messages of
 * pump 1" and "the last hour". So phrases need not say where a time may stand.
 */
export function timeIn(question: Folded, about: About): Timed | null {
  const { text } = question
  if (text.length > LONGEST_QUESTION || !HINT.test(text)) return null
  let best: { from: number; to: number } | null = null
  for (let from = 0; from < text.length; from += 1) {
    if (!isBoundary(text, from) || EDGE.test(text[from]!) || !BEGIN.test(text.slice(from, from + 12))) continue
    for (let to = Math.min(text.length, from + LONGEST_TIME); to > from + (best ? best.to - best.from : 1); to -= 1) {
      if (!isBoundary(text, to) || EDGE.test(text[to - 1]!) || !END.test(text[to - 1]!)) continue
      if (isPeriod(text.slice(from, to), about)) best = { from, to }
    }
  }
  if (!best) return null
  const period = typed(question, best.from, best.to)
  const before = typed(question, 0, best.from).replace(BEFORE, '')
  const behind = typed(question, best.to, text.length)
  // Between two names the little word stays: it belongs to them then.
  const after = before === '' ? behind.replace(AFTER, '') : behind
  const rest = fold(`${before} ${after}`.trim())
  return rest.text === '' ? null : { period, rest }
}
