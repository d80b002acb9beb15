import { killRounds } from './kill-rounds.ts'

const rounds = Number(process.argv[2] ?? 10)
const seed = Number(process.argv[3] ?? Date.now())
process.stdout.write(`kill -9 under load, ${rounds} rounds, seed ${seed}\n`)
const report = await killRounds({
  rounds,
  seed,
  onRound: round => process.stdout.write(`  ${round.what.padEnd(10)} back after ${round.backMs} ms\n`),
})
process.stdout.write(
  `acknowledged ${report.acknowledged}, lost ${report.lost}, QoS 2 duplicated ${report.duplicated}, rows ${report.rows}, counted by consumers ${report.counted}\n`,
)
for (const { consumer, behind } of report.consumers) process.stdout.write(`  ${consumer}: ${behind} behind\n`)
const good =
  report.lost === 0 &&
  report.duplicated === 0 &&
  report.counted === report.rows &&
  report.consumers.every(c => c.behind === 0)
process.stdout.write(good ? 'nothing acknowledged was lost\n' : 'FAILED\n')
process.exit(good ? 0 : 1)
