import { describe, expect, it } from 'vitest'
import { LatestCache } from './latest-cache.ts'

const cacheOf = (over: { everyMs?: number; capacity?: number; part?: number } = {}) =>
  new LatestCache({ everyMs: over.everyMs ?? 100, capacity: over.capacity ?? 1_000, part: over.part ?? 1_000 })

const row = (device: number, seq: number, ts = seq, quality = 0) => ({
  device,
  seq,
  ts,
  quality,
  arrivedAt: 1_000 + seq,
})
const last = { seq: 99, arrivedAt: 9_999 }

describe('the latest values of a lane', () => {
  it('keep per property the newest, of equal times the later row', () => {
    const cache = cacheOf()
    cache.apply(row(1, 1, 50), { a: 1, b: 1 }, 0)
    cache.apply(row(1, 2, 49, 2), { a: 2, c: { x: ['"'] } }, 0)
    cache.apply(row(1, 3, 50, 1), { b: true }, 0)
    cache.complete(1, { a: [0, 51, 0], b: [0, 50, 0], d: ['old', 1, 2] })
    const checkpoint = cache.take(10, 100, last)!
    expect(checkpoint.devices).toEqual([1])
    expect(JSON.parse(checkpoint.values[0]!)).toEqual({
      a: [0, 51, 0],
      b: [true, 50, 1],
      c: [{ x: ['"'] }, 49, 2],
      d: ['old', 1, 2],
    })
  })

  it('are taken when they are due, oldest change first, and say how far the table then reaches', () => {
    const cache = cacheOf()
    for (const device of [1, 2, 3]) {
      cache.apply(row(device, device), { a: device }, device * 10)
      cache.complete(device, null)
    }
    cache.apply(row(1, 4), { a: 4 }, 40)
    expect(cache.take(10, 109, last)).toBeNull()
    expect(cache.take(10, 120, last)).toEqual({
      devices: [1, 2],
      values: ['{"a":[4,4,0]}', '{"a":[2,2,0]}'],
      upTo: { seq: 2, arrivedAt: 1_003 },
    })
    cache.written()
    expect(cache.take(1, 200, last)).toMatchObject({ devices: [3], upTo: last })
  })

  it('of devices that report together are written in parts over the time, each device once in it', () => {
    const cache = cacheOf({ part: 10 })
    const written = new Map<number, number[]>()
    const sizes: number[] = []
    let seq = 0
    for (let now = 1; now <= 1_000; now++) {
      if (now % 5 === 1) for (let device = 1; device <= 100; device++) cache.apply(row(device, ++seq), { a: seq }, now)
      for (const device of cache.missing(1_000)) cache.complete(device, null)
      const checkpoint = cache.take(500, now, last)
      if (!checkpoint) continue
      sizes.push(checkpoint.devices.length)
      for (const device of checkpoint.devices) written.set(device, [...(written.get(device) ?? []), now])
      cache.written()
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(20)
    for (const times of written.values()) {
      expect(times.length).toBeLessThanOrEqual(12)
      const waits = times.map((at, i) => at - (times[i - 1] ?? 1))
      expect(Math.max(...waits)).toBeLessThanOrEqual(106)
    }
    expect(written.size).toBe(100)
  })

  it('that could not be written come again, in the same order', () => {
    const cache = cacheOf()
    for (const device of [1, 2]) {
      cache.apply(row(device, device), { a: 1 }, 0)
      cache.complete(device, null)
    }
    expect(cache.take(1, 500, last)!.devices).toEqual([1])
    cache.giveBack()
    expect(cache.take(2, 500, last)!.devices).toEqual([1, 2])
  })

  it('are not written before what the table holds was read', () => {
    const cache = cacheOf()
    cache.apply(row(1, 1), { a: 1 }, 0)
    expect([cache.isDue(500), cache.missing(10), cache.wantsRows(10), cache.wantsRows(50)]).toEqual([
      false,
      [1],
      false,
      true,
    ])
    cache.complete(1, null)
    expect([cache.isDue(500), cache.missing(10)]).toEqual([true, []])
  })

  it('of devices not heard of for the longest time leave the memory, those not written yet never', () => {
    const cache = cacheOf({ capacity: 10 })
    for (let device = 1; device <= 30; device++) {
      cache.apply(row(device, device), { a: 1 }, 0)
      cache.complete(device, null)
    }
    cache.take(20, 500, last)
    cache.written()
    cache.apply(row(1, 31), { a: 2 }, 500)
    cache.complete(1, null)
    cache.take(10, 500, last)
    cache.written()
    cache.take(1, 600, last)
    cache.written()
    expect(cache.size).toBeLessThanOrEqual(10)
    expect(cache.dirtyCount).toBe(0)
  })
})
