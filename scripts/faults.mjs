// npm run faults: the long form. -- ROUNDS [SEED]: kills alone. -- outage [SECONDS…], storm [DEVICES], ota, webhook: tools/faults/main.ts.
import { join } from 'node:path'
import { buildIfStale } from './build.mjs'
import { checkPlatform, installIfStale, root, runUntilTold } from './lib.mjs'

checkPlatform()
await installIfStale()
await buildIfStale()
process.exit(await runUntilTold(['--import', 'tsx', join(root, 'tools/faults/main.ts'), ...process.argv.slice(2)]))
