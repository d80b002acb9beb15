// npm test: everything that can fail, on a bare machine. The last line is the count.
//   npm test -- SUITE ...            some of the folders below, or files of them (e2e/logs.e2e.ts), without the checks
//   npm test -- --changed[=COMMIT]   the checks, and the tests that what differs from a commit (the last) can reach
//   npm test -- --durations          also writes how long each file took, which is the order of the next run (with SUITE:
//                                    of those alone)
//   npm test -- --report=FILE        also writes what became of each file, for scripts/steady.mjs

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { buildIfStale } from './build.mjs'
import { changedFiles } from './changed.mjs'
import { check } from './check.mjs'
import { writeDurations } from './durations.mjs'
import { checkPlatform, fail, installIfStale, root, run } from './lib.mjs'
import { failuresOf, runSuite } from './suite-run.mjs'

/** Folders with a vitest of their own, in the order in which a newcomer wants to know what broke. */
const SUITES = [
  'packages/contracts',
  'packages/thing-model',
  'packages/rules',
  'packages/schedules',
  'packages/scene',
  'packages/device-sdk',
  'apps/web',
  'tools',
  'apps/server',
  'e2e',
]
/** Programs of others that some tests talk to when they are here. */
const OUTSIDE = ['mosquitto_pub', 'mosquitto_sub', 'curl', 'psql', 'nc', 'gcc', 'g++', 'python3', 'java']

/** Whether a word names a test file of a suite. */
function isFileOf(suite, word) {
  return word.startsWith(`${suite}/`) && existsSync(join(root, word))
}

checkPlatform()
await installIfStale()

const given = process.argv.slice(2)
const only = given.filter(word => !word.startsWith('--'))
const unknown = only.filter(word => !SUITES.some(suite => word === suite || isFileOf(suite, word)))
if (unknown.length) fail(`npm test: no suite and no file of one: ${unknown.join(', ')} (suites: ${SUITES.join(', ')})`)
const option = name => given.find(word => word === name || word.startsWith(`${name}=`))
const changed = option('--changed') ? changedFiles(option('--changed').split('=')[1]) : null
const durations = []
let passed = 0
let failed = 0
let skipped = 0
/** What failed, told again at the end: the start of a long output is the first thing that a log loses. */
const failures = []

if (only.length === 0) {
  const checksFailed = await check()
  failed += checksFailed
  if (checksFailed) failures.push('npm run check (see the top of this output)')
  if (checksFailed) process.stdout.write('\nThe checks failed; the tests run all the same.\n')
}
await buildIfStale()

/** Files that failed beside others and passed alone, with what failed: another kind of fault to look for (CONTRIBUTING.md). */
const unsteady = new Map()

const scratch = mkdtempSync(join(tmpdir(), 'thingwright-test-'))

for (const suite of SUITES) {
  const files = only.includes(suite) ? [] : only.filter(word => isFileOf(suite, word))
  if (only.length && !only.includes(suite) && files.length === 0) continue
  if (changed && suite === 'e2e' && !changed.some(path => path.endsWith('.e2e.ts'))) continue
  const started = Date.now()
  process.stdout.write(`\n== ${suite}\n`)
  // The journeys reach the product through its ports, where no import leads: those that are changed themselves.
  const args =
    changed && !files.length
      ? suite === 'e2e'
        ? ['run', ...changed.filter(path => path.endsWith('.e2e.ts'))]
        : ['related', '--run', ...changed]
      : ['run', ...files.map(file => relative(suite, file))]
  const result = await runSuite({ suite, args, scratch, say: line => process.stdout.write(line) })
  passed += result.passed
  skipped += result.skipped
  failed += result.failures.length
  failures.push(...result.failures)
  durations.push(...result.files)
  for (const [name, lines] of result.unsteady) unsteady.set(name, lines)
  process.stdout.write(`== ${suite}: ${((Date.now() - started) / 1000).toFixed(0)} s\n`)
}
rmSync(scratch, { recursive: true, force: true })

if (option('--durations') && !changed) writeDurations(durations)

if (only.length === 0 && !changed) {
  process.stdout.write('\n== outside suites against the MQTT layer\n')
  const suites = () => run(process.execPath, [join(root, 'tools/conformance/run.mjs')])
  let tries = 1
  while (tries <= 3 && (await suites()) !== 0) tries += 1
  if (tries > 3) {
    failed += 1
    failures.push('tools/conformance')
  } else if (tries > 1) unsteady.set('tools/conformance', ['tools/conformance'])
}

const missing = OUTSIDE.filter(program => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0)
if (missing.length)
  process.stdout.write(`\nNot on this machine, so the tests that use them were skipped: ${missing.join(', ')}\n`)
const unsteadyLines = [...unsteady.values()].flat()
if (unsteady.size > 0)
  process.stdout.write(
    `\nUnsteady (failed, and passed when they were run again alone; what is seen twice is written down in docs/testing.md):\n${unsteadyLines.map(line => `- ${line}\n`).join('')}`,
  )
const reportTo = option('--report')?.split('=')[1]
if (reportTo) {
  const files = durations.map(file => ({
    file: relative(root, file.name),
    seconds: (file.endTime - file.startTime) / 1000,
    failures: file.status === 'failed' ? failuresOf(file) : [],
  }))
  const told = new Set(files.flatMap(file => file.failures))
  // What no test of a file says: the check, outside suites, a promise that nobody waited for, a process that broke off.
  const rest = [...failures, ...unsteadyLines].filter(line => !told.has(line))
  writeFileSync(reportTo, JSON.stringify({ files, rest }))
}
if (failures.length) process.stdout.write(`\nFailed:\n${failures.map(line => `- ${line}\n`).join('')}`)
process.stdout.write(
  `\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}${unsteady.size ? `, ${unsteady.size} files unsteady` : ''}\n`,
)
process.exit(failed ? 1 : 0)
