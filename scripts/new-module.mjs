// npm run new-module -- NAME: a whole new module, from the table to the page, registered everywhere. What it makes passes
// npm run check as it is. Files that exist are only given the new module's line.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { checkPlatform, fail, installIfStale, root } from './lib.mjs'
import { namesOf } from './new-module/names.mjs'
import { register } from './new-module/registrations.mjs'
import { serverFiles } from './new-module/server.mjs'
import { webFiles } from './new-module/web.mjs'

const name = process.argv[2] ?? ''
if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*s$/.test(name))
  fail('Usage: npm run new-module -- NAME, a plural noun of the domain in kebab-case (pumps, sim-cards)')
const target = process.argv[3] ? resolve(process.argv[3]) : root
const n = namesOf(name)
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
tool('the map of addresses', ['--import', 'tsx', 'packages/contracts/scripts/api-paths.ts'])
tool('the formatter', [
  'node_modules/@biomejs/biome/bin/biome',
  'check',
  '--write',
  '--vcs-enabled=false',
  ...Object.keys(files).filter(file => !file.endsWith('.sql')),
  ...changed,
])

process.stdout.write(`Made ${name}: ${Object.keys(files).length} files, and its line in ${changed.length} lists.

It has a table, three routes, a page at ${n.path}, a tool of the assistant, content of the demo and tests.
What is yours to decide, docs/how-to/module.md says how:
  - its own rights instead of device:read and device:write (packages/contracts/src/permissions.ts)
  - its place in the side menu (apps/server/src/db/seeds/minimal/menu.json, for installations that exist a migration)
  - Chinese words instead of its name (locales/zh.json, ${name}.tools.json, audit/action-words.json)
`)
