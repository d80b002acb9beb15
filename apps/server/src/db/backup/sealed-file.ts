import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { constants, createDeflateRaw, createInflateRaw } from 'node:zlib'
import { StartError } from '../start-error.ts'

/**
 * One file whose whole content is compressed and sealed with a passphrase:
 *
 *     magic | salt (16) | check (16) | SHA-256 of these | frames
 *     frame: length of the sealed bytes (4) | last (1) | sealed bytes | tag (16)
 *
 * scrypt makes the keys; every frame is AES-256-GCM with its number as nonce, and is bound to the head, its number and
 * whether it is the last. So no byte can be changed, no frame moved, none cut off and none added without being noticed.
 */
const MAGIC = Buffer.from('THINGWRIGHT BACKUP 1\n')
const SALT = 16
const CHECK = 16
const HASH = 32
const HEAD = MAGIC.length + SALT + CHECK + HASH
const FRAME = 256 * 1024
const FRAME_HEAD = 5
const TAG = 16

/** RFC 7914 with about 128 MB of memory, OWASP's strongest row: guessing is dear, a backup waits half a second. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }

export interface SealKeys {
  frames: Buffer
  check: Buffer
}

export type DeriveKeys = (passphrase: string, salt: Buffer) => Promise<SealKeys>

/** The keys of a file. What a keyboard writes in two ways is one passphrase (NFKC). */
export const deriveKeys: DeriveKeys = async (passphrase, salt) => {
  const make = promisify<string, Buffer, number, typeof SCRYPT, Buffer>(scrypt)
  const both = await make(passphrase.normalize('NFKC'), salt, 64, SCRYPT)
  return { frames: both.subarray(0, 32), check: both.subarray(32) }
}

function checkOf(keys: SealKeys): Buffer {
  return createHmac('sha256', keys.check).update('the passphrase of this file').digest().subarray(0, CHECK)
}

function nonce(number: number): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.writeBigUInt64BE(BigInt(number), 4)
  return bytes
}

export interface SealedWriter {
  write(bytes: Buffer): Promise<void>
  /** Writes the last frame and forces everything to disk. @returns bytes of the file */
  finish(): Promise<number>
  /** Gives up; the file is left without its last frame. */
  abandon(error: Error): Promise<void>
}

/** Begins a new file, closed to other users. @throws when the file is there already */
export async function writeSealed(path: string, passphrase: string, derive = deriveKeys): Promise<SealedWriter> {
  const salt = randomBytes(SALT)
  const keys = await derive(passphrase, salt)
  const start = Buffer.concat([MAGIC, salt, checkOf(keys)])
  const head = Buffer.concat([start, createHash('sha256').update(start).digest()])
  const deflate = createDeflateRaw({ level: constants.Z_BEST_SPEED })
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
  await once(file, 'open')
  let failed: Error | undefined
  const done = pipeline(deflate, source => frames(source as AsyncIterable<Buffer>, head, keys), file).catch(
    (error: Error) => {
      failed = error
    },
  )
  return {
    async write(bytes) {
      if (failed) throw failed
      if (!deflate.write(bytes)) await Promise.race([once(deflate, 'drain'), done])
      if (failed) throw failed
    },
    async finish() {
      deflate.end()
      await done
      if (failed) throw failed
      return file.bytesWritten
    },
    async abandon(error) {
      deflate.destroy(error)
      await done
    },
  }
}

async function* frames(source: AsyncIterable<Buffer>, head: Buffer, keys: SealKeys): AsyncGenerator<Buffer> {
  yield head
  let waiting: Buffer[] = []
  let size = 0
  let number = 0
  const seal = (bytes: Buffer, last: boolean) => {
    const lead = Buffer.alloc(FRAME_HEAD)
    lead.writeUInt32BE(bytes.length)
    lead[4] = last ? 1 : 0
    const cipher = createCipheriv('aes-256-gcm', keys.frames, nonce(number++))
    cipher.setAAD(Buffer.concat([head, lead]))
    return Buffer.concat([lead, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  }
  for await (const chunk of source) {
    waiting.push(chunk)
    size += chunk.length
    while (size > FRAME) {
      const all = Buffer.concat(waiting)
      yield seal(all.subarray(0, FRAME), false)
      waiting = [all.subarray(FRAME)]
      size = all.length - FRAME
    }
  }
  yield seal(Buffer.concat(waiting), true)
}

export interface SealedFile {
  /** The content, piece by piece; every piece has been verified before it comes. @throws StartError when damaged */
  content(progress?: (bytesRead: number) => void): AsyncIterable<Buffer>
  size: number
}

/**
 * Opens a file of ours. Only its head is looked at here.
 * @throws StartError with one line: another kind of file, damaged, or another passphrase
 */
export async function openSealed(path: string, passphrase: string, derive = deriveKeys): Promise<SealedFile> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`${path} cannot be read (${error.code}).`, { cause: error })
  })
  const head = Buffer.alloc(HEAD)
  let size: number
  try {
    const info = await handle.stat()
    if (!info.isFile()) throw new StartError(`${path} is no file.`)
    size = info.size
    await handle.read(head, 0, HEAD, 0)
  } finally {
    await handle.close()
  }
  if (!head.subarray(0, MAGIC.length).equals(MAGIC))
    throw new StartError(`${path} is no backup of this program, or one of another version of it.`)
  const before = head.subarray(0, HEAD - HASH)
  if (
    !createHash('sha256')
      .update(before)
      .digest()
      .equals(head.subarray(HEAD - HASH))
  )
    throw damaged(path)
  const keys = await derive(passphrase, head.subarray(MAGIC.length, MAGIC.length + SALT))
  if (!timingSafeEqual(checkOf(keys), before.subarray(-CHECK)))
    throw new StartError(`${path} was sealed with another passphrase.`)
  return { size, content: progress => content(path, head, keys, progress) }
}

function damaged(path: string): StartError {
  return new StartError(`${path} is damaged or was cut off: nothing of it is used.`)
}

async function* content(
  path: string,
  head: Buffer,
  keys: SealKeys,
  progress?: (bytesRead: number) => void,
): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw()
  let failed: unknown
  const done = pipeline(opened(path, head, keys, progress), inflate).catch(error => {
    failed = error
  })
  try {
    yield* inflate
  } catch (error) {
    failed ??= error
  } finally {
    // Also when the reader has had enough.
    inflate.destroy()
    await done
  }
  if (failed) throw failed instanceof StartError ? failed : damaged(path)
}

async function* opened(
  path: string,
  head: Buffer,
  keys: SealKeys,
  progress?: (bytesRead: number) => void,
): AsyncGenerator<Buffer> {
  let waiting: Buffer = Buffer.alloc(0)
  let at = 0
  let number = 0
  let ended = false
  for await (const chunk of createReadStream(path, { start: HEAD, highWaterMark: FRAME })) {
    waiting = waiting.length ? Buffer.concat([waiting, chunk as Buffer]) : (chunk as Buffer)
    at += (chunk as Buffer).length
    while (waiting.length >= FRAME_HEAD) {
      const length = waiting.readUInt32BE(0)
      // Something stands behind the last frame, or a length was changed.
      if (ended || length > FRAME || waiting[4]! > 1) throw damaged(path)
      const end = FRAME_HEAD + length + TAG
      if (waiting.length < end) break
      const decipher = createDecipheriv('aes-256-gcm', keys.frames, nonce(number++))
      decipher.setAAD(Buffer.concat([head, waiting.subarray(0, FRAME_HEAD)]))
      decipher.setAuthTag(waiting.subarray(end - TAG, end))
      let plain: Buffer
      try {
        plain = Buffer.concat([decipher.update(waiting.subarray(FRAME_HEAD, end - TAG)), decipher.final()])
      } catch {
        throw damaged(path)
      }
      ended = waiting[4] === 1
      waiting = waiting.subarray(end)
      progress?.(at)
      if (plain.length) yield plain
    }
  }
  if (!ended || waiting.length) throw damaged(path)
}
