import { readdirSync, readFileSync } from 'node:fs'

/** Kernel ticks a second: 100 on every Linux that Node runs on (USER_HZ). */
const TICKS = 100

/** One process as /proc shows it. */
export interface ProcessEntry {
  pid: number
  parent: number
  name: string
  /** Command line, words separated by NUL; PostgreSQL writes into it what each process is for. */
  command: string
  /** User and system time of the process itself, seconds. */
  cpuSeconds: number
  /** The same of its children that have ended, and of theirs. */
  endedChildrenSeconds: number
}

/** Every process of the machine. One that ends while being read is left out. */
export function processTable(): Map<number, ProcessEntry> {
  const table = new Map<number, ProcessEntry>()
  for (const entry of readdirSync('/proc')) {
    const first = entry.charCodeAt(0)
    if (first < 49 || first > 57) continue
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'latin1')
      // The name in parentheses may hold anything; the fields begin after the last one.
      const close = stat.lastIndexOf(')')
      const fields = stat.slice(close + 2).split(' ')
      table.set(Number(entry), {
        pid: Number(entry),
        parent: Number(fields[1]),
        name: stat.slice(stat.indexOf('(') + 1, close),
        command: readFileSync(`/proc/${entry}/cmdline`, 'utf8'),
        cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS,
        endedChildrenSeconds: (Number(fields[13]) + Number(fields[14])) / TICKS,
      })
    } catch {
      // it ended while we looked
    }
  }
  return table
}

/** The process and all below it. */
export function treeOf(root: number, table: ReadonlyMap<number, ProcessEntry>): ProcessEntry[] {
  const isBelow = (pid: number): boolean => {
    let at: number | undefined = pid
    for (let hops = 0; at !== undefined && at > 0 && hops < 64; hops++) {
      if (at === root) return true
      at = table.get(at)?.parent
    }
    return false
  }
  return [...table.values()].filter(entry => isBelow(entry.pid))
}

/** Proportional set size of a process, bytes: what it holds alone and its share of what it shares. 0 when it is gone. */
export function pssBytes(pid: number): number {
  try {
    const line = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))
    return line ? Number(line[1]) * 1024 : 0
  } catch {
    return 0
  }
}
