import { inBackground } from '../lib/background.ts'
import type { ModuleParts, RunPhase } from '../lib/module.ts'
import type { Stop } from './stop.ts'

const HOUR_MS = 60 * 60_000

/** Starts what goes on beside requests from this phase on, in the order of the modules; it ends in the opposite one. */
export async function startRuns(modules: readonly ModuleParts[], phase: RunPhase, stop: Stop): Promise<void> {
  for (const run of modules.flatMap(({ runs }) => runs ?? [])) {
    if (run.phase !== phase) continue
    await run.start?.()
    stop.add(run.name, () => run.stop())
  }
}

/** Clears away now, and then every hour. */
export function startSweeps(modules: readonly ModuleParts[], stop: Stop): void {
  for (const sweep of modules.flatMap(({ sweeps }) => sweeps ?? [])) {
    const run = () => inBackground(sweep.name, sweep.run(Date.now()))
    run()
    if (sweep.once) continue
    const timer = setInterval(run, HOUR_MS)
    stop.add(sweep.name, () => clearInterval(timer))
  }
}

/** The numbers of all modules. */
export async function gaugesOf(modules: readonly ModuleParts[]): Promise<Record<string, number>> {
  return Object.assign({}, ...(await Promise.all(modules.map(module => module.gauges?.() ?? {}))))
}
