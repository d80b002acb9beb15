import type { SubscribePacket } from './decoder.ts'
import type { MqttHost } from './host.ts'
import type { MqttLimits } from './limits.ts'
import { type ProtocolLevel, Reason } from './protocol.ts'
import type { Session } from './session.ts'

/** Enters the filters of a SUBSCRIBE that are granted; returns one SUBACK code per filter (§3.9.3). */
export function subscribe(
  session: Session,
  { requests, identifier }: SubscribePacket,
  level: ProtocolLevel,
  host: MqttHost,
  limits: MqttLimits,
): number[] {
  const refusal = (reason: number): number => (level === 5 ? reason : Reason.unspecified)
  return requests.map(request => {
    const granted = host.grant(session, request.filter, request.qos)
    if (granted >= Reason.unspecified) return refusal(granted)
    const isNew = !session.subscriptions.has(request.filter)
    if (isNew && session.subscriptions.size >= limits.maxSubscriptions) return refusal(Reason.quotaExceeded)
    session.subscriptions.set(request.filter, { ...request, qos: granted, identifier })
    return granted
  })
}

/** Removes filters; returns one UNSUBACK code per filter (5.0 §3.11.3). */
export function unsubscribe(session: Session, filters: readonly string[]): number[] {
  return filters.map(filter => (session.subscriptions.delete(filter) ? Reason.success : Reason.noSubscriptionExisted))
}
