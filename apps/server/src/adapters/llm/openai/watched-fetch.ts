import type { Outbound } from '../../../lib/outbound/outbound.ts'
import { LlmError } from '../../../modules/assistant/llm.port.ts'

/** One request on its way: its transport for the client library, and what became of it. */
export interface ProviderCall {
  fetch(url: string | URL | Request, init?: RequestInit): Promise<Response>
  readonly signal: AbortSignal
  /** The provider sent headers of success. */
  readonly answered: boolean
  /** It sent another status; `said` is the message of its JSON, empty where there is none. */
  readonly refusal: Refusal | null
}

export interface Refusal {
  status: number
  said: string
  /** When it may be asked again, ms from now, as it says; null: it says nothing. */
  retryAfterMs: number | null
}

export interface Timing {
  firstByteMs: number
  pieceMs: number
  mostBytes: number
  /** Ends the call. */
  onTimeout(error: LlmError): void
  signal: AbortSignal
}

/** What leaves in headers; nothing that the environment or the library would add. */
const HEADERS = ['authorization', 'content-type', 'accept']
/** Of a refusal. */
const REFUSAL_BYTES = 65_536

/** @param outbound for addresses that people typed in; null: the address is trusted */
export function watchedFetch(outbound: Outbound | null, timing: Timing): ProviderCall {
  const { signal } = timing
  let answered = false
  let refusal: Refusal | null = null

  function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
    const timer = setTimeout(() => timing.onTimeout(new LlmError('timeout', `${what} within ${ms} ms`)), ms)
    return work.finally(() => clearTimeout(timer))
  }

  async function send(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const given = new Headers(init.headers)
    const headers: Record<string, string> = { 'user-agent': 'Thingwright' }
    for (const name of HEADERS) {
      const value = given.get(name)
      if (value !== null) headers[name] = value
    }
    const address = url instanceof Request ? url.url : url
    const body = init.body as string
    const began = performance.now()
    const answer = await within(
      timing.firstByteMs,
      'no answer',
      outbound
        ? outbound.fetch(address, { method: 'POST', headers, body, signal, stream: true })
        : // Neither follows redirects: the key is for the address that was named.
          fetch(address, { method: 'POST', headers, body, signal, redirect: 'manual' }),
    )
    const pieces = answer.body
      ? watched(answer.body, Math.max(1, timing.firstByteMs - (performance.now() - began)))
      : null
    if (!answer.ok) {
      const said = messageOf(await beginningOf(pieces))
      refusal = { status: answer.status, said, retryAfterMs: retryAfter(answer.headers, Date.now()) }
      return new Response(null, { status: answer.status >= 300 && answer.status < 600 ? answer.status : 502 })
    }
    answered = true
    return new Response(pieces, { status: 200, headers: answer.headers })
  }

  /** The same bytes; the clock runs only while somebody waits for the next. */
  function watched(body: ReadableStream<Uint8Array>, firstMs: number): ReadableStream<Uint8Array> {
    const reader = body.getReader()
    let size = 0
    return new ReadableStream<Uint8Array>({
      async pull(stream) {
        const first = size === 0
        const { done, value } = await within(
          first ? firstMs : timing.pieceMs,
          first ? 'no first byte' : 'no next piece',
          reader.read(),
        )
        if (done) {
          stream.close()
          return
        }
        size += value.length
        if (size > timing.mostBytes) {
          reader.cancel().catch(() => {})
          throw new LlmError('broken', 'the answer has no end')
        }
        stream.enqueue(value)
      },
      cancel: reason => reader.cancel(reason),
    })
  }

  return {
    fetch: send,
    signal,
    get answered() {
      return answered
    },
    get refusal() {
      return refusal
    },
  }
}

/** RFC 9110 §10.2.3, seconds or a date; and `retry-after-ms`, which some providers send beside it. */
export function retryAfter(headers: Headers, now: number): number | null {
  const exact = headers.get('retry-after-ms')?.trim()
  if (exact && /^\d{1,12}(\.\d+)?$/.test(exact)) return Number(exact)
  const told = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}(\.\d+)?$/.test(told)) return Number(told) * 1000
  const at = /[a-z]/i.test(told) ? Date.parse(told) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

async function beginningOf(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (!body) return ''
  const parts: Uint8Array[] = []
  let size = 0
  // Leaving the loop cancels the rest.
  for await (const part of body) {
    parts.push(part)
    size += part.length
    if (size >= REFUSAL_BYTES) break
  }
  return Buffer.concat(parts).toString('utf8')
}

/**
 * The message of a refusal as the known servers write it. Anything that is not such JSON stays unsaid: behind an address
 * that somebody typed in may stand a page that is not for his eyes.
 */
function messageOf(text: string): string {
  try {
    const body = JSON.parse(text) as Record<string, unknown> | null
    const inner = body?.error as Record<string, unknown> | string | undefined
    const found = [typeof inner === 'object' ? inner?.message : inner, body?.message, body?.detail]
    return String(found.find(one => typeof one === 'string') ?? '')
  } catch {
    return ''
  }
}
