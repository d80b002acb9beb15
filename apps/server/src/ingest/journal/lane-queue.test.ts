import { describe, expect, it } from 'vitest'
import { aPost } from '../testing/entries.ts'
import { LaneQueue } from './lane-queue.ts'

const item = (...entries: ReturnType<typeof aPost>[]) => ({ entries, committed: () => {}, qos2: undefined })
/** A message of one row that takes so many bytes beside the row itself. */
const heavy = (bytes: number) => item(aPost(1, {}, { values: null, raw: Buffer.alloc(bytes) }))
const light = () => heavy(0)
const LIMITS = { flushRows: 4, flushBytes: 4_000, rows: 8, bytes: 8_000 }

describe('what waits for a flush', () => {
  it('is full by rows, and by bytes: texts, refused bytes and the row itself', () => {
    const rows = new LaneQueue(LIMITS)
    for (let i = 0; i < 7; i++) rows.push(light())
    expect([rows.isFull, rows.hasFullFlush]).toEqual([false, true])
    rows.push(light())
    expect([rows.isFull, rows.rows, rows.bytes]).toEqual([true, 8, 1_600])
    const bytes = new LaneQueue(LIMITS)
    bytes.push(heavy(3_799))
    expect([bytes.isFull, bytes.hasFullFlush, bytes.bytes]).toEqual([false, false, 3_999])
    bytes.push(heavy(3_801))
    expect([bytes.isFull, bytes.hasFullFlush, bytes.bytes]).toEqual([true, true, 8_000])
  })

  it('leaves in order, as much as a flush takes, and a message stays whole', () => {
    const queue = new LaneQueue(LIMITS)
    const items = [light(), item(aPost(1, {}), aPost(1, {}), aPost(1, {})), light(), heavy(5_000), light()]
    for (const each of items) queue.push(each)
    expect(queue.take()).toEqual(items.slice(0, 2))
    expect(queue.take()).toEqual(items.slice(2, 4))
    expect(queue.isEmpty).toBe(false)
    expect(queue.take()).toEqual(items.slice(4))
    expect([queue.isEmpty, queue.rows, queue.bytes]).toEqual([true, 0, 0])
    const large = item(...Array.from({ length: 9 }, () => aPost(1, {})))
    queue.push(large)
    expect(queue.take()).toEqual([large])
  })

  it('lets those who wait for room go on in their order, until half of it is used again', () => {
    for (const [refill, goOn] of [
      [light, 4],
      [() => heavy(1_800), 2],
    ] as const) {
      const queue = new LaneQueue(LIMITS)
      const gone: number[] = []
      for (let i = 0; i < 6; i++)
        queue.wait(() => {
          gone.push(i)
          queue.push(refill())
        })
      queue.drain(() => false)
      expect(gone).toEqual([])
      queue.drain(() => true)
      expect(gone).toEqual([0, 1, 2, 3].slice(0, goOn))
      while (!queue.isEmpty) queue.take()
      queue.drain(() => true)
      expect(gone).toEqual([0, 1, 2, 3, 4, 5].slice(0, 2 * goOn))
    }
  })
})
