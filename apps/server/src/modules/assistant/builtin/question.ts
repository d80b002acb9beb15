import words from './builtin-words.json' with { type: 'json' }
import { type Folded, fold, part } from './folding.ts'

const BEFORE = new RegExp(words.polite.before, 'iu')
const AFTER = new RegExp(words.polite.after, 'iu')
const INNER = new RegExp(words.polite.inside, 'u')
const EDGE_BEFORE = /^[\s,.!?;:~"'#*-]+/u
const EDGE_AFTER = /[\s,.!?;:~\u3000-\u303f]+$/u
/** As often as people pile politeness up. */
const ROUNDS = 4

/**
 * A question as it was asked, and without what is only polite: each form may match a phrase.
 * The first is what was asked, without signs at its ends.
 */
export function formsOf(question: string): Folded[] {
  const asked = trimmed(fold(question))
  const forms = [asked]
  const add = (form: Folded) => {
    if (form.text !== '' && !forms.some(one => one.text === form.text)) forms.push(form)
  }
  const tailless = without(asked, AFTER)
  add(tailless)
  add(inner(asked))
  let plain = inner(tailless)
  let head = asked
  for (let round = 0; round < ROUNDS; round += 1) {
    head = without(head, BEFORE)
    plain = without(plain, BEFORE)
    add(head)
    add(plain)
  }
  return forms
}

/** Without the "once" that softens a verb, wherever it stands. */
function inner(question: Folded): Folded {
  const found = INNER.exec(question.text.slice(0, 80))
  if (!found) return question
  const before = part(question, 0, found.index)
  const after = part(question, found.index + found[0].length, question.text.length)
  return {
    text: before.text + after.text,
    at: Int32Array.from([...before.at.slice(0, -1), ...after.at]),
    raw: question.raw,
  }
}

function trimmed(question: Folded): Folded {
  const from = EDGE_BEFORE.exec(question.text.slice(0, 200))?.[0].length ?? 0
  const tail = question.text.slice(Math.max(from, question.text.length - 200))
  const to = question.text.length - (EDGE_AFTER.exec(tail)?.[0].length ?? 0)
  return part(question, Math.min(from, to), to)
}

function without(question: Folded, what: RegExp): Folded {
  const { text } = question
  // Only the ends are looked at, however long the question is.
  const tail = Math.max(0, text.length - 80)
  if (what === AFTER) {
    const found = what.exec(text.slice(tail))
    return found ? trimmed(part(question, 0, tail + found.index)) : question
  }
  const found = what.exec(text.slice(0, 80))
  if (!found?.[0]) return question
  const end = found[0].length
  // "island" does not begin with "is", nor "candle" with "can".
  if (/[a-z]/i.test(text[end - 1]!) && /[a-z]/i.test(text[end] ?? '')) return question
  return trimmed(part(question, end, text.length))
}
