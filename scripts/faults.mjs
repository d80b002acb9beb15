// npm run faults [-- ROUNDS [SEED]]: the kill suite, long form. npm run faults -- storm [DEVICES]: all devices come back at once.
import { join } from 'node:path'
import { buildIfStale } from './build.mjs'
import { checkPlatform, installIfStale, root, run } from './lib.mjs'

checkPlatform()
await installIfStale()
await buildIfStale()
process.exit(
  await run(process.execPath, ['--import', 'tsx', join(root, 'tools/faults/main.ts'), ...process.argv.slice(2)], {
    cwd: root,
  }),
)
