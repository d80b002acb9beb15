import type { DisconnectReason } from '../../transport.port.ts'
import type { Ack } from './acks.ts'
import type { ConnectPacket, Will } from './decoder.ts'
import type { Admission, InboundPublish, MqttHost, Peer } from './host.ts'
import type { Session } from './session.ts'
import { SubscriberHost } from './subscriber-host.ts'
import type { Route } from './topics.ts'

/** One door for devices and for the accounts of subscriptions: the user name says which of the two hosts a client has. */
export class SharedDoor implements MqttHost {
  constructor(
    private readonly devices: MqttHost,
    private readonly subscribers: MqttHost,
  ) {}

  private of(session: Session): MqttHost {
    return session.device.num < 0 ? this.subscribers : this.devices
  }

  signIn(connect: ConnectPacket, peer: Peer): Promise<Admission> {
    return (SubscriberHost.nameOf(connect.username) ? this.subscribers : this.devices).signIn(connect, peer)
  }

  route(session: Session, topic: string): Route {
    return this.of(session).route(session, topic)
  }

  publish(session: Session, route: Route, message: InboundPublish, ack: Ack): void {
    this.of(session).publish(session, route, message, ack)
  }

  publishWill(session: Session, will: Will, arrivedAt: number): void {
    this.of(session).publishWill(session, will, arrivedAt)
  }

  grant(session: Session, filter: string, qos: number): number {
    return this.of(session).grant(session, filter, qos)
  }

  hasRoom(session: Session): boolean {
    return this.of(session).hasRoom(session)
  }

  onRoom(session: Session, resume: () => void): void {
    this.of(session).onRoom(session, resume)
  }

  opened(session: Session): void {
    this.of(session).opened(session)
  }

  ready(session: Session): void {
    this.of(session).ready(session)
  }

  closed(session: Session, reason: DisconnectReason): void {
    this.of(session).closed(session, reason)
  }

  ended(session: Session): void {
    this.of(session).ended(session)
  }

  delivered(session: Session, tag: string): void {
    this.of(session).delivered(session, tag)
  }

  note(session: Session, event: string, detail: Record<string, unknown>): void {
    this.of(session).note(session, event, detail)
  }
}
