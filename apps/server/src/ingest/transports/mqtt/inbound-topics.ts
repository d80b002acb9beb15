import type { PublishPacket } from './decoder.ts'
import type { MqttHost } from './host.ts'
import type { MqttLimits } from './limits.ts'
import { Fault, protocolError, Reason } from './protocol.ts'
import type { Session } from './session.ts'
import { readTopic } from './text.ts'
import type { Route } from './topics.ts'

/** What the topics of one connection's publishes mean, its topic aliases included. */
export class InboundTopics {
  private lastTopic: Buffer | null = null
  private lastRoute: Route | null = null
  private aliases: Map<number, Route> | null = null

  constructor(
    private readonly host: MqttHost,
    private readonly limits: MqttLimits,
  ) {}

  /**
   * Devices repeat themselves: as long as the topic's bytes stay the same nothing is decoded or looked up.
   * @throws Fault for a topic or an alias that must not be
   */
  routeOf(session: Session, packet: PublishPacket, buffer: Buffer): Route {
    const { topicStart, topicEnd, topicAlias } = packet
    if (topicAlias > 0) return this.routeOfAlias(session, packet, buffer)
    const last = this.lastTopic
    if (last !== null && last.length === topicEnd - topicStart) {
      let i = last.length - 1
      while (i >= 0 && last[i] === buffer[topicStart + i]) i--
      if (i < 0) return this.lastRoute as Route
    }
    const route = this.lookUp(session, packet, buffer)
    this.lastTopic = Buffer.from(buffer.subarray(topicStart, topicEnd))
    this.lastRoute = route
    return route
  }

  private routeOfAlias(session: Session, packet: PublishPacket, buffer: Buffer): Route {
    const { topicStart, topicEnd, topicAlias } = packet
    if (topicAlias > this.limits.topicAliasMaximum) throw new Fault(Reason.topicAliasInvalid, 'topic alias too high')
    this.aliases ??= new Map()
    if (topicStart === topicEnd) {
      const known = this.aliases.get(topicAlias)
      // MQTT 5.0 §3.3.4: an alias that was never set is a protocol error
      if (!known) throw protocolError('unknown topic alias')
      return known
    }
    const route = this.lookUp(session, packet, buffer)
    this.aliases.set(topicAlias, route)
    return route
  }

  private lookUp(session: Session, { topicStart, topicEnd }: PublishPacket, buffer: Buffer): Route {
    return this.host.route(session, readTopic(buffer, topicStart, topicEnd, this.limits.maxTopicLevels))
  }
}
