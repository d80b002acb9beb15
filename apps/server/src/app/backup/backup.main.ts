import { resolve } from 'node:path'
import { ConfigError, processConfig } from '../../lib/config.ts'
import { createLogger } from '../../lib/log.ts'
import { printAndEnd } from '../start-failure.ts'
import { VERSION } from '../version.ts'
import { backUp } from './backup.ts'
import { askPassphrase } from './passphrase.ts'
import { bytesText, createProgress } from './progress.ts'

/** `npm run backup -- FILE`: the whole installation into one file, beside a running server or on a stopped one. */
async function main(name: string | undefined): Promise<void> {
  if (!name) throw new ConfigError('Usage: npm run backup -- FILE')
  const config = processConfig()
  const passphrase = await askPassphrase(process.env, true)
  const abort = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => abort.abort())
  const progress = createProgress()
  const file = resolve(name)
  const made = await backUp({
    config,
    file,
    passphrase,
    version: VERSION,
    logger: createLogger({ level: 'error', format: config.logFormat }, 'backup'),
    progress,
    signal: abort.signal,
  })
  const rows = Object.values(made.rows).reduce((sum, count) => sum + count, 0)
  progress.say(`${file}: ${rows} rows, ${made.objects} objects, ${made.files} files, ${bytesText(made.bytes)}`)
}

main(process.argv[2])
  .then(() => process.exit(0))
  .catch(printAndEnd)
