import { until } from '../core/bench.ts'
import type { Site } from '../core/site.ts'
import type { MeterIdentity } from '../generator/meter-device.ts'
import { bulkLoad } from './bulk-load.ts'

const FILLER = { perDevice: 2_000, perPublish: 100 }
const FILLER_ROUNDS = 40
const STANDS_STILL_MS = 5_000
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

export interface Sealing {
  /** Everything of the measured devices is in segments. */
  sealed: boolean
  /** Hours whose segments still wait to be merged. */
  unmergedHours: number
  mergeSeconds: number
  /** Messages that other devices posted for it. */
  fillerMessages: number
}

/**
 * A lane seals when enough has come together or the hour is over. Rather than waiting for the hour, other devices post
 * until what was measured has been sealed; then the merging of segments is waited for.
 */
export async function sealAndMerge(
  site: Site,
  fillers: readonly MeterIdentity[],
  mergeSeconds: number,
  say: (line: string) => void,
): Promise<Sealing> {
  const goal = await site.lanes()
  const cursors = () =>
    site.sql<{ lane: number; seq: string }>(
      `select lane, seq::text from consumer_cursors where consumer = 'store' order by lane`,
    )
  const sealed = async () => {
    const rows = await cursors()
    return rows.length >= goal.length && rows.every(({ lane, seq }) => Number(seq) >= goal[lane]!)
  }
  let fillerMessages = 0
  for (let round = 0; round < FILLER_ROUNDS && !(await sealed()); round++) {
    const to = Date.now() - (round + 2) * DAY_MS
    await bulkLoad(site.installation.mqttPort, fillers, { ...FILLER, from: to - DAY_MS, to }, () => {})
    fillerMessages += fillers.length * FILLER.perDevice
    // It may be minutes behind what was posted at full speed: more is posted only when it stands still.
    for (let before = ''; !(await until(sealed, STANDS_STILL_MS, 100)); ) {
      const now = JSON.stringify(await cursors())
      if (now === before) break
      before = now
    }
  }
  const isSealed = await sealed()
  say(isSealed ? 'everything is sealed; its segments are being merged ...' : 'NOT everything was sealed')
  const began = performance.now()
  const unmerged = async () => {
    const [row] = await site.sql<{ n: number }>('select count(*)::int as n from telemetry_unmerged where hour < $1', [
      Math.floor(Date.now() / HOUR_MS) - 1,
    ])
    return row!.n
  }
  await until(async () => (await unmerged()) === 0, mergeSeconds * 1000, 1_000)
  return {
    sealed: isSealed,
    unmergedHours: await unmerged(),
    mergeSeconds: Math.round((performance.now() - began) / 1000),
    fillerMessages,
  }
}
