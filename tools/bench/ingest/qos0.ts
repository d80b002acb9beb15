import { seconds, until } from '../core/bench.ts'
import { cpuBetween, readCpu } from '../core/meter.ts'
import type { Meter, Site } from '../core/site.ts'
import type { Generator } from '../generator/generator.ts'

/** Load without acknowledgements, as ThingsBoard's own load tool sends it. */
export interface Qos0Cost {
  sent: number
  /** Of these, stored in the end. */
  stored: number
  microsPerMessage: number
}

const ARRIVE_MS = 10_000

export async function qos0Cost(
  site: Site,
  generator: Generator,
  meters: readonly Meter[],
  options: { steadyRate: number; warmSeconds: number; seconds: number },
): Promise<Qos0Cost> {
  const rows = async () => (await site.lanes()).reduce((sum, last) => sum + last, 0)
  await generator.connect(
    site.installation.mqttPort,
    meters.map(meter => meter.identity),
    0,
  )
  // The devices' coming online is in the journal too.
  await seconds(1)
  const start = await rows()
  await generator.pace(options.steadyRate)
  await seconds(options.warmSeconds)
  const before = { cpu: readCpu(site.installation.pid), rows: await rows() }
  await seconds(options.seconds)
  const after = { cpu: readCpu(site.installation.pid), rows: await rows() }
  await generator.pace(0)
  const { sent } = await generator.read()
  await until(async () => (await rows()) - start >= sent, ARRIVE_MS, 100)
  const stored = (await rows()) - start
  await generator.disconnect()
  return {
    sent,
    stored,
    microsPerMessage: cpuBetween(before.cpu, after.cpu, after.rows - before.rows).microsPerMessage,
  }
}
