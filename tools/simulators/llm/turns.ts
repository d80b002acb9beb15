/** What the simulated model answers to one request. */
export interface Turn {
  /** Streamed in pieces of a few characters. */
  text?: string
  /** Streamed before it as `reasoning_content`, which no client shows. */
  reasoning?: string
  toolCalls?: {
    /** Made up where it is missing. */
    id?: string
    name: string
    /** A text goes out as it is, broken JSON included. */
    arguments?: unknown
  }[]
  /** Null: the provider sends none although it was asked to. Missing: counted from the texts. */
  usage?: { prompt: number; completion: number } | null
  /** `stop`, or `tool_calls`, unless the turn says otherwise; null: never sent. */
  finish?: string | null
  /** An HTTP status other than 200, with the error as the turn says it. */
  status?: number
  error?: unknown
  headers?: Record<string, string>
  fault?: Fault
}

export type Fault =
  /** Takes the request and never answers. */
  | 'silent'
  /** Sends its headers and nothing more. */
  | 'no-first-byte'
  /** Half of the answer, then nothing, with the connection open. */
  | 'stall'
  /** Half of the answer, then the connection is gone. */
  | 'cut'
  /** Half of the answer, then a clean end without `[DONE]`. */
  | 'unfinished'
  /** Text for ever. */
  | 'endless'
  /** Bytes that are no JSON in the middle. */
  | 'garbage'
  /** An error object in the middle of the stream. */
  | 'error-inside'

export interface ChatMessage {
  role: string
  content?: unknown
  tool_calls?: { id?: string; type?: string; function?: { name?: string; arguments?: unknown } }[]
  tool_call_id?: string
}

export interface ChatRequest {
  model: string
  messages: ChatMessage[]
  tools?: { type?: string; function?: { name?: string; description?: string; parameters?: unknown } }[]
  stream?: boolean
  stream_options?: { include_usage?: boolean }
  temperature?: number
  max_tokens?: number
  max_completion_tokens?: number
  [field: string]: unknown
}

/** The chunks of an answer as they are written behind `data: `, in order. */
export function chunksOf(turn: Turn, request: ChatRequest, id: string): string[] {
  const base = { id, object: 'chat.completion.chunk', created: 1_767_225_600, model: request.model }
  const chunk = (delta: object, finish: string | null = null) =>
    JSON.stringify({ ...base, choices: [{ index: 0, delta, finish_reason: finish }] })
  const calls = turn.toolCalls ?? []
  const out = [chunk({ role: 'assistant', content: '' })]
  for (const part of inPieces(turn.reasoning ?? '', 7)) out.push(chunk({ content: null, reasoning_content: part }))
  for (const part of inPieces(turn.text ?? '', 3)) out.push(chunk({ content: part }))
  const written = calls.map(call => {
    const given = call.arguments ?? {}
    return typeof given === 'string' ? given : JSON.stringify(given)
  })
  calls.forEach((call, index) => {
    const name = call.name
    const call_id = call.id ?? `${id}-call-${index}`
    out.push(chunk({ tool_calls: [{ index, id: call_id, type: 'function', function: { name, arguments: '' } }] }))
  })
  // The arguments of several calls come in turns, as they do from servers that think of them at once.
  const pieces = written.map(text => inPieces(text, 5))
  for (let round = 0; pieces.some(list => round < list.length); round++)
    pieces.forEach((list, index) => {
      const part = list[round]
      if (part !== undefined) out.push(chunk({ tool_calls: [{ index, function: { arguments: part } }] }))
    })
  const finish = turn.finish === undefined ? (calls.length > 0 ? 'tool_calls' : 'stop') : turn.finish
  if (finish !== null) out.push(chunk({}, finish))
  if (request.stream_options?.include_usage && turn.usage !== null) {
    const prompt = turn.usage?.prompt ?? Math.ceil(JSON.stringify(request.messages).length / 4)
    const completion = turn.usage?.completion ?? Math.ceil(((turn.text ?? '').length + written.join('').length) / 4)
    const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
    out.push(JSON.stringify({ ...base, choices: [], usage }))
  }
  return out
}

/** By code points: a piece of a JSON text must be a text. */
function inPieces(text: string, size: number): string[] {
  const points = [...text]
  const out: string[] = []
  for (let at = 0; at < points.length; at += size) out.push(points.slice(at, at + size).join(''))
  return out
}
