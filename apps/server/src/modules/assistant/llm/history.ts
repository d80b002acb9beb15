import type { LlmMessage } from '../llm.port.ts'
import { messageTokens } from './tokens.ts'

/**
 * The newest part of a conversation that fits into so many tokens. It begins with a question, every tool result stands
 * behind its call and every call has its result: providers refuse anything else.
 */
export function fitHistory(history: readonly LlmMessage[], budget: number): LlmMessage[] {
  const turns: LlmMessage[][] = []
  for (const message of history) {
    if (message.role === 'system') continue
    if (message.role === 'user' || turns.length === 0) turns.push([])
    turns.at(-1)!.push(message)
  }
  const kept: LlmMessage[] = []
  let left = budget
  for (const turn of turns.reverse()) {
    if (turn[0]?.role !== 'user') continue
    const whole = paired(turn)
    left -= whole.reduce((sum, message) => sum + messageTokens(message), 0)
    if (left < 0) break
    kept.unshift(...whole)
  }
  return kept
}

/** Calls without a result and results without a call are left out. */
function paired(turn: readonly LlmMessage[]): LlmMessage[] {
  const out: LlmMessage[] = []
  for (let at = 0; at < turn.length; at++) {
    const message = turn[at]!
    if (message.role === 'tool') continue
    if (message.role !== 'assistant' || !message.toolCalls?.length) {
      if (message.content.trim() !== '') out.push(message)
      continue
    }
    const results: (LlmMessage & { role: 'tool' })[] = []
    for (let next = at + 1; turn[next]?.role === 'tool'; next++) results.push(turn[next] as (typeof results)[number])
    const calls = message.toolCalls.filter(call => results.some(result => result.toolCallId === call.id))
    if (calls.length > 0)
      out.push(
        { ...message, toolCalls: calls },
        ...calls.map(call => results.find(result => result.toolCallId === call.id)!),
      )
    else if (message.content.trim() !== '') out.push({ role: 'assistant', content: message.content })
  }
  return out
}

/** What an old result is cut to when the conversation of one answer grows too long. */
const SHORTENED = 300

/** Shortens the oldest tool results until the messages fit; what the model has just asked for stays whole. */
export function shortenResults(messages: LlmMessage[], budget: number): void {
  let total = messages.reduce((sum, message) => sum + messageTokens(message), 0)
  const lastCall = messages.findLastIndex(message => message.role === 'assistant')
  for (const [at, message] of messages.entries()) {
    if (total <= budget || at >= lastCall) return
    if (message.role !== 'tool' || message.content.length <= SHORTENED) continue
    const short = { ...message, content: `${message.content.slice(0, SHORTENED)}… (shortened)` }
    total += messageTokens(short) - messageTokens(message)
    messages[at] = short
  }
}
