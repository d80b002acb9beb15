import type { LlmTarget } from '../../../modules/assistant/llm.port.ts'
import type { Patience } from './thought-filter.ts'

/** Of an endpoint that is not known yet: so much of an answer is kept back, and for so long. */
const STRANGER: Patience = { characters: 2_000, ms: 3_000 }
const ALL: Patience = { characters: Number.POSITIVE_INFINITY, ms: Number.POSITIVE_INFINITY }
const NONE: Patience = { characters: -1, ms: -1 }
/** After so many answers of such a length without thoughts, what it says is shown as it comes. */
const PLAIN_ANSWERS = 3
const PLAIN_CHARACTERS = 200
const MOST_KEPT = 200

/**
 * Whether endpoints write thoughts that only a `</think>` ends. Of one that does, the whole beginning is kept back; one
 * that showed several times that it does not is shown word by word.
 */
export interface EndpointManners {
  of(target: LlmTarget): Patience
  /** An answer came to its end. */
  learn(target: LlmTarget, answer: { characters: number; lone: boolean }): void
}

export function createManners(stranger: Patience = STRANGER): EndpointManners {
  const known = new Map<string, { lone: boolean; plain: number }>()
  const keyOf = (target: LlmTarget) => `${target.baseUrl}\n${target.model}`
  return {
    of(target) {
      const found = known.get(keyOf(target))
      if (found?.lone) return ALL
      return found && found.plain >= PLAIN_ANSWERS ? NONE : stranger
    },
    learn(target, { characters, lone }) {
      const key = keyOf(target)
      const had = known.get(key) ?? { lone: false, plain: 0 }
      known.delete(key)
      if (known.size >= MOST_KEPT) known.delete(known.keys().next().value!)
      known.set(key, {
        lone: lone || had.lone,
        plain: lone ? 0 : had.plain + (characters >= PLAIN_CHARACTERS ? 1 : 0),
      })
    },
  }
}
