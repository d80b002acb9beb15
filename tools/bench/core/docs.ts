import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchTable } from './bench.ts'
import type { BenchResult } from './report.ts'

const FILE = join(import.meta.dirname, '../../../docs/benchmarks.md')

/** Puts a result into docs/benchmarks.md, between its two marks. @returns the path @throws when the marks are missing */
export function writeDocs(result: BenchResult): string {
  const text = readFileSync(FILE, 'utf8')
  const [open, close] = [`<!-- results:${result.name} -->`, `<!-- /results:${result.name} -->`]
  const from = text.indexOf(open)
  const to = text.indexOf(close)
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no place for ${result.name}`)
  writeFileSync(FILE, `${text.slice(0, from + open.length)}\n${asMarkdown(result)}\n${text.slice(to)}`)
  return FILE
}

/** A result as it stands in the documentation. */
export function asMarkdown(result: BenchResult): string {
  const { machine, load } = result
  const versions = Object.entries(result.versions).map(([name, version]) => `${name} ${version}`)
  const facts = [
    `size ${result.size}`,
    result.startedAt.slice(0, 16).replace('T', ' '),
    `commit ${machine.commit ?? 'unknown'}`,
    `${machine.cpu}, ${machine.cores} CPUs, ${machine.memoryGiB} GiB`,
    `Linux ${machine.kernel}`,
    `Node ${machine.node}`,
    ...versions,
    `load ${load.before[0]} before, ${load.after[0]} after`,
  ]
  return [
    '',
    result.disturbed
      ? `**Disturbed, not a result**: others used the CPUs meanwhile (${result.disturbedBy.join(', ')}).`
      : 'Nobody else used the CPUs.',
    `${facts.join(' · ')}`,
    '',
    ...markdownTable({
      title: '',
      head: ['goal', 'wanted', 'seen', ''],
      rows: result.goals.map(({ what, goal, seen, met }) => [what, goal, seen, met ? 'met' : 'missed']),
    }),
    ...result.tables.flatMap(table => [table.title, '', ...markdownTable(table)]),
    ...result.notes.map(note => `- ${note}`),
    '',
  ].join('\n')
}

function markdownTable({ head, rows }: BenchTable): string[] {
  const line = (cells: readonly (string | number | null)[]) =>
    `| ${cells.map(cell => String(cell ?? '-').replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${head.map((_, i) => (i === 0 ? '---|' : '--:|')).join('')}`, ...rows.map(line), '']
}
