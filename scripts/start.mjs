// npm start: installs and builds what is missing or stale, then runs the server in this terminal.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { buildIfStale } from './build.mjs'
import { checkPlatform, installIfStale, root } from './lib.mjs'

checkPlatform()
await installIfStale()
await buildIfStale()

const server = spawn(
  process.execPath,
  ['--enable-source-maps', join(root, 'dist/server/main.js'), ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
)
// The terminal's Ctrl-C reaches the server by itself; SIGTERM reaches only us.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => server.kill('SIGTERM'))
server.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 1)))
