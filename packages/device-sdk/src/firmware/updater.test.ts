import { generateKeyPairSync, sign } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashOf, imageOf, PowerLost, SimulatedBoard, versionIn } from '../testing/board.ts'
import { FirmwareServer } from '../testing/firmware-server.ts'
import type { ChunkAsk, FirmwareLink, FirmwareProgress, ReceivedChunk } from './link.ts'
import { readNotify } from './notify.ts'
import { FirmwareUpdater, type UpdaterOptions } from './updater.ts'
import { manifestOf } from './verify.ts'

const KEYS = generateKeyPairSync('ed25519')
const PUBLIC = KEYS.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
const IMAGE = imageOf('2.0.0', { bytes: 500_000 })
let server: FirmwareServer

beforeEach(async () => {
  server = await FirmwareServer.start(IMAGE)
})
afterEach(() => server.stop())

/** A notice as the platform makes it, signed. */
function notifyOf(image: Buffer, more: Record<string, unknown> = {}): Record<string, unknown> {
  const plain = { id: 'job-1', version: '2.0.0', size: image.length, sha256: hashOf(image), url: server.url, ...more }
  const signature = sign(null, Buffer.from(manifestOf('pk', readNotify(plain)!)), KEYS.privateKey).toString('base64')
  return { signature, ...plain }
}

/** The platform, as far as an updater sees it. */
class Platform implements FirmwareLink {
  readonly productKey = 'pk'
  readonly informed: string[] = []
  readonly reports: FirmwareProgress[] = []
  readonly asks: ChunkAsk[] = []
  pulled: Record<string, unknown>[] = []
  /** Chunks from these places on are not answered, once each. */
  cuts: number[] = []
  #notify: (payload: Record<string, unknown>) => void = () => {}
  #chunk: (chunk: ReceivedChunk) => void = () => {}

  async inform(_module: string, version: string): Promise<void> {
    this.informed.push(version)
  }

  async progress(report: FirmwareProgress): Promise<void> {
    this.reports.push(report)
  }

  async pull(): Promise<Record<string, unknown> | null> {
    return this.pulled.shift() ?? null
  }

  onNotify(handler: (payload: Record<string, unknown>) => void): void {
    this.#notify = handler
  }

  onChunk(handler: (chunk: ReceivedChunk) => void): void {
    this.#chunk = handler
  }

  readonly request = (ask: ChunkAsk): void => {
    this.asks.push(ask)
    for (let i = 0; i < ask.count; i++) {
      const offset = ask.offset + i * ask.length
      const cut = this.cuts.find(place => place <= offset)
      if (cut !== undefined) {
        this.cuts = this.cuts.filter(place => place !== cut)
        return
      }
      const bytes = server.file.subarray(offset, offset + ask.length)
      queueMicrotask(() => this.#chunk({ id: ask.id, offset, bytes }))
    }
  }

  tell(payload: Record<string, unknown>): void {
    this.#notify(payload)
  }

  get states(): string[] {
    return this.reports.map(({ state, message }) => (message ? `${state} ${message}` : state))
  }
}

/** One life of a board between two starts. */
async function live(board: SimulatedBoard, platform: Platform, options: Partial<UpdaterOptions> = {}) {
  const { version, trial } = (await board.boot())!
  let restarted = false
  const updater = new FirmwareUpdater(platform, {
    store: board.flash,
    version,
    trial,
    publicKeys: [PUBLIC],
    versionOf: slot => versionIn(board.flash, slot),
    restart: () => {
      restarted = true
    },
    delay: async () => {},
    chunkTimeoutMs: 20,
    ...options,
  })
  return {
    updater,
    get restarted() {
      return restarted
    },
  }
}

/** Tells the board, lets it do what it does, and starts it again until it stands still. @returns the version it runs */
async function update(
  board: SimulatedBoard,
  platform: Platform,
  notify: Record<string, unknown>,
  options: Partial<UpdaterOptions> = {},
): Promise<string> {
  let life = await live(board, platform, options)
  await life.updater.start()
  platform.tell(notify)
  await life.updater.idle()
  for (let starts = 0; life.restarted && starts < 10; starts++) {
    life = await live(board, platform, options)
    await life.updater.start()
    await life.updater.idle()
  }
  return board.running!.version
}

const tenths = (size: number) => Array.from({ length: 9 }, (_, i) => Math.floor((size * (i + 1)) / 10))

describe('a firmware update', () => {
  it('goes on over HTTPS after a cut at every tenth, and fetches nothing twice', async () => {
    server.cuts = tenths(IMAGE.length)
    const board = new SimulatedBoard('1.0.0')
    const platform = new Platform()
    expect(await update(board, platform, notifyOf(IMAGE), { transport: 'https' })).toBe('2.0.0')
    expect(server.asked).toHaveLength(10)
    expect(server.bytesSent).toBe(IMAGE.length)
    expect(platform.informed).toEqual(['1.0.0', '2.0.0'])
    expect(platform.states.filter(state => state !== 'downloading')).toEqual(['downloaded', 'verified', 'installing'])
    expect(await board.flash.readState()).toMatchObject({ active: 'b', update: null, failed: null })
  })

  it('goes on in chunks after a cut at every tenth', async () => {
    const board = new SimulatedBoard('1.0.0')
    const platform = new Platform()
    platform.cuts = tenths(IMAGE.length).reverse()
    const notify = notifyOf(IMAGE, { chunk: { bytes: 4096 } })
    expect(await update(board, platform, notify, { transport: 'chunks' })).toBe('2.0.0')
    expect(platform.cuts).toEqual([])
    const windows = Math.ceil(IMAGE.length / 65_536)
    expect(platform.asks.length).toBeLessThanOrEqual(windows + 18)
    for (const { length, count } of platform.asks) expect(length * count).toBeLessThanOrEqual(65_536)
  })

  it('takes chunks when the address cannot be reached', async () => {
    server.statuses = Array(50).fill(503)
    const board = new SimulatedBoard('1.0.0')
    expect(await update(board, new Platform(), notifyOf(IMAGE))).toBe('2.0.0')
  })

  it.each([
    ['a wrong hash', (good: Record<string, unknown>) => ({ ...good, file: 'tampered' }), 'failed hash_mismatch'],
    [
      'a foreign signature',
      (good: Record<string, unknown>) => ({ ...good, signature: Buffer.alloc(64, 7).toString('base64') }),
      'rejected signature_invalid',
    ],
    ['no signature', ({ signature: _, ...rest }: Record<string, unknown>) => rest, 'rejected signature_missing'],
    [
      'a signature of another version',
      (good: Record<string, unknown>) => ({ ...good, version: '3.0.0' }),
      'rejected signature_invalid',
    ],
  ])('never starts what comes with %s', async (_, spoil, said) => {
    const { file, ...notify } = spoil(notifyOf(IMAGE)) as Record<string, unknown>
    if (file) {
      server.file = Buffer.from(IMAGE)
      server.file[250_000]! ^= 1
    }
    const board = new SimulatedBoard('1.0.0')
    const platform = new Platform()
    expect(await update(board, platform, notify)).toBe('1.0.0')
    expect(platform.states.at(-1)).toBe(said)
    expect(board.started).toEqual([hashOf(board.factory)])
    expect(await board.flash.readState()).toMatchObject({ active: 'a', failed: null })
    // The same one again, as it should be, is installed.
    server.file = IMAGE
    expect(await update(board, platform, notifyOf(IMAGE))).toBe('2.0.0')
  })

  it('refuses older versions, old images under a new name, and differences', async () => {
    const old = imageOf('0.9.0')
    server.file = old
    const board = new SimulatedBoard('1.0.0')
    const platform = new Platform()
    await update(board, platform, notifyOf(old, { version: '0.9.0' }))
    await update(board, platform, notifyOf(old, { version: '0.9.0', downgrade: true }))
    await update(board, platform, notifyOf(old, { version: '1.1.0' }))
    await update(board, platform, notifyOf(old, { version: '1.1.0', fromVersion: '1.0.0', kind: 'delta' }))
    expect(platform.states.filter(state => / /.test(state))).toEqual([
      'rejected downgrade',
      'rejected downgrade',
      'failed version_mismatch',
      'rejected delta_not_supported',
    ])
    expect(new Set(board.started)).toEqual(new Set([hashOf(board.factory)]))
    // A person who rolls back, and a device that lets him.
    const back = notifyOf(old, { version: '0.9.0', downgrade: true })
    expect(await update(board, platform, back, { allowDowngrade: true })).toBe('0.9.0')
  })

  it('survives a loss of power at every single write, torn or not', async () => {
    const image = imageOf('2.0.0', { bytes: 300_000 })
    server.file = image
    const allowed = new Set([hashOf(imageOf('1.0.0', { bytes: 1_000 })), hashOf(image)])
    let losses = 0
    for (const after of [false, true]) {
      for (let cutAt = 1; ; cutAt++) {
        const board = new SimulatedBoard('1.0.0')
        const platform = new Platform()
        const first = await live(board, platform)
        board.flash.cutPower(cutAt, after)
        const lost = await first.updater.start().then(
          () => false,
          error => error instanceof PowerLost,
        )
        if (!lost) {
          platform.tell(notifyOf(image))
          await first.updater.idle()
        }
        if (!board.flash.dead && first.restarted) {
          // What is left of the swap: the first start of the new slot, and its word that it is well.
          const second = await live(board, platform).catch(() => null)
          await second?.updater.start().catch(() => undefined)
        }
        const survived = !board.flash.dead
        if (!survived) losses++
        // Power is back: the platform tells again, as it does for a notice that was not answered.
        expect(await update(board, platform, notifyOf(image))).toBe('2.0.0')
        expect(platform.informed.at(-1)).toBe('2.0.0')
        for (const hash of board.started) expect(allowed).toContain(hash)
        expect(board.crashes).toBe(0)
        expect(await board.flash.readState()).toMatchObject({ active: 'b', update: null, failed: null })
        if (survived) break
      }
    }
    expect(losses).toBeGreaterThan(20)
  })

  it('survives a loss of power while the new slot is started and judged', async () => {
    for (const after of [false, true]) {
      for (let cutAt = 1; cutAt <= 3; cutAt++) {
        const board = new SimulatedBoard('1.0.0')
        const platform = new Platform()
        const first = await live(board, platform)
        await first.updater.start()
        platform.tell(notifyOf(IMAGE))
        await first.updater.idle()
        expect(first.restarted).toBe(true)
        const second = live(board, platform)
        board.flash.cutPower(cutAt, after)
        await second.then(({ updater }) => updater.start()).catch(error => expect(error).toBeInstanceOf(PowerLost))
        const third = await live(board, platform)
        await third.updater.start()
        expect(board.running).toMatchObject({ version: '2.0.0', slot: 'b' })
        expect(platform.informed.at(-1)).toBe('2.0.0')
        expect(await board.flash.readState()).toMatchObject({ active: 'b', update: null })
      }
    }
  })

  it('falls back to the old firmware when the new one crashes or finds itself unwell', async () => {
    const crashing = imageOf('2.0.0', { crashes: true })
    server.file = crashing
    const board = new SimulatedBoard('1.0.0')
    const platform = new Platform()
    expect(await update(board, platform, notifyOf(crashing))).toBe('1.0.0')
    expect(board.crashes).toBe(3)
    expect(platform.states.at(-1)).toBe('failed trial_failed')
    expect(platform.informed.at(-1)).toBe('1.0.0')
    server.file = IMAGE
    const unwell = { selfTest: () => false }
    expect(await update(board, platform, notifyOf(IMAGE), unwell)).toBe('1.0.0')
    expect(platform.states.at(-1)).toBe('failed self_test_failed')
    expect(await update(board, platform, notifyOf(IMAGE))).toBe('2.0.0')
  })

  it('asks for a new address when the old one is worth nothing, and stops when there is none', async () => {
    const board = new SimulatedBoard('1.0.0')
    const platform = new Platform()
    server.cuts = [200_000]
    server.statuses = []
    platform.pulled = [notifyOf(IMAGE, { url: `${server.url}?fresh` })]
    const life = await live(board, platform, {
      transport: 'https',
      delay: async () => {
        server.statuses = [403]
      },
    })
    await life.updater.start()
    platform.tell(notifyOf(IMAGE))
    await life.updater.idle()
    expect(life.restarted).toBe(true)
    expect(server.bytesSent).toBe(IMAGE.length)

    const other = new SimulatedBoard('1.0.0')
    server.statuses = [403]
    expect(await update(other, platform, notifyOf(IMAGE), { transport: 'https' })).toBe('1.0.0')
    expect(platform.states).not.toContain('failed')
  })

  it('asks for another address when nobody is at the one it has', async () => {
    const board = new SimulatedBoard('1.0.0')
    const platform = new Platform()
    platform.pulled = [notifyOf(IMAGE)]
    const nobody = notifyOf(IMAGE, { url: 'http://127.0.0.1:1/file' })
    expect(await update(board, platform, nobody, { transport: 'https' })).toBe('2.0.0')
    expect(platform.pulled).toEqual([])
  })

  it('lets a newer notice take the place of the one under way, and says what already runs', async () => {
    const board = new SimulatedBoard('1.0.0')
    const platform = new Platform()
    const newer = imageOf('2.1.0', { seed: 2 })
    let cuts = 0
    const life = await live(board, platform, {
      transport: 'https',
      delay: async () => {
        if (cuts++ > 0) return
        server.file = newer
        platform.tell(notifyOf(newer, { id: 'job-2', version: '2.1.0' }))
      },
    })
    server.cuts = [100_000]
    await life.updater.start()
    platform.tell(notifyOf(IMAGE))
    await life.updater.idle()
    expect(life.restarted).toBe(true)
    expect((await board.boot())?.version).toBe('2.1.0')
    expect(await update(board, platform, notifyOf(newer, { id: 'job-3', version: '2.1.0' }))).toBe('2.1.0')
    expect(platform.informed.slice(-2)).toEqual(['2.1.0', '2.1.0'])
  })
})
