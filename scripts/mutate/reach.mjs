// Which test file reaches which fault, and how long it takes: asked once with every switch off, kept until texts change.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from '../lib.mjs'

export const SUITES = ['packages/thing-model', 'apps/server']

/** Files of a suite that are asked together. */
const TOGETHER = 12

export const hash = text => createHash('sha256').update(text).digest('hex').slice(0, 16)

/**
 * @param wanted parts of the places of the test files that are asked
 * @param run runs a job in the next free stream
 * @returns by test file: its suite, its seconds, and how often it comes by each fault
 */
export async function reachOf(textsHash, wanted, folder, run, say) {
  const kept = join(folder, 'reach.json')
  const before = existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : {}
  const known = before.texts === textsHash ? before.tests : {}
  const tests = {}
  const jobs = []
  for (const suite of SUITES) {
    const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', `${suite}/**/*.test.ts`], {
      cwd: root,
      encoding: 'utf8',
    })
      .trim()
      .split('\n')
      .filter(file => wanted.some(part => file.includes(part)))
    const asked = []
    for (const file of files) {
      const stands = hash(readFileSync(join(root, file)))
      if (known[file]?.stands === stands) tests[file] = known[file]
      else {
        tests[file] = { suite, stands, seconds: 0, hits: {}, whole: false }
        asked.push(file)
      }
    }
    while (asked.length) jobs.push({ suite, files: asked.splice(0, TOGETHER) })
  }
  await Promise.all(
    jobs.map(async ({ suite, files }, index) => {
      const notes = join(folder, `reach-${index}.jsonl`)
      rmSync(notes, { force: true })
      const job = {
        suite,
        files: files.map(file => relative('', file)),
        planted: { fault: null, hits: 0, reach: notes },
        bail: 0,
      }
      const { done, error } = await run(job, 600)
      if (!done) return say(`not asked (${error ?? 'too long'}): ${files.join(', ')}`)
      for (const { file, state, ms } of done.files)
        Object.assign(tests[file], { seconds: ms / 1000, whole: state === 'passed' })
      if (done.failed) say(`red without a fault: ${done.failed.file} > ${done.failed.test}: ${done.failed.error}`)
      if (existsSync(notes))
        for (const line of readFileSync(notes, 'utf8').trim().split('\n')) {
          const { file, hits } = JSON.parse(line)
          tests[relative(root, file)].hits = hits
        }
      rmSync(notes, { force: true })
      writeFileSync(kept, JSON.stringify({ texts: textsHash, tests: settled(tests) }))
    }),
  )
  return tests
}

const settled = tests => Object.fromEntries(Object.entries(tests).filter(([, test]) => test.seconds > 0))
