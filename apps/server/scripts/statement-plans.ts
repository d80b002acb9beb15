import type pg from 'pg'
import type { Found } from './collect-statements.ts'

/** Statements whose plans are kept: those that connections keep planned, and those of these files. */
const HOT_FILES = [
  'ingest/consumers/journal-stream.ts',
  'lib/journal/latest-values.ts',
  'modules/devices/device-list.repo.ts',
  'modules/devices/devices.access.ts',
  'modules/telemetry/history.repo.ts',
  'modules/telemetry/telemetry.service.ts',
]

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Function Name'?: string
  'CTE Name'?: string
  'Subplan Name'?: string
  'Join Type'?: string
  'Sort Key'?: string[]
  Operation?: string
  Plans?: PlanNode[]
}

const isHot = ({ name, place }: Found) => name !== undefined || HOT_FILES.some(file => place.startsWith(`${file}:`))

/**
 * The plans of the hot statements as text: kinds of nodes, tables and indexes, nothing that depends on data. They are those
 * of an empty database that would rather do anything than read a table from end to end, so a whole read that stands in
 * one cannot be helped by any index. A named statement has its plan under its name, a file its different ones.
 * @param client of a role that may make partitions; whatever is made is rolled back
 * @param others plan what the first may not
 */
export async function hotPlans(
  statements: readonly Found[],
  client: pg.Client,
  others: readonly pg.Client[],
): Promise<string> {
  const clients = [client, ...others]
  const sections = new Map<string, Set<string>>()
  for (const each of clients) await each.query('begin; set local enable_seqscan = off; set local jit = off')
  try {
    await client.query('select ensure_journal_partition(now())')
    await client.query('select ensure_telemetry_partition((extract(epoch from now()) / 3600)::int)')
    for (const statement of statements.filter(isHot)) {
      const heading = statement.name ?? statement.place.replace(/:.*/, '')
      const plan = await planOf(clients, statement.text)
      if (plan) sections.set(heading, (sections.get(heading) ?? new Set()).add(plan))
    }
  } finally {
    for (const each of clients) await each.query('rollback')
  }
  return [...sections]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([heading, plans]) => `# ${heading}\n${[...plans].sort().join('\n\n')}\n`)
    .join('\n')
}

/** Which plans are others than those that are kept. */
export function changedPlans(kept: string, now: string): string[] {
  const sections = (text: string) =>
    new Map(text.split(/^(?=# )/m).map(section => [section.slice(2).split('\n')[0]!, section.trim()] as const))
  const [before, after] = [sections(kept), sections(now)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter(heading => before.get(heading) !== after.get(heading))
    .map(
      heading =>
        `${heading}: its plan is another one than in hot-plans.txt; write it with check-statements.ts --write-plans and read the difference\n${after.get(heading) ?? '(gone)'}`,
    )
}

async function planOf(clients: readonly pg.Client[], text: string): Promise<string | null> {
  for (const client of clients) {
    await client.query('savepoint plan')
    try {
      const { rows } = await client.query(`explain (generic_plan, costs off, format json) ${text}`)
      return lines((rows[0]['QUERY PLAN'] as { Plan: PlanNode }[])[0]!.Plan).join('\n')
    } catch {
      await client.query('rollback to savepoint plan')
    }
  }
  return null
}

function lines(node: PlanNode, depth = 0): string[] {
  const words = [
    node['Subplan Name'] && `${node['Subplan Name']}:`,
    node.Operation,
    node['Join Type'] && node['Join Type'] !== 'Inner' ? node['Join Type'] : undefined,
    node['Node Type'],
    node['Relation Name'] ?? node['Function Name'] ?? node['CTE Name'],
    node['Index Name'] && `by ${node['Index Name']}`,
    node['Sort Key'] && `by ${node['Sort Key'].join(', ')}`,
  ]
  // Partitions are named by the hour and month of the run.
  const line = words
    .filter(Boolean)
    .join(' ')
    .replaceAll(/\b(journal|telemetry)_\d+/g, '$1_part')
  return [`${'  '.repeat(depth)}${line}`, ...(node.Plans ?? []).flatMap(plan => lines(plan, depth + 1))]
}
