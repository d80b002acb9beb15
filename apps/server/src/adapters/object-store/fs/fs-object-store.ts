import { randomUUID } from 'node:crypto'
import { constants, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  checkObjectKey,
  checkObjectSize,
  type ObjectStore,
  ObjectStoreError,
} from '../../../modules/media/object-store.port.ts'

/** Codes of a path that leads to no object. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP'])
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/**
 * Objects as plain files below one folder: `objects/{key}` holds the bytes, `types/{key}` the content type, `unfinished`
 * what is being written. A file appears under its key by one rename after it is safely on disk.
 * @param root belongs to this process alone (the data folder's lock sees to that); leftovers of a killed one are cleared
 */
export function createFsObjectStore(root: string): ObjectStore {
  const unfinished = join(root, 'unfinished')
  let prepared: Promise<void> | undefined

  async function prepare(): Promise<void> {
    await rm(unfinished, { recursive: true, force: true })
    await mkdir(unfinished, { recursive: true, mode: 0o700 })
  }
  function ready(): Promise<void> {
    prepared ??= prepare().catch(error => {
      prepared = undefined
      throw ofStore(error)
    })
    return prepared
  }

  const pathOf = (tree: 'objects' | 'types', key: string) => join(root, tree, ...key.split('/'))

  return {
    async put(key, body, options) {
      checkObjectKey(key)
      if (Buffer.isBuffer(body)) checkObjectSize(options.size, body.length)
      await ready()
      const file = join(unfinished, randomUUID())
      const type = join(unfinished, randomUUID())
      try {
        const size = await write(file, body)
        checkObjectSize(options.size, size)
        await write(type, Buffer.from(options.contentType))
        // The type first: an object is never there without one.
        await place(type, pathOf('types', key))
        await place(file, pathOf('objects', key))
      } catch (error) {
        await rm(file, { force: true }).catch(() => {})
        await rm(type, { force: true }).catch(() => {})
        throw ofStore(error)
      }
    },

    async get(key, range) {
      checkObjectKey(key)
      try {
        const contentType = await readFile(pathOf('types', key), 'utf8')
        const handle = await open(pathOf('objects', key), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
        const info = await handle.stat()
        if (!info.isFile()) {
          await handle.close()
          return null
        }
        if (info.size === 0) {
          await handle.close()
          return { body: Readable.from([]), size: 0, contentType }
        }
        return { body: handle.createReadStream({ ...range, autoClose: true }), size: info.size, contentType }
      } catch (error) {
        if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return null
        throw ofStore(error)
      }
    },

    async remove(key) {
      checkObjectKey(key)
      try {
        await removeFile(pathOf('objects', key))
        await removeFile(pathOf('types', key))
      } catch (error) {
        throw ofStore(error)
      }
    },

    async *list(prefix) {
      const folder = prefix.includes('/') ? prefix.slice(0, prefix.lastIndexOf('/')) : ''
      if (folder !== '') checkObjectKey(folder)
      const top = join(root, 'objects')
      for await (const path of filesBelow(folder === '' ? top : pathOf('objects', folder))) {
        const key = path.slice(top.length + 1).replaceAll(sep, '/')
        if (!key.startsWith(prefix)) continue
        try {
          yield { key, size: (await stat(path)).size }
        } catch (error) {
          // Removed meanwhile.
          if (!ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) throw ofStore(error)
        }
      }
    },
  }
}

/** Writes a new file and waits until it is on disk. @returns its bytes */
async function write(path: string, body: Buffer | Readable): Promise<number> {
  let size = 0
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      done(null, chunk)
    },
  })
  const source = Buffer.isBuffer(body) ? Readable.from(body.length === 0 ? [] : [body]) : body
  await pipeline(source, count, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))
  return size
}

/** Renames into place and makes the name itself durable. */
async function place(from: string, to: string): Promise<void> {
  const folder = dirname(to)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await rename(from, to)
  // Windows cannot open folders; its rename is durable enough for a store without promises about power.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function removeFile(path: string): Promise<void> {
  try {
    if ((await stat(path)).isFile()) await rm(path, { force: true })
  } catch (error) {
    if (!ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

async function* filesBelow(folder: string): AsyncIterable<string> {
  let entries: import('node:fs').Dirent[]
  try {
    entries = await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return
    throw ofStore(error)
  }
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesBelow(path)
    else if (entry.isFile()) yield path
  }
}

/** Errors of the file system in the port's words; what is not ours (the body's own error) stays as it is. */
function ofStore(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code && FULL.has(code))
    return new ObjectStoreError('no_room', 'the disk of the uploads is full', { cause: error })
  if (code && syscall) return new ObjectStoreError('unavailable', `the upload folder failed: ${code}`, { cause: error })
  return error
}
