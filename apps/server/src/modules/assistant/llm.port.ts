import type { TObject } from 'typebox'

/** A model that speaks the OpenAI chat-completions protocol, whoever runs it. */
export interface LlmTarget {
  /** Without `/chat/completions`. */
  baseUrl: string
  apiKey: string | null
  model: string
  /** Named by the installation: internal addresses may be asked. A company's own is guarded like a webhook. */
  trusted: boolean
}

export type LlmMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: LlmToolCall[] }
  | { role: 'tool'; toolCallId: string; content: string }

export interface LlmToolCall {
  id: string
  name: string
  /** As the model wrote it; not checked, not even JSON. */
  arguments: string
}

export interface LlmTool {
  name: string
  description: string
  input: TObject
}

export interface LlmRequest {
  target: LlmTarget
  messages: LlmMessage[]
  tools: LlmTool[]
  temperature: number
  /** Of this answer. */
  maxTokens: number
  signal: AbortSignal
}

export type LlmEvent =
  | { type: 'text'; text: string }
  /** Whole: its pieces were put together. */
  | { type: 'tool'; call: LlmToolCall }
  /** The answer reached `maxTokens` and stops in the middle. */
  | { type: 'cut' }
  | { type: 'usage'; promptTokens: number; completionTokens: number }

/** Why there is no answer (any more); `said` is what may be shown to the person who asked. */
export class LlmError extends Error {
  constructor(
    readonly reason: 'unreachable' | 'refused' | 'rate' | 'timeout' | 'broken' | 'blocked',
    readonly said: string,
    readonly status: number | null = null,
  ) {
    super(said)
    this.name = 'LlmError'
  }
}

export interface LlmPort {
  /**
   * One answer, piece by piece. An aborted signal ends the provider's request at once, and its reason is thrown.
   * Never asked twice once something came back.
   * @throws LlmError
   */
  chat(request: LlmRequest): AsyncIterable<LlmEvent>
  close(): void
}
