import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Whether the kernel still knows this id: a living process, or one that ended and was not collected by its parent. */
export function isKnown(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether a process with this id runs, whoever owns it; one that ended and waits for its parent does not. */
export function isAlive(pid: number): boolean {
  if (!isKnown(pid)) return false
  const stat = readStat(pid)
  return stat === undefined || !/^[ZX]/.test(stat[0] ?? '')
}

/** The fields of proc(5) stat from the third on; undefined without /proc or without the process. */
function readStat(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the command in brackets and may itself hold blanks and brackets.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

/**
 * When the process began, as text that is equal for the same process and differs for a later one with the same id:
 * clock ticks since boot on Linux (proc(5), field 22 of stat), `ps` elsewhere. Undefined when there is no such process.
 */
export function processStartTime(pid: number): string | undefined {
  const stat = readStat(pid)
  if (stat) return stat[19]
  if (process.platform === 'linux' || !isAlive(pid)) return undefined
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
  } catch {
    return undefined
  }
}

/** Ids of the PostgreSQL processes that work inside this folder, whoever started them; empty where there is no /proc. */
export function postgresProcessesIn(clusterDir: string): number[] {
  let entries: string[]
  try {
    entries = readdirSync('/proc')
  } catch {
    return []
  }
  const found: number[] = []
  for (const entry of entries) {
    if (!/^\d+$/.test(entry)) continue
    try {
      if (readFileSync(`/proc/${entry}/comm`, 'utf8').trim() !== 'postgres') continue
      if (readlinkSync(`/proc/${entry}/cwd`) === clusterDir) found.push(Number(entry))
    } catch {
      // It ended meanwhile, or belongs to somebody else: then it is not ours.
    }
  }
  return found
}

/** Sends a signal; a process that is gone already is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Looks every 20 ms until the condition holds; false when it did not within the time. */
export async function waitUntil(condition: () => boolean, timeoutMs: number): Promise<boolean> {
  const end = performance.now() + timeoutMs
  while (!condition()) {
    if (performance.now() >= end) return false
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  return true
}
