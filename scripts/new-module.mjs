// npm run new-module -- NAME [OPTIONS]: a whole new module, from the table to the page, registered everywhere. What it makes passes
// npm run check as it is. Files that exist are only given the new module's line.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { checkPlatform, fail, installIfStale, root } from './lib.mjs'
import { namesOf } from './new-module/names.mjs'
import { register } from './new-module/registrations.mjs'
import { serverFiles } from './new-module/server.mjs'
import { webFiles } from './new-module/web.mjs'

const USAGE = `Usage: npm run new-module -- NAME [--at /address [--at /address/of/one]] [--right noun] [--zh NAME] [--consumer] [--tables n]
  NAME        a plural noun of the domain in kebab-case (pumps, sim-cards)
  --at        the address of its list, and of the page of one of them; /admin/NAME
  --right     rights of its own, noun:read and noun:write; device:read and device:write
  --zh        its name in Chinese
  --consumer  it reads what devices report
  --tables    1 to 3: beside its own those that belong to one of them`

let given
try {
  given = parseArgs({
    allowPositionals: true,
    options: {
      at: { type: 'string', multiple: true, default: [] },
      right: { type: 'string' },
      zh: { type: 'string' },
      consumer: { type: 'boolean', default: false },
      tables: { type: 'string', default: '1' },
    },
  })
} catch (error) {
  fail(`${error.message}\n${USAGE}`)
}
const [name = '', folder] = given.positionals
const { at, right = null, zh, consumer, tables } = given.values
const wrong =
  !/^[a-z][a-z0-9]*(-[a-z0-9]+)*s$/.test(name) ||
  at.length > 2 ||
  at.some(path => !/^\/[A-Za-z][\w-]*(\/[A-Za-z][\w-]*)+$/.test(path)) ||
  new Set(at).size < at.length ||
  (right !== null && !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(right)) ||
  !/^[123]$/.test(tables)
if (wrong) fail(USAGE)
const target = folder ? resolve(folder) : root
const n = namesOf(name, { at, right, zh, consumer, tables: Number(tables) })
const inFile = (file, text) => readFileSync(join(target, file), 'utf8').includes(text)
n.inMenu = inFile('apps/server/src/db/seeds/minimal/menu.json', `"path": "${n.path}"`)
const facts = readdirSync(join(target, 'packages/contracts/src')).filter(file =>
  /^permissions\.ts$|\.module\.ts$/.test(file),
)
if (right !== null && facts.some(file => inFile(`packages/contracts/src/${file}`, `'${right}:`)))
  fail(`There are rights of ${right} already`)
// The map of addresses and the formatter need the packages.
if (target === root) {
  checkPlatform()
  await installIfStale()
}

const last = readdirSync(join(target, 'apps/server/src/db/migrations'))
  .map(file => Number(file.slice(0, 4)))
  .reduce((a, b) => Math.max(a, b), 0)
const files = { ...serverFiles(n, String(last + 1).padStart(4, '0')), ...webFiles(n) }
const taken = [`apps/server/src/modules/${name}`, `apps/web/src/features/${name}`, ...Object.keys(files)].filter(path =>
  existsSync(join(target, path)),
)
if (taken.length) fail(`Already there: ${taken.join(', ')}`)
for (const [file, text] of Object.entries(files)) {
  mkdirSync(dirname(join(target, file)), { recursive: true })
  writeFileSync(join(target, file), text)
}
let changed
try {
  changed = register(target, n)
} catch (error) {
  fail(error.message)
}

function tool(what, args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: target, encoding: 'utf8' })
  if (status !== 0) fail(`${what} failed: ${stdout}${stderr}`)
}
tool('the lists of the contracts', ['--import', 'tsx', 'packages/contracts/scripts/api-paths.ts'])
tool('the formatter', [
  'node_modules/@biomejs/biome/bin/biome',
  'check',
  '--write',
  '--vcs-enabled=false',
  ...Object.keys(files).filter(file => !file.endsWith('.sql')),
  ...changed,
])

process.stdout.write(`Made ${name}: ${Object.keys(files).length} files, its line in ${changed.join(', ')}, and the generated lists.

It has ${1 + n.children.length} table(s), ${5 + 2 * n.children.length} routes, a page at ${n.paths.join(' and one at ')}, a tool of the assistant, a place in the search, content of the demo and tests${consumer ? ', and reads what devices report' : ''}.
What is yours to decide, docs/how-to/module.md says how:
  - which built-in roles hold its rights and see its pages (packages/contracts/src/${name}.module.ts)
  - ${zh ? 'its words' : 'its name in Chinese'} (packages/contracts/words/${name}.json, locales/zh.json, ${name}.tools.json)${
    n.inMenu ? '' : `\n  - its icon in the side menu (packages/contracts/words/${name}.json)`
  }
`)
