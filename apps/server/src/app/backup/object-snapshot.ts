import { constants } from 'node:fs'
import { copyFile, link, mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isAlive } from '../../db/processes.ts'

/** Some file systems have no second names for a file. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'EMLINK', 'ENOSYS'])
const PREFIX = 'backup-'

/** The upload folder as it is now, under second names: what is removed from it afterwards is still there. */
export interface UploadsSnapshot {
  root: string
  /** Adds what has come since. */
  refresh(): Promise<void>
  remove(): Promise<void>
}

/** Stored files are never written again, only replaced and removed, so a second name is as good as a copy. */
export async function snapshotUploads(dataDir: string): Promise<UploadsSnapshot> {
  await removeLeftovers(dataDir)
  const from = join(dataDir, 'uploads')
  const root = join(dataDir, `${PREFIX}${process.pid}`)
  const refresh = async () => {
    // A type is written before its object and removed after it: so every object found has its type behind it.
    for (const tree of ['objects', 'types']) await linkTree(join(from, tree), join(root, tree))
  }
  await refresh()
  return { root, refresh, remove: () => rm(root, { recursive: true, force: true }) }
}

/** Of backups that were killed. */
async function removeLeftovers(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const pid = Number(name.slice(PREFIX.length))
    if (name.startsWith(PREFIX) && Number.isInteger(pid) && (pid === process.pid || !isAlive(pid)))
      await rm(join(dataDir, name), { recursive: true, force: true })
  }
}

async function linkTree(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  for (const entry of entries) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await linkTree(source, target)
    else if (entry.isFile()) await linkFile(source, target)
  }
}

async function linkFile(source: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  try {
    await link(source, target)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (NO_LINKS.has(code)) await copyFile(source, target, constants.COPYFILE_FICLONE)
    // There already, or removed since it was listed.
    else if (code !== 'EEXIST' && code !== 'ENOENT') throw error
  }
}
