// npm test: everything that can fail, on a bare machine. The last line is the count.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { buildIfStale } from './build.mjs'
import { check } from './check.mjs'
import { checkPlatform, installIfStale, root, run } from './lib.mjs'

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

checkPlatform()
await installIfStale()

const only = process.argv.slice(2)
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

const scratch = mkdtempSync(join(tmpdir(), 'thingwright-test-'))
for (const suite of SUITES) {
  if (only.length && !only.includes(suite)) continue
  const started = Date.now()
  process.stdout.write(`\n== ${suite}\n`)
  const report = join(scratch, `${suite.replace('/', '-')}.json`)
  const code = await run(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      '--passWithNoTests',
    ],
    {
      cwd: join(root, suite),
      env: { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1' },
    },
  )
  if (existsSync(report)) {
    const result = JSON.parse(readFileSync(report, 'utf8'))
    passed += result.numPassedTests
    failed += result.numFailedTests
    skipped += result.numPendingTests + (result.numTodoTests ?? 0)
    for (const file of result.testResults) {
      const place = relative(root, file.name)
      if (file.status === 'failed' && file.assertionResults.every(test => test.status !== 'failed'))
        failures.push(`${place}\n  ${firstLines(file.message)}`)
      for (const test of file.assertionResults)
        if (test.status === 'failed')
          failures.push(`${place} > ${test.fullName}\n  ${firstLines(test.failureMessages.join('\n'))}`)
    }
    // A file that could not be loaded has no failed test, but it has failed.
    if (code !== 0 && result.numFailedTests === 0) failed += 1
  } else if (code !== 0) {
    failed += 1
    failures.push(`${suite}: ended with ${code} and left no report`)
  }
  process.stdout.write(`== ${suite}: ${((Date.now() - started) / 1000).toFixed(0)} s\n`)
}
rmSync(scratch, { recursive: true, force: true })

if (only.length === 0) {
  process.stdout.write('\n== outside suites against the MQTT layer\n')
  if (await run(process.execPath, [join(root, 'tools/conformance/run.mjs')])) {
    failed += 1
    failures.push('tools/conformance')
  }
}

const missing = OUTSIDE.filter(program => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0)
if (missing.length)
  process.stdout.write(`\nNot on this machine, so the tests that use them were skipped: ${missing.join(', ')}\n`)
if (failures.length) process.stdout.write(`\nFailed:\n${failures.map(line => `- ${line}\n`).join('')}`)
process.stdout.write(`\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}\n`)
process.exit(failed ? 1 : 0)
