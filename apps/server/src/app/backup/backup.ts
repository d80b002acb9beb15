import { createReadStream, existsSync } from 'node:fs'
import { link, open, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createFsObjectStore } from '../../adapters/object-store/fs/fs-object-store.ts'
import { createS3ObjectStore } from '../../adapters/object-store/s3/s3-object-store.ts'
import { openDump } from '../../db/backup/dump-database.ts'
import { type RecordWriter, recordWriter, type Totals } from '../../db/backup/records.ts'
import { writeSealed } from '../../db/backup/sealed-file.ts'
import { loadSecretKey, openDataDir, readRunInfo } from '../../db/data-dir.ts'
import { type ReachedDatabase, reachDatabase } from '../../db/prepare.ts'
import { PLATFORM_TENANT } from '../../db/seeds/minimal/minimal.seed.ts'
import { StartError } from '../../db/start-error.ts'
import { MAINTENANCE_LOCK } from '../../ingest/journal/maintenance.ts'
import { recordAudit } from '../../lib/audit.ts'
import type { Config } from '../../lib/config.ts'
import { systemContext } from '../../lib/context.ts'
import type { Logger } from '../../lib/log.ts'
import type { ObjectStore } from '../../modules/media/index.ts'
import { openWithLog } from '../sealed-log.ts'
import { snapshotUploads } from './object-snapshot.ts'
import { bytesText, type Progress } from './progress.ts'

/** Folders of the data folder whose files are taken along; the database and the uploads go their own ways. */
export const FOLDERS = ['keys', 'demo']

export interface BackupOptions {
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'secretKey' | 'objectStore'>
  /** The file to be made; there must be none. */
  file: string
  passphrase: string
  /** Of this program. */
  version: string
  logger: Logger
  progress: Progress
  /** Gives up in order when it is aborted. */
  signal?: AbortSignal
}

export interface BackupResult extends Totals {
  bytes: number
  at: string
}

/**
 * Writes the whole installation into one file, beside a running server or on a stopped one: the database as it is at one
 * moment, every stored object that it names, and the keys. The file appears under its name once it is whole.
 * @throws StartError with one line
 */
export async function backUp(options: BackupOptions): Promise<BackupResult> {
  const { config, file, logger } = options
  if (existsSync(file)) throw new StartError(`${file} is there already: a backup replaces nothing.`)
  const running = readRunInfo(config.dataDir) !== null
  if (!running && config.secretKey === null && !existsSync(join(config.dataDir, 'keys', 'secret.key')))
    throw new StartError(`There is no installation in ${config.dataDir}: set DATA_DIR.`)
  const dataDir = running ? null : await openDataDir(config.dataDir)
  try {
    const secretKey = config.secretKey ?? loadSecretKey(config.dataDir)
    const reached = await reachDatabase({
      dataDir: dataDir?.path ?? config.dataDir,
      databaseUrl: config.databaseUrl,
      secretKey,
      logger,
      ...(running && config.databaseUrl === null
        ? { attachTo: { socketDir: join(config.dataDir, 'run'), port: 5432 } }
        : {}),
    })
    try {
      const result = await write(options, reached, secretKey)
      await note(reached, secretKey, basename(file), result).catch((error: Error) =>
        options.progress.say(`The backup is whole, but the operation log has no line of it: ${error.message}`),
      )
      return result
    } finally {
      await reached.stop()
    }
  } finally {
    dataDir?.release()
  }
}

async function write(options: BackupOptions, reached: ReachedDatabase, secretKey: string): Promise<BackupResult> {
  const { config, file, passphrase, progress } = options
  const unfinished = `${file}.unfinished-${process.pid}`
  const uploads = config.objectStore ? null : await snapshotUploads(config.dataDir)
  try {
    const dump = await openDump({
      owner: reached.superuser,
      maintenanceLock: MAINTENANCE_LOCK,
      onProgress(table, rows) {
        options.signal?.throwIfAborted()
        progress.at(`${table}: ${rows} rows`)
      },
    })
    try {
      await uploads?.refresh()
      progress.say(`The installation as of ${dump.snapshot.at}`)
      const sealed = await writeSealed(unfinished, passphrase).catch((error: NodeJS.ErrnoException) => {
        throw new StartError(`${unfinished} cannot be written (${error.code}).`, { cause: error })
      })
      try {
        const to = recordWriter(sealed)
        await to.begin({
          type: 'manifest',
          manifest: { format: 1, program: options.version, ...dump.snapshot, secretKey },
        })
        await to.end()
        const files = await writeFiles(config.dataDir, to)
        const rows = await dump.write(to)
        const store = config.objectStore ? createS3ObjectStore(config.objectStore) : createFsObjectStore(uploads!.root)
        const objects = await writeObjects(store, to, options)
        const totals: Totals = { rows, files, objects }
        await to.begin({ type: 'end', totals })
        await to.end()
        const bytes = await sealed.finish()
        await appear(unfinished, file)
        return { ...totals, bytes, at: dump.snapshot.at }
      } catch (error) {
        await sealed.abandon(error as Error)
        throw error
      }
    } finally {
      await dump.close()
    }
  } finally {
    await uploads?.remove()
    await rm(unfinished, { force: true })
  }
}

async function writeFiles(dataDir: string, to: RecordWriter): Promise<number> {
  let files = 0
  for (const folder of FOLDERS) {
    const root = join(dataDir, folder)
    if (!existsSync(root)) continue
    for (const entry of await readdir(root, { withFileTypes: true })) {
      if (!entry.isFile()) continue
      await to.begin({ type: 'file', path: `${folder}/${entry.name}` })
      for await (const chunk of createReadStream(join(root, entry.name))) await to.piece(chunk as Buffer)
      await to.end()
      files++
    }
  }
  return files
}

async function writeObjects(store: ObjectStore, to: RecordWriter, options: BackupOptions): Promise<number> {
  let objects = 0
  let bytes = 0
  for await (const { key } of store.list('')) {
    const object = await store.get(key)
    // Removed from a store whose contents cannot be held still.
    if (!object) continue
    await to.begin({ type: 'object', key, contentType: object.contentType, size: object.size })
    for await (const chunk of object.body as AsyncIterable<Buffer>) {
      await to.piece(chunk)
      bytes += chunk.length
      options.signal?.throwIfAborted()
      options.progress.at(`objects: ${objects}, ${bytesText(bytes)}`)
    }
    await to.end()
    objects++
  }
  return objects
}

/** A second name and not a rename: what came under that name meanwhile is not replaced. */
async function appear(unfinished: string, file: string): Promise<void> {
  await link(unfinished, file).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`${file} cannot be made (${error.code}).`, { cause: error })
  })
  const folder = await open(dirname(file), 'r')
  await folder.sync()
  await folder.close()
}

/** The line in the platform's operation log. */
async function note(reached: ReachedDatabase, secretKey: string, name: string, result: BackupResult): Promise<void> {
  const database = await openWithLog(reached.access, () => {}, secretKey)
  try {
    await database.withSystemScope('audit', scope =>
      recordAudit(scope, systemContext(PLATFORM_TENANT, 'backup'), {
        action: 'installation.backup',
        objectType: 'installation',
        objectName: name,
        after: {
          asOf: result.at,
          bytes: result.bytes,
          rows: Object.values(result.rows).reduce((sum, rows) => sum + rows, 0),
          objects: result.objects,
        },
      }),
    )
  } finally {
    await database.close()
  }
}
