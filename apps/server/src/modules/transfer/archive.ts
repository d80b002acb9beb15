import type { FileHandle } from 'node:fs/promises'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { MAX_SCENE_LENGTH } from '@thingwright/scene'
import type { Static, TSchema } from 'typebox'
import { AppError } from '../../lib/errors.ts'
import { type ArchiveEntry, openEntry, readDirectory } from '../../lib/files/zip-reader.ts'
import { newId } from '../../lib/ids.ts'
import { isOurName, type Kind, type Manifest, readManifest } from './manifest.ts'
import { linesOf } from './rows.ts'
import { checkSeal } from './seal.ts'

/** A packed company, open for reading. */
export interface Archive {
  manifest: Manifest
  /** Lines of a kind; none when the file has none. */
  lines<T extends TSchema>(kind: Kind, schema: T): AsyncGenerator<Static<T>>
  /** Bytes of a material. @throws AppError transfer.file_invalid */
  material(sha256: string): Promise<Readable>
  close(): Promise<void>
}

/** A page is two documents, its draft and what visitors see, and the devices that they name. */
const LONGEST: Partial<Record<Kind, number>> = { pages: 2 * MAX_SCENE_LENGTH + 4_000_000 }

const MANIFEST_BYTES = 32 * 1024 ** 2

/**
 * Copies the bytes to a file of its own, which has no name any more while it is read, and checks what can be checked
 * before anything is unpacked: the directory, the manifest, that both name the same files.
 * @param whole every byte is held against its checksums before anything is given out
 * @throws AppError transfer.file_invalid, transfer.file_newer
 */
export async function openArchive(body: Readable, { whole }: { whole: boolean }): Promise<Archive> {
  const path = join(tmpdir(), `thingwright-import-${newId()}.zip`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await rm(path)
    for await (const chunk of body) await file.write(chunk as Buffer)
    const entries = await readDirectory(file, isOurName)
    const manifestFile = entries.get('manifest.json')
    if (!manifestFile || manifestFile.size > MANIFEST_BYTES)
      throw new AppError('transfer.file_invalid', { params: { reason: 'manifest' } })
    const manifest = readManifest(await text(await openEntry(file, manifestFile, null)))
    const archive = archiveOf(file, entries, manifest)
    if (whole) await readWhole(file, entries, manifest)
    return archive
  } catch (error) {
    await file.close()
    throw error
  }
}

function archiveOf(file: FileHandle, entries: Map<string, ArchiveEntry>, manifest: Manifest): Archive {
  const listed = new Map(manifest.files.map(entry => [entry.name, entry]))
  for (const [name, entry] of entries)
    if (name !== 'manifest.json' && listed.get(name)?.size !== entry.size)
      throw new AppError('transfer.file_invalid', { params: { reason: name } })
  for (const name of listed.keys())
    if (!entries.has(name)) throw new AppError('transfer.file_invalid', { params: { reason: name } })

  return {
    manifest,
    async *lines(kind, schema) {
      const name = `config/${kind}.ndjson`
      const entry = entries.get(name)
      if (entry) yield* linesOf(await openEntry(file, entry, listed.get(name)!.sha256), schema, LONGEST[kind])
    },
    async material(sha256) {
      const name = `materials/${sha256}`
      const entry = entries.get(name)
      if (!entry || listed.get(name)!.sha256 !== sha256)
        throw new AppError('transfer.file_invalid', { params: { reason: name } })
      return openEntry(file, entry, sha256)
    },
    close: () => file.close(),
  }
}

/** Reads every entry to its end. @throws AppError transfer.file_invalid at the first that is not as it was written */
async function readWhole(file: FileHandle, entries: Map<string, ArchiveEntry>, manifest: Manifest): Promise<void> {
  await checkSeal(file)
  for (const { name, sha256 } of manifest.files)
    for await (const _ of await openEntry(file, entries.get(name)!, sha256)) {
      // the checks are in the stream
    }
}
