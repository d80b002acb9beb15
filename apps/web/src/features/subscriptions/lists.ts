import type {
  SubscriptionKind,
  SubscriptionTargetKind,
  SubscriptionView,
} from '@thingwright/contracts/subscriptions.contract'

// The contract's own lists would bring its schemas into the page; a word that is missing here fails to compile.
const listed = <T extends string>(words: Record<T, true>) => Object.keys(words) as T[]

/** Kinds of messages, in the order in which they are offered. */
export const KINDS = listed<SubscriptionKind>({
  property: true,
  event: true,
  state: true,
  command: true,
  lifecycle: true,
  firmware: true,
  alarm: true,
})

export const TARGETS = listed<SubscriptionTargetKind>({
  webhook: true,
  mqtt: true,
  websocket: true,
  nats: true,
  kafka: true,
  pull: true,
})

export const STATES = listed<SubscriptionView['state']>({ active: true, paused: true })
