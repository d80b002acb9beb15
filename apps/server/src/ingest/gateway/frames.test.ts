import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RawFrame } from '../../modules/diagnosis/diagnosis.port.ts'
import { FRAMES } from './frame-ring.ts'
import { Frames } from './frames.ts'

let told: [number, RawFrame[], number][]
let now: number
let frames: Frames

beforeEach(() => {
  vi.useFakeTimers()
  told = []
  now = 1_000
  frames = new Frames({
    clock: { now: () => now++ },
    epoch: 7,
    told: (...frame) => void told.push(frame),
    devices: 8,
  })
})
afterEach(() => {
  frames.stop()
  vi.useRealTimers()
})

const textOf = (frame: RawFrame) => Buffer.from(frame.bytes).toString()
const add = (device: number, text: string, note = '') =>
  frames.add(device, 'up', Buffer.from(text), 'property/post', note)

describe('raw frames', () => {
  it('are kept in order with time, length, channel and note, for each device', () => {
    add(1, 'first')
    frames.add(1, 'down', Buffer.from('zweitens ✓'), 'Kanal ✓', 'checksum')
    add(2, 'another')
    expect(frames.of(1)).toEqual([
      {
        id: 7_001,
        at: 1_000,
        direction: 'up',
        bytes: Uint8Array.from(Buffer.from('first')),
        size: 5,
        channel: 'property/post',
        note: '',
      },
      {
        id: 7_002,
        at: 1_001,
        direction: 'down',
        bytes: Uint8Array.from(Buffer.from('zweitens ✓')),
        size: 12,
        channel: 'Kanal ✓',
        note: 'checksum',
      },
    ])
    expect(frames.of(2).map(textOf)).toEqual(['another'])
    expect(frames.of(3)).toEqual([])
  })

  it('are the last hundred of a device also where each of them is long', () => {
    for (let n = 0; n < 250; n++) add(1, `${n} ${'x'.repeat(100 + ((n * 37) % 900))}`)
    const kept = frames.of(1).map(frame => Number.parseInt(textOf(frame), 10))
    expect(kept).toEqual(Array.from({ length: 100 }, (_, i) => 150 + i))
    expect(frames.of(1).every(frame => textOf(frame).endsWith('x'))).toBe(true)
  })

  it('are the last hundred of a device, whatever the room', () => {
    for (let n = 0; n < 250; n++) add(1, `${n}`)
    const kept = frames.of(1).map(textOf)
    expect(kept.at(-1)).toBe('249')
    expect(kept.length).toBeGreaterThan(60)
    expect(kept.length).toBeLessThanOrEqual(FRAMES)
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, n) => `${250 - kept.length + n}`))
    frames.watch([1])
    for (let n = 0; n < 250; n++) add(1, `${n}`)
    expect(frames.of(1).map(textOf)).toEqual(Array.from({ length: FRAMES }, (_, n) => `${150 + n}`))
  })

  it('survive any mix of lengths: what is read was written, in order, to the last', () => {
    // Lengths that walk through every position of the ring's end.
    let expected: string[] = []
    for (let n = 0; n < 2_000; n++) {
      const text = `${n}:`.padEnd(5 + ((n * 37) % 900), 'x')
      add(1, text)
      expected = [...expected.slice(-120), text]
    }
    const kept = frames.of(1).map(textOf)
    expect(kept.length).toBeGreaterThan(2)
    expect(kept).toEqual(expected.slice(-kept.length))
  })

  it('are cut when they are long, and say how long they were', () => {
    frames.add(1, 'up', Buffer.alloc(100_000, 1), '', '')
    expect(frames.of(1)[0]).toMatchObject({ size: 100_000 })
    expect(frames.of(1)[0]!.bytes.length).toBe(1_024)
  })

  it('belong to a bounded number of devices: those not heard of for the longest time go', () => {
    for (let device = 1; device <= 100; device++) {
      add(device, 'x')
      add(1, 'y')
    }
    expect(frames.size).toBeLessThanOrEqual(8)
    expect(frames.of(1).length).toBeGreaterThan(1)
    expect(frames.of(2)).toEqual([])
    expect(frames.of(100)).toHaveLength(1)
  })

  it('of an earlier life stand before those since, whole where the device is watched', () => {
    const long = {
      id: 5,
      at: 7,
      direction: 'down' as const,
      bytes: new Uint8Array(4_000),
      size: 4_000,
      channel: 'raw/down',
      note: '',
    }
    add(1, 'since')
    frames.watch([2])
    for (const device of [1, 2, 3]) frames.restore(device, [long])
    expect(frames.of(1).map(({ id, bytes, size }) => [id, bytes.length, size])).toEqual([
      [5, 1_024, 4_000],
      [7_001, 5, 5],
    ])
    expect(frames.of(2)).toEqual([long])
    add(3, 'new')
    expect(frames.of(3).map(({ id }) => id)).toEqual([5, 7_002])
    expect(frames.devices().sort()).toEqual([1, 2, 3])
  })

  it('are told of watched devices only, a few times a second, and never too many', () => {
    add(1, 'before')
    frames.watch([1])
    expect(frames.of(1).map(textOf)).toEqual(['before'])
    add(1, 'while')
    add(2, 'nobody looks')
    for (let n = 0; n < 100; n++) add(1, `${n}`)
    expect(told).toEqual([])
    vi.advanceTimersByTime(250)
    expect(told).toHaveLength(1)
    const [device, list, missed] = told[0]!
    expect([device, textOf(list[0]!), list.length + missed]).toEqual([1, 'while', 101])
    frames.watch([])
    add(1, 'after')
    vi.advanceTimersByTime(1_000)
    expect(told).toHaveLength(1)
    expect(textOf(frames.of(1).at(-1)!)).toBe('after')
  })
})
