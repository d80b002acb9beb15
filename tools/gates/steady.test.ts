import { describe, expect, it } from 'vitest'
import { type Run, steadyTable } from '../../scripts/steady-table.mjs'

const run = (
  seconds: number,
  files: Record<string, [seconds: number, ...failures: string[]]>,
  ...rest: string[]
): Run => ({
  seconds,
  files: Object.entries(files).map(([file, [took, ...failures]]) => ({ file, seconds: took, failures })),
  rest,
})

// What `npm run test:steady` says after a night: a failure in one run of eight must not be overlooked.
describe('the table of test:steady', () => {
  it('has a line for each file and a column for each run, the longest file first', () => {
    const table = steadyTable([run(50, { 'e2e/a': [10.4], 'e2e/b': [39] }), run(61, { 'e2e/a': [12], 'e2e/b': [40] })])
    expect(table.split('\n')).toEqual([
      'file, s      1      2',
      'e2e/b       39     40',
      'e2e/a       10     12',
      'whole       50     61',
      '',
      '2 runs, 0 with a failure, in 0 files',
    ])
  })

  it('begins with what failed once, and tells the failure with its run', () => {
    const table = steadyTable([
      run(50, { 'e2e/a': [10], 'e2e/b': [39] }),
      run(61, { 'e2e/a': [12, 'e2e/a > x\n  why'], 'e2e/b': [40] }),
    ])
    expect(table.split('\n').slice(1)).toEqual([
      'e2e/a       10   F 12',
      'e2e/b       39     40',
      'whole       50     61',
      '',
      'run 2: e2e/a > x',
      '  why',
      '',
      '2 runs, 1 with a failure, in 1 files',
    ])
  })

  it('counts a run that broke off, and shows which files it did not reach', () => {
    const table = steadyTable([run(50, { 'e2e/a': [10] }), run(3, {}, 'the run ended with 1 and left no report')])
    expect(table.split('\n').slice(1)).toEqual([
      'e2e/a       10      -',
      'whole       50      3',
      '',
      'run 2: the run ended with 1 and left no report',
      '',
      '2 runs, 1 with a failure, in 0 files',
    ])
  })
})
