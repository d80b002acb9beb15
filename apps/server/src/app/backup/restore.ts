import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { createFsObjectStore } from '../../adapters/object-store/fs/fs-object-store.ts'
import { createS3ObjectStore } from '../../adapters/object-store/s3/s3-object-store.ts'
import { hasUnfinishedRestore, isEmptyDatabase } from '../../db/backup/catalogue.ts'
import { checkMigrations, loadDatabase, markFinished, markUnfinished } from '../../db/backup/load-database.ts'
import { type Manifest, type ReadRecord, readRecords, type Totals } from '../../db/backup/records.ts'
import { openSealed, type SealedFile } from '../../db/backup/sealed-file.ts'
import { openDataDir, readRunInfo, restoreMark } from '../../db/data-dir.ts'
import { inspectDatabase, parseDatabaseUrl } from '../../db/external-database.ts'
import { migrationsFolder } from '../../db/migration-files.ts'
import { reachDatabase } from '../../db/prepare.ts'
import { PLATFORM_TENANT } from '../../db/seeds/minimal/minimal.seed.ts'
import { StartError } from '../../db/start-error.ts'
import { recordAudit } from '../../lib/audit.ts'
import type { Config } from '../../lib/config.ts'
import { systemContext } from '../../lib/context.ts'
import { newClient } from '../../lib/database/pool.ts'
import type { Logger } from '../../lib/log.ts'
import type { ObjectStore } from '../../modules/media/index.ts'
import { openWithLog } from '../sealed-log.ts'
import { FOLDERS } from './backup.ts'
import { bytesText, type Progress } from './progress.ts'

export interface RestoreOptions {
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'secretKey' | 'objectStore'>
  file: string
  passphrase: string
  logger: Logger
  progress: Progress
}

export interface RestoreResult extends Totals {
  /** The moment the backup shows. */
  at: string
  /** Migrations that the backup's database had not had yet. */
  applied: string[]
}

/** A key of our own making fits the file in which it is kept; another one was given as SECRET_KEY. */
const OWN_KEY = /^[0-9a-f]{64}$/
const SECRET_FILE = 'keys/secret.key'
const PATH = new RegExp(`^(${FOLDERS.join('|')})/[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

/**
 * Makes the installation of a backup in an empty data folder, and in an empty database when there is a DATABASE_URL. The
 * whole file is verified before anything is touched; what is cut off afterwards is marked and does not start.
 * @throws StartError with one line
 */
export async function restore(options: RestoreOptions): Promise<RestoreResult> {
  const { config, file, progress } = options
  const sealed = await openSealed(file, options.passphrase)
  const { manifest, totals } = await verify(sealed, progress)
  checkMigrations(manifest, migrationsFolder())
  const secretKey = secretOf(config, manifest)
  await checkEmpty(options)
  progress.say(`The backup is whole: the installation as of ${manifest.at}`)

  const dataDir = await openDataDir(config.dataDir, { restoring: true })
  try {
    await writeFile(dataDir.path, basename(restoreMark(dataDir.path)), [])
    if (config.secretKey === null) await writeFile(dataDir.path, SECRET_FILE, [Buffer.from(`${secretKey}\n`)])
    const reached = await reachDatabase({
      dataDir: dataDir.path,
      databaseUrl: config.databaseUrl,
      secretKey,
      logger: options.logger,
    })
    let applied: string[]
    try {
      // The embedded server makes its database with the first migration; nothing else can be in it yet.
      if (config.databaseUrl !== null) await markUnfinished(reached.superuser)
      await reached.migrate({ upTo: manifest.migrations.at(-1)?.name ?? '' })
      const store = config.objectStore
        ? createS3ObjectStore(config.objectStore)
        : createFsObjectStore(join(dataDir.path, 'uploads'))
      const stored = await loadDatabase(
        reached.superuser,
        manifest.partitions,
        (table, rows) => progress.at(`${table}: ${rows} rows of ${totals.rows[table] ?? 0}`),
        take => takeAll(sealed, dataDir.path, store, take, progress),
      )
      for (const [table, rows] of Object.entries(totals.rows))
        if (stored[table] !== rows) throw new StartError(`${table}: ${stored[table] ?? 0} of ${rows} rows were stored.`)
      applied = (await reached.migrate({})).applied
      const database = await openWithLog(reached.access, () => {}, secretKey)
      try {
        await database.withSystemScope('audit', scope =>
          recordAudit(scope, systemContext(PLATFORM_TENANT, 'restore'), {
            action: 'installation.restore',
            objectType: 'installation',
            after: { asOf: manifest.at, program: manifest.program },
          }),
        )
      } finally {
        await database.close()
      }
      if (config.databaseUrl !== null) await markFinished(reached.superuser)
    } finally {
      await reached.stop()
    }
    // Last, when the database is on disk.
    await rm(restoreMark(dataDir.path))
    await syncFolder(dataDir.path)
    return { ...totals, at: manifest.at, applied }
  } finally {
    dataDir.release()
  }
}

/** Reads the whole file: what is damaged, cut off or not ours is refused here. */
async function verify(sealed: SealedFile, progress: Progress): Promise<{ manifest: Manifest; totals: Totals }> {
  let manifest: Manifest | undefined
  let totals: Totals | undefined
  const found: Totals = { rows: {}, files: 0, objects: 0 }
  const content = sealed.content(read => progress.at(`verifying: ${bytesText(read)} of ${bytesText(sealed.size)}`))
  for await (const { record } of readRecords(content)) {
    if (totals) throw inconsistent()
    if (record.type === 'manifest') manifest = record.manifest
    else if (!manifest) throw inconsistent()
    else if (record.type === 'table') found.rows[record.name] = 0
    else if (record.type === 'file') found.files++
    else if (record.type === 'object') found.objects++
    else if (record.type === 'end') totals = record.totals
    if (record.type === 'file' && !PATH.test(record.path)) throw inconsistent()
  }
  if (!manifest || !totals || manifest.format !== 1) throw inconsistent()
  if (found.files !== totals.files || found.objects !== totals.objects) throw inconsistent()
  if (Object.keys(totals.rows).some(table => !(table in found.rows))) throw inconsistent()
  return { manifest, totals }
}

function inconsistent(): StartError {
  return new StartError('The backup does not hold together: it was written by another version of this program.')
}

/** @throws StartError when what was stored sealed could not be opened with the secret there will be */
function secretOf(config: RestoreOptions['config'], manifest: Manifest): string {
  if (config.secretKey === null && !OWN_KEY.test(manifest.secretKey))
    throw new StartError('The installation of this backup had a SECRET_KEY of its own: set the same one.')
  if (config.secretKey !== null && config.secretKey !== manifest.secretKey)
    throw new StartError(
      OWN_KEY.test(manifest.secretKey)
        ? 'SECRET_KEY is another one than that of the backup: unset it, and the one of the backup is used.'
        : 'SECRET_KEY is another one than that of the backup: set the same one.',
    )
  return manifest.secretKey
}

/** @throws StartError when there is anything where the installation should go */
async function checkEmpty({ config, logger }: RestoreOptions): Promise<void> {
  const runs = readRunInfo(config.dataDir)
  if (runs) throw new StartError(`A server runs on ${config.dataDir} (pid ${runs.pid}): restore into another DATA_DIR.`)
  if (existsSync(restoreMark(config.dataDir)))
    throw new StartError(`A restore into ${config.dataDir} was cut off: empty the folder and restore again.`)
  const there = existsSync(config.dataDir) ? await readdir(config.dataDir) : []
  if (there.some(name => name !== 'lost+found'))
    throw new StartError(`${config.dataDir} is not empty: a restore replaces nothing, set another DATA_DIR.`)
  if (config.databaseUrl === null) return
  const connection = parseDatabaseUrl(config.databaseUrl)
  await inspectDatabase(connection, logger)
  const client = newClient(connection)
  client.on('error', () => {})
  await client.connect()
  try {
    if (await hasUnfinishedRestore(client))
      throw new StartError(`A restore into the database ${connection.database} was cut off: make an empty one.`)
    if (!(await isEmptyDatabase(client)))
      throw new StartError(`The database ${connection.database} is not empty: a restore replaces nothing.`)
  } finally {
    await client.end()
  }
}

async function takeAll(
  sealed: SealedFile,
  dataDir: string,
  store: ObjectStore,
  take: (read: ReadRecord) => Promise<void>,
  progress: Progress,
): Promise<void> {
  let objects = 0
  for await (const read of readRecords(sealed.content())) {
    const { record, body } = read
    if (record.type === 'file') {
      // Written from the manifest, or given as SECRET_KEY.
      if (record.path === SECRET_FILE) continue
      await writeFile(dataDir, record.path, body)
    } else if (record.type === 'object') {
      const { contentType, size } = record
      await store.put(record.key, Readable.from(body, { objectMode: false }), { contentType, size })
      progress.at(`objects: ${++objects}`)
    } else await take(read)
  }
}

/** On disk before anything that is said about it. */
async function writeFile(dataDir: string, path: string, body: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
  const file = join(dataDir, path)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const handle = await open(file, 'wx', 0o600)
  try {
    for await (const piece of body) await handle.appendFile(piece)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await syncFolder(dirname(file))
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync()
  await folder.close()
}
