import { MOST_FAULTS, type Refused } from '@thingwright/thing-model'
import { Refusal } from '../codecs/shared/envelope.ts'
import { KEPT_BYTES } from '../journal/not-storable.ts'
import { type JournalEntry, JournalKind, Quality, type RawUplink } from '../uplink.ts'
import { eventTime } from './times.ts'

/** Why something was not taken, and what it was. */
export type Fault = Pick<Refusal, 'reason' | 'path' | 'detail'>

/** The row of a message that cannot be taken. Its bytes are copied: the socket's buffer is not ours to keep. */
export function refusal(raw: RawUplink, { reason, path, detail }: Fault, more: object = {}): JournalEntry {
  return {
    device: raw.device,
    kind: JournalKind.refused,
    arrivedAt: raw.arrivedAt,
    ...eventTime(undefined, raw.arrivedAt),
    quality: Quality.good,
    values: JSON.stringify({ path, detail, ...more }),
    raw: Buffer.from(raw.payload.subarray(0, KEPT_BYTES)),
    refusedReason: reason,
  }
}

/** A refusal as it stands in the whole message: below its index when that is a list. */
export function within(index: number | null, { reason, path, detail }: Fault): Refusal {
  if (index === null) return new Refusal(reason, path, detail)
  const between = path === '' || path.startsWith('[') ? '' : '.'
  return new Refusal(reason, `[${index}]${between}${path}`, detail)
}

/**
 * What of one message was not taken while the rest was. It becomes one row beside the others, with the reasons of all
 * of it, so that nothing is left out without a word.
 */
export class LeftOut {
  private readonly faults: Fault[] = []
  private count = 0
  /** Elements of which nothing was taken. */
  private elements = 0

  /** Values of the element at the place. */
  values(place: number | null, faults: readonly (Fault | Refused)[]): void {
    for (const fault of faults) this.add(within(place, fault))
  }

  /** The whole element at the place. */
  element(place: number | null, fault: Fault | Refused): void {
    this.elements++
    this.add(within(place, fault))
  }

  /** The rows of the message with that of what is missing in them; of nothing else than that, a refusal. */
  beside(raw: RawUplink, rows: JournalEntry[]): JournalEntry[] {
    const [first, ...others] = this.faults
    if (!first) return rows
    const more = others.length > 0 ? { more: others.map(({ reason, path, detail }) => ({ reason, path, detail })) } : {}
    const count = this.count > 1 ? { count: this.count } : {}
    // Of elements and values that were left out beside others only the elements are messages.
    const part = rows.length > 0 && this.elements === 0 ? { part: true } : {}
    rows.push(refusal(raw, first, { ...more, ...count, ...part }))
    return rows
  }

  private add(fault: Refusal): void {
    this.count++
    if (this.faults.length < MOST_FAULTS) this.faults.push(fault)
  }
}

/** Whether a row of refused values stands beside taken ones of the same message. */
export function isPart(values: string | null): boolean {
  return values?.endsWith('"part":true}') === true
}
