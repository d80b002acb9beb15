import { randomFillSync } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { open, rename, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/** Room on the database's volume. */
export interface DiskState {
  freeBytes: number
  totalBytes: number
  /** Below the low-water mark: nobody should acknowledge new data any more. */
  low: boolean
  /** held: the reserve file is there; released: it was given up (or never fitted). */
  reserve: 'held' | 'released'
}

export interface DiskGuardOptions {
  /** Size of the reserve file; default 64 MB. */
  reserveBytes?: number
  /** Low-water mark as a share of the volume (default 0.05) … */
  lowFraction?: number
  /** … but never more than this (default 5 GB), so that a big volume is not refused while gigabytes are free. */
  lowMaxBytes?: number
}

const MB = 1024 * 1024

/**
 * Watches free space and keeps a reserve file beside the database: a PostgreSQL that stopped on a full disk needs some
 * room to recover, and the reserve is given up for that.
 */
export class DiskGuard {
  private readonly file: string
  private readonly reserveBytes: number
  private readonly lowFraction: number
  private readonly lowMaxBytes: number

  constructor(
    private readonly dir: string,
    options: DiskGuardOptions = {},
  ) {
    this.file = join(dir, 'reserve.bin')
    this.reserveBytes = options.reserveBytes ?? 64 * MB
    this.lowFraction = options.lowFraction ?? 0.05
    this.lowMaxBytes = options.lowMaxBytes ?? 5 * 1024 * MB
  }

  async state(): Promise<DiskState> {
    const { bavail, blocks, bsize } = await statfs(this.dir)
    const freeBytes = bavail * bsize
    const totalBytes = blocks * bsize
    const reserve = existsSync(this.file) ? 'held' : 'released'
    // Room that a given-up reserve left is for the recovery, not for new data.
    const usable = freeBytes - (reserve === 'held' ? 0 : this.reserveBytes)
    const low = usable < Math.min(totalBytes * this.lowFraction, this.lowMaxBytes)
    return { freeBytes, totalBytes, low, reserve }
  }

  /** Whether a PostgreSQL that stopped now most likely stopped for want of room. */
  async isFull(): Promise<boolean> {
    return (await this.state()).freeBytes < this.reserveBytes / 4
  }

  /** Gives the reserve up; false when there was none. */
  release(): boolean {
    if (!existsSync(this.file)) return false
    rmSync(this.file, { force: true })
    return true
  }

  /** Makes the reserve when it is missing and there is room for it and for as much again. */
  async restore(): Promise<void> {
    const state = await this.state()
    if (state.reserve === 'held' || state.low || state.freeBytes < this.reserveBytes * 2) return
    const unfinished = `${this.file}.unfinished`
    try {
      const handle = await open(unfinished, 'w', 0o600)
      try {
        // Random bytes: holes and compressed zeros would reserve nothing.
        const block = Buffer.allocUnsafe(Math.min(MB, this.reserveBytes))
        for (let written = 0; written < this.reserveBytes; written += block.length) {
          await handle.write(randomFillSync(block), 0, Math.min(block.length, this.reserveBytes - written))
        }
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(unfinished, this.file)
    } catch (error) {
      await rm(unfinished, { force: true })
      if (!['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
}
