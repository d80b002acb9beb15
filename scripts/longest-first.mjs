// The order of test files: the longest first, so that no worker is left alone with one at the end of a run.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BaseSequencer } from 'vitest/node'
import { DURATIONS } from './durations.mjs'
import { root } from './lib.mjs'

export default class LongestFirst extends BaseSequencer {
  #seconds = JSON.parse(readFileSync(join(root, DURATIONS), 'utf8'))

  /** A file that nobody has timed may be a long one. */
  #of(file) {
    return this.#seconds[relative(root, file.moduleId)] ?? 1_000
  }

  /** Within a project; which project comes first is vitest's business. */
  async sort(files) {
    const place = new Map((await super.sort(files)).map((file, index) => [file, index]))
    const projects = [...new Set([...place.keys()].map(file => file.project))]
    return [...files].sort(
      (a, b) =>
        projects.indexOf(a.project) - projects.indexOf(b.project) ||
        this.#of(b) - this.#of(a) ||
        place.get(a) - place.get(b),
    )
  }
}
