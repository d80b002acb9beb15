// One suite of `npm test`: run, and what failed is run again, each file alone, up to twice. What passes then failed by
// chance (*unsteady*); what fails three times is broken.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { run, root as thisRoot } from './lib.mjs'

/** More failed files than this are no accident: they are not run again. */
export const AGAIN_AT_MOST = 20
/** How often a file may fail before it is red. */
const TRIES = 3

/** As much of a failure as tells what it is; the whole text stands where it happened. */
export function firstLines(message) {
  return (message ?? '')
    .split('\n')
    .filter(line => !line.includes('node_modules'))
    .slice(0, 12)
    .join('\n  ')
    .slice(0, 1500)
}

/** What failed in a file of vitest's report, a line for each. */
export function failuresOf(file, root = thisRoot) {
  const place = relative(root, file.name)
  const tests = file.assertionResults.filter(test => test.status === 'failed')
  if (tests.length === 0) return [`${place}\n  ${firstLines(file.message)}`]
  return tests.map(test => `${place} > ${test.fullName}\n  ${firstLines(test.failureMessages.join('\n'))}`)
}

/**
 * Runs vitest in a folder to its end.
 * @param {{root: string, suite: string, args: string[], report: string, env?: object, stdio?: string}} what
 * @returns {Promise<{code: number, files: object[] | null, counts: object | null, strays: {file: string | null, text: string}[]}>}
 *   its exit code, the files of its JSON report (null when it left none), and what went wrong outside every test
 */
async function vitest({ root, suite, args, report, env = process.env, stdio = 'inherit' }) {
  const strays = `${report}.strays`
  for (const path of [report, strays]) rmSync(path, { force: true })
  const code = await run(
    process.execPath,
    [
      join(thisRoot, 'node_modules/vitest/vitest.mjs'),
      ...args,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      `--reporter=${join(thisRoot, 'scripts/stray-errors.mjs')}`,
      '--passWithNoTests',
    ],
    {
      cwd: join(root, suite),
      env: { ...env, FORCE_COLOR: '0', NO_COLOR: '1', STRAY_ERRORS: strays },
      stdio,
    },
  )
  const read = path => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null)
  const result = read(report)
  return { code, files: result?.testResults ?? null, counts: result, strays: read(strays) ?? [] }
}

/** What was wrong in a run, by file; under `null` what belongs to no file. */
function faultsOf({ code, files, strays }, root, suite) {
  const faults = new Map()
  const add = (file, lines) => faults.set(file, [...(faults.get(file) ?? []), ...lines])
  for (const file of files ?? []) if (file.status === 'failed') add(file.name, failuresOf(file, root))
  // A promise that was rejected and that no test waited for. It makes its file fail, which is run again like any other.
  for (const { file, text } of strays) add(file, [`${file ? relative(root, file) : suite}: ${firstLines(text)}`])
  if (files === null && code !== 0) add(null, [`${suite}: ended with ${code} and left no report`])
  else if (code !== 0 && faults.size === 0) add(null, [`${suite}: ended with ${code} although no test failed`])
  return faults
}

/**
 * Runs a suite or some of its files. A file that fails is run again alone, up to twice; a run that broke off outside
 * every file is made once more as a whole.
 * @param {{root?: string, suite: string, args: string[], scratch: string, say?: (line: string) => void, env?: object,
 *   stdio?: string}} what `args` of vitest for the first run (`['run', ...files]`), `scratch` a folder for reports
 * @returns {Promise<{passed: number, skipped: number, files: object[], failures: string[],
 *   unsteady: Map<string, string[]>}>} counts and files of the first run (of the second where the first broke off), what
 *   failed three times or was too much to be run again, and by file what failed first and passed later
 */
export async function runSuite({ root = thisRoot, suite, args, scratch, say = () => undefined, env, stdio }) {
  const reportOf = name => join(scratch, `${suite.replaceAll('/', '-')}-${name}.json`)
  const unsteady = new Map()
  let first = await vitest({ root, suite, args, report: reportOf('first'), env, stdio })
  let faults = faultsOf(first, root, suite)
  if (faults.has(null)) {
    say(`\n== ${suite}: it broke off, once more\n`)
    const second = await vitest({ root, suite, args, report: reportOf('second'), env, stdio })
    const lines = faults.get(null)
    if (second.files) first = second
    faults = faultsOf(second, root, suite)
    if (!faults.has(null)) unsteady.set(suite, lines)
  }
  const failures = [...(faults.get(null) ?? [])]
  faults.delete(null)
  let open = [...faults.keys()]
  if (open.length > AGAIN_AT_MOST) {
    say(`\n== ${suite}: ${open.length} files failed, too many to be an accident; none is run again\n`)
    failures.push(...open.flatMap(file => faults.get(file)))
    open = []
  }
  for (let attempt = 2; attempt <= TRIES && open.length > 0; attempt++) {
    say(`\n== ${suite}: ${open.length} files failed, try ${attempt} of ${TRIES}, each alone\n`)
    const still = []
    for (const [index, file] of open.entries()) {
      const report = reportOf(`${attempt}-${index}`)
      const only = ['run', relative(join(root, suite), file), '--maxWorkers=1']
      const again = await vitest({ root, suite, args: only, report, env, stdio })
      const seen = faultsOf(again, root, suite)
      // A run that found no such file shows nothing.
      const ran = again.files?.some(({ name, status }) => name === file && status === 'passed')
      if (ran && !seen.has(file) && !seen.has(null)) unsteady.set(file, faults.get(file))
      else still.push(file)
    }
    open = still
  }
  failures.push(...open.flatMap(file => faults.get(file)))
  return {
    passed: first.counts?.numPassedTests ?? 0,
    skipped: (first.counts?.numPendingTests ?? 0) + (first.counts?.numTodoTests ?? 0),
    files: first.files ?? [],
    failures,
    unsteady,
  }
}
