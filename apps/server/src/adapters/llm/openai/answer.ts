import type { ChatCompletionChunk } from 'openai/resources/chat/completions'
import { LlmError, type LlmEvent, type LlmToolCall } from '../../../modules/assistant/llm.port.ts'
import { createThoughtFilter, type Patience } from './thought-filter.ts'

/** Bytes of one call's arguments, and calls of one answer; a model that writes more is not asked what it meant. */
const ARGUMENTS_MAX = 65_536
const CALLS_MAX = 64

/** An answer that comes in pieces. */
export interface Answer {
  /** Something of it was used: it must not be asked for again. */
  readonly began: boolean
  /** More is not taken: the rest need not be read. */
  readonly full: boolean
  /** What is known of how it was told. */
  readonly manner: { characters: number; lone: boolean }
  /** After so many ms without another piece `late` shows what is kept back; null: time shows nothing. */
  dueIn(): number | null
  /** What was kept back for long enough. */
  late(): string
  /** What is still kept back when it broke off: words that came stay. */
  rest(): string
  /** @returns what is to be shown of the piece */
  take(chunk: ChatCompletionChunk): string
  /** What is known at its end: the rest of the text, whole tool calls, usage. @throws LlmError when it broke off */
  end(): LlmEvent[]
}

interface Call extends LlmToolCall {
  index: number | undefined
}

/**
 * @param patience how long its beginning may be kept back
 * @param longest characters of text: one more, and it broke off
 */
export function createAnswer(patience: Patience, longest = Number.POSITIVE_INFINITY): Answer {
  const calls: Call[] = []
  const thoughts = createThoughtFilter(patience)
  let usage: { promptTokens: number; completionTokens: number } | null = null
  let finish: string | null = null
  let began = false
  let full = false
  let characters = 0

  function piece(delta: NonNullable<ChatCompletionChunk.Choice.Delta['tool_calls']>[number]): void {
    const { index, id, function: part } = delta
    const sameIndex = calls.findLast(one => index !== undefined && one.index === index)
    // Some servers number every call 0 and tell them apart by their ids only; some number none.
    const other = sameIndex && id && sameIndex.id && id !== sameIndex.id && part?.name
    let call = other ? undefined : (sameIndex ?? (index === undefined ? ofId(id) : undefined))
    if (!call) {
      if (calls.length >= CALLS_MAX) {
        full = true
        return
      }
      call = { index, id: '', name: '', arguments: '' }
      calls.push(call)
    }
    if (id) call.id = id
    if (part?.name) call.name = part.name
    const written: unknown = part?.arguments
    if (written === undefined || written === null) return
    call.arguments += typeof written === 'string' ? written : JSON.stringify(written)
    if (call.arguments.length > ARGUMENTS_MAX) throw new LlmError('broken', 'a tool call without an end')
  }

  const ofId = (id: string | undefined) => (id ? calls.find(one => one.id === id) : calls.at(-1))

  return {
    get began() {
      return began
    },
    get full() {
      return full
    },
    get manner() {
      return { characters, lone: thoughts.lone }
    },
    dueIn: () => thoughts.dueIn(),
    late: () => thoughts.take(''),
    rest: () => thoughts.end(),
    take(chunk) {
      if (chunk.usage)
        usage = {
          promptTokens: whole(chunk.usage.prompt_tokens),
          completionTokens: whole(chunk.usage.completion_tokens),
        }
      // The chunk of the usage has none; only one was asked for.
      const choice = chunk.choices?.[0]
      if (!choice) return ''
      began = true
      if (choice.finish_reason) finish = choice.finish_reason
      for (const delta of choice.delta?.tool_calls ?? []) piece(delta)
      const text = textOf(choice.delta?.content) + textOf(choice.delta?.refusal)
      characters += text.length
      if (characters > longest) throw new LlmError('broken', 'the answer has no end')
      return thoughts.take(text)
    },
    end() {
      if (finish === null && !full) throw new LlmError('broken', 'the answer broke off')
      if (finish === 'content_filter') throw new LlmError('refused', 'the provider filtered the answer')
      const rest = thoughts.end()
      const taken = new Set<string>()
      const put = calls
        .filter(call => call.name !== '')
        .map(({ name, arguments: written, id }, n) => {
          const own = id && !taken.has(id) ? id : `call_${n + 1}`
          taken.add(own)
          return { id: own, name, arguments: written || '{}' }
        })
      return [
        ...(rest ? [{ type: 'text' as const, text: rest }] : []),
        ...put.map(call => ({ type: 'tool' as const, call })),
        ...(finish === 'length' || full ? [{ type: 'cut' as const }] : []),
        ...(usage ? [{ type: 'usage' as const, ...usage }] : []),
      ]
    },
  }
}

const whole = (count: unknown) => (Number.isSafeInteger(count) && (count as number) > 0 ? (count as number) : 0)

/** Mostly a text; some servers send a list of parts, of which thoughts are not for reading. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map(part => (part?.type === 'text' && typeof part.text === 'string' ? part.text : '')).join('')
}
