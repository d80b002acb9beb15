import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { AppError } from '../../lib/errors.ts'

/**
 * The seal of an exported company: SHA-256 of every byte before it, as the comment with which a zip ends. The checksums
 * of a zip cover what is packed, not the headers around it; the seal covers all.
 */
const NAME = 'thingwright-sha256:'
const LENGTH = NAME.length + 64
const END_OF_DIRECTORY = 0x06054b50
const END_BYTES = 22

const broken = (reason: string) => new AppError('transfer.file_invalid', { params: { reason } })

/** Seals a zip that has no comment while it passes. */
export async function* sealed(zip: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  // The end of the directory, which says how long the comment is, is not let go before it is known to be the end.
  let end = Buffer.alloc(0)
  for await (const chunk of zip) {
    const bytes = Buffer.concat([end, chunk])
    const ready = bytes.subarray(0, Math.max(0, bytes.length - END_BYTES))
    end = bytes.subarray(ready.length)
    if (ready.length === 0) continue
    hash.update(ready)
    yield ready
  }
  const announced = Buffer.from(end)
  announced.writeUInt16LE(LENGTH, END_BYTES - 2)
  yield announced
  yield new TextEncoder().encode(NAME + hash.update(announced).digest('hex'))
}

/**
 * Files of older versions, and those that a person packed again, carry no seal; a seal that is there holds.
 * @throws AppError transfer.file_invalid
 */
export async function checkSeal(file: FileHandle): Promise<void> {
  const { size } = await file.stat()
  if (await endsAt(file, size - END_BYTES, 0)) return
  if (!(await endsAt(file, size - LENGTH - END_BYTES, LENGTH))) throw broken('end')
  const hash = createHash('sha256')
  for await (const chunk of file.createReadStream({ start: 0, end: size - LENGTH - 1, autoClose: false }))
    hash.update(chunk as Buffer)
  const seal = Buffer.alloc(LENGTH)
  await file.read(seal, 0, LENGTH, size - LENGTH)
  if (seal.toString('latin1') !== NAME + hash.digest('hex')) throw broken('seal')
}

/** Whether the directory's end stands there and announces a comment of this length. */
async function endsAt(file: FileHandle, position: number, comment: number): Promise<boolean> {
  if (position < 0) return false
  const end = Buffer.alloc(END_BYTES)
  await file.read(end, 0, END_BYTES, position)
  return end.readUInt32LE(0) === END_OF_DIRECTORY && end.readUInt16LE(END_BYTES - 2) === comment
}
