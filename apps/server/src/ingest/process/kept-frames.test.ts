import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Frames } from '../gateway/frames.ts'
import { keepFrames, recallFrames } from './kept-frames.ts'

let folder: string
let lives = 0
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'frames-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** One life of the gateway's memory. */
function life(devices = 4_096): Frames {
  return new Frames({ clock: { now: () => 5_000 }, epoch: ++lives * 1_000, told: () => undefined, devices })
}
const idsOf = async (nums: readonly number[]) => new Map(nums.map(num => [num, `id-${num}`]))
const options = () => ({ folder, idsOf, freeDiskRatio: async () => 1 })
const add = (frames: Frames, device: number, text: string) =>
  frames.add(device, 'up', Buffer.from(text), 'property/post', 'simulated')
const texts = (frames: Frames, device: number) => frames.of(device).map(({ bytes }) => Buffer.from(bytes).toString())
const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `${from + n}`)
/** What the life before left, in a new one. */
async function reborn(over: { idsOf?: typeof idsOf; devices?: number } = {}): Promise<Frames> {
  const frames = life(over.devices)
  await recallFrames(frames, { ...options(), ...over })
  return frames
}

describe('raw frames over a restart', () => {
  it('are back as they were, a hundred of each device, with the new ones behind them', async () => {
    const before = life()
    for (const text of numbered(0, 130)) add(before, 1, text)
    before.add(1, 'down', Buffer.alloc(3_000, 7), 'raw/down', '')
    add(before, 2, 'other')
    await keepFrames(before, options())
    const after = life()
    add(after, 1, 'while it starts')
    await recallFrames(after, options())
    add(after, 1, 'new')
    const kept = after.of(1)
    expect(texts(after, 1)).toHaveLength(100)
    expect(texts(after, 1).slice(0, 97)).toEqual(numbered(33, 130))
    expect(kept[97]).toEqual({ ...before.of(1).at(-1) })
    expect(kept[97]).toMatchObject({ direction: 'down', size: 3_000, channel: 'raw/down' })
    expect(texts(after, 1).slice(98)).toEqual(['while it starts', 'new'])
    expect(kept.map(({ id }) => id)).toEqual(kept.map(({ id }) => id).sort((a, b) => a - b))
    expect(after.of(2)).toEqual(before.of(2))
  })

  it('are there once: after a kill those of an older life would not be the last', async () => {
    const before = life()
    add(before, 1, 'x')
    await keepFrames(before, options())
    expect(statSync(join(folder, readdirSync(folder)[0]!)).mode & 0o777).toBe(0o600)
    expect((await reborn()).of(1)).toHaveLength(1)
    expect(readdirSync(folder)).toEqual([])
    expect((await reborn()).of(1)).toEqual([])
  })

  it('are given to the same device only: numbers begin anew in another database', async () => {
    const before = life()
    for (const device of [1, 2, 3]) add(before, device, `of ${device}`)
    await keepFrames(before, options())
    const now = new Map([
      [1, 'id-1'],
      [2, 'somebody else'],
    ])
    const after = await reborn({ idsOf: async () => now })
    expect([1, 2, 3].map(device => texts(after, device))).toEqual([['of 1'], [], []])
  })

  it('leave out devices that are gone when they are written', async () => {
    const before = life()
    add(before, 1, 'secret of a device that was deleted')
    add(before, 2, 'of 2')
    await keepFrames(before, { ...options(), idsOf: async () => new Map([[2, 'id-2']]) })
    expect(readFileSync(join(folder, 'raw-frames.bin')).toString('latin1')).not.toContain('deleted')
    expect(texts(await reborn(), 2)).toEqual(['of 2'])
  })

  it('end at the first damage, and a start is never held up by it', async () => {
    const before = life()
    for (let device = 1; device <= 40; device++) for (const text of numbered(0, 20)) add(before, device, text)
    await keepFrames(before, options())
    const file = join(folder, 'raw-frames.bin')
    const whole = readFileSync(file)
    const damages: Buffer[] = [
      Buffer.alloc(0),
      Buffer.from('something else'),
      whole.subarray(0, whole.length - 3),
      whole.subarray(0, 12),
      Buffer.concat([whole.subarray(0, 10), Buffer.alloc(500, 0xff)]),
      Buffer.concat([whole, Buffer.alloc(8)]),
    ]
    for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 50)) {
      const flipped = Buffer.from(whole)
      flipped[at] = flipped[at]! ^ 0x10
      damages.push(flipped)
    }
    for (const damage of damages) {
      writeFileSync(file, damage)
      const after = await reborn()
      for (let device = 1; device <= 40; device++) expect([[], numbered(0, 20)]).toContainEqual(texts(after, device))
      expect(readdirSync(folder)).toEqual([])
    }
  })

  it('do not push out who was heard of since, nor are more devices kept than fit', async () => {
    const before = life(8)
    for (let device = 1; device <= 8; device++) add(before, device, `of ${device}`)
    await keepFrames(before, options())
    const after = life(8)
    for (let device = 11; device <= 14; device++) add(after, device, 'now')
    await recallFrames(after, options())
    expect(after.size).toBe(8)
    for (let device = 11; device <= 14; device++) expect(texts(after, device)).toEqual(['now'])
  })

  it('come back one device at a turn, while others are served', async () => {
    const before = life()
    for (let device = 1; device <= 200; device++) for (const text of numbered(0, 100)) add(before, device, text)
    await keepFrames(before, options())
    const after = life()
    let restored = 0
    const most: number[] = []
    const counted = {
      restore: (...given: Parameters<Frames['restore']>) => {
        restored++
        after.restore(...given)
      },
    }
    let running = true
    let last = 0
    const look = () => {
      most.push(restored - last)
      last = restored
      if (running) setImmediate(look)
    }
    setImmediate(look)
    await recallFrames(counted, options())
    running = false
    expect(restored).toBe(200)
    expect(Math.max(...most)).toBeLessThanOrEqual(2)
    expect(texts(after, 200)).toEqual(numbered(0, 100))
  })

  it('are not written on a disk that is nearly full, and leave nothing behind when writing fails', async () => {
    const before = life()
    add(before, 1, 'x')
    await keepFrames(before, { ...options(), freeDiskRatio: async () => 0.01 })
    expect(readdirSync(folder)).toEqual([])
    const failing = { ...options(), idsOf: () => Promise.reject(new Error('no database')) }
    await expect(keepFrames(before, failing)).rejects.toThrow('no database')
    expect(readdirSync(folder)).toEqual([])
  })

  it('take no more room than in memory', async () => {
    const before = life()
    for (let device = 1; device <= 300; device++) for (let n = 0; n < 120; n++) add(before, device, 'x'.repeat(300))
    await keepFrames(before, options())
    // A hundred frames of 300 bytes, and some tens of bytes beside each.
    expect(statSync(join(folder, 'raw-frames.bin')).size).toBeLessThan(300 * 100 * 400)
    expect((await reborn()).of(300)).toHaveLength(100)
  })
})
