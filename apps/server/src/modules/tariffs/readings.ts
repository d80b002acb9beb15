import type { Ctx } from '../../lib/context.ts'
import { inOrder, type Reading } from './billing/intervals.ts'
import { ratioOf } from './billing/ratio.ts'

/** What devices reported (modules/telemetry). */
export interface ReadingsPort {
  readings(
    ctx: Ctx,
    deviceId: string,
    identifier: string,
    range: { from: number; to: number },
  ): Promise<{ ts: number; value: unknown; quality: number }[]>
}

const HOUR_MS = 3_600_000
/** How far after a period the reading is looked for that lets its end be worked out. */
const LOOK_AHEAD_MS = [HOUR_MS, 24 * HOUR_MS, 35 * 24 * HOUR_MS]
const BAD = 2

/** Numbers that were not marked as bad, as decimals. */
export function numbersOf(points: readonly { ts: number; value: unknown; quality: number }[]): Reading[] {
  const readings: Reading[] = []
  for (const { ts, value, quality } of points) {
    if (quality === BAD || (typeof value !== 'number' && typeof value !== 'string')) continue
    const v = String(value)
    if (ratioOf(v) !== null) readings.push({ t: ts, v })
  }
  return inOrder(readings)
}

/** Readings of a period, and the ones before and after it that its edges need. */
export async function readingsOf(
  telemetry: ReadingsPort,
  ctx: Ctx,
  { deviceId, property }: { deviceId: string; property: string },
  { from, to, before }: { from: number; to: number; before: number },
): Promise<Reading[]> {
  const read = async (range: { from: number; to: number }) =>
    numbersOf(await telemetry.readings(ctx, deviceId, property, range))
  const found = await read({ from: from - before, to: to + LOOK_AHEAD_MS[0]! })
  for (let i = 1; i < LOOK_AHEAD_MS.length; i++) {
    const begun = to + LOOK_AHEAD_MS[i - 1]!
    if ((found.at(-1)?.t ?? 0) >= to || begun > ctx.now) break
    found.push(...(await read({ from: begun, to: to + LOOK_AHEAD_MS[i]! })))
  }
  return found
}
