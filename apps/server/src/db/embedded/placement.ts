import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Logger } from '../../lib/log.ts'
import { StartError } from '../start-error.ts'
import { copyBinaries, findBinaries, type PostgresBinaries } from './binaries.ts'
import { canEnter, type LaunchMode } from './launch-mode.ts'

/** Folders outside the data folder, for a PostgreSQL that runs as another user and cannot reach it. */
const DEFAULT_SYSTEM_DIR = '/var/lib/thingwright'

export interface Placement {
  binaries: PostgresBinaries
  clusterDir: string
  /** The folder around the cluster: reserve file and socket lie there too. */
  volumeDir: string
}

/**
 * Says where programs and database lie. Normally the installed programs and `<dataDir>/postgres`. Only a PostgreSQL that
 * must run as another user (we are root and user namespaces are forbidden) may need both elsewhere, when a folder on the
 * way is closed to that user, as a home folder is.
 */
export function placeCluster(
  dataDir: string,
  mode: LaunchMode,
  logger: Logger,
  systemDir = DEFAULT_SYSTEM_DIR,
): Placement {
  let binaries = findBinaries(dataDir)
  let volumeDir = dataDir
  if (mode.kind === 'setuid') {
    // Passing through must be allowed, looking around not.
    if ((statSync(dataDir).mode & 0o011) !== 0o011) chmodSync(dataDir, 0o711)
    if (!canEnter(mode, dataDir)) {
      volumeDir = join(systemDir, createHash('sha256').update(dataDir).digest('hex').slice(0, 12))
      mkdirSync(volumeDir, { recursive: true, mode: 0o711 })
      if (!canEnter(mode, volumeDir)) {
        throw new StartError(
          `PostgreSQL runs as user ${mode.uid} here and can reach neither ${dataDir} nor ${volumeDir}: set DATA_DIR.`,
        )
      }
      logger.warn({ dataDir, volumeDir }, 'the database cannot lie in the data folder, which is closed to its user')
    }
    if (!canEnter(mode, dirname(binaries.initdb))) {
      const parent = [volumeDir, systemDir, tmpdir()].find(dir => canEnter(mode, dir)) ?? tmpdir()
      binaries = copyBinaries(binaries, parent)
    }
  }
  return { binaries, clusterDir: join(volumeDir, 'postgres'), volumeDir }
}
