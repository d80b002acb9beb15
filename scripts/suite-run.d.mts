export const AGAIN_AT_MOST: number
export function runSuite(what: {
  root?: string
  suite: string
  args: string[]
  scratch: string
  say?: (line: string) => void
  env?: NodeJS.ProcessEnv
  stdio?: 'inherit' | 'ignore'
}): Promise<{
  passed: number
  skipped: number
  files: object[]
  failures: string[]
  unsteady: Map<string, string[]>
}>
