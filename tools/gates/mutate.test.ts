import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Runs a line of the program that plants faults, and reads what it says. */
function planting(code: string): unknown {
  const text = `import { plant, sampleOf, withFault } from './scripts/mutate/plant.mjs'\nconsole.log(JSON.stringify(${code}))`
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 } as const
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', text], options)
  if (stderr) throw new Error(stderr)
  return JSON.parse(stdout)
}

// `npm run mutate` is no part of `npm test`: what it stands on is looked at here.
describe('faults chosen by a program', () => {
  const config = JSON.parse(readFileSync(join(root, 'scripts/mutate/config.json'), 'utf8')) as {
    areas: Record<string, string[]>
    tests: string[]
    equivalent: Record<string, string>
  }

  it('are planted in files that are there, and asked of tests that are there', () => {
    expect(
      Object.values(config.areas)
        .flat()
        .filter(file => !existsSync(join(root, file))),
    ).toEqual([])
    const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.test.ts'], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(config.tests.filter(part => !files.includes(part))).toEqual([])
  })

  it('are told to be no faults of a line that is still there', () => {
    const gone = Object.keys(config.equivalent).filter(name => {
      const [file = '', line = ''] = name.split(' | ')
      return !readFileSync(join(root, file), 'utf8').replace(/\s+/g, ' ').includes(line)
    })
    expect(gone).toEqual([])
  })

  it('are the same ones for a seed', () => {
    const all = 'Array.from({ length: 1000 }, (_, place) => place)'
    const first = planting(`sampleOf(${all}, 20, 7)`)
    expect(first).toEqual(planting(`sampleOf(${all}, 20, 7)`))
    expect(first).not.toEqual(planting(`sampleOf(${all}, 20, 8)`))
    expect(new Set(first as number[]).size).toBe(20)
  })

  it('stand behind switches in a text of their own, the file stays as it is', () => {
    const file = 'apps/server/src/ingest/identity/replay-guard.ts'
    const before = readFileSync(join(root, file), 'utf8')
    const { texts, faults } = planting(`await plant(['${file}'])`) as {
      texts: Record<string, string>
      faults: { file: string; kind: string; instead: string }[]
    }
    expect(faults).toContainEqual(expect.objectContaining({ file, kind: 'EqualityOperator' }))
    expect(texts[file]).toContain('stryMutAct')
    expect(readFileSync(join(root, file), 'utf8')).toBe(before)
  })

  it('are in nothing that is served: no source names the switch', () => {
    const found = spawnSync(
      'git',
      ['grep', '-lE', 'stryMutAct|__stryker__|STRYKER_', '--', 'apps', 'packages', 'e2e'],
      {
        cwd: root,
        encoding: 'utf8',
      },
    )
    expect(found.stdout).toBe('')
  })
})
