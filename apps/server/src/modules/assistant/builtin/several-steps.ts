import type { EntityKind, Tool } from '../../../lib/tools/tools.ts'
import words from './builtin-words.json' with { type: 'json' }
import type { About, ToolIndex, ToolMatch } from './intents.ts'
import { formsOf } from './question.ts'
import { propertiesOf } from './slots.ts'

const STRONG = new RegExp(words.then.strong, 'giu')
const WEAK = new RegExp(words.then.weak, 'giu')
const PRONOUN = new RegExp(words.pronoun, 'iu')
const KINDS: readonly EntityKind[] = [
  'device',
  'product',
  'group',
  'member',
  'role',
  'firmware',
  'campaign',
  'subscription',
  'api_key',
]
const MAX_STEPS = 10
/** Longer sentences are pasted texts, not steps. */
const LONGEST = 500

export interface Step {
  tool: Tool
  input: Record<string, unknown>
  /** The words it was said in. */
  said: string
}

/**
 * "create product X and then add device Y to it": the steps in their order; null when it is one question. `missing` is
 * the part that no tool understands although the others are steps.
 */
export function stepsOf(
  question: string,
  about: About,
  index: ToolIndex,
): { steps: Step[] } | { missing: string } | null {
  if (question.length > LONGEST) return null
  const strong = pieces(question, STRONG)
  if (strong.length > 1 && strong.length <= MAX_STEPS) {
    // "A, then B and C": a part may hold two steps itself.
    const read = strong.flatMap(said => weakSteps(said, about, index) ?? [stepOf(said, about, index) ?? said])
    const steps = read.filter(one => typeof one !== 'string')
    if (steps.length === read.length) return { steps: linked(steps) }
    const missing = read.find(one => typeof one === 'string')
    if (missing !== undefined && steps.some(({ tool }) => tool.class !== 'read')) return { missing }
  }
  const weak = weakSteps(question, about, index)
  return weak ? { steps: linked(weak) } : null
}

function pieces(question: string, between: RegExp): string[] {
  return question
    .split(between)
    .map(piece => piece.trim())
    .filter(piece => piece !== '')
}

/** Words such as "and" stand in names too: only when each side is a change that a tool understands. */
function weakSteps(question: string, about: About, index: ToolIndex): Step[] | null {
  const places = [...question.matchAll(WEAK)].slice(0, 8)
  for (const place of places) {
    const first = stepOf(question.slice(0, place.index), about, index)
    if (!first || first.tool.class === 'read') continue
    const restText = question.slice(place.index + place[0].length)
    const rest = weakSteps(restText, about, index)
    if (rest) return [first, ...rest]
    const second = stepOf(restText, about, index)
    if (second && second.tool.class !== 'read') return [first, second]
  }
  return null
}

function stepOf(said: string, about: About, index: ToolIndex): Step | null {
  const best: ToolMatch | undefined = index.match(formsOf(said), about)[0]
  return best && best.literal > 1 ? { tool: best.tool, input: best.input, said } : null
}

/** What a later step calls "it", or by the name that an earlier one gives: the result of that step. */
function linked(steps: Step[]): Step[] {
  return steps.map((step, place) => {
    const input = { ...step.input }
    const known = propertiesOf(step.tool)
    for (const kind of KINDS) {
      if (!(kind in known) || makes(step.tool) === kind) continue
      const said = input[kind]
      for (let before = place - 1; before >= 0; before -= 1) {
        const earlier = steps[before]!
        const meant = said === undefined || (typeof said === 'string' && PRONOUN.test(said.trim()))
        if (makes(earlier.tool) === kind) {
          if (meant || said === nameIn(earlier)) input[kind] = `$${before + 1}.id`
          if (meant || said === nameIn(earlier)) break
        } else if (meant && typeof earlier.input[kind] === 'string') {
          // A thing that is spoken of, not made: only where "it" was said, or a change needs one.
          input[kind] = earlier.input[kind]
          break
        }
      }
    }
    return { ...step, input }
  })
}

/** `create_device`, `add_group`: what kind of thing a tool makes. */
function makes(tool: Tool): EntityKind | null {
  const kind = /^(?:create|add|new)_(\w+)$/.exec(tool.name)?.[1]
  return KINDS.find(one => one === kind) ?? null
}

function nameIn(step: Step): unknown {
  return step.input.name ?? step.input[makes(step.tool) ?? 'name']
}
