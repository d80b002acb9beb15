import { seconds } from '../core/bench.ts'
import type { Meter, Site } from '../core/site.ts'
import type { Generator } from '../generator/generator.ts'

/** What was acknowledged against what is in the journal, device by device. */
export interface LossCheck {
  acknowledged: number
  /** Acknowledged but not stored. */
  missing: number
  /** Stored more often than sent. */
  surplus: number
}

export interface DurableCheck {
  acknowledged: number
  missing: number
  /** From the start of the new server to /readyz, ms. */
  readyMs: number
}

/** @param meters those that the generator has connected, in its order */
export async function nothingLost(
  site: Site,
  generator: Generator,
  meters: readonly Meter[],
  before?: ReadonlyMap<number, number>,
): Promise<LossCheck> {
  const { sent, acked } = await generator.perDevice()
  return count(meters, sent, acked, await site.storedMessages(), before)
}

/** kill -9 of every process in the middle of the load: what was acknowledged until then must be there after a restart. */
export async function durableAcrossCrash(
  site: Site,
  generator: Generator,
  meters: readonly Meter[],
  rate: number,
): Promise<DurableCheck> {
  const before = await site.storedMessages()
  await generator.connect(
    site.installation.mqttPort,
    meters.map(meter => meter.identity),
  )
  await generator.pace(rate)
  await seconds(3)
  const readyMs = await site.crashAndRestart()
  await generator.pace(0)
  const { sent, acked } = await generator.perDevice()
  const { acknowledged, missing } = count(meters, sent, acked, await site.storedMessages(), before)
  await generator.disconnect()
  return { acknowledged, missing, readyMs: Math.round(readyMs) }
}

function count(
  meters: readonly Meter[],
  sent: Uint32Array,
  acked: Uint32Array,
  stored: ReadonlyMap<number, number>,
  before: ReadonlyMap<number, number> = new Map(),
): LossCheck {
  const result = { acknowledged: 0, missing: 0, surplus: 0 }
  for (const [i, { num }] of meters.entries()) {
    const rows = (stored.get(num) ?? 0) - (before.get(num) ?? 0)
    result.acknowledged += acked[i]!
    result.missing += Math.max(0, acked[i]! - rows)
    result.surplus += Math.max(0, rows - sent[i]!)
  }
  return result
}
