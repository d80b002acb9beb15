import { readFileSync } from 'node:fs'
import { type ProcessEntry, processTable, treeOf } from '../../lib/processes.ts'

/** Share of one CPU above which a stranger spoils a result. */
const LIMIT = 0.2
const WINDOW_MS = 2_000
/** Parent of the kernel's own threads: they work for whoever does I/O, us above all. */
const KTHREADD = 2

interface Sample {
  at: number
  table: Map<number, ProcessEntry>
  ours: Set<number>
  /** CPU time of our tree with what its ended children used, s. */
  oursUsed: number
  /** CPU time of the machine that was not idle, and time the host took away, s. */
  busy: number
  stolen: number
}

/** Watches what does not belong to this process tree: a result is only valid when nobody else used the CPUs. */
export class DisturbanceWatch {
  private readonly found = new Map<string, number>()
  private last = sample()
  private readonly timer = setInterval(() => this.look(), WINDOW_MS)

  /** Who used more than a fifth of a CPU in any 2 s, with the largest share. */
  stop(): string[] {
    clearInterval(this.timer)
    this.look()
    return [...this.found].sort((a, b) => b[1] - a[1]).map(([name, share]) => `${name} (${Math.round(share * 100)} %)`)
  }

  private look(): void {
    const now = sample()
    const { last } = this
    const seconds = (now.at - last.at) / 1000
    if (seconds < WINDOW_MS / 2000) return
    let strangers = 0
    for (const entry of now.table.values()) {
      // A child whose parent was killed, as the benchmarks do, belongs to init until it notices: it is still ours.
      if (now.ours.has(entry.pid) || last.ours.has(entry.pid)) continue
      const used = entry.cpuSeconds - (last.table.get(entry.pid)?.cpuSeconds ?? 0)
      strangers += used
      if (entry.pid !== KTHREADD && entry.parent !== KTHREADD) this.note(entry.name, used / seconds)
    }
    // Programs that came and went between two looks show only in the sum, if no process that was seen before has ended.
    if ([...last.table.keys()].every(pid => now.table.has(pid))) {
      const shortLived = now.busy - last.busy - (now.oursUsed - last.oursUsed) - strangers
      this.note('short-lived processes', shortLived / seconds)
    }
    this.note('the host (stolen time)', (now.stolen - last.stolen) / seconds)
    this.last = now
  }

  private note(name: string, share: number): void {
    if (share > LIMIT) this.found.set(name, Math.max(share, this.found.get(name) ?? 0))
  }
}

function sample(): Sample {
  const table = processTable()
  const tree = treeOf(process.pid, table)
  const ticks = readFileSync('/proc/stat', 'latin1').split('\n')[0]!.split(/\s+/).slice(1).map(Number)
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = ticks
  return {
    at: performance.now(),
    table,
    ours: new Set(tree.map(entry => entry.pid)),
    oursUsed: tree.reduce((sum, entry) => sum + entry.cpuSeconds + entry.endedChildrenSeconds, 0),
    busy: (user + nice + system + irq + softirq) / 100,
    stolen: steal / 100,
  }
}
