// npm run check: types, format and lint, and our own architecture rules; seconds, and nothing is started.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { codeBlocks } from './code-blocks.mjs'
import { deadCode } from './dead-code.mjs'
import { checkPlatform, installIfStale, root } from './lib.mjs'
import { deadReferences } from './references.mjs'
import { styleClasses } from './style-classes.mjs'
import { chineseLiterals, halfWidthSigns, localeParity } from './texts.mjs'
import { changedTexts, words } from './words.mjs'

const node = process.execPath
const tsc = 'node_modules/typescript-native/bin/tsc'
const PROJECTS = [
  'packages/contracts',
  'packages/thing-model',
  'packages/rules',
  'packages/schedules',
  'packages/scene',
  'packages/device-sdk',
  'apps/server',
  'apps/web',
  'tools',
  'e2e',
]

function capture(command, args) {
  return new Promise(resolve => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
    })
    let text = ''
    child.stdout.on('data', data => {
      text += data
    })
    child.stderr.on('data', data => {
      text += data
    })
    child.on('error', error => resolve({ code: 1, text: String(error) }))
    // Not when it has ended: what it said last may still be on its way.
    child.on('close', code => resolve({ code: code ?? 1, text }))
  })
}

/** The compilers in use are the ones we mean: a different one checks other things, or nothing at all. */
function compilerVersions() {
  const version = name => JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version
  const wrong = [
    ['typescript-native', '7.0.2'],
    ['typescript', '5.9.3'],
  ].filter(([name, wanted]) => version(name) !== wanted)
  return {
    code: wrong.length ? 1 : 0,
    text: wrong.map(([name, wanted]) => `${name} is ${version(name)}, wanted ${wanted}`).join('\n'),
  }
}

async function boundaries() {
  const result = await capture(node, [
    'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
    'apps',
    'packages',
    'tools',
    'e2e',
  ])
  let report
  try {
    report = JSON.parse(result.text)
  } catch {
    return { code: 1, text: result.text.slice(0, 4000) }
  }
  const lines = report.summary.violations.map(v => `${v.rule.name}: ${v.from} -> ${v.to}`)
  const cruised = report.summary.totalCruised
  // A cruiser that finds no modules also finds no violations.
  const sources = countSources()
  if (cruised < sources) lines.push(`only ${cruised} of at least ${sources} modules were looked at`)
  return { code: lines.length ? 1 : 0, text: lines.join('\n'), note: `${cruised} modules` }
}

function countSources() {
  let n = 0
  const walk = folder => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (['node_modules', 'dist', 'results'].includes(entry.name)) continue
      if (entry.isDirectory()) walk(join(folder, entry.name))
      else if (/\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts')) n += 1
    }
  }
  for (const part of ['apps', 'packages', 'tools', 'e2e']) walk(join(root, part))
  return n
}

/** Chinese texts live in locale files: everywhere else they would miss their English. */
function literals() {
  const { problems, files } = chineseLiterals(root)
  return { code: problems.length ? 1 : 0, text: problems.join('\n'), note: `${files} files` }
}

/** zh and en of every locale folder hold the same keys with the same placeholders. */
function locales() {
  const { problems, pairs } = localeParity(root)
  return { code: problems.length ? 1 : 0, text: problems.join('\n'), note: `${pairs} pairs` }
}

/** What the server says in Chinese has full-width signs. */
function signs() {
  const { problems, texts } = halfWidthSigns(root)
  // A walk that finds no text also finds no sign.
  if (texts === 0) problems.push('no texts were found')
  return { code: problems.length ? 1 : 0, text: problems.join('\n'), note: `${texts} texts` }
}

/** Texts that are new keep to the rules for words, as far as a pattern can see it. */
function wording() {
  const { problems, texts } = words(root, changedTexts(root))
  return { code: problems.length ? 1 : 0, text: problems.join('\n'), note: `${texts} texts` }
}

/** What pages do at the server goes through the console's own state of it. */
async function acts() {
  const { actions } = await import('./actions.mjs')
  const { problems, actions: count } = actions(root)
  return { code: problems.length ? 1 : 0, text: problems.join('\n'), note: `${count} actions` }
}

/** Every style class that the console names has a rule, and the other way round. */
function styles() {
  const problems = styleClasses(join(root, 'apps/web/src'))
  return { code: problems.length ? 1 : 0, text: problems.join('\n') }
}

/** Code that people copy is run by a test, or the table says why not. */
function copied() {
  const { problems, pieces } = codeBlocks(root)
  return { code: problems.length ? 1 : 0, text: problems.join('\n'), note: `${pieces} pieces` }
}

/** What the documents link to, and the decisions that they name, are there. */
function references() {
  const { problems, links } = deadReferences(root)
  return { code: problems.length ? 1 : 0, text: problems.join('\n'), note: `${links} references` }
}

/** Files, exports and packages that nobody uses, and packages of tests among those of production. */
async function dead() {
  const lines = await deadCode(root)
  return { code: lines.length ? 1 : 0, text: lines.join('\n') }
}

let typed
/** One of the gates that ask for types; they share one reading of the programs. */
const typedGate = (name, least) => async () => {
  typed ??= capture(node, ['scripts/typed-gates.mjs'])
  const { code, text } = await typed
  if (code !== 0) return { code, text }
  const { problems, places } = JSON.parse(text).find(gate => gate.name === name)
  // A compiler that answers nothing also finds nothing.
  if (places < least) problems.push(`only ${places} places were looked at`)
  return { code: problems.length ? 1 : 0, text: problems.join('\n'), note: `${places} places` }
}

/** Programs that say on their last line what they looked at. */
const lastLine = text => text.trim().split('\n').at(-1)

/** The long ones first, so that none is left alone at the end. */
const CHECKS = [
  ['compilers', compilerVersions],
  ['boundaries', boundaries],
  [
    'format and lint',
    () =>
      capture(node, [
        'node_modules/@biomejs/biome/bin/biome',
        'ci',
        '--colors=off',
        '--max-diagnostics=40',
        '--error-on-warnings',
        '.',
      ]),
  ],
  ['no dead code', dead],
  ['statements', () => capture(node, ['--import', 'tsx', 'apps/server/scripts/check-statements.ts']), lastLine],
  ['no promise floats', typedGate('no promise floats', 20_000)],
  ...PROJECTS.map(project => [`types ${project}`, () => capture(node, [tsc, '-p', project])]),
  ['texts are there', () => capture(node, ['scripts/text-keys.mjs']), lastLine],
  ['words stand once', () => capture(node, ['scripts/word-lists.mjs']), lastLine],
  ['actions by operation', acts],
  ['route table', () => capture(node, ['--import', 'tsx', 'packages/contracts/scripts/route-table.ts'])],
  [
    'api paths are fresh',
    () => capture(node, ['--import', 'tsx', 'packages/contracts/scripts/api-paths.ts', '--check']),
  ],
  ['no Chinese literal in code', literals],
  ['locale parity', locales],
  ['full-width signs', signs],
  ['words', wording],
  ['style classes', styles],
  ['copied code', copied],
  ['references of documents', references],
  // Found together with the floating promises.
  ['switches are exhaustive', typedGate('switches are exhaustive', 50)],
  ['no text in attributes', typedGate('no text in attributes', 100)],
]

/** Runs all checks, some at once. @returns how many failed */
export async function check() {
  const started = Date.now()
  let failed = 0
  const queue = [...CHECKS]
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [name, work, noteOf] = next
      const { code, text, note = noteOf?.(text) } = await work()
      process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}${note ? ` (${note})` : ''}\n`)
      if (code !== 0) {
        failed += 1
        process.stdout.write(`${text.trim().slice(0, 6000)}\n`)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.max(2, Math.min(4, cpus().length)) }, worker))
  process.stdout.write(
    `${CHECKS.length - failed} checks passed, ${failed} failed, ${((Date.now() - started) / 1000).toFixed(1)} s\n`,
  )
  return failed
}

if (process.argv[1] === import.meta.filename) {
  checkPlatform()
  await installIfStale()
  process.exit((await check()) ? 1 : 0)
}
