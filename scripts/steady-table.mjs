// What `npm run test:steady` prints: a line for each file, a column for each run.

const CELL = 7

/**
 * The table and, below it, what failed.
 * @param {{seconds: number, files: {file: string, seconds: number, failures: string[]}[], rest: string[]}[]} runs in their order
 * @returns {string} seconds of each file in each run, with `F` where a test failed, `-` where the file was not run
 */
export function steadyTable(runs) {
  const names = [...new Set(runs.flatMap(({ files }) => files.map(({ file }) => file)))]
  const cellsOf = name =>
    runs.map(({ files }) => {
      const found = files.find(({ file }) => file === name)
      return found ? `${found.failures.length ? 'F ' : ''}${found.seconds.toFixed(0)}` : '-'
    })
  const longest = name =>
    Math.max(...runs.flatMap(({ files }) => files.filter(f => f.file === name).map(f => f.seconds)))
  const failed = name => runs.some(({ files }) => files.some(f => f.file === name && f.failures.length))
  const width = Math.max('file, s'.length, ...names.map(name => name.length))
  const line = (name, cells) => `${name.padEnd(width)}${cells.map(cell => cell.padStart(CELL)).join('')}`
  // What failed stands first, then what takes longest.
  names.sort((a, b) => failed(b) - failed(a) || longest(b) - longest(a))
  const faults = runs.flatMap(({ files, rest }, n) =>
    [...files.flatMap(({ failures }) => failures), ...rest].map(text => `run ${n + 1}: ${text}`),
  )
  const unsteady = names.filter(failed).length
  const bad = runs.filter(({ files, rest }) => rest.length || files.some(({ failures }) => failures.length)).length
  return [
    line(
      'file, s',
      runs.map((_, n) => String(n + 1)),
    ),
    ...names.map(name => line(name, cellsOf(name))),
    line(
      'whole',
      runs.map(({ seconds }) => seconds.toFixed(0)),
    ),
    ...(faults.length ? ['', ...faults] : []),
    '',
    `${runs.length} runs, ${bad} with a failure, in ${unsteady} files`,
  ].join('\n')
}
