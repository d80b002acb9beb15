import { createHmac, randomBytes } from 'node:crypto'
import type { LookupFunction } from 'node:net'
import { createOutbound, type Outbound, OutboundError } from '../../../lib/outbound/outbound.ts'
import type {
  DeliveryBatch,
  DeliveryFailure,
  DeliveryOutcome,
  TargetAdapter,
} from '../../../modules/subscriptions/target.port.ts'

export interface WebhookOptions {
  /** CIDRs of OUTBOUND_ALLOW. */
  allow: readonly string[]
  /** Epoch ms, for the signature's time. */
  now(): number
  timeoutMs?: number
  /** In place of the system's resolver, for tests. */
  lookup?: LookupFunction
}

const TIMEOUT_MS = 10_000
/** Bytes of an answer that are read; it says nothing that has to be kept whole. */
const ANSWER_BYTES = 64 * 1024
/** Characters of an answer that the delivery log gets. */
const ANSWER_SHOWN = 2048
/** The longest time that a receiver may ask us to wait. */
const LONGEST_WAIT_MS = 24 * 60 * 60_000

/** Statuses that no second try of the same body will change. */
const NEVER = new Set([400, 413, 415, 422])

const FAILURES: Record<OutboundError['failure'], DeliveryFailure> = {
  blocked: 'blocked',
  timeout: 'timeout',
  aborted: 'timeout',
  unreachable: 'unreachable',
  tls: 'tls',
  too_long: 'protocol',
}

/**
 * `t={ms},n={nonce},v1={hex HMAC-SHA256 of "t.n.body"}` (interfaces.md §3). While a secret is being replaced there are
 * two `v1`, of the new one first: one of them has to fit.
 */
export function signatureOf(body: string, secrets: readonly string[], now: number, nonce: string): string {
  const signed = secrets.map(
    secret => `v1=${createHmac('sha256', secret).update(`${now}.${nonce}.${body}`).digest('hex')}`,
  )
  return [`t=${now}`, `n=${nonce}`, ...signed].join(',')
}

/** HTTP(S) receivers: one POST per batch, signed, connections of this subscription alone. */
export function createWebhookAdapter(options: WebhookOptions): TargetAdapter {
  return {
    open({ subscriptionId, target, secrets }) {
      if (target.kind !== 'webhook') throw new Error('not a webhook')
      const { url } = target
      const own = headersOf(target.headers ?? {})
      const outbound = createOutbound({
        allow: options.allow,
        timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
        maxBytes: ANSWER_BYTES,
        keepAlive: true,
        ...(options.lookup ? { lookup: options.lookup } : {}),
      })
      const post = (batch: DeliveryBatch, signal: AbortSignal) =>
        ask(outbound, signal, () => ({
          url,
          body: batch.body,
          headers: {
            'user-agent': 'Thingwright',
            ...own,
            'content-type': batch.contentType,
            'thingwright-subscription': subscriptionId,
            'thingwright-attempt': String(batch.attempt),
            'thingwright-signature': signatureOf(batch.body, secrets, options.now(), randomBytes(12).toString('hex')),
          },
        }))
      return { deliver: post, test: post, close: async () => outbound.close() }
    },
  }
}

/** What the connection itself and the signature are made of is not for anybody to set. */
const NOT_THEIRS = /^(host|connection|content-|transfer-|te$|trailer|upgrade|keep-alive|expect|proxy-|thingwright-)/

function headersOf(asked: Record<string, string>): Record<string, string> {
  const named = Object.entries(asked).map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(named.filter(([name]) => !NOT_THEIRS.test(name)))
}

async function ask(
  outbound: Outbound,
  signal: AbortSignal,
  request: () => { url: string; body: string; headers: Record<string, string> },
): Promise<DeliveryOutcome> {
  const began = performance.now()
  const latency = () => Math.round(performance.now() - began)
  const { url, body, headers } = request()
  try {
    const answer = await outbound.fetch(url, { method: 'POST', body, headers, signal, cut: true })
    const text = (await answer.text()).slice(0, ANSWER_SHOWN)
    return outcomeOf(answer, { status: answer.status, latencyMs: latency(), ...(text ? { answer: text } : {}) })
  } catch (error) {
    // Told to stop: nobody failed.
    if (signal.aborted) return { kind: 'away' }
    const failure = error instanceof OutboundError ? FAILURES[error.failure] : 'protocol'
    return { kind: 'retry', reason: failure, detail: (error as Error).message, latencyMs: latency() }
  }
}

function outcomeOf(response: Response, facts: { status: number; latencyMs: number; answer?: string }): DeliveryOutcome {
  const { status } = facts
  if (status >= 200 && status < 300) return { kind: 'ok', ...facts }
  if (status >= 300 && status < 400) {
    const to = response.headers.get('location')
    return { kind: 'retry', reason: 'redirect', ...(to ? { detail: to.slice(0, 256) } : {}), ...facts }
  }
  if (NEVER.has(status)) return { kind: 'refused', reason: 'status', ...facts }
  const reason = status === 401 || status === 403 || status === 407 ? 'unauthorized' : 'status'
  const retryAfterMs = retryAfter(response.headers.get('retry-after'))
  return { kind: 'retry', reason, ...(retryAfterMs === null ? {} : { retryAfterMs }), ...facts }
}

/** Seconds or a date (RFC 9110 §10.2.3); null: neither. */
function retryAfter(value: string | null): number | null {
  if (value === null) return null
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_WAIT_MS) : null
}
