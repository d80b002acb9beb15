import { randomUUID } from 'node:crypto'
import type { SubscriberPort } from '../../../modules/subscriptions/subscriber.port.ts'
import type { DeliveryBatch, DeliveryOutcome, TargetAdapter } from '../../../modules/subscriptions/target.port.ts'

/**
 * Clients that sign in to our own MQTT listener as `sub/{subscriptionId}`. A message that was acknowledged is delivered;
 * what an absent client missed waits in the subscription's queue, not in a session.
 */
export function createMqttAdapter(gateway: SubscriberPort): TargetAdapter {
  // A client has one delivery at a time, of the queue or of whoever tries it: the second waits for the first.
  const turns = new Map<string, Promise<unknown>>()
  return {
    open({ subscriptionId }, { wake }) {
      const flow = randomUUID()
      const unwatch = gateway.onSubscriberReady(subscriptionId, wake)
      const messagesOf = ({ items }: DeliveryBatch) =>
        items.map(({ cursor, type, productKey, deviceNo, payload }) => ({
          key: cursor,
          topic: `subscriptions/${subscriptionId}/${type}/${productKey}/${deviceNo}`,
          payload,
        }))
      async function send(batch: DeliveryBatch, signal: AbortSignal): Promise<DeliveryOutcome> {
        const began = performance.now()
        const answer = await gateway.deliver(subscriptionId, flow, messagesOf(batch), signal)
        const latencyMs = Math.round(performance.now() - began)
        if (answer.kind === 'away') return answer
        const { acknowledged } = answer
        if (acknowledged === batch.items.length) return { kind: 'ok', latencyMs }
        if (acknowledged > 0) return { kind: 'partial', acknowledged, latencyMs }
        if (answer.kind === 'stalled') return { kind: 'retry', reason: 'timeout', latencyMs }
        if (answer.kind === 'refused') return refusal(answer.reason, latencyMs)
        return { kind: 'away' }
      }
      const inTurn = (batch: DeliveryBatch, signal: AbortSignal): Promise<DeliveryOutcome> => {
        const mine = (turns.get(subscriptionId) ?? Promise.resolve()).then(() => send(batch, signal))
        const settled = mine
          .catch(() => undefined)
          .then(() => {
            if (turns.get(subscriptionId) === settled) turns.delete(subscriptionId)
          })
        turns.set(subscriptionId, settled)
        return mine
      }
      return { deliver: inTurn, test: inTurn, close: async () => unwatch() }
    },
  }
}

/** Packet too large (MQTT 5.0 §2.4): this client will never take it. */
const TOO_LARGE = 0x95

function refusal(status: number, latencyMs: number): DeliveryOutcome {
  return { kind: status === TOO_LARGE ? 'refused' : 'retry', reason: 'status', status, latencyMs }
}
