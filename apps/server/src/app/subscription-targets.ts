import type { IncomingMessage } from 'node:http'
import { createKafkaAdapter } from '../adapters/subscription-target/kafka/kafka-target.ts'
import { createMqttAdapter } from '../adapters/subscription-target/mqtt/mqtt-target.ts'
import { createNatsAdapter } from '../adapters/subscription-target/nats/nats-target.ts'
import { createWebhookAdapter } from '../adapters/subscription-target/webhook/webhook-target.ts'
import { createStreams, type StreamServer } from '../adapters/subscription-target/websocket/websocket-target.ts'
import { createAddressGuard } from '../lib/outbound/outbound-guard.ts'
import type { SubscriberPort } from '../modules/subscriptions/subscriber.port.ts'
import type { TargetAdapters } from '../modules/subscriptions/target.port.ts'

export interface SubscriptionTargets {
  /** For the module of subscriptions. */
  adapters: TargetAdapters
  /** `/api/v1/subscriptions/{id}/stream` */
  streams: StreamServer
}

export interface SubscriptionTargetsOptions {
  /** CIDRs of OUTBOUND_ALLOW. */
  outboundAllow: readonly string[]
  gateway: SubscriberPort
  addressOf(request: IncomingMessage): string
  now(): number
}

/** Every way in which items of subscriptions leave. */
export function createSubscriptionTargets(options: SubscriptionTargetsOptions): SubscriptionTargets {
  const { outboundAllow, gateway, now } = options
  const guard = createAddressGuard(outboundAllow)
  const streams = createStreams({ addressOf: options.addressOf, now })
  return {
    adapters: {
      webhook: createWebhookAdapter({ allow: outboundAllow, now }),
      mqtt: createMqttAdapter(gateway),
      websocket: streams.adapter,
      nats: createNatsAdapter(guard),
      kafka: createKafkaAdapter(guard),
    },
    streams,
  }
}
