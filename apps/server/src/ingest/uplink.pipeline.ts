import type { ProductEntry } from './gateway/product-cache.ts'
import type { Lanes } from './lanes.port.ts'
import { type IdentifiedUplink, identify } from './stages/identify.ts'
import { type JournalEntry, JournalKind, type RawUplink, type UplinkOutcome } from './uplink.ts'

export interface UplinkPipelineOptions {
  product(num: number): ProductEntry
  validate(uplink: IdentifiedUplink): JournalEntry[]
  lanes: Pick<Lanes, 'append'>
  /** Told of every message once it is durable. */
  counted(outcome: UplinkOutcome, uplink: RawUplink): void
}

export type AcceptUplink = (raw: RawUplink, done: (outcome: UplinkOutcome, reason?: string) => void) => void

/** One device message on its way into the journal: accept = identify → decode and validate → append. */
export function createUplinkPipeline({ product, validate, lanes, counted }: UplinkPipelineOptions): AcceptUplink {
  return (raw, done) =>
    identify(raw, product(raw.device.productNum), uplink => {
      const entries = validate(uplink)
      lanes.append(entries, () => report(entries), qos2Of(raw))
      function report([first]: JournalEntry[]): void {
        const outcome = first?.kind === JournalKind.refused ? 'refused' : 'stored'
        counted(outcome, raw)
        done(outcome, first?.refusedReason ?? undefined)
      }
    })
}

function qos2Of(raw: RawUplink): { device: number; packetId: number } | undefined {
  return raw.qos2PacketId === undefined ? undefined : { device: raw.device.num, packetId: raw.qos2PacketId }
}
