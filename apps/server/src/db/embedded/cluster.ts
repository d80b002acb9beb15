import { execFile } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Logger } from '../../lib/log.ts'
import { isAlive, isKnown, postgresProcessesIn, signalProcess, waitUntil } from '../processes.ts'
import { StartError } from '../start-error.ts'
import type { PostgresBinaries } from './binaries.ts'
import { fileOwner, type LaunchMode, launchCommand, launchIds, POSTGRES_ENV } from './launch-mode.ts'

const run = promisify(execFile)
const FAST_SHUTDOWN_MS = 30_000

/**
 * Makes the database's files if there are none. A first start that was cut off leaves only an unfinished folder behind,
 * which the next start removes. Local connections are trusted: only we can reach the socket.
 * @returns whether a new cluster was made
 */
export async function ensureCluster(
  clusterDir: string,
  binaries: PostgresBinaries,
  mode: LaunchMode,
  sync: boolean,
): Promise<boolean> {
  removeUnfinished(clusterDir)
  if (existsSync(join(clusterDir, 'PG_VERSION'))) {
    checkVersion(clusterDir, binaries)
    giveTo(mode, clusterDir)
    return false
  }
  if (existsSync(clusterDir) && readdirSync(clusterDir).length > 0) {
    throw new StartError(
      `${clusterDir} holds files that are not a PostgreSQL database: move them away or set DATA_DIR.`,
    )
  }
  const unfinished = `${clusterDir}.unfinished-${process.pid}`
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })
  giveTo(mode, unfinished)
  try {
    await initdb(unfinished, binaries, mode, sync, 'C.UTF-8')
  } catch (error) {
    // Old systems lack the C.UTF-8 of libc; the database's own locale does not need it.
    if (!/locale/i.test(stderrOf(error))) throw initdbFailed(error)
    for (const name of readdirSync(unfinished)) rmSync(join(unfinished, name), { recursive: true, force: true })
    await initdb(unfinished, binaries, mode, sync, 'C').catch((second: unknown) => {
      throw initdbFailed(second)
    })
  }
  rmSync(clusterDir, { recursive: true, force: true })
  renameSync(unfinished, clusterDir)
  return true
}

async function initdb(dir: string, binaries: PostgresBinaries, mode: LaunchMode, sync: boolean, libcLocale: string) {
  const args = ['-D', dir, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8']
  args.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8', `--locale=${libcLocale}`, '--no-instructions')
  if (!sync) args.push('--no-sync')
  const [program, ...rest] = launchCommand(mode, [binaries.initdb, ...args])
  const env = { ...POSTGRES_ENV, LC_ALL: libcLocale }
  await run(program!, rest, { cwd: dir, env, ...launchIds(mode) })
}

function stderrOf(error: unknown): string {
  return String((error as { stderr?: unknown }).stderr ?? '')
}

function initdbFailed(error: unknown): StartError {
  const said = stderrOf(error).trim().split('\n').slice(-3).join(' | ') || String(error)
  return new StartError(`The database could not be made: ${said}`, { cause: error })
}

function removeUnfinished(clusterDir: string): void {
  const parent = dirname(clusterDir)
  if (!existsSync(parent)) return
  for (const name of readdirSync(parent)) {
    if (name.startsWith(`${basename(clusterDir)}.unfinished-`)) {
      rmSync(join(parent, name), { recursive: true, force: true })
    }
  }
}

function checkVersion(clusterDir: string, binaries: PostgresBinaries): void {
  const found = readFileSync(join(clusterDir, 'PG_VERSION'), 'utf8').trim()
  const ours = binaries.version.split('.')[0]
  if (found !== ours) {
    throw new StartError(
      `The database in ${clusterDir} belongs to PostgreSQL ${found}, this release carries ${ours}: restore a backup into a new DATA_DIR.`,
    )
  }
}

/** As root: hands the files to the user that PostgreSQL will be. An earlier start in another mode may have left others. */
function giveTo(mode: LaunchMode, dir: string): void {
  const owner = fileOwner(mode)
  if (!owner) {
    if (statSync(dir).uid !== process.getuid?.()) {
      throw new StartError(`${dir} belongs to another user: start as that user, or set DATA_DIR.`)
    }
    chmodSync(dir, 0o700)
    return
  }
  const info = statSync(dir)
  if (info.uid === owner.uid && info.gid === owner.gid) {
    chmodSync(dir, 0o700)
    return
  }
  const visit = (path: string) => {
    if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) visit(join(path, name))
    lchownSync(path, owner.uid, owner.gid)
  }
  // The folder itself last: its owner tells whether an earlier pass came to its end.
  for (const name of readdirSync(dir)) visit(join(dir, name))
  chownSync(dir, owner.uid, owner.gid)
  chmodSync(dir, 0o700)
}

/**
 * Ends what an earlier server left running in this folder and clears a postmaster.pid that would block the next start.
 * Only call this while holding the data folder's lock.
 */
export async function clearPredecessor(clusterDir: string, logger: Logger): Promise<void> {
  const pidFile = join(clusterDir, 'postmaster.pid')
  const postmaster = readPostmasterPid(pidFile)
  const left = postgresProcessesIn(clusterDir)
  if (postmaster !== undefined && left.includes(postmaster)) {
    logger.warn({ pid: postmaster }, 'a database process of an earlier run is still there, stopping it')
    signalProcess(postmaster, 'SIGINT')
    if (!(await waitUntil(() => !isAlive(postmaster), FAST_SHUTDOWN_MS))) {
      signalProcess(postmaster, 'SIGQUIT')
      if (!(await waitUntil(() => !isAlive(postmaster), 5_000))) signalProcess(postmaster, 'SIGKILL')
    }
  }
  // Without their postmaster, backends end by themselves once they wait for something; a busy one may take long.
  const stragglers = postgresProcessesIn(clusterDir)
  for (const pid of stragglers) signalProcess(pid, 'SIGKILL')
  if (!(await waitUntil(() => postgresProcessesIn(clusterDir).length === 0, 10_000))) {
    throw new StartError(`Processes of an earlier database do not end: ${postgresProcessesIn(clusterDir).join(', ')}.`)
  }
  // PostgreSQL replaces the file of a dead process itself, but takes any other process of that id for a server.
  // (Elsewhere than on Linux we cannot tell whose the process is and leave the judgement to PostgreSQL.)
  if (process.platform === 'linux' && postmaster !== undefined && isKnown(postmaster)) rmSync(pidFile, { force: true })
}

function readPostmasterPid(pidFile: string): number | undefined {
  if (!existsSync(pidFile)) return undefined
  // The first line; negative for a stand-alone backend.
  const pid = Math.abs(Number.parseInt(readFileSync(pidFile, 'utf8'), 10))
  if (Number.isInteger(pid) && pid > 0) return pid
  // Cut off while being written, by a full disk or a crash: it protects nobody and PostgreSQL refuses to start over it.
  rmSync(pidFile, { force: true })
  return undefined
}
