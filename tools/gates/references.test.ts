import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const gate = join(import.meta.dirname, '../../scripts/references.mjs')

// The gate over what documents name can fail, and says where.
describe('references of documents', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tw-references-'))
    put({
      'docs/adr/0001-first.md': '# 1. First\n',
      'docs/adr/README.md': '| 1 | [First](0001-first.md) |\n',
      'README.md': 'See [the first](docs/adr/0001-first.md), ADR 1.\n',
    })
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  const put = (files: Record<string, string>) => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), text)
    }
  }
  const run = () => {
    const { stdout, status } = spawnSync(process.execPath, [gate, folder], { encoding: 'utf8' })
    return { lines: stdout.trim().split('\n').filter(Boolean).sort(), status }
  }

  it('are in order when what they name is there; addresses of the network and examples are not looked for', () => {
    put({ 'docs/a.md': 'https://x.example, [x](https://x.example), [b](../README.md#b)\n```\n[c](nowhere.md)\n```\n' })
    expect(run()).toEqual({ lines: [], status: 0 })
  })

  it('name a file that is not there', () => {
    put({ 'docs/a.md': '[b](b.md), ![c](images/c.png)\n' })
    expect(run()).toEqual({
      lines: ['docs/a.md: b.md is not there', 'docs/a.md: images/c.png is not there'],
      status: 1,
    })
  })

  it('name a decision that was not made', () => {
    put({ 'docs/a.md': 'As ADR 1 and ADR 2 say.\n' })
    expect(run()).toEqual({ lines: ['docs/a.md: there is no ADR 2'], status: 1 })
  })

  it('name one in the code that was not made, or has other words; migrations keep the numbers of their time', () => {
    put({
      'apps/server/src/a.ts': '// ADR 1, docs/adr/0001-first.md, docs/adr/0001-last.md, docs/adr/0003, ADR 4\n',
      'apps/server/src/db/migrations/0001_a.sql': '-- docs/adr/0007-gone.md\n',
    })
    expect(run()).toEqual({
      lines: [
        'apps/server/src/a.ts: adr/0001-last.md is not there',
        'apps/server/src/a.ts: adr/0003 is not there',
        'apps/server/src/a.ts: there is no ADR 4',
      ],
      status: 1,
    })
  })

  it('meet a hole between the numbers of decisions, and one that the index leaves out or calls otherwise', () => {
    const index = '| 1 | [The first](0001-first.md) |\n| 4 | [Fourth](0004-fourth.md) |\n'
    put({
      'docs/adr/0002-second.md': '# 2. Second\n',
      'docs/adr/0004-fourth.md': '# 3. Fourth\n',
      'docs/adr/README.md': index,
    })
    expect(run()).toEqual({
      lines: [
        'docs/adr/0004-fourth.md: its title does not begin with "# 4. "',
        'docs/adr/README.md: no row | 1 | [First](0001-first.md) |',
        'docs/adr/README.md: no row | 2 | [Second](0002-second.md) |',
        'docs/adr: there is no decision 3, and there is one 4',
      ],
      status: 1,
    })
  })

  it('meet two decisions with one number, or one without', () => {
    put({ 'docs/adr/0001-another.md': '# 1. Another\n', 'docs/adr/notes.md': '# Notes\n' })
    expect(run().lines).toEqual([
      'docs/adr/0001-first.md: there are two decisions with the number 1',
      'docs/adr/README.md: no row | 1 | [Another](0001-another.md) |',
      'docs/adr/notes.md: a decision is named like 0001-some-words.md',
    ])
  })

  it('are not in order when none was found', () => {
    for (const file of ['0001-first.md', 'README.md']) rmSync(join(folder, 'docs/adr', file))
    put({ 'README.md': 'Nothing.\n' })
    expect(run()).toEqual({ lines: ['no references were found'], status: 1 })
  })
})
