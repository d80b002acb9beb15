// npm run audit:verify: is the operation log as it was written? Works beside a running server and on a stopped one.
// Ends with 0 when every chain holds, 1 when one is broken, 2 when it could not be looked at.
import { join } from 'node:path'
import { buildIfStale } from './build.mjs'
import { checkPlatform, fail, installIfStale, root, run } from './lib.mjs'

checkPlatform()
if (process.argv.length !== 2) fail('Usage: npm run audit:verify')
await installIfStale()
await buildIfStale({ quiet: true })
process.exit(await run(process.execPath, [join(root, 'dist/server/audit-verify.js')], { cwd: process.cwd() }))
