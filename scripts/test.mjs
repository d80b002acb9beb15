// npm test: everything that can fail, on a bare machine. The last line is the count.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
const OUTSIDE = ['mosquitto_pub', 'mosquitto_sub', 'curl', 'psql', 'nc']

checkPlatform()
await installIfStale()

const only = process.argv.slice(2)
let passed = 0
let failed = 0
let skipped = 0

if (only.length === 0) {
  const checksFailed = await check()
  failed += checksFailed
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
    // A file that could not be loaded has no failed test, but it has failed.
    if (code !== 0 && result.numFailedTests === 0) failed += 1
  } else if (code !== 0) failed += 1
  process.stdout.write(`== ${suite}: ${((Date.now() - started) / 1000).toFixed(0)} s\n`)
}
rmSync(scratch, { recursive: true, force: true })

const missing = OUTSIDE.filter(program => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0)
if (missing.length)
  process.stdout.write(`\nNot on this machine, so the tests that use them were skipped: ${missing.join(', ')}\n`)
process.stdout.write(`\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}\n`)
process.exit(failed ? 1 : 0)
