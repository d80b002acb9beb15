import { runFuzz } from './fuzz-run.ts'

// The long form of the packet fuzz: `node --import tsx fuzz-main.ts [PACKETS] [SEED]`
const [packets, seed] = [process.argv[2] ?? 1_000_000, process.argv[3] ?? 20260101].map(Number) as [number, number]
let next = packets / 10
const report = await runFuzz(packets, seed, sent => {
  if (sent < next) return
  process.stderr.write(`${sent} packets\n`)
  next += packets / 10
})
process.stdout.write(`${JSON.stringify(report)}\n`)
const { failures, alive, heldGrowthMb, bystander } = report
const good = alive && failures.length === 0 && bystander.published === bystander.stored && heldGrowthMb < 20
process.exit(good ? 0 : 1)
