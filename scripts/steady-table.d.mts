/** What became of one run, as `npm test -- --report=FILE` writes it, with its length. */
export interface Run {
  seconds: number
  files: { file: string; seconds: number; failures: string[] }[]
  rest: string[]
}

/** The table of `npm run test:steady`. */
export function steadyTable(runs: Run[]): string
