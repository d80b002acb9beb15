/** One message to the account of a subscription on our own MQTT listener. */
export interface SubscriberMessage {
  /** Its place in the queue. */
  key: number
  topic: string
  payload: string
}

/** How far a delivery came. */
export type SubscriberAnswer =
  /** The first `acknowledged` messages were acknowledged (QoS 1), written (QoS 0), or lie outside what the client asked for. */
  | { kind: 'acknowledged'; acknowledged: number }
  /** The client answered the next one with an error (MQTT 5.0), or cannot take a message so long. */
  | { kind: 'refused'; acknowledged: number; reason: number }
  /** The client is there and acknowledges nothing: its connection was ended. */
  | { kind: 'stalled'; acknowledged: number }
  /** The client is not signed in, or has not subscribed. */
  | { kind: 'away' }

/** The client that signs in as `sub/{subscriptionId}` on the MQTT listener. */
export interface SubscriberSignIn {
  subscriptionId: string
  password: string
  /** "ip:port" */
  address: string
}

/** Clients of subscriptions, whose sessions the gateway process holds. Implemented over IPC. */
export interface SubscriberPort {
  /**
   * Hands messages to the account's client, in order; settles when all are acknowledged (of many: enough of them), when
   * the client goes, or when `signal` aborts. One call at a time per subscription. Calls of one `flow` go on where the
   * one before ended: what is on its way since then and stands in front again is not sent twice.
   */
  deliver(
    subscriptionId: string,
    flow: string,
    messages: readonly SubscriberMessage[],
    signal: AbortSignal,
  ): Promise<SubscriberAnswer>
  /** Ends the account's connection: its password changed, or it is no more. */
  kickSubscriber(subscriptionId: string): void
  /** Calls back whenever a client of this subscription can take messages. Returns what ends that. */
  onSubscriberReady(subscriptionId: string, ready: () => void): () => void
}
