// npm run mutate: plants faults in the modules that guard rights, data and devices, one at a time and always the same
// ones, and says which of them no test sees (docs/testing.md). What was decided is kept, so a run goes on where one ended.
//   npm run mutate -- --minutes N    begins nothing new after N minutes
//   npm run mutate -- --anew         forgets what was decided
//   npm run mutate -- --again        asks more tests about those that none saw
//   npm run mutate -- --list         what was decided, without running anything
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkPlatform, installIfStale, root } from './lib.mjs'

checkPlatform()
await installIfStale()
const { plant, sampleOf, withFault } = await import('./mutate/plant.mjs')
const { hash, reachOf } = await import('./mutate/reach.mjs')
const { openStreams } = await import('./mutate/streams.mjs')
const { refusedByTypes } = await import('./mutate/types.mjs')

const config = JSON.parse(readFileSync(join(root, 'scripts/mutate/config.json'), 'utf8'))
const given = process.argv.slice(2)
const number = (name, otherwise) => Number(given[given.indexOf(name) + 1] ?? otherwise) || otherwise
const minutes = given.includes('--minutes') ? number('--minutes', config.minutes) : config.minutes
const endAt = Date.now() + minutes * 60_000
const folder = join(root, 'node_modules/.cache/thingwright-mutate')
mkdirSync(folder, { recursive: true })
const say = line => process.stdout.write(`${line}\n`)

const { texts, faults } = await plant(Object.values(config.areas).flat())
const textsFile = join(folder, 'texts.json')
writeFileSync(textsFile, JSON.stringify(texts))

/** A name that outlives changes elsewhere in the file. */
function nameOf(fault) {
  const line = readFileSync(join(root, fault.file), 'utf8').split('\n')[fault.at.start.line].trim()
  const short = text => text.replace(/\s+/g, ' ').slice(0, 80)
  return `${fault.file} | ${short(line)} | ${fault.kind}: ${short(withFault(fault).was)} → ${short(fault.instead)}`
}

const areas = Object.entries(config.areas)
const sample = areas.flatMap(([area, files], place) => {
  const count = Math.floor(config.sample / areas.length) + (place < config.sample % areas.length ? 1 : 0)
  return sampleOf(
    faults.filter(({ file }) => files.includes(file)),
    count,
    config.seed + place,
  ).map(fault => ({ ...fault, area, name: nameOf(fault) }))
})
// Those of different areas in turn: a run that ends early has seen some of each.
const turn = new Map()
for (const fault of sample) {
  fault.turn = turn.get(fault.area) ?? 0
  turn.set(fault.area, fault.turn + 1)
}
sample.sort((a, b) => a.turn - b.turn)

const resultsFile = join(folder, 'results.json')
const results =
  existsSync(resultsFile) && !given.includes('--anew') ? JSON.parse(readFileSync(resultsFile, 'utf8')) : {}
const keyOf = fault =>
  hash(`${fault.name}\0${hash(readFileSync(join(root, fault.file)))}\0${fault.at.start.line}:${fault.at.start.column}`)
const save = () => writeFileSync(resultsFile, JSON.stringify(results, null, 1))
const open = sample.filter(fault => {
  const known = results[keyOf(fault)]
  return (
    !known ||
    (given.includes('--again') && ['survived', 'unreached'].includes(known.state) && !config.equivalent[fault.name])
  )
})
// Those that were missed are asked again before others are begun.
open.sort((a, b) => Number(keyOf(b) in results) - Number(keyOf(a) in results))

say(
  `${faults.length} faults in ${Object.values(config.areas).flat().length} files; ${sample.length} chosen, ${open.length} to ask`,
)

if (open.length > 0 && !given.includes('--list')) {
  const streams = openStreams(config.streams, textsFile, openSync(join(folder, 'streams.log'), 'a'))
  const started = Date.now()
  const tests = await reachOf(hash(JSON.stringify(texts)), config.tests, folder, streams.run, say)
  say(`${Object.keys(tests).length} test files asked what they reach: ${((Date.now() - started) / 1000).toFixed(0)} s`)
  /** Test files of the folder first, then the quick ones. */
  const near = (file, test) => (test.startsWith(file.slice(0, file.lastIndexOf('/'))) ? 0 : 1)
  const reaching = fault => {
    const all = Object.entries(tests).filter(([, test]) => test.whole)
    const direct = all.filter(([, test]) => test.hits[fault.id])
    const others = new Set(faults.filter(({ file }) => file === fault.file).map(({ id }) => id))
    // One that is reached only while files are loaded is looked for by those who use the rest of its file.
    const chosen = direct.length ? direct : all.filter(([, test]) => Object.keys(test.hits).some(id => others.has(id)))
    return chosen
      .sort(([a, one], [b, other]) => near(fault.file, a) - near(fault.file, b) || one.seconds - other.seconds)
      .map(([file, test]) => ({ file, ...test }))
  }

  async function ask(fault) {
    const refusal = refusedByTypes(fault)
    if (refusal) return { state: 'types', refusal }
    const left = reaching(fault)
    if (left.length === 0) return { state: 'unreached' }
    const ran = []
    for (const limit of given.includes('--again') ? [config.firstSeconds, config.moreSeconds] : [config.firstSeconds]) {
      const bySuite = new Map()
      for (let sum = 0; left.length && (sum === 0 || sum + left[0].seconds <= limit); ) {
        const test = left.shift()
        sum += test.seconds + 0.5
        bySuite.set(test.suite, [...(bySuite.get(test.suite) ?? []), test])
      }
      for (const [suite, chosen] of bySuite) {
        const files = chosen.map(({ file }) => file)
        const hits = chosen.reduce((sum, { hits }) => sum + (hits[fault.id] ?? 0), 0) * 100 + 10_000
        const seconds = 90 + 3 * chosen.reduce((sum, test) => sum + test.seconds, 0)
        const job = { suite, files, planted: { fault: fault.id, hits, reach: null }, bail: 1 }
        const { done, late, error } = await streams.run(job, seconds)
        ran.push(...files)
        if (late) return { state: 'late', files }
        if (error) return { state: 'killed', by: { test: error } }
        if (done.failed) return { state: 'killed', by: done.failed }
      }
    }
    return { state: 'survived', ran, left: left.length }
  }

  let asked = 0
  const queue = [...open]
  async function work() {
    for (let fault = queue.shift(); fault && Date.now() < endAt; fault = queue.shift()) {
      const before = Date.now()
      const result = await ask(fault)
      results[keyOf(fault)] = { ...result, seconds: Math.round((Date.now() - before) / 100) / 10, name: fault.name }
      save()
      asked += 1
      const by = result.by ? ` by ${result.by.file} > ${result.by.test}` : ''
      say(`${asked}/${open.length} ${result.state} (${fault.area}) ${fault.name}:${fault.at.start.line + 1}${by}`)
    }
  }
  await Promise.all(Array.from({ length: config.streams }, work))
  await streams.end()
  save()
}

const STATES = ['types', 'equivalent', 'killed', 'late', 'survived', 'unreached']
const rows = areas.map(([area]) => {
  const row = { area, asked: 0, ...Object.fromEntries(STATES.map(state => [state, 0])) }
  for (const fault of sample.filter(each => each.area === area)) {
    const result = results[keyOf(fault)]
    if (!result) continue
    row.asked += 1
    const missed = ['survived', 'unreached'].includes(result.state)
    row[missed && config.equivalent[fault.name] ? 'equivalent' : result.state] += 1
    if (missed && !config.equivalent[fault.name])
      say(
        `${result.state}: ${fault.file}:${fault.at.start.line + 1}\n  ${fault.name.split(' | ').slice(1).join('\n  ')}`,
      )
  }
  return row
})
rows.push(
  rows.reduce(
    (sum, row) =>
      Object.fromEntries(Object.keys(row).map(key => [key, key === 'area' ? 'all' : (sum[key] ?? 0) + row[key]])),
    {},
  ),
)
say(
  '\n| area | asked | refused by types | no fault | red test | does not end | seen by no test | reached by no test | caught |',
)
say('|---|---|---|---|---|---|---|---|---|')
for (const row of rows) {
  const caught = row.killed + row.late
  const percent = ((100 * caught) / Math.max(1, row.asked - row.types - row.equivalent)).toFixed(1)
  say(`| ${row.area} | ${row.asked} | ${STATES.map(state => row[state]).join(' | ')} | ${percent} % |`)
}
process.exit(0)
