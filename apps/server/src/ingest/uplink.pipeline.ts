import type { ProductEntry } from './directory/product-cache.ts'
import { type Lanes, laneOf } from './lanes.port.ts'
import { type DecodedUplink, decode, keep } from './stages/decode.ts'
import { DecodeOrder } from './stages/decode-order.ts'
import { type IdentifiedUplink, identify } from './stages/identify.ts'
import { rowsOfSubs, speaksForOthers } from './stages/sub-readings.ts'
import {
  type AcceptUplink,
  type DeviceRecord,
  type JournalEntry,
  JournalKind,
  type RawUplink,
  type UplinkDone,
  type UplinkOutcome,
} from './uplink.ts'

export interface UplinkPipelineOptions {
  product(num: number): ProductEntry
  validate(uplink: DecodedUplink): JournalEntry[]
  lanes: Pick<Lanes, 'append'>
  /** Told of every message once it is durable. */
  counted(outcome: UplinkOutcome, uplink: RawUplink): void
  /** The device that a gateway's frame means by a number; absent: no frame speaks for others. */
  resolveSub?(gateway: DeviceRecord, sub: string): Promise<DeviceRecord | null>
  /** Order of messages that are decoded elsewhere, and room for more of them. */
  order?: DecodeOrder
}

/** One device message on its way into the journal: accept = identify → decode → validate → append. */
export function createUplinkPipeline(options: UplinkPipelineOptions): AcceptUplink {
  const { product, validate, lanes, counted, order = new DecodeOrder() } = options
  const subs = { product, validate, resolveSub: options.resolveSub ?? (async () => null) }

  return (raw, done) => identify(raw, product(raw.device.productNum), uplink => inOrder(uplink, done))

  /** A message goes its way at once unless an earlier one of its device is still being decoded. */
  function inOrder(uplink: IdentifiedUplink, done: UplinkDone): void {
    const { raw } = uplink
    const speaker = (raw.via ?? raw.device).num
    if (order.isBusy(speaker)) {
      const kept = keep(uplink)
      order.wait(speaker, raw.device.productNum, raw.payload.length, () => step(kept, done))
      return
    }
    const underWay = step(uplink, done)
    if (underWay) order.begin(speaker, raw.device.productNum, raw.payload.length, underWay)
  }

  function step(uplink: IdentifiedUplink, done: UplinkDone): void | Promise<void> {
    const decoded = decode(uplink)
    if (decoded === undefined) return append(validate(uplink), uplink.raw, done)
    if (!(decoded instanceof Promise)) return check({ ...uplink, decoded }, done)
    const kept = keep(uplink)
    return decoded.then(result => check({ ...kept, decoded: result }, done))
  }

  function check(uplink: DecodedUplink, done: UplinkDone): void | Promise<void> {
    const { raw, decoded } = uplink
    if (!decoded?.ok || !speaksForOthers(decoded.readings, raw.device)) return append(validate(uplink), raw, done)
    const kept = keep(uplink)
    return rowsOfSubs(kept, decoded, subs).then(rows => append(rows, kept.raw, done))
  }

  /** Rows of several devices may belong to several lanes; the message is durable when all of them are. */
  function append(entries: JournalEntry[], raw: RawUplink, done: UplinkDone): void {
    if (entries.length === 1) lanes.append(entries, report, qos2Of(raw))
    else {
      const parts = byLane(entries)
      let open = parts.length
      const committed = () => {
        if (--open === 0) report()
      }
      for (const [i, part] of parts.entries())
        lanes.append(part, committed, i === parts.length - 1 ? qos2Of(raw) : undefined)
    }
    function report(): void {
      const refused = entries.every(entry => entry.kind === JournalKind.refused)
      const outcome = refused ? 'refused' : 'stored'
      counted(outcome, raw)
      const [first] = entries
      if (refused && first) done(outcome, first.refusedReason ?? undefined, pathOf(first.values))
      else done(outcome)
    }
  }
}

function pathOf(refusal: string | null): string {
  const { path } = JSON.parse(refusal ?? '{}') as { path?: unknown }
  return typeof path === 'string' ? path : ''
}

function byLane(entries: JournalEntry[]): JournalEntry[][] {
  const lane = laneOf(entries[0]!.device.num)
  if (entries.every(entry => laneOf(entry.device.num) === lane)) return [entries]
  const lanes = new Map<number, JournalEntry[]>()
  for (const entry of entries) {
    const of = laneOf(entry.device.num)
    const part = lanes.get(of)
    if (part) part.push(entry)
    else lanes.set(of, [entry])
  }
  return [...lanes.values()]
}

/** The packet id that a message's rows carry, and whose it is. */
export function qos2Of(raw: RawUplink): { device: number; packetId: number } | undefined {
  return raw.qos2PacketId === undefined
    ? undefined
    : { device: (raw.via ?? raw.device).num, packetId: raw.qos2PacketId }
}
