import type { LlmMessage, LlmTool } from '../llm.port.ts'

/**
 * About how many tokens a text is, rather too many than too few: a Chinese character is one, four other characters are
 * one. For providers that do not say, and to keep a conversation within bounds.
 */
export function estimateTokens(text: string): number {
  let wide = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x2e7f) wide++
  return wide + Math.ceil((text.length - wide) / 4)
}

/** Of one message with its calls. */
export function messageTokens(message: LlmMessage): number {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  return (
    4 + estimateTokens(message.content) + calls.reduce((sum, c) => sum + 8 + estimateTokens(c.name + c.arguments), 0)
  )
}

export function requestTokens(messages: readonly LlmMessage[], tools: readonly LlmTool[]): number {
  return (
    messages.reduce((sum, message) => sum + messageTokens(message), 0) +
    tools.reduce((sum, tool) => sum + estimateTokens(tool.name + tool.description + JSON.stringify(tool.input)), 0)
  )
}
