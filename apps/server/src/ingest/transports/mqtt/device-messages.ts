import type { Logger } from '../../../lib/log.ts'
import { Desk, type Envelope, type Speaker } from '../../dialects/desk.ts'
import type { IngestPort } from '../../transport.port.ts'
import type { DeviceRecord } from '../../uplink.ts'
import type { Ack } from './acks.ts'
import type { InboundPublish } from './host.ts'
import { Reason } from './protocol.ts'
import type { Session } from './session.ts'
import type { Route } from './topics.ts'

/**
 * Publishes that are more than one line of the journal: of the devices below a gateway, and in other platforms' topic
 * trees. Each is acknowledged when everything it asked for is durable.
 */
export class DeviceMessages {
  /** Devices below whose lane is full: their gateway is read no further. */
  private readonly crowded = new WeakMap<Session, DeviceRecord>()
  /** Most installations never see one: then nothing is looked up. */
  private anyCrowded = false
  private readonly desk: Desk

  constructor(
    private readonly port: IngestPort,
    log: Logger,
    now: () => number,
  ) {
    this.desk = new Desk(port, log, now)
  }

  /** A device below the gateway speaks on its own topic. */
  takeBelow(
    session: Session,
    { channel, refusal, sub }: Route & { kind: 'uplink'; sub: string },
    message: InboundPublish,
    ack: Ack,
  ): void {
    // The bytes are ours during the call only, and the device may have to be looked up.
    const payload = Buffer.from(message.payload)
    const envelope = envelopeOf(session, message, ack)
    this.desk.uplink(this.speakerOf(session), { name: sub }, { channel, payload }, envelope, refused =>
      ack.settle(refused === null ? Reason.success : refusal),
    )
  }

  take(session: Session, { read }: Route & { kind: 'message' }, message: InboundPublish, ack: Ack): void {
    const asked = read(Buffer.from(message.payload))
    this.desk.take(this.speakerOf(session), asked, envelopeOf(session, message, ack), refused =>
      ack.settle(refused === null ? Reason.success : Reason.payloadInvalid),
    )
  }

  /** The last will of a gateway or of a client of another platform. */
  takeWill(session: Session, route: Route, payload: Buffer, arrivedAt: number, done: () => void): void {
    const speaker = { ...this.speakerOf(session), broken: done }
    if (route.kind === 'message') this.desk.take(speaker, route.read(payload), { arrivedAt }, done)
    else if (route.kind === 'uplink' && route.sub !== undefined)
      this.desk.uplink(speaker, { name: route.sub }, { channel: route.channel, payload }, { arrivedAt }, done)
    else done()
  }

  /** The device that a query of a gateway is about. */
  resolve(session: Session, sub: string | undefined): Promise<DeviceRecord | null> {
    return sub === undefined ? Promise.resolve(session.device) : this.port.resolveSub(session.device, sub)
  }

  /** The device below that keeps its gateway from being read. */
  crowdedBelow(session: Session): DeviceRecord | null {
    if (!this.anyCrowded) return null
    const device = this.crowded.get(session)
    if (!device || !this.port.hasRoom(device)) return device ?? null
    this.crowded.delete(session)
    return null
  }

  private speakerOf(session: Session): Speaker {
    return {
      device: session.device,
      crowded: device => {
        this.anyCrowded = true
        this.crowded.set(session, device)
      },
      // Without an acknowledgement the message comes again with the next connection.
      broken: () => session.connection?.end(Reason.serverBusy, 'connection_lost'),
      say: ({ topic, payload }) => {
        if (!session.match(topic)) return
        const message = {
          topic,
          payload,
          qos: 0,
          retain: false,
          properties: null,
          expiresAt: 0,
          tag: '',
          onDelivered: null,
        }
        session.send(message)
        this.port.frame(session.device, 'down', payload, { channel: topic })
      },
    }
  }
}

function envelopeOf(session: Session, { arrivedAt }: InboundPublish, ack: Ack): Envelope {
  return ack.qos === 2 && session.durable ? { arrivedAt, qos2PacketId: ack.packetId } : { arrivedAt }
}
