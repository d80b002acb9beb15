// How long each test file took in some earlier run: by it the next one knows which to begin with.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './lib.mjs'

export const DURATIONS = 'scripts/test-durations.json'

/** Files quicker than this need no place in an order. */
const WORTH_NAMING_S = 0.5

/**
 * The table after a run: what it ran has its new time, what it did not run keeps its old one as long as it is there.
 * @param {Record<string, number>} before seconds by file
 * @param {{name: string, startTime: number, endTime: number}[]} files of vitest's JSON reports: their place, and when they
 *   began and ended, in ms
 * @param {(file: string) => boolean} isThere
 * @returns {Record<string, number>}
 */
export function durationsAfter(before, files, isThere) {
  const took = files.map(({ name, startTime, endTime }) => [
    relative(root, name),
    Math.round((endTime - startTime) / 100) / 10,
  ])
  const run = new Set(took.map(([file]) => file))
  const kept = Object.entries(before).filter(([file]) => !run.has(file) && isThere(file))
  const named = took.filter(([, seconds]) => seconds >= WORTH_NAMING_S)
  return Object.fromEntries([...kept, ...named].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Brings the table up to date with what was run. */
export function writeDurations(files) {
  const place = join(root, DURATIONS)
  const after = durationsAfter(JSON.parse(readFileSync(place, 'utf8')), files, file => existsSync(join(root, file)))
  writeFileSync(place, `${JSON.stringify(after, null, 2)}\n`)
}
