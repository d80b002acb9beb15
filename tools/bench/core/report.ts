import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchReport, BenchTable, Size } from './bench.ts'
import type { Machine } from './machine.ts'

export const RESULTS = join(import.meta.dirname, '../results')

export interface BenchResult extends BenchReport {
  name: string
  size: Size
  startedAt: string
  seconds: number
  machine: Machine
  load: { before: number[]; after: number[] }
  /** Somebody else used the machine: the figures are no result. */
  disturbed: boolean
  disturbedBy: string[]
}

/** Writes tools/bench/results/<name>.json. @returns its path */
export function writeResult(result: BenchResult): string {
  mkdirSync(RESULTS, { recursive: true })
  const file = join(RESULTS, `${result.name}.json`)
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
  return file
}

export function printResult(result: BenchResult, say: (line: string) => void): void {
  const { machine, load } = result
  say('')
  for (const table of result.tables) {
    say(table.title)
    for (const line of format(table)) say(`  ${line}`)
    say('')
  }
  for (const { what, goal, seen, met } of result.goals)
    say(`${met ? 'met   ' : 'MISSED'} ${what}: ${seen} (goal ${goal})`)
  for (const note of result.notes) say(`note   ${note}`)
  const versions = Object.entries(result.versions).map(([name, version]) => `${name} ${version}`)
  say(
    `${machine.cpu}, ${machine.cores} CPUs, ${machine.memoryGiB} GiB, Linux ${machine.kernel}, Node ${machine.node}${versions.map(v => `, ${v}`).join('')}`,
  )
  say(
    `commit ${machine.commit ?? 'unknown'}, ${result.startedAt}, ${result.seconds} s, size ${result.size}, load before ${load.before.join(' ')}, after ${load.after.join(' ')}`,
  )
  if (result.disturbed) say(`NOT VALID: disturbed by ${result.disturbedBy.join(', ')}`)
}

function format({ head, rows }: BenchTable): string[] {
  const cells = [head, ...rows.map(row => row.map(cell => (cell === null ? '-' : String(cell))))]
  const widths = head.map((_, column) => Math.max(...cells.map(row => (row[column] ?? '').length)))
  return cells.map(row =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  )
}
