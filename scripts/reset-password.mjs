// npm run reset-password -- USER: a new password, printed once; works beside a running server.
import { join } from 'node:path'
import { buildIfStale } from './build.mjs'
import { checkPlatform, fail, installIfStale, root, run } from './lib.mjs'

checkPlatform()
if (process.argv.length !== 3) fail('Usage: npm run reset-password -- USER')
await installIfStale()
await buildIfStale({ quiet: true })
process.exit(
  await run(process.execPath, [join(root, 'dist/server/reset-password.js'), process.argv[2]], { cwd: process.cwd() }),
)
