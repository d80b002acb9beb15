import { join } from 'node:path'
import { loadSecretKey, openDataDir, readRunInfo } from '../db/data-dir.ts'
import { type PreparedDatabase, prepareDatabase } from '../db/prepare.ts'
import type { Config } from '../lib/config.ts'
import type { Database } from '../lib/database/database.ts'
import type { Logger } from '../lib/log.ts'
import { openWithLog } from './sealed-log.ts'

/** An installation as a command sees it, with its database ready for use. */
export interface Installation {
  database: Database
  prepared: PreparedDatabase
  secretKey: string
  /** Whether its server runs. */
  running: boolean
  close(): Promise<void>
}

/**
 * Opens the installation for a command: beside a running server its database is used, otherwise the database runs for
 * this command only and the data folder is ours meanwhile.
 */
export async function openInstallation(config: Config, logger: Logger): Promise<Installation> {
  const running = readRunInfo(config.dataDir) !== null
  const dataDir = running ? null : await openDataDir(config.dataDir)
  try {
    const secretKey = config.secretKey ?? loadSecretKey(config.dataDir)
    const prepared = await prepareDatabase({
      dataDir: dataDir?.path ?? config.dataDir,
      databaseUrl: config.databaseUrl,
      secretKey,
      logger,
      ...(running && config.databaseUrl === null
        ? { attachTo: { socketDir: join(config.dataDir, 'run'), port: 5432 } }
        : {}),
    })
    const database = await openWithLog(prepared.access, () => {}, secretKey).catch(async error => {
      await prepared.stop()
      throw error
    })
    return {
      database,
      prepared,
      secretKey,
      running,
      async close() {
        await database.close()
        await prepared.stop()
        dataDir?.release()
      },
    }
  } catch (error) {
    dataDir?.release()
    throw error
  }
}
