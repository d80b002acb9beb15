import { freePort } from '../../lib/free-port.ts'
import type { Meter, Site } from '../core/site.ts'
import type { Generator } from '../generator/generator.ts'
import { Mosquitto } from '../peers/mosquitto.ts'
import { type ShapeCost, ThingsboardShape } from '../peers/thingsboard-shape.ts'
import { measure, settled, type Window } from './window.ts'

export interface CompareRound {
  round: number
  connections: number
  ours: Window
  mosquitto: Window | null
  mosquittoVersion: string | null
  thingsboard: ShapeCost
}

export interface CompareOptions {
  few: number
  many: number
  steadyRate: number
  rounds: number
  warmSeconds: number
  seconds: number
}

/** Messages in one batch of ThingsBoard's shape: its 100 ms at 10,000 msg/s. */
const SHAPE_BATCH = 1_000

/** Ours, Mosquitto and ThingsBoard's tables in turn, with few and with many connections, round after round. */
export async function compare(
  site: Site,
  generator: Generator,
  meters: readonly Meter[],
  options: CompareOptions,
  say: (line: string) => void,
): Promise<CompareRound[]> {
  const { steadyRate: rate } = options
  const shape = await ThingsboardShape.create(site, 5_000)
  const rounds: CompareRound[] = []
  try {
    for (let round = 1; round <= options.rounds; round++) {
      for (const connections of [options.few, options.many]) {
        const some = meters.slice(0, connections)
        const ours = await against(
          generator,
          site.installation.mqttPort,
          some,
          { pid: site.installation.pid, site },
          options,
        )
        const mosquitto = await Mosquitto.start(await freePort())
        const theirs = mosquitto
          ? await against(generator, mosquitto.port, some, { pid: mosquitto.pid, site: null }, options).finally(() =>
              mosquitto.stop(),
            )
          : null
        const thingsboard = await shape.write(rate * options.seconds, SHAPE_BATCH, rate)
        rounds.push({
          round,
          connections,
          ours,
          mosquitto: theirs,
          mosquittoVersion: mosquitto?.version ?? null,
          thingsboard,
        })
        say(
          `  round ${round}, ${connections} connections: ours ${ours.cpu.microsPerMessage} µs/msg, Mosquitto ${theirs?.cpu.microsPerMessage ?? 'not run'}, PostgreSQL per value ours ${ours.postgresMicrosPerValue}, ThingsBoard's tables ${thingsboard.microsPerValue}`,
        )
      }
    }
  } finally {
    await shape.drop()
  }
  return rounds
}

/** Growth of our CPU per message from few to many connections, percent, over all rounds. */
export function flatness(rounds: readonly CompareRound[]): number | null {
  const few = Math.min(...rounds.map(r => r.connections))
  const mean = (of: readonly CompareRound[]) => of.reduce((sum, r) => sum + r.ours.cpu.microsPerMessage, 0) / of.length
  const low = rounds.filter(r => r.connections === few)
  const high = rounds.filter(r => r.connections !== few)
  if (low.length === 0 || high.length === 0) return null
  return Math.round((mean(high) / mean(low) - 1) * 1000) / 10
}

async function against(
  generator: Generator,
  port: number,
  meters: readonly Meter[],
  target: Parameters<typeof measure>[1],
  options: CompareOptions,
): Promise<Window> {
  await generator.connect(
    port,
    meters.map(meter => meter.identity),
  )
  if (target.site) await settled(target.site)
  try {
    return await measure(generator, target, { ...options, rate: options.steadyRate })
  } finally {
    await generator.disconnect()
  }
}
