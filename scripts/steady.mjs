// npm run test:steady: the same tests several times in a row with one core taken away, and a table of what failed when.
//   npm run test:steady -- 3                        the journeys three times (eight, when nothing is said)
//   npm run test:steady -- 3 e2e/logs.e2e.ts tools  some suites or files, as `npm test` takes them
//   npm run test:steady -- --whole 3                three whole runs of `npm test`
// Ends with 1 when anything failed once, also where it passed when it was run again alone.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, root, run } from './lib.mjs'
import { steadyTable } from './steady-table.mjs'

const RUNS = 8

/** Cores that this process may use, by number (`0-1,4`). */
function allowedCores() {
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'
  return list.split(',').flatMap(part => {
    const [first, last = first] = part.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, n) => first + n)
  })
}

/** How one core is taken away: by name, what stands before the command, and what ends it. */
function withoutOneCore() {
  const pinned = process.platform === 'linux' && spawnSync('taskset', ['--version']).status === 0
  if (pinned) {
    const cores = allowedCores()
    if (cores.length > 1)
      return {
        how: `taskset keeps the tests on ${cores.length - 1} of ${cores.length} cores`,
        before: ['taskset', '-c', cores.slice(0, -1).join(',')],
        end: () => undefined,
      }
    return { how: 'there is one core, and none is taken away', before: [], end: () => undefined }
  }
  const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
  return {
    how: `no taskset here: an endless loop shares the ${cpus().length} cores with the tests`,
    before: [],
    end: () => busy.kill('SIGKILL'),
  }
}

const given = process.argv.slice(2)
const numbers = given.filter(word => /^\d+$/.test(word))
const whole = given.includes('--whole')
const named = given.filter(word => !numbers.includes(word) && word !== '--whole')
const runs = Number(numbers[0] ?? RUNS)
if (numbers.length > 1 || runs < 1 || named.some(word => word.startsWith('-')) || (whole && named.length))
  fail('npm run test:steady -- [RUNS] [SUITE or FILE …], or -- --whole [RUNS]')
const what = whole ? [] : named.length ? named : ['e2e']

const { how, before, end } = withoutOneCore()
const scratch = mkdtempSync(join(tmpdir(), 'thingwright-steady-'))
const seen = []
try {
  process.stdout.write(`${runs} runs of ${whole ? 'everything' : what.join(' ')}; ${how}\n`)
  for (let n = 1; n <= runs; n++) {
    const report = join(scratch, `${n}.json`)
    const started = Date.now()
    const command = [...before, process.execPath, join(root, 'scripts/test.mjs'), ...what, `--report=${report}`]
    const code = await run(command[0], command.slice(1))
    const { files, rest } = existsSync(report)
      ? JSON.parse(readFileSync(report, 'utf8'))
      : { files: [], rest: [`the run ended with ${code} and left no report`] }
    seen.push({ seconds: (Date.now() - started) / 1000, files, rest })
    // After every run: what a long evening has shown so far is not lost when it is broken off.
    process.stdout.write(`\n${steadyTable(seen)}\n${how}\n`)
  }
} finally {
  end()
  rmSync(scratch, { recursive: true, force: true })
}
process.exit(seen.some(({ files, rest }) => rest.length || files.some(file => file.failures.length)) ? 1 : 0)
