import type { SubscriptionTarget } from '@thingwright/contracts/subscriptions.contract'

/** One item as it leaves: its facts, and itself in the payload the subscription chose. */
export interface DeliveryItem {
  /** Place in the subscription's queue; grows, may have gaps. Acknowledgements of streams name it. */
  readonly cursor: number
  /** Constant over retries, restarts and replays; the receiver's key against duplicates. */
  readonly id: string
  /** property, event, state, command, lifecycle, firmware. */
  readonly type: string
  /** Epoch ms. */
  readonly ts: number
  readonly productKey: string
  readonly deviceNo: string
  readonly deviceId: string
  /** The item alone, rendered (envelope, TLINK-shaped or template): what a message broker gets. */
  readonly payload: string
}

/** Items of one subscription, oldest first; those of one device stand in its order. 1-100 of them. */
export interface DeliveryBatch {
  readonly subscriptionId: string
  readonly tenantId: string
  readonly items: readonly DeliveryItem[]
  /** All items as one body, for targets that take several at once: what a webhook gets, byte for byte the same at every try. */
  readonly body: string
  readonly contentType: string
  /** 1 at the first try. */
  readonly attempt: number
}

/** Why a try failed; stable words, shown in the delivery log. */
export type DeliveryFailure =
  /** No answer in time. */
  | 'timeout'
  /** The connection was refused, reset or never came about; the name does not resolve. */
  | 'unreachable'
  /** The address is one that must not be asked (internal, or a redirect). */
  | 'blocked'
  | 'redirect'
  /** TLS failed. */
  | 'tls'
  /** An HTTP status outside 2xx, or the like of it; `status` says which. */
  | 'status'
  /** The other side refused who we are. */
  | 'unauthorized'
  /** It answered what cannot be understood. */
  | 'protocol'
  /** The target's library is not there (Kafka). */
  | 'not_available'

interface Answer {
  readonly latencyMs: number
  /** HTTP status, or the broker's code. */
  readonly status?: number
  /** What was answered, as text, at most 2 KB of it. */
  readonly answer?: string
}

export type DeliveryOutcome =
  /** All items arrived. */
  | ({ readonly kind: 'ok' } & Answer)
  /** The first `acknowledged` items arrived (may be 0), the rest is tried again at once. */
  | ({ readonly kind: 'partial'; readonly acknowledged: number } & Answer)
  /** Nothing is known to have arrived: tried again later, not before `retryAfterMs` if the other side named a time. */
  | ({
      readonly kind: 'retry'
      readonly reason: DeliveryFailure
      readonly detail?: string
      readonly retryAfterMs?: number
    } & Answer)
  /** The other side will never take this body (400, 413, 422, too large): the culprit is found and goes to the dead letters. */
  | ({ readonly kind: 'refused'; readonly reason: DeliveryFailure; readonly detail?: string } & Answer)
  /** The client of an MQTT or WebSocket target is away: no failure, no log; tried again after `wake()`. */
  | { readonly kind: 'away' }

/** A connected target of one subscription. Calls come one at a time; what is thrown counts as `retry`, `protocol`. */
export interface Target {
  /** Must settle soon after `signal` aborts (the subscription was changed, paused or the server stops). */
  deliver(batch: DeliveryBatch, signal: AbortSignal): Promise<DeliveryOutcome>
  /** One marked sample; nothing of the queue. May run beside `deliver`. */
  test(batch: DeliveryBatch, signal: AbortSignal): Promise<DeliveryOutcome>
  close(): Promise<void>
}

export interface TargetSettings {
  readonly subscriptionId: string
  readonly tenantId: string
  readonly name: string
  /** As stored, its secrets in clear text (`secret`, `password`, `token`); never logged. */
  readonly target: SubscriptionTarget
  /** Signing secrets of a webhook, newest first; two while one is being replaced. */
  readonly secrets: readonly string[]
}

export interface TargetEvents {
  /** Somebody came who can take items (a client subscribed): the deliverer asks `deliver` again. */
  wake(): void
}

/** Makes targets of one kind; made once by `app/container.ts` and handed to the module as a record by kind. */
export interface TargetAdapter {
  /** Makes no connection yet; connects at the first `deliver` or `test` and keeps it until `close`. */
  open(settings: TargetSettings, events: TargetEvents): Target
}

/** Adapters by target kind; a kind that is missing is offered to nobody (422 subscription.target_not_available). `pull` needs none. */
export type TargetAdapters = Partial<Record<Exclude<SubscriptionTarget['kind'], 'pull'>, TargetAdapter>>
