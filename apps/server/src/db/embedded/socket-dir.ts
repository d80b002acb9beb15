import { createHash } from 'node:crypto'
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canEnter, fileOwner, type LaunchMode } from './launch-mode.ts'

/** PostgreSQL's port number is only part of the socket's name: no TCP port is opened. */
export const SOCKET_PORT = 5432
/** Longest path of a unix socket: sockaddr_un holds 108 bytes with the ending zero (unix(7)). */
const LONGEST = 107

/** A private folder for the unix socket. */
export interface SocketDir {
  path: string
  /** Removes a folder made outside the data folder. */
  remove(): void
}

/**
 * The socket lies in `<dataDir>/run`; where that path is too long for a socket, in a folder of the system's temporary
 * folder whose name is derived from the data folder. Whatever an earlier server left there is removed:
 * only call this while holding the data folder's lock.
 */
export function makeSocketDir(dataDir: string, mode: LaunchMode): SocketDir {
  const inside = join(dataDir, 'run')
  if (fits(inside)) {
    mkdirSync(inside, { recursive: true, mode: 0o700 })
    own(inside, mode)
    if (canEnter(mode, inside)) {
      sweep(inside)
      return { path: inside, remove: () => sweep(inside) }
    }
  }
  const name = `thingwright-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`
  const parent = [tmpdir(), '/tmp'].find(dir => fits(join(dir, `${name}-XXXXXX`)) && canEnter(mode, dir)) ?? '/tmp'
  let path = join(parent, name)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch {
    // Somebody else may have made a folder of this name first: never use one that is not ours alone.
    if (!isOurs(path, mode)) path = mkdtempSync(`${path}-`)
  }
  own(path, mode)
  sweep(path)
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

function fits(dir: string): boolean {
  return Buffer.byteLength(join(dir, `.s.PGSQL.${SOCKET_PORT}`)) <= LONGEST
}

function own(dir: string, mode: LaunchMode): void {
  chmodSync(dir, 0o700)
  const owner = fileOwner(mode)
  if (owner) chownSync(dir, owner.uid, owner.gid)
}

function isOurs(path: string, mode: LaunchMode): boolean {
  const info = lstatSync(path, { throwIfNoEntry: false })
  const uids = [process.getuid?.(), fileOwner(mode)?.uid]
  return info?.isDirectory() === true && (info.mode & 0o077) === 0 && uids.includes(info.uid)
}

/** A socket's lock file names a process id, which by now may be anybody's; PostgreSQL would refuse to start over it. */
function sweep(dir: string): void {
  for (const name of readdirSync(dir)) if (name.startsWith('.s.PGSQL.')) rmSync(join(dir, name), { force: true })
}
