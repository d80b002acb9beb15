import { serve } from './service.ts'

const args = process.argv.slice(2)
const configAt = args.indexOf('--config')

if (configAt >= 0) serve(args[configAt + 1] ?? '')
else if (process.send && args.length === 0) serve(null)
else {
  // Loaded only for this: a fleet beside the server has no use for it.
  const { simulate } = await import('./simulate.ts')
  await simulate(args)
}
