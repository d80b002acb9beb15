import { createHash } from 'node:crypto'
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate'

export interface ZipEntry {
  name: string
  body: AsyncIterable<Uint8Array>
  /** Compressed already: stored as it is. */
  stored?: boolean
}

/** What was written of an entry, for the manifest. */
export interface WrittenEntry {
  name: string
  size: number
  sha256: string
}

/**
 * A zip file as a stream, one entry after the other, without holding any of them in memory.
 * @param last made when all the others are written, e.g. a manifest with their hashes
 */
export async function* zipStream(
  entries: AsyncIterable<ZipEntry>,
  last: (written: readonly WrittenEntry[]) => ZipEntry,
): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = []
  let failure: Error | null = null
  const zip = new Zip((error, chunk) => {
    if (error) failure = error
    else if (chunk.length > 0) ready.push(chunk)
  })
  const written: WrittenEntry[] = []

  async function* write(entry: ZipEntry): AsyncGenerator<Uint8Array> {
    const file = entry.stored ? new ZipPassThrough(entry.name) : new ZipDeflate(entry.name, { level: 6 })
    zip.add(file)
    const hash = createHash('sha256')
    let size = 0
    for await (const chunk of entry.body) {
      hash.update(chunk)
      size += chunk.length
      file.push(chunk, false)
      yield* taken()
    }
    file.push(new Uint8Array(0), true)
    written.push({ name: entry.name, size, sha256: hash.digest('hex') })
    yield* taken()
  }

  function taken(): Uint8Array[] {
    if (failure) throw failure
    const chunks = ready
    ready = []
    return chunks
  }

  for await (const entry of entries) yield* write(entry)
  yield* write(last([...written]))
  zip.end()
  yield* taken()
}
