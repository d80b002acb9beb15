import { Lru } from '../memory/lru.ts'

export interface BlockCacheOptions {
  /** Bytes of an object, first and last, both included; null: there are none. */
  load(key: string, start: number, end: number): Promise<Uint8Array | null>
  /** Bytes kept. */
  maxBytes?: number
}

/** Bytes of one block; objects are read in these. */
export const BLOCK = 256 * 1024
const MAX_BYTES = 64 * 1024 * 1024
const MAX_LOADING = 8

/**
 * Parts of objects in bounded memory. A thousand devices that download the same package read it from the store once; those
 * that are at different places of a large one share what lies here.
 */
export class BlockCache {
  private readonly blocks: Lru<string, Buffer>
  private readonly loading = new Map<string, Promise<Buffer | null>>()
  private running = 0
  private readonly queue: (() => void)[] = []

  constructor(private readonly options: BlockCacheOptions) {
    this.blocks = new Lru(Math.max(1, Math.floor((options.maxBytes ?? MAX_BYTES) / BLOCK)))
  }

  /** Blocks that are there. */
  get size(): number {
    return this.blocks.size
  }

  /**
   * The bytes from `start`, `length` of them; at once where they are known.
   * @param size of the whole object
   * @returns null when the store has no such bytes; rejects when it cannot be asked
   */
  read(key: string, start: number, length: number, size: number): Buffer | Promise<Buffer | null> {
    const first = Math.floor(start / BLOCK)
    const last = Math.floor((start + length - 1) / BLOCK)
    const known: Buffer[] = []
    for (let index = first; index <= last; index++) {
      const block = this.blocks.get(`${key}:${index}`)
      if (!block) return this.readLater(key, start, length, size)
      known.push(block)
    }
    return cut(known, first, start, length)
  }

  private async readLater(key: string, start: number, length: number, size: number): Promise<Buffer | null> {
    const first = Math.floor(start / BLOCK)
    const last = Math.floor((start + length - 1) / BLOCK)
    const wanted = Array.from({ length: last - first + 1 }, (_, i) => this.block(key, first + i, size))
    const blocks = await Promise.all(wanted)
    return blocks.every(block => block !== null) ? cut(blocks as Buffer[], first, start, length) : null
  }

  private block(key: string, index: number, size: number): Promise<Buffer | null> {
    const name = `${key}:${index}`
    const known = this.blocks.get(name)
    if (known) return Promise.resolve(known)
    const under = this.loading.get(name)
    if (under) return under
    const made = this.load(key, index, size)
      .then(bytes => {
        if (bytes) this.blocks.set(name, bytes)
        return bytes
      })
      .finally(() => this.loading.delete(name))
    this.loading.set(name, made)
    return made
  }

  private async load(key: string, index: number, size: number): Promise<Buffer | null> {
    if (this.running >= MAX_LOADING) await new Promise<void>(resolve => this.queue.push(resolve))
    this.running++
    try {
      const start = index * BLOCK
      const end = Math.min(start + BLOCK, size) - 1
      const bytes = await this.options.load(key, start, end)
      return bytes && bytes.length === end - start + 1
        ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        : null
    } finally {
      this.running--
      this.queue.shift()?.()
    }
  }
}

function cut(blocks: readonly Buffer[], first: number, start: number, length: number): Buffer {
  const from = start - first * BLOCK
  const whole = blocks.length === 1 ? blocks[0]! : Buffer.concat(blocks)
  return whole.subarray(from, from + length)
}
