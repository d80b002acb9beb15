import type { ChatCompletionCreateParamsStreaming, ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import type { LlmMessage, LlmRequest } from '../../../modules/assistant/llm.port.ts'
import type { Abilities } from './endpoint-abilities.ts'

/** Said to a model whose server takes no tools, so that it does not claim to have done something. */
const NO_TOOLS =
  'No tools are available in this conversation: you can look nothing up and change nothing. Say so when it is asked for.'

/** The question in the provider's words. */
export function bodyOf(request: LlmRequest, abilities: Abilities): ChatCompletionCreateParamsStreaming {
  const { messages, tools, target } = request
  const withTools = tools.length > 0 && abilities.tools
  return {
    model: target.model,
    messages: withTools || tools.length === 0 ? messages.map(toParam) : withoutTools(messages),
    stream: true,
    [abilities.maxTokensAs]: request.maxTokens,
    ...(abilities.temperature ? { temperature: request.temperature } : {}),
    ...(abilities.streamOptions ? { stream_options: { include_usage: true } } : {}),
    ...(withTools
      ? {
          tools: tools.map(({ name, description, input }) => ({
            type: 'function' as const,
            function: { name, description, parameters: input as unknown as Record<string, unknown> },
          })),
          tool_choice: 'auto' as const,
        }
      : {}),
  }
}

function toParam(message: LlmMessage): ChatCompletionMessageParam {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.toolCallId, content: message.content }
  if (message.role !== 'assistant') return { role: message.role, content: message.content }
  const calls = message.toolCalls ?? []
  if (calls.length === 0) return { role: 'assistant', content: message.content }
  return {
    role: 'assistant',
    // Some servers refuse an empty text beside calls.
    content: message.content || null,
    tool_calls: calls.map(call => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    })),
  }
}

function withoutTools(messages: readonly LlmMessage[]): ChatCompletionMessageParam[] {
  const spoken = messages.filter(({ role, content }) => role !== 'tool' && (role !== 'assistant' || content !== ''))
  const [first, ...rest] = spoken.map(({ role, content }) => ({ role, content }) as ChatCompletionMessageParam)
  if (first?.role !== 'system') return [{ role: 'system', content: NO_TOOLS }, ...(first ? [first] : []), ...rest]
  return [{ role: 'system', content: `${first.content as string}\n\n${NO_TOOLS}` }, ...rest]
}
