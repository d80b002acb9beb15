import { endOnSignals } from '../lib/end.ts'
import { killRounds } from './kill-rounds.ts'
import { longForm } from './long-form.ts'
import { otaCampaign } from './ota-campaign.ts'
import { storm } from './storm.ts'
import { webhookKill } from './webhook-kill.ts'

endOnSignals()

if (process.argv[2] === 'storm') {
  const devices = Number(process.argv[3] ?? 5_000)
  process.stdout.write(`${devices} devices connected, kill -9 of everything, all ask again at once\n`)
  const seen = await storm(devices)
  process.stdout.write(
    `ready after ${seen.readyMs} ms, all ${seen.devices - seen.wrong} good devices up ${seen.allUpMs} ms later; ` +
      `${seen.attempts} connections, CONNACK p50 ${seen.p50} ms, p99 ${seen.p99} ms, wrongly refused ${seen.wronglyRefused}\n`,
  )
  process.exit(seen.wronglyRefused === 0 ? 0 : 1)
}

if (process.argv[2] === undefined || process.argv[2] === 'long' || process.argv[2] === 'outage') {
  const given = process.argv.slice(3).map(Number)
  const seconds = given.length > 0 ? given : [5, 60, 300]
  const everything = process.argv[2] !== 'outage'
  const say = (line: string) => process.stdout.write(`${line}\n`)
  say(`the database is away for ${seconds.join(', ')} s${everything ? ', kill -9, a full disk' : ''}, under load`)
  const report = await longForm({ seconds, everything, devices: 8, pauseMs: 400, say })
  for (const { site, comparison } of report.sites)
    say(
      `${site}: acknowledged ${comparison.acknowledged}, points in history ${comparison.points}; lost ${comparison.lost}, twice ${comparison.twice}, never sent ${comparison.strange}`,
    )
  const slowest = Math.max(...report.faults.flatMap(({ mqttMs, httpMs, apiMs }) => [mqttMs, httpMs, apiMs]))
  say(`slowest first answer after a fault: ${slowest} ms`)
  for (const line of report.skipped) say(`SKIPPED on this machine: ${line}`)
  const ended = report.faults.filter(({ what, sameProcesses }) => !sameProcesses && !what.includes('kill'))
  for (const { site, what } of ended) say(`a process ended: ${site}: ${what}`)
  const good =
    ended.length === 0 &&
    report.sites.length > 0 &&
    report.sites.every(({ comparison: { lost, twice, strange } }) => lost + twice + strange === 0)
  say(good ? 'what was acknowledged is in history, once' : 'FAILED')
  process.exit(good ? 0 : 1)
}

if (process.argv[2] === 'ota') {
  const devices = Number(process.argv[3] ?? 1_000)
  process.stdout.write(
    `${devices} devices, one in twenty with a fault: a campaign that stops itself, then kill -9 in one\n`,
  )
  const seen = await otaCampaign({ devices, killed: devices, killAt: devices / 5 })
  process.stdout.write(
    `stopped by ${seen.stopped.reason} at ${seen.failedAtStop} failures of ${seen.endedAtStop}; killed at ${seen.atKill}, ` +
      `back after ${seen.backMs} ms; at the end ${JSON.stringify(seen.killed.states)}, versions ${JSON.stringify(seen.versionsAtEnd)}; ms ${JSON.stringify(seen.took)}\n`,
  )
  const good = seen.contradictions.length + seen.strangeImages + seen.bricked === 0
  process.stdout.write(
    good ? 'every device runs what its update says\n' : `FAILED ${JSON.stringify(seen.contradictions)}\n`,
  )
  process.exit(good ? 0 : 1)
}

if (process.argv[2] === 'webhook') {
  const messages = Number(process.argv[3] ?? 20_000)
  process.stdout.write(`${messages} messages behind a receiver that was down, kill -9 in the middle of the backlog\n`)
  const seen = await webhookKill({ messages, devices: 20, killAt: messages / 4 })
  process.stdout.write(
    `killed at ${seen.atKill} of ${seen.acknowledged}, back after ${seen.backMs} ms; lost ${seen.lost}, ` +
      `sent again ${seen.repeated}, out of order ${seen.outOfOrder}, ids per message ${seen.idsPerMessage}\n`,
  )
  const good = seen.lost + seen.outOfOrder + seen.faults.length + seen.deadLetters === 0 && seen.idsPerMessage === 1
  process.stdout.write(
    good ? 'every message arrived under one id and in order\n' : `FAILED ${seen.faults.join('; ')}\n`,
  )
  process.exit(good ? 0 : 1)
}

const rounds = Number(process.argv[2])
const seed = Number(process.argv[3] ?? Date.now())
process.stdout.write(`kill -9 under load, ${rounds} rounds, seed ${seed}\n`)
const report = await killRounds({
  rounds,
  seed,
  onRound: round => process.stdout.write(`  ${round.what.padEnd(10)} back after ${round.backMs} ms\n`),
})
process.stdout.write(
  `history: ${report.history.points} points of ${report.history.expected}, acknowledged and not there ${report.history.lost}\n`,
)
process.stdout.write(
  `acknowledged ${report.acknowledged}, lost ${report.lost}, QoS 2 duplicated ${report.duplicated}, rows ${report.rows}, counted by consumers ${report.counted}\n`,
)
for (const { consumer, behind } of report.consumers) process.stdout.write(`  ${consumer}: ${behind} behind\n`)
const good =
  report.lost === 0 &&
  report.history.lost === 0 &&
  report.history.points === report.history.expected &&
  report.duplicated === 0 &&
  report.counted === report.rows &&
  report.consumers.every(c => c.behind === 0)
process.stdout.write(good ? 'nothing acknowledged was lost\n' : 'FAILED\n')
process.exit(good ? 0 : 1)
