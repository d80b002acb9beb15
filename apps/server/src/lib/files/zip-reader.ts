import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createInflateRaw } from 'node:zlib'
import { AppError } from '../errors.ts'

/** One file of a zip, as its central directory announces it. */
export interface ArchiveEntry {
  name: string
  size: number
  compressedSize: number
  method: 0 | 8
  /** CRC-32 of the unpacked bytes. */
  crc: number
  headerOffset: number
}

export interface ArchiveLimits {
  entries: number
  /** Bytes of one entry, and of all together, unpacked. */
  entryBytes: number
  totalBytes: number
  /** Unpacked bytes per packed one, beyond the first megabyte. */
  ratio: number
}

export const ARCHIVE_LIMITS: ArchiveLimits = {
  entries: 120_000,
  entryBytes: 1024 ** 3,
  totalBytes: 4 * 1024 ** 3,
  ratio: 400,
}

const END_OF_DIRECTORY = 0x06054b50
const DIRECTORY_ENTRY = 0x02014b50
const LOCAL_HEADER = 0x04034b50
const END_BYTES = 22
const MIB = 1024 ** 2

const broken = (reason: string) => new AppError('transfer.file_invalid', { params: { reason } })

/**
 * Reads the directory of a zip (APPNOTE 6.3.10, without zip64 and encryption) and refuses what could do harm before a
 * byte is unpacked: foreign names, names twice, too many, too big, packed too well, entries over one another.
 * @param allowed decides which names may be there at all
 * @throws AppError transfer.file_invalid
 */
export async function readDirectory(
  file: FileHandle,
  allowed: (name: string) => boolean,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): Promise<Map<string, ArchiveEntry>> {
  const { size } = await file.stat()
  const tail = await readAt(file, Math.max(0, size - 65_557), Math.min(size, 65_557))
  let at = tail.length - END_BYTES
  while (at >= 0 && tail.readUInt32LE(at) !== END_OF_DIRECTORY) at--
  if (at < 0) throw broken('no zip')
  const count = tail.readUInt16LE(at + 10)
  const directorySize = tail.readUInt32LE(at + 12)
  const directoryOffset = tail.readUInt32LE(at + 16)
  if (count === 0xffff || directoryOffset === 0xffffffff) throw broken('zip64')
  if (count > limits.entries || directorySize > 64 * MIB || directoryOffset + directorySize > size)
    throw broken('directory')
  const directory = await readAt(file, directoryOffset, directorySize)
  const entries = new Map<string, ArchiveEntry>()
  let offset = 0
  let total = 0
  for (let n = 0; n < count; n++) {
    if (offset + 46 > directory.length || directory.readUInt32LE(offset) !== DIRECTORY_ENTRY) throw broken('directory')
    const flags = directory.readUInt16LE(offset + 8)
    const method = directory.readUInt16LE(offset + 10)
    const nameLength = directory.readUInt16LE(offset + 28)
    const entry = {
      name: directory.toString('utf8', offset + 46, offset + 46 + nameLength),
      compressedSize: directory.readUInt32LE(offset + 20),
      size: directory.readUInt32LE(offset + 24),
      crc: directory.readUInt32LE(offset + 16),
      headerOffset: directory.readUInt32LE(offset + 42),
    }
    offset += 46 + nameLength + directory.readUInt16LE(offset + 30) + directory.readUInt16LE(offset + 32)
    if ((flags & 1) !== 0 || (method !== 0 && method !== 8)) throw broken('method')
    if (!allowed(entry.name)) throw broken('name')
    if (entries.has(entry.name)) throw broken('name twice')
    total += entry.size
    if (entry.size > limits.entryBytes || total > limits.totalBytes) throw broken('size')
    if (entry.size > MIB && entry.size > entry.compressedSize * limits.ratio) throw broken('ratio')
    if (entry.headerOffset + 30 + entry.compressedSize > directoryOffset) throw broken('offset')
    entries.set(entry.name, { ...entry, method })
  }
  refuseOverlaps([...entries.values()])
  return entries
}

/** Two entries made of the same packed bytes are how a small file becomes petabytes. */
function refuseOverlaps(entries: ArchiveEntry[]): void {
  const inOrder = entries.toSorted((a, b) => a.headerOffset - b.headerOffset)
  for (const [n, entry] of inOrder.entries()) {
    const next = inOrder[n + 1]
    if (next && entry.headerOffset + 30 + entry.name.length + entry.compressedSize > next.headerOffset)
      throw broken('overlap')
  }
}

/**
 * The bytes of an entry. What is unpacked is counted and summed: more than announced, less, another CRC than the
 * directory's or another hash than the manifest's is an error, and the stream fails with it.
 */
export async function openEntry(file: FileHandle, entry: ArchiveEntry, sha256: string | null): Promise<Readable> {
  const header = await readAt(file, entry.headerOffset, 30)
  if (header.length < 30 || header.readUInt32LE(0) !== LOCAL_HEADER) throw broken('header')
  const start = entry.headerOffset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  const packed =
    entry.compressedSize === 0
      ? Readable.from([])
      : Readable.from(chunksOf(file, start, entry.compressedSize), { objectMode: false })
  const hash = createHash('sha256')
  let size = 0
  let crc = 0
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      crc = crc32(chunk, crc)
      hash.update(chunk)
      if (size > entry.size) done(broken('size'))
      else done(null, chunk)
    },
    flush(done) {
      if (size !== entry.size) done(broken('size'))
      else if (crc !== entry.crc) done(broken('checksum'))
      else if (sha256 !== null && hash.digest('hex') !== sha256) done(broken('hash'))
      else done()
    },
  })
  const steps = entry.method === 8 ? [packed, createInflateRaw(), checked] : [packed, checked]
  // Whatever fails on the way fails at the end of the line, where it is read.
  pipeline(steps as [Readable, Transform]).catch((error: unknown) => checked.destroy(error as Error))
  return Readable.from(inOurWords(checked), { objectMode: false })
}

/** The words of the unpacker stay here. */
async function* inOurWords(bytes: Readable): AsyncGenerator<Buffer> {
  try {
    yield* bytes
  } catch (error) {
    throw error instanceof AppError ? error : broken('packed data')
  }
}

async function* chunksOf(file: FileHandle, start: number, length: number): AsyncGenerator<Buffer> {
  let done = 0
  while (done < length) {
    const chunk = await readAt(file, start + done, Math.min(64 * 1024, length - done))
    if (chunk.length === 0) throw broken('end')
    done += chunk.length
    yield chunk
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, position)
  return buffer.subarray(0, bytesRead)
}
