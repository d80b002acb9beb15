import { replyEntry } from '../commands/reply-entry.ts'
import type { ReplyWatch } from '../commands/reply-watch.ts'
import type { FlowControl } from '../flow-control/flow-control.ts'
import { guardedAccept } from '../identity/guarded-accept.ts'
import { type Lanes, laneOf } from '../lanes.port.ts'
import type { DecodeOrder } from '../stages/decode-order.ts'
import type { IngestPort } from '../transport.port.ts'
import { qos2Of } from '../uplink.pipeline.ts'
import type { AcceptUplink, DeviceRecord } from '../uplink.ts'
import type { UntilBegun } from './until-begun.ts'

/** Bytes of a device's answer kept with its command. */
const ANSWER_BYTES = 2_048

interface IntakeOptions {
  /** The stages of a message on its way into the journal. */
  pipeline: AcceptUplink
  lanes: Lanes
  lanesBegin: UntilBegun
  flow: FlowControl
  /** Commands of raw links that wait for a frame. */
  replies: ReplyWatch
  order: DecodeOrder
}

/** Where every transport hands its messages over: limits, room, rights, and replies to commands of raw links. */
export function createIntake(options: IntakeOptions): Pick<IngestPort, 'accept' | 'hasRoom' | 'onDrain'> {
  const { lanes, lanesBegin, flow, replies, order } = options
  const guarded = guardedAccept(options.pipeline)

  const accept: AcceptUplink = (uplink, done) => {
    if (lanesBegin.isOver) return acceptNow(uplink, done)
    // The bytes are the transport's own, which it reads into again.
    const kept = { ...uplink, payload: Buffer.from(uplink.payload) }
    lanesBegin.run(() => acceptNow(kept, done))
  }
  const acceptNow: AcceptUplink = (uplink, done) => {
    flow.took(uplink.device)
    const answered = uplink.channel.kind === 'raw' ? replies.take(uplink.device.num, uplink.payload) : null
    if (!answered) return guarded(uplink, done)
    const { commandId, carriesData } = answered
    const reply = { commandId, code: 0, data: { hex: uplink.payload.toString('hex', 0, ANSWER_BYTES) } }
    const entry = replyEntry(uplink.device, reply, uplink.arrivedAt)
    if (carriesData) {
      lanes.append([entry], () => undefined)
      return guarded(uplink, done)
    }
    lanes.append([entry], () => done('stored'), qos2Of(uplink))
  }

  /** Room in the lane and within the limits; each lets the other have its say when it is there again. */
  const hasRoom = (device: DeviceRecord) =>
    lanesBegin.isOver && lanes.hasRoom(laneOf(device.num)) && flow.hasRoom(device) && order.hasRoom(device)
  const onDrain = (device: DeviceRecord, resume: () => void): void => {
    const again = () => (hasRoom(device) ? resume() : onDrain(device, resume))
    if (!lanesBegin.isOver) lanesBegin.run(again)
    else if (!order.hasRoom(device)) order.onDrain(device, again)
    else if (lanes.hasRoom(laneOf(device.num))) flow.onRoom(device, again)
    else lanes.onDrain(laneOf(device.num), again)
  }

  return { accept, hasRoom, onDrain }
}
