import type { LlmError, LlmTarget } from '../../../modules/assistant/llm.port.ts'

/** What an endpoint takes; those that speak the protocol differ in this. */
export interface Abilities {
  streamOptions: boolean
  tools: boolean
  temperature: boolean
  /** Newer models of OpenAI refuse `max_tokens`, most other servers know nothing else. */
  maxTokensAs: 'max_tokens' | 'max_completion_tokens'
}

const ALL: Abilities = { streamOptions: true, tools: true, temperature: true, maxTokensAs: 'max_tokens' }
/** Servers are set up anew: what they refused is tried again after this time. */
const KEPT_MS = 10 * 60_000
const MOST_KEPT = 200

const NO_TOOLS =
  /(not|n't) support[^.]*(tool|function)|(tools?|tool_choice|functions?)\b[^.]*(not supported|unsupported|unknown|unrecogni[sz]ed|not permitted|not allowed)|(unknown|unrecogni[sz]ed|unsupported|extra)[^.]*\btool|enable-auto-tool-choice/i

/** What endpoints turned out not to take, learned from their refusals. */
export interface EndpointAbilities {
  of(target: LlmTarget): Abilities
  /** @returns whether the refusal taught something, so that it is worth asking again */
  learn(target: LlmTarget, refusal: LlmError, withTools: boolean): boolean
}

export function createAbilities(now: () => number = () => performance.now()): EndpointAbilities {
  const known = new Map<string, { abilities: Abilities; until: number }>()
  const keyOf = (target: LlmTarget) => `${target.baseUrl}\n${target.model}`

  function of(target: LlmTarget): Abilities {
    const found = known.get(keyOf(target))
    return found && found.until > now() ? found.abilities : ALL
  }

  return {
    of,
    learn(target, { status, said }, withTools) {
      if (status === null || status < 400 || status === 401 || status === 403 || status === 429) return false
      const had = of(target)
      const next = { ...had }
      if (had.streamOptions && /stream_options|include_usage/i.test(said)) next.streamOptions = false
      else if (had.maxTokensAs === 'max_tokens' && /max_completion_tokens/i.test(said))
        next.maxTokensAs = 'max_completion_tokens'
      else if (had.temperature && /temperature/i.test(said)) next.temperature = false
      else if (had.tools && withTools && NO_TOOLS.test(said)) next.tools = false
      else return false
      const key = keyOf(target)
      known.delete(key)
      if (known.size >= MOST_KEPT) known.delete(known.keys().next().value!)
      known.set(key, { abilities: next, until: now() + KEPT_MS })
      return true
    },
  }
}
