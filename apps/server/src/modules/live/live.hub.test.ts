import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLiveHub, type LivePatch } from './live.hub.ts'

const patch = (values: Record<string, unknown>, ts = 1): LivePatch => ({ type: 'patch', id: 'd', patch: values, ts })

function sink(backlog = 0) {
  const messages: Record<string, unknown>[] = []
  return {
    messages,
    lag: backlog,
    send: (m: object) => void messages.push(m as Record<string, unknown>),
    backlog: function () {
      return this.lag
    },
  }
}

describe('live hub', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('sends the first update at once and merges the rest to five a second, the last one always', () => {
    const hub = createLiveHub()
    const s = sink()
    hub.subscribe('t', s)
    for (let i = 0; i < 100; i++) {
      hub.publish('t', patch({ a: i, [`k${i % 3}`]: i }))
      vi.advanceTimersByTime(10)
    }
    vi.advanceTimersByTime(1000)
    expect(s.messages.length).toBeGreaterThanOrEqual(5)
    expect(s.messages.length).toBeLessThanOrEqual(7)
    expect(s.messages.at(-1)).toMatchObject({ topic: 't', patch: { a: 99 } })
    // Nothing that came in between is missing from the merged patches.
    const merged = Object.assign({}, ...s.messages.map(m => m.patch)) as Record<string, number>
    expect(merged).toMatchObject({ a: 99, k0: 99, k1: 97, k2: 98 })
  })

  it('sends up to three updates without a wait, and never more than five within any second', () => {
    const hub = createLiveHub()
    const times: number[] = []
    hub.subscribe('t', { send: () => void times.push(Date.now()), backlog: () => 0 })
    const began = Date.now()
    for (let i = 0; i < 3; i++) {
      hub.publish('t', patch({ a: i }))
      vi.advanceTimersByTime(30)
    }
    expect(times.map(at => at - began)).toEqual([0, 30, 60])
    for (let i = 0; i < 500; i++) {
      hub.publish('t', patch({ a: i }))
      vi.advanceTimersByTime(10)
    }
    for (const at of times)
      expect(times.filter(other => other >= at && other < at + 1_000).length).toBeLessThanOrEqual(5)
    // Steady once the first second is over.
    const steady = times.filter(at => at >= began + 2_000)
    expect(steady.length).toBeGreaterThan(12)
    for (let i = 1; i < steady.length; i++) expect(steady[i]! - steady[i - 1]!).toBeLessThanOrEqual(210)
  })

  it('skips a browser that lags, and gives it the last values when it has caught up', () => {
    const hub = createLiveHub()
    const slow = sink(10_000_000)
    const quick = sink()
    hub.subscribe('t', slow)
    hub.subscribe('t', quick)
    hub.publish('t', patch({ a: 1 }))
    vi.advanceTimersByTime(400)
    hub.publish('t', patch({ b: 2 }))
    expect(slow.messages).toEqual([])
    expect(quick.messages.length).toBeGreaterThan(0)
    slow.lag = 0
    vi.advanceTimersByTime(400)
    expect(slow.messages.at(-1)).toMatchObject({ patch: { a: 1, b: 2 } })
  })

  it('forgets a topic with its last subscriber', () => {
    const hub = createLiveHub()
    const s = sink()
    hub.subscribe('t', s)
    for (let a = 1; a <= 4; a++) hub.publish('t', patch({ a }))
    hub.drop(s)
    expect(hub.size()).toBe(0)
    vi.advanceTimersByTime(1000)
    expect(s.messages).toHaveLength(3)
    hub.publish('t', patch({ a: 3 }))
    expect(hub.watched('t')).toBe(false)
  })
})
