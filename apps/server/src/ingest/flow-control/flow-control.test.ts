import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ManualClock } from '../../lib/clock.ts'
import { silentLogger } from '../../lib/log.ts'
import { type DeviceRecord, type JournalEntry, JournalKind, Quality } from '../uplink.ts'
import type { CompanyFlowDelta, CompanyFlowState, DeviceFlowDelta } from './flow.repo.ts'
import { FlowControl } from './flow-control.ts'
import { TokenBucket } from './token-bucket.ts'

const device = (num: number, messagesPerSecond: number | null = null, tenantId = 't') =>
  ({ num, tenantId, messagesPerSecond }) as DeviceRecord

/** Flow control over a database in memory. */
function world(limits: Partial<CompanyFlowState> = {}) {
  const clock = new ManualClock()
  const written: CompanyFlowDelta[][] = []
  const held: DeviceFlowDelta[][] = []
  const state = { pointsToday: 0, messagesPerSecond: null, pointsPerDay: null, ...limits }
  let fails = false
  const flow = new FlowControl({
    monotonic: clock,
    logger: silentLogger,
    queries: {
      async companies(rows) {
        if (fails) throw new Error('database is away')
        written.push([...rows])
        for (const row of rows) state.pointsToday += row.points
        return rows.map(({ tenantId }) => ({ ...state, tenantId }))
      },
      devices: async rows => void held.push([...rows]),
    },
  })
  return { flow, clock, written, held, state, failing: (on: boolean) => (fails = on) }
}

const ROW = { device: device(1), kind: JournalKind.property, quality: Quality.good, ts: 0, arrivedAt: 0 }
const row = (over: object) => ({ ...ROW, ...over }) as unknown as JournalEntry

/** Messages taken at once before the device has to wait. */
function burst(flow: FlowControl, of: DeviceRecord, most = 100): number {
  let taken = 0
  while (taken < most && flow.hasRoom(of)) {
    flow.took(of)
    taken++
  }
  return taken
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a token bucket', () => {
  it('saves up one second, at least one message, and asks for more time after an overdraft', () => {
    const bucket = new TokenBucket(5, 0)
    for (let i = 0; i < 5; i++) bucket.take(0)
    expect(bucket.wait(0)).toBe(200)
    bucket.take(0)
    expect(bucket.wait(0)).toBe(400)
    expect(bucket.wait(400)).toBe(0)
    expect(bucket.isFull(1_100)).toBe(false)
    expect(bucket.isFull(10_000)).toBe(true)
    expect(new TokenBucket(0.1, 0).wait(0)).toBe(0)
  })
})

describe('limits of flow', () => {
  it('do not hold back who has none', async () => {
    const w = world()
    await w.flow.flush()
    expect(burst(w.flow, device(1))).toBe(100)
    expect(w.flow.limited(device(1))).toBe(0)
  })

  it('of a device hold it alone, call back in time, and are counted', async () => {
    const w = world()
    const slow = device(1, 10)
    expect(burst(w.flow, slow)).toBe(10)
    expect(w.flow.hasRoom(device(2))).toBe(true)
    expect(w.flow.limited(slow)).toBe(100)
    const resumed = vi.fn()
    w.flow.onRoom(slow, resumed)
    w.clock.advance(90)
    await vi.advanceTimersByTimeAsync(90)
    expect(resumed).not.toHaveBeenCalled()
    w.clock.advance(20)
    await vi.advanceTimersByTimeAsync(20)
    expect(resumed).toHaveBeenCalledOnce()
    await w.flow.flush()
    expect(w.held).toEqual([[{ device: 1, tenantId: 't', slowed: 1, refused: 1 }]])
    expect(w.written.at(-1)).toMatchObject([{ peak: 0, slowed: 1, refused: 1 }])
    await w.flow.flush()
    expect(w.held.length).toBe(1)
    expect(w.written.at(-1)).toMatchObject([{ peak: 0, slowed: 0, refused: 0 }])
  })

  it('of a company let go on who waited longest, as many as there is room for', async () => {
    const w = world({ messagesPerSecond: 10 })
    w.flow.took(device(1))
    await w.flow.flush()
    expect(burst(w.flow, device(1))).toBe(10)
    expect(w.flow.hasRoom(device(2))).toBe(false)
    expect(w.flow.hasRoom(device(9, null, 'other'))).toBe(true)
    const order: number[] = []
    for (const num of [1, 2, 3]) {
      w.flow.onRoom(device(num), () => {
        order.push(num)
        w.flow.took(device(num))
      })
    }
    for (const expected of [[1], [1, 2], [1, 2, 3]]) {
      w.clock.advance(100)
      await vi.advanceTimersByTimeAsync(100)
      expect(order).toEqual(expected)
    }
  })

  it('of a day leave a trickle, at once when the last point is used up', async () => {
    const w = world({ pointsPerDay: 3 })
    const lanes = w.flow.counting({ append: () => {} })
    const entry = (values: Record<string, unknown>) =>
      ({ device: device(1), kind: JournalKind.property, properties: values }) as unknown as JournalEntry
    lanes.append([entry({ a: 1 })], () => {})
    await w.flow.flush()
    expect(burst(w.flow, device(1))).toBe(100)
    lanes.append([entry({ a: 1, b: 2 })], () => {})
    expect(burst(w.flow, device(1))).toBe(1)
    expect(w.flow.limited(device(1))).toBe(1_000)
    w.state.pointsPerDay = 100 as never
    await w.flow.flush()
    expect(burst(w.flow, device(1))).toBe(100)
  })

  it('count each element as a message, values of another quality as part of theirs, and refusals apart', async () => {
    const w = world()
    const lanes = w.flow.counting({ append: () => {} })
    // One packet: an array of two, of which the second has a value of doubtful quality.
    w.flow.took(device(1))
    lanes.append([row({ ts: 1 }), row({ ts: 2 }), row({ ts: 2, quality: Quality.uncertain })], () => {})
    for (const kind of [JournalKind.event, JournalKind.refused, JournalKind.online, JournalKind.offline])
      lanes.append([row({ kind, ts: 3 })], () => {})
    await w.flow.flush()
    expect(w.written.at(-1)).toMatchObject([{ messages: 3 }])
  })

  it('lose no count while the database is away', async () => {
    const w = world()
    const lanes = w.flow.counting({ append: () => {} })
    lanes.append([row({ ts: 1 })], () => {})
    w.failing(true)
    await w.flow.flush()
    lanes.append([row({ ts: 2 })], () => {})
    w.failing(false)
    await w.flow.flush()
    expect(w.written).toMatchObject([[{ messages: 2 }]])
  })
})
