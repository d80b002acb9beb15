import { readdirSync, readFileSync } from 'node:fs'

/** Kernel ticks a second: 100 on every Linux that Node runs on (USER_HZ). */
const TICKS = 100

/**
 * CPU seconds (user and system) that a process and all below it have used so far, from /proc. Null where there is no
 * /proc. Processes that ended meanwhile take their share with them, so differences may be a little low.
 */
export function treeCpuSeconds(rootPid: number): number | null {
  const parents = new Map<number, number>()
  const seconds = new Map<number, number>()
  let names: string[]
  try {
    names = readdirSync('/proc')
  } catch {
    return null
  }
  for (const name of names) {
    if (name.charCodeAt(0) < 49 || name.charCodeAt(0) > 57) continue
    const stat = readStat(name)
    if (!stat) continue
    // The name in parentheses may hold anything, spaces too; the fields begin after the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    parents.set(Number(name), Number(fields[1]))
    seconds.set(Number(name), (Number(fields[11]) + Number(fields[12])) / TICKS)
  }
  let sum = 0
  for (const [pid, used] of seconds) if (isBelow(pid, rootPid, parents)) sum += used
  return sum
}

function readStat(pid: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return null
  }
}

function isBelow(pid: number, rootPid: number, parents: ReadonlyMap<number, number>): boolean {
  for (let at: number | undefined = pid, hops = 0; at !== undefined && at > 0 && hops < 64; hops++) {
    if (at === rootPid) return true
    at = parents.get(at)
  }
  return false
}
