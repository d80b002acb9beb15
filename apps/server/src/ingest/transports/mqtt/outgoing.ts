import { encodePublish, PropertyWriter } from './encoder.ts'
import { PropertyId } from './properties.ts'
import type { ProtocolLevel } from './protocol.ts'
import type { Message } from './session.ts'

/** Room that properties of our own can take: message expiry and topic alias. */
const OWN_PROPERTIES = 8
/** First byte, remaining length, topic length, packet id, property length. */
const OVERHEAD = 1 + 4 + 2 + 2 + 4

/** Writes PUBLISH packets as one client wants them: its version, its largest packet, its topic aliases. */
export class Outgoing {
  private readonly aliases = new Map<string, number>()

  constructor(
    private readonly level: ProtocolLevel,
    private readonly maximumPacketSize: number,
    private readonly aliasMaximum: number,
    private readonly now: () => number,
  ) {}

  /** False for a message longer than the client takes (MQTT-3.1.2-24). */
  canCarry(message: Message): boolean {
    const most =
      OVERHEAD +
      OWN_PROPERTIES +
      Buffer.byteLength(message.topic) +
      (message.properties?.length ?? 0) +
      message.payload.length
    if (most <= this.maximumPacketSize) return true
    const properties = this.level === 5 ? this.plainProperties(message, []) : null
    return (
      encodePublish({ ...message, dup: false, packetId: 1, properties }, this.level).length <= this.maximumPacketSize
    )
  }

  /** `identifiers`: of the subscriptions that brought the message here. */
  encode(message: Message, packetId: number, dup: boolean, identifiers: readonly number[]): Buffer {
    if (this.level < 5) return encodePublish({ ...message, packetId, dup, properties: null }, this.level)
    const plain = this.plainProperties(message, identifiers)
    const whole = encodePublish({ ...message, packetId, dup, properties: plain }, this.level)
    if (this.aliasMaximum === 0) return whole
    const known = this.aliases.get(message.topic)
    if (known === undefined && this.aliases.size >= this.aliasMaximum) return whole
    // The first PUBLISH with an alias carries the topic too, the following ones only the alias.
    const alias = known ?? this.aliases.size + 1
    const properties = new PropertyWriter().raw(plain).u16(PropertyId.topicAlias, alias).bytes()
    const topic = known === undefined ? message.topic : ''
    const short = encodePublish({ ...message, topic, packetId, dup, properties }, this.level)
    if (short.length > this.maximumPacketSize) return whole
    this.aliases.set(message.topic, alias)
    return short
  }

  private plainProperties(message: Message, identifiers: readonly number[]): Buffer {
    const writer = new PropertyWriter()
    if (message.expiresAt > 0) {
      writer.u32(PropertyId.messageExpiry, Math.max(1, Math.ceil((message.expiresAt - this.now()) / 1000)))
    }
    if (message.properties) writer.raw(message.properties)
    for (const identifier of identifiers) writer.varint(PropertyId.subscriptionIdentifier, identifier)
    return writer.bytes()
  }
}
