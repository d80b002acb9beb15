import { type ProcessEntry, processTable, pssBytes, treeOf } from '../../lib/processes.ts'

/** CPU seconds of a process tree so far, in all and by part. */
export interface CpuReading {
  atMs: number
  total: number
  parts: Record<string, number>
}

export interface CpuUse {
  seconds: number
  /** CPUs busy on average. */
  cores: number
  /** Microseconds per message, in all and by part. */
  microsPerMessage: number
  parts: Record<string, number>
}

const POSTGRES_KINDS = ['walwriter', 'checkpointer', 'background writer', 'autovacuum', 'io worker']

/** User and system time of the tree below `root`; processes that ended meanwhile are in their parents' share. */
export function readCpu(root: number): CpuReading {
  const parts: Record<string, number> = {}
  let total = 0
  const table = processTable()
  for (const entry of treeOf(root, table)) {
    const part = partOf(entry, root, table)
    parts[part] = (parts[part] ?? 0) + entry.cpuSeconds
    // What PostgreSQL's first process has lost are connections that were closed.
    const endedPart = part === 'postgres' ? 'postgres backends' : part
    parts[endedPart] = (parts[endedPart] ?? 0) + entry.endedChildrenSeconds
    total += entry.cpuSeconds + entry.endedChildrenSeconds
  }
  return { atMs: performance.now(), total, parts }
}

export function cpuBetween(before: CpuReading, after: CpuReading, messages: number): CpuUse {
  const seconds = after.total - before.total
  const per = (value: number) => Math.round((value / Math.max(1, messages)) * 1e7) / 10
  const parts: Record<string, number> = {}
  for (const [part, value] of Object.entries(after.parts)) {
    const used = per(value - (before.parts[part] ?? 0))
    if (Math.abs(used) >= 0.05) parts[part] = used
  }
  return {
    seconds: Math.round(seconds * 100) / 100,
    cores: Math.round((seconds / ((after.atMs - before.atMs) / 1000)) * 100) / 100,
    microsPerMessage: per(seconds),
    parts,
  }
}

/** Sum of the proportional set sizes of the tree, MB. */
export function pssMb(root: number): number {
  return Math.round(treeOf(root, processTable()).reduce((sum, { pid }) => sum + pssBytes(pid), 0) / 1e5) / 10
}

/** The same for each part. */
export function pssByPart(root: number): Record<string, number> {
  const parts: Record<string, number> = {}
  const table = processTable()
  for (const entry of treeOf(root, table)) {
    const part = partOf(entry, root, table)
    parts[part] = Math.round(((parts[part] ?? 0) + pssBytes(entry.pid) / 1e6) * 10) / 10
  }
  return parts
}

function partOf(entry: ProcessEntry, root: number, table: ReadonlyMap<number, ProcessEntry>): string {
  const command = entry.command.replaceAll('\0', ' ')
  if (entry.name === 'postgres') {
    if (table.get(entry.parent)?.name !== 'postgres') return 'postgres'
    // PostgreSQL writes into its title what a process is for.
    return `postgres ${POSTGRES_KINDS.find(kind => command.startsWith(`postgres: ${kind}`)) ?? 'backends'}`
  }
  if (command.includes('gateway.')) return 'gateway'
  if (command.includes('fleet.')) return 'device fleet'
  if (command.includes('server/main.')) return 'main'
  if (entry.name.startsWith('npm') || command.includes('scripts/start.mjs')) return 'launcher'
  if (entry.pid === root) return entry.name === 'node' ? 'main' : entry.name
  return entry.name
}
