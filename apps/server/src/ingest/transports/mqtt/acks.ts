import { ackSize, putAck } from './encoder.ts'
import { PacketType, type ProtocolLevel } from './protocol.ts'

/** Where settled acknowledgements go. */
export interface AckSink {
  /** Messages and bytes taken but not settled changed. */
  inFlightChanged(): void
  /** These may be written now, in this order, from `first` along `next` until `last`. */
  acknowledge(first: Ack, last: Ack): void
  /** A QoS 2 publish is settled; the sink calls `finish` when its PUBREC may go. */
  received(ack: Ack): void
}

/** One publish on its way into the journal. Settled exactly once, when the message or its refusal is committed. */
export class Ack {
  next: Ack | null = null
  /** Its acknowledgement may be written as soon as those before it are. */
  finished = false
  settled = false
  /** Reason code for a 5.0 client. */
  reason = 0

  constructor(
    private readonly queue: AckQueue,
    readonly packetId: number,
    readonly qos: number,
    readonly bytes: number,
  ) {}

  settle(reason: number): void {
    if (this.settled) return
    this.settled = true
    this.reason = reason
    this.queue.settle(this)
  }

  /** For QoS 2, whose packet id may have to be forgotten first. */
  finish(): void {
    this.queue.finish(this)
  }
}

/** Keeps acknowledgements in the order of the publishes (MQTT-4.6.0-2, -3), whatever order they are settled in. */
export class AckQueue {
  private head: Ack | null = null
  private tail: Ack | null = null
  /** Messages and bytes not settled, QoS 0 included. */
  pending = 0
  pendingBytes = 0
  /** QoS 1 publishes without PUBACK. */
  unacknowledged = 0

  constructor(private readonly sink: AckSink) {}

  /** A publish was taken. */
  add(packetId: number, qos: number, bytes: number): Ack {
    const ack = new Ack(this, packetId, qos, bytes)
    this.pending++
    this.pendingBytes += bytes
    if (qos > 0) this.append(ack)
    return ack
  }

  /** An acknowledgement that waits for nothing but its turn. */
  addFinished(packetId: number, qos: number): void {
    const ack = new Ack(this, packetId, qos, 0)
    ack.settled = true
    this.append(ack)
    this.finish(ack)
  }

  settle(ack: Ack): void {
    this.pending--
    this.pendingBytes -= ack.bytes
    if (ack.qos === 1) this.finish(ack)
    else if (ack.qos === 2) this.sink.received(ack)
    this.sink.inFlightChanged()
  }

  finish(ack: Ack): void {
    ack.finished = true
    if (ack !== this.head) return
    let last = ack
    if (last.qos === 1) this.unacknowledged--
    while (last.next?.finished) {
      last = last.next
      if (last.qos === 1) this.unacknowledged--
    }
    this.head = last.next
    if (this.head === null) this.tail = null
    this.sink.acknowledge(ack, last)
  }

  private append(ack: Ack): void {
    if (ack.qos === 1) this.unacknowledged++
    if (this.tail) this.tail.next = ack
    else this.head = ack
    this.tail = ack
  }
}

/** The PUBACKs and PUBRECs from `first` along `next` to `last`, in one piece. */
export function encodeRun(first: Ack, last: Ack, level: ProtocolLevel): Buffer {
  let size = ackSize(level, first.reason)
  for (let ack = first; ack !== last; ) {
    ack = ack.next as Ack
    size += ackSize(level, ack.reason)
  }
  const out = Buffer.allocUnsafe(size)
  let at = 0
  for (let ack: Ack | null = first; ack !== null; ack = ack === last ? null : ack.next) {
    at = putAck(out, at, ack.qos === 1 ? PacketType.puback : PacketType.pubrec, ack.packetId, level, ack.reason)
  }
  return out
}
