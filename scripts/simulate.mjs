// npm run simulate: a fleet of simulated devices against any installation. Runs the sources when the tools to run them
// are installed, else the built fleet.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root, runUntilTold } from './lib.mjs'

const source = join(root, 'tools/simulators/device-fleet/main.ts')
const built = join(root, 'dist/server/fleet.js')
const tsx = join(root, 'node_modules/tsx/dist/esm/index.mjs')

const entry = existsSync(tsx) ? ['--import', pathToFileURL(tsx).href, source] : existsSync(built) ? [built] : null
if (!entry) {
  console.error('Nothing is installed yet: run npm start (or npm ci) once.')
  process.exit(1)
}
const catalogue = join(root, 'apps/server/src/db/seeds/demo/products')
const args = process.argv.slice(2)
// Where it was called: its words may name files from there.
process.exit(await runUntilTold([...entry, '--catalogue', catalogue, ...args], { cwd: process.cwd() }))
