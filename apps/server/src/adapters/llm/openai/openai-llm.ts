import type { LookupFunction } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type OpenAI from 'openai'
import { secretHash } from '../../../lib/crypto/secrets.ts'
import { createOutbound, OutboundError } from '../../../lib/outbound/outbound.ts'
import { LlmError, type LlmEvent, type LlmPort, type LlmRequest } from '../../../modules/assistant/llm.port.ts'
import { type Answer, createAnswer } from './answer.ts'
import { createAbilities } from './endpoint-abilities.ts'
import { createManners } from './endpoint-manners.ts'
import { bodyOf } from './request-body.ts'
import type { Patience } from './thought-filter.ts'
import { type ProviderCall, watchedFetch } from './watched-fetch.ts'

export interface OpenAiLlmOptions {
  /** CIDRs of OUTBOUND_ALLOW: what companies' own addresses may reach beside the public internet. */
  outboundAllow: readonly string[]
  /** How long a provider may think before its first byte, in ms. */
  firstByteMs?: number
  /** How long it may rest between two pieces, in ms. */
  pieceMs?: number
  /** How long the beginning of an answer is kept back of an endpoint that is not known yet. */
  stranger?: Patience
  /** Waits so many ms; the signal's reason is thrown (tests). */
  wait?(ms: number, signal: AbortSignal): Promise<void>
  /** In place of the system's resolver, for companies' own addresses. */
  lookup?: LookupFunction
}

/** More than any answer: a provider that never ends is cut off. */
const MOST_BYTES = 8 * 1024 * 1024
/** An answer of `maxTokens` is no longer than that; a provider that does not keep to it is cut off. */
const CHARACTERS_A_TOKEN = 16
/** A person waits: what is to wait longer is not waited for, and not asked again before its time. */
const LONGEST_WAIT_MS = 20_000
const MOST_WAITS = 2
/** No provider is left alone for longer, whatever it says. */
const LONGEST_REST_MS = 10 * 60_000
const MOST_RESTING = 200

/**
 * Models behind the OpenAI chat-completions protocol. A company's own address is asked through the guard of every
 * address that people type in (lib/outbound/outbound.ts); the installation's is trusted. The client library is loaded with the
 * first question.
 */
export function createOpenAiLlm(options: OpenAiLlmOptions): LlmPort {
  const { firstByteMs = 60_000, pieceMs = 30_000, lookup, wait = waitFor } = options
  const outbound = createOutbound({
    allow: options.outboundAllow,
    timeoutMs: firstByteMs,
    maxBytes: MOST_BYTES,
    ...(lookup ? { lookup } : {}),
  })
  const abilities = createAbilities()
  const manners = createManners(options.stranger)
  const running = new Set<AbortController>()
  /** Until when endpoints are not asked, because they said so. */
  const resting = new Map<string, number>()
  let closed = false

  /** One request to the provider. */
  async function* ask(request: LlmRequest, answer: Answer, call: ProviderCall): AsyncGenerator<LlmEvent> {
    const { target } = request
    const client = await clientOf(target, call)
    const chunks = await client.chat.completions.create(bodyOf(request, abilities.of(target)), { signal: call.signal })
    for await (const chunk of withPauses(chunks, () => answer.dueIn())) {
      const text = chunk === PAUSE ? answer.late() : answer.take(chunk)
      if (text) yield { type: 'text', text }
      if (answer.full) break
    }
    // An aborted stream ends as if it were complete.
    call.signal.throwIfAborted()
    yield* answer.end()
    manners.learn(target, answer.manner)
  }

  const endpointOf = ({ baseUrl, model, apiKey }: LlmRequest['target']) =>
    secretHash(JSON.stringify([baseUrl, model, apiKey])).toString('base64')

  /** @returns ms that are to be waited before it is asked again; null: it is not */
  function pauseAfter(failure: LlmError, call: ProviderCall, target: LlmRequest['target'], waits: number) {
    const told = failure.status === 429 ? (call.refusal?.retryAfterMs ?? null) : null
    if (told === null) return null
    if (told <= LONGEST_WAIT_MS && waits < MOST_WAITS) return told
    if (resting.size >= MOST_RESTING) resting.delete(resting.keys().next().value!)
    resting.set(endpointOf(target), performance.now() + Math.min(told, LONGEST_REST_MS))
    return null
  }

  /** @throws LlmError while the endpoint wants not to be asked */
  function refuseResting(target: LlmRequest['target']): void {
    const until = resting.get(endpointOf(target)) ?? 0
    if (until > performance.now()) throw new LlmError('rate', 'it said to wait', 429)
    resting.delete(endpointOf(target))
  }

  async function* chat(request: LlmRequest): AsyncGenerator<LlmEvent> {
    request.signal.throwIfAborted()
    if (closed) throw new LlmError('unreachable', 'the server stops')
    refuseResting(request.target)
    const control = new AbortController()
    running.add(control)
    const signal = AbortSignal.any([request.signal, control.signal])
    const timing = { firstByteMs, pieceMs, mostBytes: MOST_BYTES, onTimeout: (e: LlmError) => control.abort(e), signal }
    try {
      let waits = 0
      // Each ability is taken back at most once, and it is waited for so often only: this ends.
      for (;;) {
        const call = watchedFetch(request.target.trusted ? null : outbound, timing)
        const answer = createAnswer(manners.of(request.target), request.maxTokens * CHARACTERS_A_TOKEN)
        try {
          yield* ask(request, answer, call)
          return
        } catch (error) {
          if (request.signal.aborted) throw request.signal.reason
          const failure = failureOf(error, call, request.target.apiKey)
          const pause = answer.began ? null : pauseAfter(failure, call, request.target, waits)
          if (pause !== null) {
            waits++
            await wait(pause, signal)
            continue
          }
          const again = !answer.began && abilities.learn(request.target, failure, request.tools.length > 0)
          if (again) continue
          const rest = answer.rest()
          if (rest) yield { type: 'text', text: rest }
          throw failure
        }
      }
    } finally {
      running.delete(control)
      // Whoever stops reading frees the provider as well.
      control.abort()
    }
  }

  return {
    chat,
    close() {
      closed = true
      for (const control of running) control.abort(new LlmError('unreachable', 'the server stops'))
      outbound.close()
    },
  }
}

/** Nothing came for as long as was waited. */
const PAUSE = Symbol('pause')

/** The pieces of a stream; where none comes within `patience()` ms, a pause. */
async function* withPauses<T>(
  pieces: AsyncIterable<T>,
  patience: () => number | null,
): AsyncGenerator<T | typeof PAUSE> {
  const source = pieces[Symbol.asyncIterator]()
  try {
    let next = source.next()
    for (;;) {
      const ms = patience()
      const over = new AbortController()
      const pause = ms === null ? null : setTimeout(ms, PAUSE, { signal: over.signal }).catch(() => PAUSE)
      const came = await (pause === null ? next : Promise.race([next, pause]))
      over.abort()
      if (came === PAUSE) {
        yield PAUSE
        continue
      }
      const { value, done } = came as IteratorResult<T>
      if (done) return
      yield value
      next = source.next()
    }
  } finally {
    // Not waited for: a piece may still be on its way, and the request is ended by its signal.
    source.return?.().catch(() => undefined)
  }
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined)
  signal.throwIfAborted()
}

/**
 * The library's client. Everything that it would read from the environment is set: a company's own address must not be
 * told another one's organisation, and nothing of a conversation may be printed (OPENAI_LOG).
 */
async function clientOf(target: LlmRequest['target'], call: ProviderCall): Promise<OpenAI> {
  const { OpenAI: Client } = await import('openai')
  return new Client({
    baseURL: target.baseUrl,
    apiKey: target.apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    // Times are watched below, byte by byte.
    timeout: 2_000_000_000,
    fetch: call.fetch,
    ...(target.apiKey === null ? { defaultHeaders: { Authorization: null } } : {}),
  })
}

/** What went wrong, without the key in case the provider repeats it. */
function failureOf(error: unknown, call: ProviderCall, apiKey: string | null): LlmError {
  const cause = [call.signal.reason, error, (error as Error)?.cause].find(one => one instanceof LlmError)
  if (cause instanceof LlmError && call.signal.aborted) return cause
  const clean = (text: string) =>
    (apiKey ? text.replaceAll(apiKey, '…') : text)
      // Providers name a wrong key by its beginning and its end.
      .replaceAll(/\b(sk|key)-[\w*.-]{6,}/g, '…')
      .replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
      .slice(0, 200)
  if (error instanceof LlmError) return new LlmError(error.reason, clean(error.said), error.status)
  const out = [error, (error as Error)?.cause].find(one => one instanceof OutboundError) as OutboundError | undefined
  if (out?.failure === 'blocked') return new LlmError('blocked', 'this address is not asked')
  if (out?.failure === 'timeout') return new LlmError('timeout', clean(out.message))
  if (out?.failure === 'too_long') return new LlmError('broken', 'the answer has no end')
  const { status, said } = call.refusal ?? { status: null, said: '' }
  if (status !== null) {
    const text = clean([`HTTP ${status}`, said].filter(Boolean).join(': '))
    if (status === 429) return new LlmError('rate', text, status)
    if (status === 408 || status === 504) return new LlmError('timeout', text, status)
    if (status >= 500) return new LlmError('broken', text, status)
    return new LlmError('refused', text, status)
  }
  if (call.answered) return new LlmError('broken', clean(insideError(error) || 'the connection broke off'))
  return new LlmError('unreachable', out?.failure === 'tls' ? 'no trustworthy TLS connection' : 'no connection')
}

/** The message of an error that came inside a stream that had begun well. */
function insideError(error: unknown): string {
  const { message } = (error as { error?: { message?: unknown } | null } | null)?.error ?? {}
  return typeof message === 'string' ? message : ''
}
