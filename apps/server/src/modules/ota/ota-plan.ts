import { isSameVersion, versionKey } from './version-key.ts'

/** A package as the way from one version to another needs it. */
export interface PlanPackage {
  id: string
  kind: 'full' | 'delta'
  version: string
  fromVersion: string | null
  /** Bytes. */
  size: number
}

/** One package on a device's way. */
export interface PlanStep {
  packageId: string
  kind: 'full' | 'delta'
  fromVersion: string | null
  version: string
  size: number
}

/** A chain longer than this is not worth its restarts: the full package is taken, or there is no way. */
export const MAX_STEPS = 10

/**
 * The packages that bring a device from its version to another: the fewest bytes, of equal ones the fewest restarts. A
 * full package may also stand in the middle (full to an older version, deltas from there), and needs no known beginning.
 * @param from null: the device never said what it runs, so only a full package can begin
 * @returns null when nothing leads there; empty when the device is there already
 */
export function planPath(packages: readonly PlanPackage[], from: string | null, to: string): PlanStep[] | null {
  if (isSameVersion(from, to)) return []
  // Dijkstra over versions; there are hundreds of packages at most, so the next one is found by looking at all.
  const best = new Map<string, { bytes: number; steps: PlanStep[] }>()
  const done = new Set<string>()
  best.set(keyOf(from), { bytes: 0, steps: [] })
  for (;;) {
    let next: string | null = null
    for (const [key, way] of best) {
      if (done.has(key)) continue
      if (next === null || isBetter(way, best.get(next)!)) next = key
    }
    if (next === null) return null
    const way = best.get(next)!
    if (next === keyOf(to)) return way.steps
    done.add(next)
    if (way.steps.length >= MAX_STEPS) continue
    for (const item of packages) {
      if (item.kind === 'delta' && keyOf(item.fromVersion) !== next) continue
      const key = keyOf(item.version)
      if (done.has(key)) continue
      const { id, kind, fromVersion, version, size } = item
      const reached = {
        bytes: way.bytes + size,
        steps: [...way.steps, { packageId: id, kind, fromVersion, version, size }],
      }
      const known = best.get(key)
      if (!known || isBetter(reached, known)) best.set(key, reached)
    }
  }
}

export const bytesOf = (steps: readonly PlanStep[]): number => steps.reduce((sum, step) => sum + step.size, 0)

// A version may be any text: the unknown one must not be equal to any.
const keyOf = (version: string | null) => (version === null ? '' : `v${versionKey(version)}`)

function isBetter(a: { bytes: number; steps: readonly unknown[] }, b: { bytes: number; steps: readonly unknown[] }) {
  return a.bytes !== b.bytes ? a.bytes < b.bytes : a.steps.length < b.steps.length
}
