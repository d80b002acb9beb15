// npm run bench [NAME...] [-- --size S|M] [--docs] [--profile FOLDER]: the benchmarks (docs/benchmarks.md). Installs and
// builds what is stale first.
import { join } from 'node:path'
import { buildIfStale } from './build.mjs'
import { checkPlatform, installIfStale, root, runUntilTold } from './lib.mjs'

checkPlatform()
await installIfStale()
await buildIfStale()
process.exit(await runUntilTold(['--import', 'tsx', join(root, 'tools/bench/main.ts'), ...process.argv.slice(2)]))
