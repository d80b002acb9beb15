import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type DataDirLock, type LockOptions, lockDataDir } from './data-dir-lock.ts'
import { isAlive, processStartTime } from './processes.ts'
import { StartError } from './start-error.ts'

/** What tools read to find the running server. */
export interface RunInfo {
  pid: number
  /** Start time of that process, so that a later process with the same id is not taken for it. */
  processStart?: string
  /** ISO 8601 UTC */
  startedAt: string
  urls: Record<string, string>
  ports: Record<string, number>
}

/** The data folder of a running server: ours alone until released. */
export interface DataDir {
  /** Real, absolute path. */
  path: string
  /** Tells tools where the server is; removed by `release`. */
  writeRunInfo(info: Omit<RunInfo, 'pid' | 'processStart'>): void
  /** Removes run.json and gives the folder up. Safe to call twice. */
  release(): void
}

export interface OpenOptions extends LockOptions {
  /** A restore fills the folder: its mark does not keep it out. */
  restoring?: boolean
}

/** The file that marks a data folder while a restore fills it. */
export function restoreMark(dataDir: string): string {
  return join(dataDir, 'restore-unfinished')
}

/**
 * Makes the data folder if it is missing, closes it to other users and takes its lock.
 * @throws StartError naming the other server's pid when one runs on this folder, or what is wrong with the folder
 */
export async function openDataDir(dataDir: string, options: OpenOptions = {}): Promise<DataDir> {
  makePrivate(dataDir)
  const path = realpathSync(dataDir)
  if (!options.restoring && existsSync(restoreMark(path)))
    throw new StartError(`A restore into ${path} was cut off: empty the folder and restore again.`)
  const lock: DataDirLock = await withRoom(path, () => lockDataDir(path, options))
  // Left by a server that was killed.
  rmSync(runFile(path), { force: true })
  return {
    path,
    writeRunInfo(info) {
      const full: RunInfo = { pid: process.pid, processStart: processStartTime(process.pid), ...info }
      const unfinished = `${runFile(path)}.${process.pid}`
      writeFileSync(unfinished, `${JSON.stringify(full, null, 2)}\n`, { mode: 0o600 })
      renameSync(unfinished, runFile(path))
    },
    release() {
      if (!lock.held()) return
      rmSync(runFile(path), { force: true })
      lock.release()
    },
  }
}

/** The server that runs on this folder, or null when none does. */
export function readRunInfo(dataDir: string): RunInfo | null {
  let info: RunInfo
  try {
    info = JSON.parse(readFileSync(runFile(dataDir), 'utf8')) as RunInfo
  } catch {
    return null
  }
  if (!isAlive(info.pid)) return null
  return info.processStart === undefined || processStartTime(info.pid) === info.processStart ? info : null
}

/**
 * The installation's secret (64 hex digits) from `keys/secret.key`, made on the first start. Tokens are signed and stored
 * secrets are sealed with keys derived from it, so a lost one is never silently replaced.
 * @throws StartError when the file is damaged, or missing although there is a database
 */
export function loadSecretKey(dataDir: string): string {
  const keys = join(dataDir, 'keys')
  const file = join(keys, 'secret.key')
  mkdirSync(keys, { recursive: true, mode: 0o700 })
  chmodSync(keys, 0o700)
  if (!existsSync(file)) {
    if (existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) {
      throw new StartError(
        `${file} is missing although there is a database: restore it from a backup, or set SECRET_KEY if it was set before.`,
      )
    }
    createSecret(keys, file)
  }
  const secret = readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/.test(secret)) {
    throw new StartError(`${file} is damaged (64 hex digits expected): restore it from a backup.`)
  }
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
  return secret
}

function createSecret(keys: string, file: string): void {
  const unfinished = `${file}.${process.pid}`
  rmSync(unfinished, { force: true })
  const handle = openSync(unfinished, 'wx', 0o600)
  writeFileSync(handle, `${randomBytes(32).toString('hex')}\n`)
  fsyncSync(handle)
  closeSync(handle)
  try {
    linkSync(unfinished, file)
  } catch (error) {
    // Another process was first; its key counts.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  rmSync(unfinished, { force: true })
  const folder = openSync(keys, 'r')
  fsyncSync(folder)
  closeSync(folder)
}

function runFile(dataDir: string): string {
  return join(dataDir, 'run.json')
}

/** A folder that already held somebody else's files (a mount point, a home) keeps its mode: ours inside are closed anyway. */
function makePrivate(dataDir: string): void {
  try {
    const isNew = mkdirSync(dataDir, { recursive: true, mode: 0o700 }) !== undefined
    const names = readdirSync(dataDir).filter(name => name !== 'lost+found')
    if (isNew || names.length === 0 || names.includes('keys')) chmodSync(dataDir, 0o700)
    // Says now rather than later that we may not write here.
    const probe = join(dataDir, `.probe-${process.pid}`)
    mkdirSync(probe)
    rmSync(probe, { recursive: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC') return
    throw new StartError(`DATA_DIR: ${dataDir} cannot be used as the data folder (${code ?? error})`, { cause: error })
  }
}

/** On a completely full disk even the lock does not fit: then the reserve is given up, as a start needs a little room. */
async function withRoom<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const reserve = join(dataDir, 'reserve.bin')
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC' || !existsSync(reserve)) throw error
    rmSync(reserve)
    return work()
  }
}
