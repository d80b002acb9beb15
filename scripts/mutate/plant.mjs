// Faults in the source, made by the instrumenter of Stryker: all of them stand in one text, each behind a switch, and the
// process that loads it has one of them on. That text is given to the tests by a plugin and is never written anywhere.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Instrumenter } from '@stryker-mutator/instrumenter'
import { root } from '../lib.mjs'

const QUIET = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {}, isDebugEnabled: () => false }

/**
 * @param places of files, from the root
 * @returns their texts with every fault in them, and the faults: number, place, kind and what stands there instead
 */
export async function plant(places) {
  const files = places.map(name => ({ name, mutate: true, content: readFileSync(join(root, name), 'utf8') }))
  const options = { plugins: null, excludedMutations: [], ignorers: [], noHeader: false }
  const planted = await new Instrumenter(QUIET).instrument(files, options)
  return {
    texts: Object.fromEntries(planted.files.map(({ name, content }) => [name, content])),
    faults: planted.mutants
      .filter(({ status }) => status !== 'Ignored')
      .map(({ id, fileName, mutatorName, location, replacement }) => ({
        id,
        file: fileName,
        kind: mutatorName,
        at: location,
        instead: replacement,
      })),
  }
}

/** A few of many, always the same ones for a seed (mulberry32). */
export function sampleOf(all, count, seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const rest = [...all]
  return Array.from({ length: Math.min(count, rest.length) }, () => rest.splice(Math.floor(next() * rest.length), 1)[0])
}

/** What stands at the place of a fault, and the whole file with the fault in it. */
export function withFault({ file, at, instead }) {
  const text = readFileSync(join(root, file), 'utf8')
  const lines = text.split('\n')
  const offset = ({ line, column }) => lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0) + column
  const [from, to] = [offset(at.start), offset(at.end)]
  return { was: text.slice(from, to), text: text.slice(0, from) + instead + text.slice(to) }
}
