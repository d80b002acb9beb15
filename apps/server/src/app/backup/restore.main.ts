import { resolve } from 'node:path'
import { ConfigError, processConfig } from '../../lib/config.ts'
import { createLogger } from '../../lib/log.ts'
import { printAndEnd } from '../start-failure.ts'
import { askPassphrase } from './passphrase.ts'
import { createProgress } from './progress.ts'
import { restore } from './restore.ts'

/** `npm run restore -- FILE`: the installation of a backup, into an empty DATA_DIR (and an empty DATABASE_URL). */
async function main(name: string | undefined): Promise<void> {
  if (!name) throw new ConfigError('Usage: npm run restore -- FILE')
  const config = processConfig()
  const passphrase = await askPassphrase(process.env, false)
  const progress = createProgress()
  const made = await restore({
    config,
    file: resolve(name),
    passphrase,
    logger: createLogger({ level: 'error', format: config.logFormat }, 'restore'),
    progress,
  })
  const rows = Object.values(made.rows).reduce((sum, count) => sum + count, 0)
  const newer = made.applied.length ? `, then ${made.applied.length} migrations of this program` : ''
  progress.say(
    `${config.dataDir}: ${rows} rows, ${made.objects} objects, ${made.files} files, as of ${made.at}${newer}. npm start runs it.`,
  )
}

main(process.argv[2])
  .then(() => process.exit(0))
  .catch(printAndEnd)
