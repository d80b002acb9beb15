import type { SubscriptionItem, SubscriptionKind } from '@thingwright/contracts/subscriptions.contract'

/** An item on its way into the queue of one subscription. */
export interface QueuedItem {
  subscriptionId: string
  /** Arrival, epoch ms. */
  at: number
  device: number
  /** The envelope, JSON text. */
  item: string
}

/** Of a row of the journal: the same however often it is read, for every subscription. */
export const journalItemId = (lane: number, seq: number): string => `j${lane}-${seq}`
export const eventItemId = (id: number): string => `e${id}`

/** The envelope around data that is JSON text already: nothing is parsed that nobody looks into. */
export function envelope(
  head: { id: string; type: SubscriptionKind; ts: number; productKey: string; deviceNo: string; deviceId: string },
  data: string,
): string {
  // Ids, keys and numbers are of alphabets that JSON leaves as they are.
  return `{"id":"${head.id}","type":"${head.type}","ts":${head.ts},"productKey":"${head.productKey}","deviceNo":"${head.deviceNo}","deviceId":"${head.deviceId}","data":${data}}`
}

export const readItem = (text: string): SubscriptionItem => JSON.parse(text) as SubscriptionItem
