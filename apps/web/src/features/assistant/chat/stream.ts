import { API_PATHS } from '@thingwright/contracts/api-paths'
import { ApiError, SessionExpiredError } from '../../../lib/api/api-error.ts'
import { send } from '../../../lib/api/send.ts'
import { urlOf } from '../../../lib/api-client.ts'
import type { PageContext } from '../model.ts'
import { FragmentReader, type ReplyPart } from './fragments.ts'
import { EventReader, type ServerEvent } from './sse.ts'

export interface Question {
  input: string
  chatId: string
  context?: PageContext | undefined
}

/** What a stream says while it comes. */
export interface StreamSink {
  /** The reply has this name on the server. */
  onReply: (replyId: string) => void
  onPart: (part: ReplyPart) => void
}

/** The stream was cut, and could not be mended: what was said until then stays. `message` may be empty. */
export class StreamCut extends Error {
  override name = 'StreamCut'
}

/** So long is waited before a cut stream is asked for again: whatever cut it has a moment to pass. */
export const RESUME_DELAY_MS = 1000

/**
 * Asks a question and reads the reply to its end. A read error is a cut: the stream is asked for once more from the last
 * event on, then it is a StreamCut. Throws ApiError when the server refuses (its status counts), SessionExpiredError
 * after the person was signed out, and the signal's reason when it was aborted.
 * @param after continue this reply after the event of this id instead of asking
 */
export async function askStream(question: Question, sink: StreamSink, signal: AbortSignal, after = ''): Promise<void> {
  const progress: Progress = { lastId: after, replyId: replyOf(after), fragments: new FragmentReader() }
  try {
    await read(await open(question, after, signal), progress, sink, signal)
  } catch (error) {
    const cut = error instanceof StreamCut && !signal.aborted
    if (!cut || after !== '' || progress.lastId === '') throw error
    await pause(RESUME_DELAY_MS, signal)
    await read(await reopen(question, progress.lastId, signal), progress, sink, signal)
  }
}

/** How far a reply has been read: what waits unparsed goes on behind a cut. */
interface Progress {
  lastId: string
  replyId: string
  fragments: FragmentReader
}

/** Asks for the rest of a cut reply: a refusal now means that it stays cut. */
async function reopen(question: Question, lastId: string, signal: AbortSignal): Promise<Response> {
  try {
    return await open(question, lastId, signal)
  } catch (error) {
    if (signal.aborted || error instanceof SessionExpiredError) throw error
    throw new StreamCut(error instanceof ApiError ? error.message : '', { cause: error })
  }
}

/** The name of the reply in an event's id `{replyId}:{n}`. */
function replyOf(id: string): string {
  const colon = id.lastIndexOf(':')
  return colon > 0 && /^\d+$/.test(id.slice(colon + 1)) ? id.slice(0, colon) : ''
}

function open({ input, chatId, context }: Question, lastId: string, signal: AbortSignal): Promise<Response> {
  const headers = new Headers({ accept: 'text/event-stream' })
  if (lastId !== '') headers.set('Last-Event-ID', lastId)
  const [method, path] = API_PATHS['assistant.chat']
  const query = {
    input,
    chatId,
    deviceId: context?.kind === 'device' ? context.id : undefined,
    productId: context?.kind === 'product' ? context.id : undefined,
  }
  return send({ method, url: urlOf(path, {}, query), headers, signal, once: true })
}

async function read(response: Response, progress: Progress, sink: StreamSink, signal: AbortSignal): Promise<void> {
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  const events = new EventReader()
  const stop = () => void reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw new StreamCut('', { cause: error })
      })
      // What came in the moment of stopping is no longer wanted.
      signal.throwIfAborted()
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true })
      take([...events.push(text), ...(done ? events.end() : [])], progress, sink)
      if (done) return
    }
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

function take(events: ServerEvent[], progress: Progress, sink: StreamSink): void {
  for (const { id, data } of events) {
    if (id !== '') progress.lastId = id
    const replyId = replyOf(id)
    if (replyId !== '' && replyId !== progress.replyId) {
      progress.replyId = replyId
      sink.onReply(replyId)
    }
    const part = progress.fragments.push(data)
    if (part) sink.onPart(part)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}
