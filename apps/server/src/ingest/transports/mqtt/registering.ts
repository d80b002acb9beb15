import { inBackground } from '../../../lib/background.ts'
import type { DecodeLimits } from './decoder.ts'
import { decodePublish, decodeSubscribe, PublishPacket } from './decoder.ts'
import { encodeAck, encodePublish, encodeSuback, PINGRESP } from './encoder.ts'
import { PacketType, type ProtocolLevel, protocolError, Reason } from './protocol.ts'

/** What a client that signed in with its product's secret gets, and where. */
export interface RegistrationReply {
  topic: string
  /** Empty: nothing until the client has asked. */
  payload: Buffer
  /** The one topic that the client may publish its question to (ThingsBoard's provisioning). */
  asks?: { topic: string; answer(payload: Buffer): Promise<Buffer> }
}

/** Longest question, and how many a client may ask. */
const MAX_QUESTION = 1_024
const MAX_QUESTIONS = 3

/**
 * The short talk of a client that has no session: it subscribes to the one topic that answers it, reads its secret and
 * leaves. It can neither publish nor see anything else. Who is to ask first publishes its question to one topic.
 */
export class Registering {
  constructor(
    private readonly reply: RegistrationReply,
    private readonly level: ProtocolLevel,
    private readonly limits: DecodeLimits,
    private readonly write: (bytes: Buffer) => void,
    private readonly leave: () => void,
  ) {}

  private questions = 0

  private ask(first: number, buffer: Buffer, start: number, end: number): void {
    const { asks } = this.reply
    if (!asks || ++this.questions > MAX_QUESTIONS) throw protocolError('a registering client only subscribes')
    const packet = new PublishPacket()
    decodePublish(first, buffer, start, end, this.level, this.limits, packet)
    const { qos, packetId, topicStart, topicEnd, payloadStart } = packet
    const asked = buffer.toString('utf8', topicStart, topicEnd)
    if (asked !== asks.topic || qos === 2 || end - payloadStart > MAX_QUESTION)
      throw protocolError('no question of a registering client')
    if (qos === 1) this.write(encodeAck(PacketType.puback, packetId, this.level))
    inBackground(
      'answering a client that registers',
      asks.answer(Buffer.from(buffer.subarray(payloadStart, end))).then(
        payload => this.say(payload),
        () => this.leave(),
      ),
    )
  }

  private say(payload: Buffer): void {
    const { topic } = this.reply
    this.write(
      encodePublish({ topic, payload, qos: 0, retain: false, dup: false, packetId: 0, properties: null }, this.level),
    )
  }

  /** @throws Fault for anything a registering client has no business with */
  onPacket(first: number, buffer: Buffer, start: number, end: number): void {
    switch (first >> 4) {
      case PacketType.subscribe: {
        const { packetId, requests } = decodeSubscribe(buffer, start, end, this.level, this.limits)
        const { topic, payload } = this.reply
        const refused = this.level === 5 ? Reason.notAuthorised : Reason.unspecified
        const codes = requests.map(({ filter }) => (filter === topic ? 0 : refused))
        this.write(encodeSuback(packetId, this.level, codes))
        if (codes.includes(0) && payload.length > 0) this.say(payload)
        return
      }
      case PacketType.publish:
        this.ask(first, buffer, start, end)
        return
      case PacketType.pingreq:
        this.write(PINGRESP)
        return
      case PacketType.disconnect:
        this.leave()
        return
      default:
        throw protocolError('a registering client only subscribes')
    }
  }
}
