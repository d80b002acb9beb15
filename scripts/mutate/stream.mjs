// A process that runs test files with a fault on, one job after the other: a vitest for each suite, which keeps what it
// has transformed and its database server. Each job has a worker process of its own, so nothing of a fault stays.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BaseSequencer, createVitest } from 'vitest/node'
import { root } from '../lib.mjs'

const texts = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const suites = new Map()

/** In the order in which they are asked for. */
class AsGiven extends BaseSequencer {
  sort(files) {
    return [...files].sort((a, b) => order.indexOf(a.moduleId) - order.indexOf(b.moduleId))
  }
}
let order = []
/** What the running job has seen. */
let seen

const reporter = {
  onTestCaseResult(test) {
    const { state, errors } = test.result()
    if (state === 'failed')
      seen.failed.push({ test: test.fullName, file: test.module.moduleId, error: said(errors[0]) })
  },
  onTestModuleEnd(module) {
    const { collectDuration, duration } = module.diagnostic()
    seen.files.push({ file: relative(root, module.moduleId), state: module.state(), ms: collectDuration + duration })
    if (module.state() === 'failed')
      seen.failed.push({ test: '(outside a test)', file: module.moduleId, error: said(module.errors()[0]) })
  },
}

const said = error => String(error?.message ?? '').slice(0, 300)

async function suiteOf(folder) {
  const known = suites.get(folder)
  if (known) return known
  const vitest = await createVitest(
    'test',
    {
      root: join(root, folder),
      config: join(root, folder, 'vitest.config.ts'),
      watch: false,
      pool: 'forks',
      isolate: false,
      maxWorkers: 1,
      reporters: [reporter],
      sequence: { sequencer: AsGiven },
      testTimeout: 90_000,
      hookTimeout: 90_000,
      expect: { poll: { interval: 20, timeout: 30_000 } },
    },
    {
      plugins: [
        {
          name: 'planted-faults',
          enforce: 'pre',
          config: () => ({ test: { setupFiles: [join(import.meta.dirname, 'switch.mjs')] } }),
          load: id => texts[relative(root, id.split('?')[0])],
        },
      ],
    },
  )
  suites.set(folder, vitest)
  return vitest
}

/** @returns what failed first, and how long each file took */
async function runJob({ suite, files, planted, bail }) {
  const vitest = await suiteOf(suite)
  const project = vitest.getRootProject()
  order = files.map(file => join(root, file))
  seen = { failed: [], files: [] }
  vitest.config.bail = bail
  project.config.bail = bail
  vitest.provide('planted', planted)
  const { unhandledErrors } = await vitest.runTestSpecifications(
    order.map(file => project.createSpecification(file)),
    false,
  )
  for (const error of unhandledErrors) seen.failed.push({ test: '(nobody waited)', file: '', error: said(error) })
  const [first] = seen.failed
  return { ...seen, failed: first ? { ...first, file: first.file && relative(root, first.file) } : null }
}

process.on('message', job => {
  runJob(job).then(
    done => process.send({ done }),
    error => process.send({ error: String(error?.stack ?? error) }),
  )
})
process.on('disconnect', async () => {
  await Promise.allSettled([...suites.values()].map(vitest => vitest.close()))
  process.exit()
})
process.send({ ready: true })
