import { setFlagsFromString } from 'node:v8'
import { serve } from './service.ts'
import { simulate } from './simulate.ts'

// Small young generation: the fleet makes short-lived garbage only, and its memory counts beside the server's.
setFlagsFromString('--max-semi-space-size=1')
setFlagsFromString('--optimize-for-size')

const args = process.argv.slice(2)
const configAt = args.indexOf('--config')

if (configAt >= 0) serve(args[configAt + 1] ?? '')
else if (process.send && args.length === 0) serve(null)
else await simulate(args)
