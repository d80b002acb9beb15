import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { FirmwareNotify } from './notify.ts'

/** One of the two places for firmware: the device runs from one and writes to the other. */
export type Slot = 'a' | 'b'
export const otherSlot = (slot: Slot): Slot => (slot === 'a' ? 'b' : 'a')

/** An update that is under way. */
export interface PendingUpdate {
  notify: FirmwareNotify
  slot: Slot
  /**
   * downloading: `written` bytes are there · verified: hash and signature were right · trial: the next start is from the
   * new slot, and it must say that it is well before it counts.
   */
  phase: 'downloading' | 'verified' | 'trial'
  /** Bytes known to be on the medium. */
  written: number
  /** Starts from the new slot that are still tried. */
  bootsLeft: number
}

/** What a device remembers of its firmware over every loss of power. */
export interface FirmwareState {
  /** The slot that is known to be good. */
  active: Slot
  versions: Record<Slot, string | null>
  update: PendingUpdate | null
  /** An update that came to nothing, until the platform knows. */
  failed: { id: string; reason: string } | null
}

/** Where firmware lies. Every method resolves when its effect would survive a loss of power. */
export interface FirmwareStore {
  /** Null: nothing was ever written. */
  readState(): Promise<FirmwareState | null>
  /** The whole state or, when power is lost meanwhile, the one before. */
  writeState(state: FirmwareState): Promise<void>
  erase(slot: Slot): Promise<void>
  write(slot: Slot, offset: number, bytes: Uint8Array): Promise<void>
  /** At most `length` bytes; fewer at the end. */
  read(slot: Slot, offset: number, length: number): Promise<Uint8Array>
}

export function firstState(version: string): FirmwareState {
  return { active: 'a', versions: { a: version, b: null }, update: null, failed: null }
}

/** Two files and a small state file in a folder, for devices that run an operating system. */
export class FileFirmwareStore implements FirmwareStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Path of a slot's file, for whoever starts it. */
  pathOf(slot: Slot): string {
    return join(this.#folder, `slot-${slot}.bin`)
  }

  async readState(): Promise<FirmwareState | null> {
    try {
      return JSON.parse(await readFile(join(this.#folder, 'state.json'), 'utf8')) as FirmwareState
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }

  async writeState(state: FirmwareState): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    const path = join(this.#folder, 'state.json')
    const file = await open(`${path}.new`, 'w')
    try {
      await file.writeFile(JSON.stringify(state))
      await file.sync()
    } finally {
      await file.close()
    }
    // A name changes at once or not at all.
    await rename(`${path}.new`, path)
    await syncFolder(this.#folder)
  }

  async erase(slot: Slot): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    await this.#with(slot, 'w', file => file.sync())
  }

  async write(slot: Slot, offset: number, bytes: Uint8Array): Promise<void> {
    await this.#with(slot, 'r+', async file => {
      await file.write(bytes, 0, bytes.length, offset)
      await file.datasync()
    })
  }

  async read(slot: Slot, offset: number, length: number): Promise<Uint8Array> {
    return this.#with(slot, 'r', async file => {
      const bytes = Buffer.allocUnsafe(length)
      const { bytesRead } = await file.read(bytes, 0, length, offset)
      return bytes.subarray(0, bytesRead)
    })
  }

  async #with<T>(slot: Slot, flags: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
    const file = await open(this.pathOf(slot), flags)
    try {
      return await work(file)
    } finally {
      await file.close()
    }
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null)
  if (!handle) return
  // Not every system lets a folder be synced; where it does, the new name is on the medium afterwards.
  await handle.sync().catch(() => undefined)
  await handle.close()
}
