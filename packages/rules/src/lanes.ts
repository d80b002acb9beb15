import type { Assignment } from './engine.ts'
import type { Input } from './io.ts'

/** All devices that a rule looks at for one of its targets, and that target. */
function devicesOf({ program }: Assignment, target: number): number[] {
  const others = program.nodes.flatMap(node => {
    const of = node.device === null ? [] : [node.device]
    return node.type === 'compare' && node.other && node.other.device !== null ? [...of, node.other.device] : of
  })
  return [target, ...others]
}

/**
 * Says who judges a rule: the engine of a lane, as far as all it looks at lies there, and else the one that reads all lanes
 * merged.
 * @param laneOf the lane of a device
 * @returns by lane the part that it judges; `merged` is the rest
 */
export function divide(
  assignment: Assignment,
  laneOf: (device: number) => number,
): { lanes: Map<number, Assignment>; merged: Assignment | null } {
  const lanes = new Map<number, number[]>()
  const merged: number[] = []
  const { program, targets } = assignment
  for (const target of targets) {
    const found = new Set(devicesOf(assignment, target).map(laneOf))
    if (found.size > 1) merged.push(target)
    else lanes.set(laneOf(target), [...(lanes.get(laneOf(target)) ?? []), target])
  }
  // One alarm for a whole scope needs one place that knows all of it.
  if (program.perScope && (lanes.size > 1 || merged.length > 0))
    return { lanes: new Map(), merged: { program, targets } }
  return {
    lanes: new Map([...lanes].map(([lane, part]) => [lane, { program, targets: part }])),
    merged: merged.length > 0 ? { program, targets: merged } : null,
  }
}

/** Puts lanes into one order: arrival, then lane, then sequence. What comes out is the same however the lanes took turns. */
export class LaneMerge {
  private readonly waiting = new Map<number, Input[]>()
  /** Nothing of a lane will come with an arrival before this. */
  private readonly reached = new Map<number, number>()

  constructor(lanes: readonly number[]) {
    for (const lane of lanes) {
      this.waiting.set(lane, [])
      this.reached.set(lane, Number.NEGATIVE_INFINITY)
    }
  }

  /** Takes rows of one lane, in its order. */
  push(lane: number, inputs: readonly Input[]): void {
    const list = this.waiting.get(lane)!
    for (const input of inputs) list.push(input)
    const last = inputs.at(-1)
    if (last) this.advance(lane, last.arrived)
  }

  /** A lane has nothing more from before this moment, epoch ms: an idle one must not hold up the others. */
  advance(lane: number, to: number): void {
    if (to > this.reached.get(lane)!) this.reached.set(lane, to)
  }

  /** Number of the first row of a lane that waits for others; null: none does. */
  heldFrom(lane: number): number | null {
    return this.waiting.get(lane)![0]?.seq ?? null
  }

  /** The moment up to which all lanes are known, itself not included. */
  get until(): number {
    return Math.min(...this.reached.values())
  }

  /** Takes out what can no longer be overtaken, in order. */
  take(): Input[] {
    const { until } = this
    const ready: Input[] = []
    for (const list of this.waiting.values()) {
      const count = list.findIndex(input => input.arrived >= until)
      ready.push(...list.splice(0, count < 0 ? list.length : count))
    }
    // Within a lane the order is that in which it came: a fact follows the row whose number it bears.
    return ready.sort((a, b) => a.arrived - b.arrived || a.lane - b.lane)
  }
}
