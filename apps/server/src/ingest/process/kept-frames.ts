import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { deserialize, serialize } from 'node:v8'
import { crc32 } from 'node:zlib'
import type { RawFrame } from '../../modules/diagnosis/diagnosis.port.ts'
import type { Frames } from '../gateway/frames.ts'

export interface KeptFramesOptions {
  /** Where the file lies between two lives of the gateway. */
  folder: string
  /** Ids of the devices with these numbers, of those that exist. */
  idsOf(nums: readonly number[]): Promise<Map<number, string>>
}

const FILE = 'raw-frames.bin'
/** The first bytes of the file, which are those of this format alone. */
const MARK = Buffer.from('TWFRAMES1\n')
/** Length and CRC-32 of what follows. */
const HEAD = 8
/** Longer than any device's hundred frames: what says so is damaged. */
const LONGEST = 4 * 2 ** 20
/** Devices looked up together. */
const AT_ONCE = 32
/** Below this part of the volume nothing is written that nobody needs. */
const DISK_LOW = 0.05

/** One device's frames as they stand in the file; numbers belong to one database, ids to one device of the world. */
type Block = [num: number, id: string, frames: KeptFrame[]]
type KeptFrame = [id: number, at: number, up: boolean, bytes: Uint8Array, size: number, channel: string, note: string]

/**
 * Writes the frames for the next life of the gateway; the file appears when it is whole, and is at most what they take in
 * memory. Frames of devices that are gone are left out.
 */
export async function keepFrames(
  frames: Pick<Frames, 'devices' | 'of'>,
  { folder, idsOf, freeDiskRatio }: KeptFramesOptions & { freeDiskRatio(): Promise<number> },
): Promise<void> {
  const devices = frames.devices()
  if (devices.length === 0 || (await freeDiskRatio()) < DISK_LOW) return
  const unfinished = unfinishedIn(folder)
  await rm(unfinished, { force: true })
  const file = await open(unfinished, 'wx', 0o600)
  try {
    await file.write(MARK)
    for (let from = 0; from < devices.length; from += AT_ONCE) {
      const part = devices.slice(from, from + AT_ONCE)
      const ids = await idsOf(part)
      const blocks = part.flatMap(num => {
        const id = ids.get(num)
        return id === undefined ? [] : [encode([num, id, frames.of(num).map(asKept)])]
      })
      await file.write(Buffer.concat(blocks))
    }
    await file.close()
    await rename(unfinished, join(folder, FILE))
  } catch (error) {
    await file.close()
    await rm(unfinished, { force: true })
    throw error
  }
}

/**
 * Gives the frames of the life before back, device by device, while others are served; reading ends at the first damage.
 * The file is removed first: what is read after a kill would no longer be the last hundred.
 */
export async function recallFrames(
  frames: Pick<Frames, 'restore'>,
  { folder, idsOf }: KeptFramesOptions,
): Promise<void> {
  await rm(unfinishedIn(folder), { force: true })
  const file = await open(join(folder, FILE)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (!file) return
  try {
    await rm(join(folder, FILE))
    if (!(await take(file, MARK.length))?.equals(MARK)) return
    for (;;) {
      const blocks: Block[] = []
      for (let block = await nextBlock(file); block; block = await nextBlock(file))
        if (blocks.push(block) === AT_ONCE) break
      if (blocks.length === 0) return
      const ids = await idsOf(blocks.map(([num]) => num))
      for (const [num, id, kept] of blocks) {
        // Another database under the same folder numbers its devices anew.
        if (ids.get(num) !== id) continue
        frames.restore(num, kept.map(asFrame))
        await turn()
      }
    }
  } finally {
    await file.close()
  }
}

function unfinishedIn(folder: string): string {
  return join(folder, `${FILE}.unfinished`)
}

function encode(block: Block): Buffer {
  const body = serialize(block)
  const head = Buffer.alloc(HEAD)
  head.writeUInt32LE(body.length, 0)
  head.writeUInt32LE(crc32(body), 4)
  return Buffer.concat([head, body])
}

/** Null: there is none, or it is damaged. */
async function nextBlock(file: FileHandle): Promise<Block | null> {
  const head = await take(file, HEAD)
  const length = head?.readUInt32LE(0) ?? 0
  if (!head || length === 0 || length > LONGEST) return null
  const body = await take(file, length)
  return body && crc32(body) === head.readUInt32LE(4) ? (deserialize(body) as Block) : null
}

/** The next so many bytes; null when there are fewer. */
async function take(file: FileHandle, length: number): Promise<Buffer | null> {
  const bytes = Buffer.allocUnsafe(length)
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(bytes, at, length - at)
    if (bytesRead === 0) return null
    at += bytesRead
  }
  return bytes
}

function asKept({ id, at, direction, bytes, size, channel, note }: RawFrame): KeptFrame {
  return [id, at, direction === 'up', bytes, size, channel, note]
}

function asFrame([id, at, up, bytes, size, channel, note]: KeptFrame): RawFrame {
  return { id, at, direction: up ? 'up' : 'down', bytes, size, channel, note }
}
