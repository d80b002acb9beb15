// npm start: installs and builds what is missing or stale, then runs the server in this terminal and keeps it running.
import { join } from 'node:path'
import { keepRunning } from './keep-running.mjs'
import { onLostParent, root, run } from './lib.mjs'

// In a process of its own: what a build takes of memory goes with it.
const built = await run(process.execPath, [join(root, 'scripts/build.mjs')])
if (built !== 0) process.exit(built)

const server = keepRunning(['--enable-source-maps', join(root, 'dist/server/main.js'), ...process.argv.slice(2)])
// The terminal's Ctrl-C reaches the server by itself; SIGTERM reaches only us, or only npm and its shell above us.
process.on('SIGINT', () => {})
process.on('SIGTERM', server.stop)
// The server reads its certificate again, or stops where its terminal was closed.
process.on('SIGHUP', server.reload)
onLostParent(server.stop)
process.exit(await server.ended)
