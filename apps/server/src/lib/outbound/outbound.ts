import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import { createAddressGuard, OutboundError, outboundError } from './outbound-guard.ts'
import { portOf } from './port-of.ts'

export { OutboundError, type OutboundFailure } from './outbound-guard.ts'

export interface OutboundOptions {
  /** CIDRs that may be reached although they are internal, also without TLS (OUTBOUND_ALLOW). */
  allow: readonly string[]
  /** From the first byte sent to the last byte of the answer. */
  timeoutMs?: number
  /** Bytes of an answer; more is an error, or cut off where the request says so. */
  maxBytes?: number
  /** Connections are kept for the next request. Whoever wants that has a client of his own, and nobody else's sockets. */
  keepAlive?: boolean
  /** In place of the system's resolver. */
  lookup?: LookupFunction
}

export interface OutboundRequest {
  method?: string | undefined
  headers?: Record<string, string> | Headers | undefined
  body?: string | URLSearchParams | Uint8Array | null | undefined
  signal?: AbortSignal | null | undefined
  /** The beginning of a long answer is enough: the rest is not read and the connection ends. */
  cut?: boolean
  /**
   * The answer is there with its headers and its body is read piece by piece, as it comes: `timeoutMs` counts to the
   * headers only, and whoever reads looks after the rest. Not read to its end it must be cancelled or aborted.
   */
  stream?: boolean
}

/**
 * Requests to addresses that people typed in. Internal addresses are refused where the connection is made, after the
 * name was resolved, and the connected socket is looked at once more, also a kept one: no name can point back inside
 * (CWE-918). Redirects are handed back, not followed; plain http only reaches what OUTBOUND_ALLOW names.
 */
export interface Outbound {
  /** @throws OutboundError saying in one word why there is no answer */
  fetch(url: string | URL, request?: OutboundRequest): Promise<Response>
  /** Ends kept connections. */
  close(): void
}

/** A receiver's kept connections; more wait. */
const SOCKETS_PER_HOST = 8
const KEPT_IDLE_MS = 15_000

export function createOutbound(options: OutboundOptions): Outbound {
  const { timeoutMs = 10_000, maxBytes = 1_048_576, keepAlive = false } = options
  const guard = createAddressGuard(options.allow, options.lookup)
  const pool = { keepAlive, maxSockets: SOCKETS_PER_HOST, ...(keepAlive ? { timeout: KEPT_IDLE_MS } : {}) }
  const agents = { plain: new http.Agent(pool), secure: new https.Agent(pool) }

  /** One try. */
  function once(url: URL, request: OutboundRequest): { outgoing: ClientRequest; answer: Promise<Response> } {
    const encrypted = url.protocol === 'https:'
    const outgoing = (encrypted ? https : http).request(url, {
      method: request.method ?? 'GET',
      headers: Object.fromEntries(new Headers(request.headers)),
      agent: encrypted ? agents.secure : agents.plain,
      lookup: guard.lookup(encrypted),
    })
    const answer = new Promise<Response>((resolve, reject) => {
      const fail = (error: Error) => reject(outboundError(error))
      const stop = (error: OutboundError) => {
        fail(error)
        outgoing.destroy(error)
      }
      const timer = setTimeout(() => stop(new OutboundError(`no answer within ${timeoutMs} ms`, 'timeout')), timeoutMs)
      const onAbort = () => stop(new OutboundError('not waited for any longer', 'aborted'))
      request.signal?.addEventListener('abort', onAbort, { once: true })
      outgoing.once('close', () => {
        clearTimeout(timer)
        request.signal?.removeEventListener('abort', onAbort)
        // Closed without an answer or an error: nobody may wait for ever.
        fail(new Error('the connection ended without an answer'))
      })
      outgoing.once('socket', (socket: Socket) => {
        const look = () => {
          if (guard.permits(socket.remoteAddress, encrypted)) return
          stop(new OutboundError(`${url.hostname} is not asked`, 'blocked'))
          socket.destroy()
        }
        if (socket.connecting) socket.once('connect', look)
        else look()
      })
      outgoing.on('error', fail)
      outgoing.on('response', answer => {
        if (request.stream) {
          clearTimeout(timer)
          resolve(responseOf(answer, pieces(answer, maxBytes)))
          return
        }
        read(answer, maxBytes, request.cut ?? false, fail, body => {
          resolve(responseOf(answer, body))
          if (!answer.complete) outgoing.destroy()
        })
      })
    })
    outgoing.end(request.body instanceof URLSearchParams ? request.body.toString() : (request.body ?? undefined))
    return { outgoing, answer }
  }

  return {
    async fetch(target, request = {}) {
      const url = new URL(target)
      if (url.protocol !== 'https:' && url.protocol !== 'http:')
        throw new OutboundError(`${url.protocol}//… is not asked`, 'blocked')
      const encrypted = url.protocol === 'https:'
      if (!encrypted && options.allow.length === 0) throw new OutboundError('only https is asked', 'blocked')
      if (url.username || url.password) throw new OutboundError('an address carries no user name', 'blocked')
      guard.check(url.hostname, portOf(url, encrypted ? 443 : 80), encrypted)
      if (request.signal?.aborted) throw new OutboundError('not waited for any longer', 'aborted')
      const first = once(url, request)
      try {
        return await first.answer
      } catch (error) {
        // A kept connection that the other side closed while we wrote: it has read nothing of this request.
        const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException
        const stale = first.outgoing.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')
        if (!stale || request.signal?.aborted) throw error
        return await once(url, request).answer
      }
    },
    close() {
      agents.plain.destroy()
      agents.secure.destroy()
    },
  }
}

/** Calls back within the event that ended the answer: the request's own end comes right behind it. */
function read(
  answer: IncomingMessage,
  maxBytes: number,
  cut: boolean,
  failed: (error: Error) => void,
  done: (body: Buffer) => void,
): void {
  const parts: Buffer[] = []
  let size = 0
  answer.on('data', (part: Buffer) => {
    size += part.length
    parts.push(part)
    if (size <= maxBytes) return
    answer.pause()
    if (cut) done(Buffer.concat(parts, maxBytes))
    else answer.destroy(new OutboundError(`more than ${maxBytes} bytes`, 'too_long'))
  })
  answer.on('error', failed)
  answer.on('end', () => done(Buffer.concat(parts)))
}

/** The body as it comes, no faster than it is read. */
function pieces(answer: IncomingMessage, maxBytes: number): ReadableStream<Uint8Array> {
  const parts = answer[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let size = 0
  return new ReadableStream<Uint8Array>({
    async pull(stream) {
      try {
        const { done, value } = await parts.next()
        if (done) {
          stream.close()
          return
        }
        size += value.length
        if (size > maxBytes) throw new OutboundError(`more than ${maxBytes} bytes`, 'too_long')
        stream.enqueue(value)
      } catch (error) {
        answer.destroy()
        stream.error(outboundError(error as Error))
      }
    },
    cancel() {
      answer.destroy()
    },
  })
}

function responseOf(answer: IncomingMessage, body: Buffer | ReadableStream<Uint8Array>): Response {
  const status = answer.statusCode ?? 502
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers))
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one)
  const empty = status === 204 || status === 205 || status === 304 || status < 200
  // `Response` takes 200-599 only.
  return new Response(empty ? null : body, { status: status < 200 || status > 599 ? 502 : status, headers })
}
