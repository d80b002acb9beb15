// npm run simulate: a fleet of simulated devices against any installation. Runs the sources when the tools to run them
// are installed, else the built fleet.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
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
const child = spawn(process.execPath, [...entry, '--catalogue', catalogue, ...args], { stdio: 'inherit' })
// The terminal reaches the child by itself; we only wait for it.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => signal === 'SIGTERM' && child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
