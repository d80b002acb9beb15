/**
 * Every declared route says who may call it and what it leaves in the operation log, and stands in `all-contracts.ts`,
 * without which the server would not know of it. With a file: looks at the contracts that it exports instead.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { allContracts } from '../src/all-contracts.ts'
import type { RouteContract } from '../src/route.ts'

type Contract = Record<string, RouteContract>

const SOURCES = join(import.meta.dirname, '../src')
const isRoute = (value: unknown): value is RouteContract =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value
const isContract = (value: unknown): value is Contract =>
  typeof value === 'object' && value !== null && Object.values(value).length > 0 && Object.values(value).every(isRoute)

function problemsOf(name: string, { method, path, permission, audit }: RouteContract): string[] {
  const problems: string[] = []
  if (!permission) problems.push('has no permission')
  if (method !== 'GET' && !audit) problems.push('changes something without an audit name')
  if (typeof audit === 'string' && !/^[a-z][a-z_]*\.[a-z][a-z_]*$/.test(audit))
    problems.push(`has the audit name "${audit}", which is not object.what_happens`)
  if (typeof audit === 'object' && !audit.none.trim()) problems.push('does not say why it leaves no trace')
  return problems.map(problem => `${name} (${method} ${path}) ${problem}`)
}

async function contractsOf(file: string): Promise<[string, Contract][]> {
  const module = (await import(pathToFileURL(file).href)) as Record<string, unknown>
  return Object.entries(module).filter((entry): entry is [string, Contract] => isContract(entry[1]))
}

const given = process.argv[2]
const files = given
  ? [given]
  : readdirSync(SOURCES)
      .filter(name => name.endsWith('.contract.ts'))
      .map(name => join(SOURCES, name))
const known = new Set<unknown>(Object.values(allContracts))
const problems: string[] = []
const places = new Map<string, string>()
for (const file of files)
  for (const [name, contract] of await contractsOf(file)) {
    if (!known.has(contract)) problems.push(`${name} is not among all-contracts.ts`)
    for (const [route, row] of Object.entries(contract)) {
      problems.push(...problemsOf(`${name}.${route}`, row))
      const place = `${row.method} ${row.path.replace(/\{\w+\}/g, '{}')}`
      const before = places.get(place)
      if (before) problems.push(`${name}.${route} has the address of ${before}: ${place}`)
      places.set(place, `${name}.${route}`)
    }
  }
if (places.size === 0) problems.push('no route was found')
for (const problem of problems) process.stdout.write(`${problem}\n`)
process.exit(problems.length ? 1 : 0)
