import words from './builtin-words.json' with { type: 'json' }
import { type Folded, fold, joined, part } from './folding.ts'

const BEFORE = new RegExp(words.polite.before, 'iu')
const AFTER = new RegExp(words.polite.after, 'iu')
const ASKED = new RegExp(words.polite.asked, 'u')
const INDIRECT = new RegExp(words.polite.indirect, 'u')
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
  // "Can you restart it?" is no question whether it can be.
  if (plain.text !== tailless.text) {
    add(without(plain, ASKED))
    const outright = direct(plain)
    if (outright) add(outright)
  }
  return forms
}

/** Without the "once" that softens a verb, wherever it stands. */
function inner(question: Folded): Folded {
  const found = INNER.exec(question.text.slice(0, 80))
  if (!found) return question
  const before = part(question, 0, found.index)
  const after = part(question, found.index + found[0].length, question.text.length)
  return joined([before, after])
}

/** "why X is offline", as it stands behind "can you tell me", the way it is asked outright: "why is X offline". */
function direct(question: Folded): Folded | null {
  const found = INDIRECT.exec(question.text.slice(0, 300))
  const { wh = '', subject = '', verb = '', rest } = found?.groups ?? {}
  if (!found || found[0].length !== question.text.length) return null
  const subjectAt = wh.length + 1
  const verbAt = subjectAt + subject.length + 1
  const parts = [
    part(question, 0, wh.length),
    part(question, verbAt, verbAt + verb.length),
    part(question, subjectAt, subjectAt + subject.length),
  ]
  if (rest) parts.push(part(question, verbAt + verb.length + 1, question.text.length))
  return joined(parts, ' ')
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
  if (what !== BEFORE) {
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
