import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const text = readFileSync(join(root, 'docs/security.md'), 'utf8')
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
}).split('\n')

interface Row {
  numbers: string
  short: string
  verdict: string
  why: string
}
const rows: Row[] = [...text.matchAll(/^\| (\d+\.\d+\.\d+\S*) \| (.*?) \| (.*?) \| (.*?) ?\|$/gm)].map(row => ({
  numbers: row[1]!,
  short: row[2]!,
  verdict: row[3]!.replaceAll('*', ''),
  why: row[4]!,
}))

/** Requirements of a row; ranges over chapters are as long as the standard has them at levels 1 and 2. */
const OVER_CHAPTERS: Readonly<Record<string, number>> = { '10.6.1-10.7.3': 5, '17.1.1-17.3.2': 7 }
function sizeOf({ numbers }: Row): number {
  const [first, last] = numbers.split('-').map(number => number.split('.').map(Number)) as [number[], number[]?]
  if (!last) return 1
  return OVER_CHAPTERS[numbers] ?? last[2]! - first[2]! + 1
}

// docs/security.md counts, names files and repeats itself: each can be wrong without anybody seeing it.
describe('the page on security', () => {
  it('counts what its tables hold', () => {
    const counted: Record<string, number> = {}
    for (const row of rows) counted[row.verdict] = (counted[row.verdict] ?? 0) + sizeOf(row)
    const sum = Object.values(counted).reduce((a, b) => a + b, 0)
    const said = `Of ${sum} requirements: ${counted.met} met, ${counted.partly} partly, ${counted['not met']} not met, ${counted['n/a']} about`
    expect(text).toContain(said)
  })

  it('names every requirement that is not met once more, in the same words', () => {
    const named = [...text.slice(text.indexOf('## Named')).matchAll(/^- \*\*(.*?)\*\* (.*)$/gm)]
    expect(named.map(([, numbers, words]) => `${numbers} ${words}`)).toEqual(
      rows.filter(row => row.verdict === 'not met').map(({ numbers, short, why }) => `${numbers} ${short}: ${why}`),
    )
  })

  it('names files that are there', () => {
    const named = [...text.matchAll(/`([\w./-]+\.(?:ts|tsx|mjs))`/g)].map(([, name]) => name!)
    expect(named.length).toBeGreaterThan(80)
    expect(named.filter(name => !files.some(file => file === name || file.endsWith(`/${name}`)))).toEqual([])
    const decisions = [...text.matchAll(/(?:docs\/adr|adr)\/(\d{4})/g)].map(([, number]) => number!)
    expect(decisions.filter(number => !files.some(file => file.startsWith(`docs/adr/${number}-`)))).toEqual([])
  })
})
