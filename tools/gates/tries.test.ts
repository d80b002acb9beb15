import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AGAIN_AT_MOST, runSuite } from '../../scripts/suite-run.mjs'

const root = join(import.meta.dirname, '../..')
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'thingwright-tries-'))
  mkdirSync(join(folder, 'suite'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(
    join(folder, 'suite/vitest.config.mjs'),
    "export default { test: { include: ['*.test.mjs'], maxWorkers: 1 } }",
  )
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A file whose test writes down that it ran and then does what the code says. */
function plant(name: string, code: string) {
  writeFileSync(
    join(folder, 'suite', `${name}.test.mjs`),
    `import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
const runs = () => (existsSync(${JSON.stringify(join(folder, name))}) ? readFileSync(${JSON.stringify(join(folder, name))}, 'utf8').length : 0)
it('${name}', () => {
  appendFileSync(${JSON.stringify(join(folder, name))}, '.')
  ${code}
})
`,
  )
}

const runPlanted = () =>
  runSuite({
    root: folder,
    suite: 'suite',
    args: ['run'],
    scratch: folder,
    stdio: 'ignore',
    // A vitest inside a vitest's process takes its worker's settings for its own.
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'))),
  })

const names = (map: Map<string, string[]>) => [...map.keys()].map(file => file.split('/').at(-1))

describe('a file that fails is run again alone', () => {
  it('is red after three tries', async () => {
    plant('green', 'expect(1).toBe(1)')
    plant('broken', "expect('tries ' + runs()).toBe('never')")
    const { passed, failures, unsteady } = await runPlanted()
    expect(passed).toBe(1)
    expect(failures).toEqual([expect.stringMatching(/suite\/broken\.test\.mjs > broken\n.*tries 1/s)])
    expect(unsteady.size).toBe(0)
    expect(readFileSync(join(folder, 'broken'), 'utf8')).toBe('...')
    expect(readFileSync(join(folder, 'green'), 'utf8')).toBe('.')
  })

  it('is unsteady, and turns nothing red, when it passes the second or the third time, however many files do', async () => {
    for (const n of [1, 2, 3, 4]) plant(`once-${n}`, 'expect(runs()).not.toBe(1)')
    plant('twice', 'expect(runs()).toBe(3)')
    const { failures, unsteady } = await runPlanted()
    expect(failures).toEqual([])
    expect(names(unsteady).sort()).toEqual([1, 2, 3, 4].map(n => `once-${n}.test.mjs`).concat('twice.test.mjs'))
  })

  it('counts a rejected promise that no test waited for as a failure of its file', async () => {
    plant('stray', "void Promise.reject(new Error('lost'))")
    plant('stray-once', "if (runs() === 1) void Promise.reject(new Error('lost once'))")
    const { failures, unsteady } = await runPlanted()
    expect(failures).toEqual([expect.stringContaining('lost')])
    expect(names(unsteady)).toEqual(['stray-once.test.mjs'])
  })

  it('is not run again where more failed than chance explains', async () => {
    for (let n = 0; n <= AGAIN_AT_MOST; n++) plant(`f${n}`, 'expect(runs()).not.toBe(1)')
    const { failures, unsteady } = await runPlanted()
    expect(failures).toHaveLength(AGAIN_AT_MOST + 1)
    expect(unsteady.size).toBe(0)
  })
})

describe('a run that breaks off outside every file', () => {
  it('is made once more', async () => {
    writeFileSync(
      join(folder, 'suite/vitest.config.mjs'),
      `import { existsSync, writeFileSync } from 'node:fs'
const place = ${JSON.stringify(join(folder, 'seen'))}
if (!existsSync(place)) { writeFileSync(place, ''); process.exit(7) }
export default { test: { include: ['*.test.mjs'], maxWorkers: 1 } }`,
    )
    plant('green', 'expect(1).toBe(1)')
    const { passed, failures, unsteady } = await runPlanted()
    expect({ passed, failures, unsteady: [...unsteady.values()] }).toEqual({
      passed: 1,
      failures: [],
      unsteady: [['suite: ended with 7 and left no report']],
    })
  })

  it('is red when it does so again', async () => {
    writeFileSync(join(folder, 'suite/vitest.config.mjs'), 'process.exit(7)')
    const { failures } = await runPlanted()
    expect(failures).toEqual(['suite: ended with 7 and left no report'])
  })
})
