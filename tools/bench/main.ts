import { endOnSignals } from '../lib/end.ts'
import type { Bench, BenchOptions, Size } from './core/bench.ts'
import { DisturbanceWatch } from './core/disturbance.ts'
import { writeDocs } from './core/docs.ts'
import { describeMachine, load } from './core/machine.ts'
import { type BenchResult, printResult, writeResult } from './core/report.ts'

/** In the order in which they run when none is named: `latency` takes half of the rate that `ingest` found. */
const BENCHES: Record<string, () => Promise<Bench>> = {
  ingest: async () => (await import('./ingest/ingest.bench.ts')).ingest,
  latency: async () => (await import('./latency/latency.bench.ts')).latency,
  history: async () => (await import('./history/history.bench.ts')).history,
  cold: async () => (await import('./cold/cold.bench.ts')).cold,
  full: async () => (await import('./full/full.bench.ts')).full,
  connect: async () => (await import('./connect/connect.bench.ts')).connect,
  fleet: async () => (await import('./fleet/fleet.bench.ts')).fleet,
  overview: async () => (await import('./overview/overview.bench.ts')).overview,
  'api-load': async () => (await import('./api-load/api-load.bench.ts')).apiLoad,
  modbus: async () => (await import('./modbus/modbus.bench.ts')).modbus,
  formats: async () => (await import('./formats/formats.bench.ts')).formats,
  rules: async () => (await import('./triggers/rules.bench.ts')).rulesEngine,
  triggers: async () => (await import('./triggers/triggers.bench.ts')).triggers,
  tasks: async () => (await import('./tasks/tasks.bench.ts')).tasks,
  lora: async () => (await import('./lora/lora.bench.ts')).lora,
  ledger: async () => (await import('./ledger/ledger.bench.ts')).ledger,
  billing: async () => (await import('./billing/billing.bench.ts')).billing,
  ota: async () => (await import('./ota/ota.bench.ts')).ota,
  forward: async () => (await import('./forward/forward.bench.ts')).forward,
  assistant: async () => (await import('./assistant/assistant.bench.ts')).assistant,
  web: async () => (await import('./web/web.bench.ts')).web,
  map: async () => (await import('./map/map.bench.ts')).map,
}

endOnSignals()

const say = (line: string) => void process.stdout.write(`${line}\n`)

function usage(problem: string): never {
  process.stderr.write(
    `${problem}\nUsage: npm run bench [${Object.keys(BENCHES).join('|')}] [-- --size S|M] [--profile FOLDER] [--docs]\n`,
  )
  process.exit(2)
}

interface Arguments {
  names: string[]
  size: Size
  profile: string | null
  /** Write the results into docs/benchmarks.md too. */
  docs: boolean
}

function readArguments(args: string[]): Arguments {
  const names: string[] = []
  let size: Size = 'S'
  let profile: string | null = null
  let docs = false
  for (let i = 0; i < args.length; i++) {
    const word = args[i]!
    if (word === '--size') {
      const given = args[++i]?.toUpperCase()
      if (given !== 'S' && given !== 'M') usage('--size takes S or M')
      size = given
    } else if (word === '--profile') {
      profile = args[++i] ?? usage('--profile takes a folder')
    } else if (word === '--docs') docs = true
    else if (word in BENCHES) names.push(word)
    else usage(`There is no benchmark ${word}`)
  }
  return { names: names.length ? names : Object.keys(BENCHES), size, profile, docs }
}

async function runOne(name: string, options: BenchOptions): Promise<BenchResult> {
  const bench = await BENCHES[name]!()
  say(`\n== ${name}: ${bench.summary} (size ${options.size})`)
  const startedAt = new Date().toISOString()
  const began = performance.now()
  const before = load()
  const watch = new DisturbanceWatch()
  let disturbedBy: string[] = []
  const report = await bench.run(options).finally(() => {
    disturbedBy = watch.stop()
  })
  return {
    name,
    size: options.size,
    startedAt,
    seconds: Math.round((performance.now() - began) / 1000),
    machine: describeMachine(),
    load: { before, after: load() },
    disturbed: disturbedBy.length > 0,
    disturbedBy,
    ...report,
  }
}

const { names, size, profile, docs } = readArguments(process.argv.slice(2))
let failed = 0
for (const name of names) {
  try {
    const result = await runOne(name, { size, profile, say })
    printResult(result, say)
    say(`written to ${writeResult(result)}${docs ? ` and ${writeDocs(result)}` : ''}`)
  } catch (error) {
    failed += 1
    say(`FAILED ${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
}
process.exit(failed ? 1 : 0)
