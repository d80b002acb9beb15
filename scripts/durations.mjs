// How long each test file took in some earlier whole run: by it the next one knows which to begin with.
import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './lib.mjs'

export const DURATIONS = 'scripts/test-durations.json'

/** Files quicker than this need no place in an order. */
const WORTH_NAMING_S = 0.5

/**
 * Writes the table anew.
 * @param files of vitest's JSON reports: their place, and when they began and ended, in ms
 */
export function writeDurations(files) {
  const seconds = files
    .map(({ name, startTime, endTime }) => [relative(root, name), Math.round((endTime - startTime) / 100) / 10])
    .filter(([, took]) => took >= WORTH_NAMING_S)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(join(root, DURATIONS), `${JSON.stringify(Object.fromEntries(seconds), null, 2)}\n`)
}
