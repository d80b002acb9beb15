// npm test: everything that can fail, on a bare machine. The last line is the count.
//   npm test -- SUITE ...            some of the folders below, or files of them (e2e/logs.e2e.ts), without the checks
//   npm test -- --changed[=COMMIT]   the checks, and the tests that what differs from a commit (the last) can reach
//   npm test -- --durations          also writes how long each file took, which is the order of the next run (with SUITE:
//                                    of those alone)
//   npm test -- --report=FILE        also writes what became of each file, for scripts/steady.mjs

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { buildIfStale } from './build.mjs'
import { changedFiles } from './changed.mjs'
import { check } from './check.mjs'
import { writeDurations } from './durations.mjs'
import { checkPlatform, fail, installIfStale, root, run } from './lib.mjs'

/** Folders with a vitest of their own, in the order in which a newcomer wants to know what broke. */
const SUITES = [
  'packages/contracts',
  'packages/thing-model',
  'packages/device-sdk',
  'apps/web',
  'tools',
  'apps/server',
  'e2e',
]
/** Programs of others that some tests talk to when they are here. */
const OUTSIDE = ['mosquitto_pub', 'mosquitto_sub', 'curl', 'psql', 'nc', 'gcc', 'g++', 'python3', 'java']

/** As much of a failure as tells what it is; the whole stands where it happened. */
function firstLines(message) {
  return (message ?? '')
    .split('\n')
    .filter(line => !line.includes('node_modules'))
    .slice(0, 12)
    .join('\n  ')
    .slice(0, 1500)
}

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

/** So many failed files of a suite are looked at again; more than that is no accident. */
const AGAIN_AT_MOST = 5
/** Files that failed beside others and passed alone: another kind of fault to look for (CONTRIBUTING.md). */
const unsteady = new Map()
/** So many of them leave the run green: one stall of a machine must not cost a day. More are no stall. */
const UNSTEADY_AT_MOST = 2

const scratch = mkdtempSync(join(tmpdir(), 'thingwright-test-'))

/**
 * Runs a suite, or some of its files, or those one after the other.
 * @returns its exit code, what vitest wrote, if it did, and what went wrong outside every test
 */
async function runSuite(suite, files, oneByOne = false) {
  const report = join(scratch, `${suite.replace('/', '-')}${oneByOne ? '-again' : ''}.json`)
  const strays = `${report}.strays`
  const code = await run(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      // The journeys reach the product through its ports, where no import leads: those that are changed themselves.
      ...(changed && !files.length
        ? suite === 'e2e'
          ? ['run', ...changed.filter(path => path.endsWith('.e2e.ts'))]
          : ['related', '--run', ...changed]
        : ['run', ...files]),
      ...(oneByOne ? ['--maxWorkers=1'] : []),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      `--reporter=${join(root, 'scripts/stray-errors.mjs')}`,
      '--passWithNoTests',
    ],
    {
      cwd: join(root, suite),
      env: { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1', STRAY_ERRORS: strays },
    },
  )
  const read = file => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null)
  return { code, result: read(report), strays: read(strays) ?? [] }
}

/** What failed in a file, a line for each. */
function failuresOf(file) {
  const place = relative(root, file.name)
  const tests = file.assertionResults.filter(test => test.status === 'failed')
  if (tests.length === 0) return [`${place}\n  ${firstLines(file.message)}`]
  return tests.map(test => `${place} > ${test.fullName}\n  ${firstLines(test.failureMessages.join('\n'))}`)
}

for (const suite of SUITES) {
  const files = only.includes(suite) ? [] : only.filter(word => isFileOf(suite, word))
  if (only.length && !only.includes(suite) && files.length === 0) continue
  if (changed && suite === 'e2e' && !changed.some(path => path.endsWith('.e2e.ts'))) continue
  const started = Date.now()
  process.stdout.write(`\n== ${suite}\n`)
  const { code, result, strays } = await runSuite(
    suite,
    files.map(file => relative(suite, file)),
  )
  if (result) {
    passed += result.numPassedTests
    skipped += result.numPendingTests + (result.numTodoTests ?? 0)
    durations.push(...result.testResults)
    const broken = result.testResults.filter(file => file.status === 'failed')
    let still = new Set(broken.map(file => file.name))
    if (broken.length > 0 && broken.length <= AGAIN_AT_MOST) {
      process.stdout.write(`\n== ${suite}: ${broken.length} failed, once more and alone\n`)
      const again = await runSuite(
        suite,
        broken.map(file => relative(join(root, suite), file.name)),
        true,
      )
      const whole = new Set(again.result?.testResults.filter(file => file.status === 'passed').map(file => file.name))
      still = new Set([...still].filter(name => !whole.has(name)))
    }
    for (const file of broken) {
      const lines = failuresOf(file)
      if (still.has(file.name)) {
        failed += lines.length
        failures.push(...lines)
      } else unsteady.set(file.name, lines)
    }
    // A promise that was rejected and that nobody waited for; where a test was cut off, that is a consequence.
    const own = strays.filter(({ file }) => !unsteady.has(file))
    failed += own.length
    failures.push(...own.map(({ file, text }) => `${file ? relative(root, file) : suite}: ${firstLines(text)}`))
    if (code !== 0 && broken.length === 0 && strays.length === 0) {
      failed += 1
      failures.push(`${suite}: ended with ${code} although no test failed`)
    }
  } else if (code !== 0) {
    failed += 1
    failures.push(`${suite}: ended with ${code} and left no report`)
  }
  process.stdout.write(`== ${suite}: ${((Date.now() - started) / 1000).toFixed(0)} s\n`)
}
rmSync(scratch, { recursive: true, force: true })

if (option('--durations') && !changed) writeDurations(durations)

if (only.length === 0 && !changed) {
  process.stdout.write('\n== outside suites against the MQTT layer\n')
  if (await run(process.execPath, [join(root, 'tools/conformance/run.mjs')])) {
    failed += 1
    failures.push('tools/conformance')
  }
}

const missing = OUTSIDE.filter(program => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0)
if (missing.length)
  process.stdout.write(`\nNot on this machine, so the tests that use them were skipped: ${missing.join(', ')}\n`)
const unsteadyLines = [...unsteady.values()].flat()
if (unsteady.size > 0)
  process.stdout.write(
    `\nUnsteady (failed beside others, passed alone; mend them before anything else):\n${unsteadyLines.map(line => `- ${line}\n`).join('')}`,
  )
if (unsteady.size > UNSTEADY_AT_MOST) {
  failed += unsteadyLines.length
  failures.push(`${unsteady.size} unsteady files: no more than ${UNSTEADY_AT_MOST} can be an accident`)
}
const reportTo = option('--report')?.split('=')[1]
if (reportTo) {
  const files = durations.map(file => ({
    file: relative(root, file.name),
    seconds: (file.endTime - file.startTime) / 1000,
    failures: file.status === 'failed' ? failuresOf(file) : [],
  }))
  const told = new Set(files.flatMap(file => file.failures))
  // What no test of a file says: the check, outside suites, a promise that nobody waited for, a process that broke off.
  writeFileSync(reportTo, JSON.stringify({ files, rest: failures.filter(line => !told.has(line)) }))
}
if (failures.length) process.stdout.write(`\nFailed:\n${failures.map(line => `- ${line}\n`).join('')}`)
process.stdout.write(
  `\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}${unsteady.size ? `, ${unsteady.size} files unsteady` : ''}\n`,
)
process.exit(failed ? 1 : 0)
