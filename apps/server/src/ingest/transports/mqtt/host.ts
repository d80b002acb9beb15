import type { DisconnectReason, TransportName } from '../../transport.port.ts'
import type { DeviceRecord } from '../../uplink.ts'
import type { Ack } from './acks.ts'
import type { ConnectPacket, PublishPacket, Will } from './decoder.ts'
import type { ProtocolLevel } from './protocol.ts'
import type { RegistrationReply } from './registering.ts'
import type { Session } from './session.ts'
import type { Route } from './topics.ts'

export interface Peer {
  /** "ip:port" */
  address: string
  transport: TransportName
  /** DER of the certificate that the client proved to hold in the TLS handshake. */
  certificate?: Buffer
}

/**
 * Whether a client may come in, and the part of the topic tree that is its own; a refusal names the codes of 3.1.1
 * (§3.2.2.3) and of 5.0.
 */
export type Admission =
  | {
      ok: true
      device: DeviceRecord
      prefix: string
      implicit?: readonly string[]
      /** Nothing outlives the connection, whatever the client asks for; so many messages may be on their way to it. */
      transient?: { window: number }
    }
  /** Not a session: it gets one answer on one topic. */
  | { ok: 'registering'; reply: RegistrationReply }
  | { ok: false; returnCode: number; reason: number }

/** A PUBLISH as its host gets it: positions in `buffer`, valid only during the call. */
export interface InboundPublish {
  packet: PublishPacket
  buffer: Buffer
  payload: Buffer
  arrivedAt: number
  level: ProtocolLevel
}

/**
 * What the session layer does not decide: who may come in, what a topic means, where messages go. The device path is one
 * host; the general broker for outside test suites is another.
 */
export interface MqttHost {
  signIn(connect: ConnectPacket, peer: Peer): Promise<Admission>
  /** What publishing to a topic means in this session. The answer is remembered while the client keeps the topic. */
  route(session: Session, topic: string): Route
  /** Takes one message; `ack.settle` exactly once, in the order of the calls. */
  publish(session: Session, route: Route, message: InboundPublish, ack: Ack): void
  /** Takes the last will of a connection that ended without a goodbye. */
  publishWill(session: Session, will: Will, arrivedAt: number): void
  /** QoS to grant to a filter, or the reason code of the refusal (>= 0x80). */
  grant(session: Session, filter: string, qos: number): number
  /** False while messages of this session should not be read; `resume` is called when they may be again. */
  hasRoom(session: Session): boolean
  onRoom(session: Session, resume: () => void): void
  opened(session: Session): void
  /** Subscriptions are there or changed, or there is room for messages again: what waits may be sent. */
  ready(session: Session): void
  closed(session: Session, reason: DisconnectReason): void
  /** The session's state is gone: it expired or was replaced by a clean one. */
  ended(session: Session): void
  /** A message that was written before the last restart of client or server has arrived. */
  delivered(session: Session, tag: string): void
  /** A line for the people who look after the device. */
  note(session: Session, event: string, detail: Record<string, unknown>): void
}
