// npm run pages -- ADDRESS ...: everything that is held against every page of the console, for some of them, and pictures
// to look at (docs/testing.md). Installs and builds what is stale first.
import { join } from 'node:path'
import { buildIfStale } from './build.mjs'
import { checkPlatform, installIfStale, root, runUntilTold } from './lib.mjs'

checkPlatform()
await installIfStale()
await buildIfStale()
process.exit(await runUntilTold(['--import', 'tsx', join(root, 'e2e/bench/pages.ts'), ...process.argv.slice(2)]))
