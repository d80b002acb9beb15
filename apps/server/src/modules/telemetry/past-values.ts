import type { AuthorisedDevice } from '../devices/authorised.port.ts'
import { connectionsOf } from './device-log.repo.ts'
import { type Point, pointsOf } from './history.ts'
import { historyUpTo } from './past-values.repo.ts'
import type { Reader } from './telemetry.snapshot.ts'

/** A device as it was at a moment. */
export interface PastDevice {
  /** The last value of each property at or before the moment; one that had none is absent. */
  values: Map<string, Point>
  /** null: whether it was connected is not known. */
  online: boolean | null
}

/** What `at` and `seq` of a connection are compared with, so that one exactly at the moment counts. */
const LAST_SEQ = Number.MAX_SAFE_INTEGER

/** @param from epoch ms; what was before it is not known */
export async function pastOf(
  reader: Reader,
  device: AuthorisedDevice,
  properties: readonly { identifier: string; num: number | undefined }[],
  { from, ts }: { from: number; ts: number },
): Promise<PastDevice> {
  const values = new Map<string, Point>()
  if (ts < from) return { values, online: null }
  if (properties.length > 0) {
    const history = await historyUpTo(reader, device, properties, { from, ts })
    for (const property of properties) {
      const last = pointsOf(history, property, { from, to: ts + 1 }).at(-1)
      if (last) values.set(property.identifier, last)
    }
  }
  const [last] = await connectionsOf(reader, device, { before: { at: ts, seq: LAST_SEQ }, limit: 1 })
  return { values, online: last && last.at.getTime() >= from ? last.kind === 'online' : null }
}
