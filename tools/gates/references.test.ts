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
    put({ 'docs/adr/0001-first.md': '# 1. First\n', 'README.md': 'See [the first](docs/adr/0001-first.md), ADR 1.\n' })
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

  it('meet two decisions with one number, or one without', () => {
    put({ 'docs/adr/0001-another.md': '# 1. Another\n', 'docs/adr/notes.md': '# Notes\n' })
    expect(run().lines).toEqual([
      expect.stringMatching(/^docs\/adr\/0001-\w+\.md: there are two decisions with the number 1$/),
      'docs/adr/notes.md: a decision is named like 0001-some-words.md',
    ])
  })

  it('are not in order when none was found', () => {
    put({ 'README.md': 'Nothing.\n' })
    expect(run()).toEqual({ lines: ['no references were found'], status: 1 })
  })
})
