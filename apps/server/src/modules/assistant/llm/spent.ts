import type { LlmMessage, LlmTool } from '../llm.port.ts'
import { estimateTokens, requestTokens } from './tokens.ts'

export interface Spent {
  promptTokens: number
  completionTokens: number
}

/** One request to a model. */
export interface MeteredRound {
  /** A piece of the answer came. */
  came(text: string): void
  /** The provider says what it took. */
  told(usage: Spent): void
  end(): void
}

export interface Meter {
  begin(messages: readonly LlmMessage[], tools: readonly LlmTool[]): MeteredRound
  /** With the request that is under way. */
  spent(): Spent
  total(): number
}

/**
 * Counts what a reply takes. What the provider says counts; where it says nothing, or the reply was stopped before it
 * could, an estimate does: it asks for its money then, too. A request of which nothing came back cost nothing.
 */
export function createMeter(): Meter {
  const sum: Spent = { promptTokens: 0, completionTokens: 0 }
  let current: (() => Spent) | null = null

  const spent = (): Spent => {
    const now = current?.() ?? { promptTokens: 0, completionTokens: 0 }
    return {
      promptTokens: sum.promptTokens + now.promptTokens,
      completionTokens: sum.completionTokens + now.completionTokens,
    }
  }

  return {
    begin(messages, tools) {
      let text = ''
      let usage: Spent | null = null
      current = () =>
        usage ?? {
          promptTokens: text === '' ? 0 : requestTokens(messages, tools),
          completionTokens: estimateTokens(text),
        }
      return {
        came(piece) {
          text += piece
        },
        told({ promptTokens, completionTokens }) {
          usage = { promptTokens, completionTokens }
        },
        end() {
          Object.assign(sum, spent())
          current = null
        },
      }
    },
    spent,
    total() {
      const { promptTokens, completionTokens } = spent()
      return promptTokens + completionTokens
    },
  }
}
