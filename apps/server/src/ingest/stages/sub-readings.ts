import type { DecodeResult, Reading } from '../codecs/codec.ts'
import type { ProductEntry } from '../directory/product-cache.ts'
import type { DeviceRecord, JournalEntry, RawUplink } from '../uplink.ts'
import type { DecodedUplink } from './decode.ts'
import { identify } from './identify.ts'

export interface SubReadingsOptions {
  product(num: number): ProductEntry
  /** The device that a gateway means; rejects when the database cannot be asked. */
  resolveSub(gateway: DeviceRecord, sub: string): Promise<DeviceRecord | null>
  validate(uplink: DecodedUplink): JournalEntry[]
  retryMs?: number
}

/** Whether a frame speaks of devices below the one that sent it. */
export function speaksForOthers(readings: readonly Reading[], device: DeviceRecord): boolean {
  for (const { sub } of readings) if (sub !== undefined && sub !== device.deviceNo) return true
  return false
}

/**
 * A gateway's frame → rows of the devices it speaks for, each checked against its own product's model. What is said of a
 * device that is not bound to the gateway becomes a refusal of the gateway; the others' values are taken.
 * @param uplink with bytes of its own
 */
export async function rowsOfSubs(
  uplink: DecodedUplink,
  { readings, faults }: Extract<DecodeResult, { ok: true }>,
  options: SubReadingsOptions,
): Promise<JournalEntry[]> {
  const { raw } = uplink
  const groups = new Map<string | undefined, Reading[]>()
  for (const reading of readings) {
    const sub = reading.sub === raw.device.deviceNo ? undefined : reading.sub
    const group = groups.get(sub)
    if (group) group.push(reading)
    else groups.set(sub, [reading])
  }
  // What could not be read belongs to nobody but the one who sent it.
  if (faults && faults.length > 0 && !groups.has(undefined)) groups.set(undefined, [])
  const rows: JournalEntry[] = []
  for (const [sub, group] of groups) {
    const decoded = { ok: true as const, readings: group }
    if (sub === undefined) {
      rows.push(...options.validate({ ...uplink, decoded: faults ? { ...decoded, faults } : decoded }))
      continue
    }
    const device = await resolved(raw.device, sub, options)
    if (!device) {
      const detail = 'no device of this number is bound to the gateway'
      const refused = { ok: false as const, reason: 'sub_device_unknown' as const, path: sub.slice(0, 64), detail }
      rows.push(...options.validate({ ...uplink, decoded: refused }))
      continue
    }
    const identified = await checkedAgainst({ ...raw, device, via: raw.device }, options.product(device.productNum))
    rows.push(...options.validate({ ...identified, decoded }))
  }
  return rows
}

function checkedAgainst(raw: RawUplink, product: ProductEntry): Promise<DecodedUplink> {
  return new Promise(resolve => identify(raw, product, resolve))
}

/** Asks until the database answers: as long as it does not, nothing could be stored either. */
async function resolved(gateway: DeviceRecord, sub: string, options: SubReadingsOptions): Promise<DeviceRecord | null> {
  for (;;) {
    try {
      return await options.resolveSub(gateway, sub)
    } catch {
      await new Promise(resolve => setTimeout(resolve, options.retryMs ?? 500))
    }
  }
}
