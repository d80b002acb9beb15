import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../lib/log.ts'
import { Deliverer } from './deliverer.ts'
import { envelope } from './items.ts'
import type { StoredItem } from './payload.ts'
import type { LogRow, ProgressRow } from './queue.repo.ts'
import type { DeliveryOutcome } from './target.port.ts'
import { FAILED, ManualTiming, MemoryTarget, OK } from './testing.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const FRESH: ProgressRow = {
  ackedSeq: 0,
  delivered: 0,
  dropped: 0,
  failures: 0,
  failingSince: null,
  nextTryAt: null,
  headSince: null,
  headAttempts: 0,
  lastDeliveredAt: null,
  lastFailedAt: null,
  lastError: null,
}

/** A queue in memory with a deliverer before it. */
function house(over: { maxItems?: number; waitMs?: number; progress?: Partial<ProgressRow> } = {}) {
  const timing = new ManualTiming()
  const target = new MemoryTarget()
  const stored: StoredItem[] = []
  const log: LogRow[] = []
  const dead: { items: readonly StoredItem[]; reason: string; attempts: number }[] = []
  const state = { progress: { ...FRESH, ...over.progress }, givenUp: null as string | null, databaseFails: false }
  const open = () =>
    new Deliverer({
      subscriptionId: 's',
      tenantId: '00000000-0000-7000-8000-000000000001',
      payload: { format: 'envelope' },
      maxItems: over.maxItems ?? 3,
      waitMs: over.waitMs ?? 0,
      progress: state.progress,
      queue: {
        async read(after, limit) {
          if (state.databaseFails) throw new Error('the database went away')
          return stored.filter(item => item.seq > after).slice(0, limit)
        },
        async save(progress) {
          state.progress = progress
        },
        log: async row => void log.push(row),
        bury: async (items, why) => void dead.push({ items, ...why }),
        sensors: async () => new Map(),
      },
      open: events =>
        target.open({ subscriptionId: 's', tenantId: 't', name: 'n', target: { kind: 'pull' }, secrets: [] }, events),
      timing,
      logger: silentLogger,
      onGivenUp: error => {
        state.givenUp = error
      },
    })
  const box = {
    timing,
    target,
    log,
    dead,
    state,
    deliverer: open(),
    put(count: number, size = 1) {
      for (let i = 0; i < count; i++) {
        const seq = stored.length + 1
        const head = {
          id: `i${seq}`,
          type: 'property' as const,
          ts: seq,
          productKey: 'P',
          deviceNo: `d${seq % 2}`,
          deviceId: 'x',
        }
        stored.push({
          seq,
          at: timing.now(),
          device: seq % 2,
          item: envelope(head, JSON.stringify({ n: 'x'.repeat(size) })),
        })
      }
      box.deliverer.wake()
    },
    advance: (ms: number) => timing.advance(ms, () => box.deliverer.settled()),
    /** As after a kill: what was not written down is forgotten. */
    restart() {
      box.deliverer = open()
      box.deliverer.wake()
    },
  }
  return box
}

const upTo = (n: number) => Array.from({ length: n }, (_, i) => `i${i + 1}`)

describe('a deliverer', () => {
  it('hands items over in order and in batches, and logs successes once a second', async () => {
    const h = house()
    h.put(7)
    await h.advance(0)
    expect(h.target.batches.map(batch => batch.items.length)).toEqual([3, 3, 1])
    expect(h.target.ids).toEqual(upTo(7))
    expect(JSON.parse(h.target.batches[0]!.body)).toEqual({
      items: ['i1', 'i2', 'i3'].map(id => expect.objectContaining({ id, type: 'property', data: { n: 'x' } })),
    })
    expect(h.state.progress).toMatchObject({ ackedSeq: 7, delivered: 7, failures: 0 })
    expect(h.log.map(row => [row.result, row.items])).toEqual([['ok', 3]])
    await h.advance(SECOND)
    h.put(1)
    await h.advance(0)
    expect(h.log.at(-1)).toMatchObject({ result: 'ok', items: 1, skipped: 2, status: 200 })
  })

  it('waits for more items as long as it may, and keeps bodies short', async () => {
    const h = house({ maxItems: 100, waitMs: 5 * SECOND })
    h.put(2)
    await h.advance(4 * SECOND)
    expect(h.target.batches).toEqual([])
    h.put(1)
    await h.advance(SECOND)
    expect(h.target.batches.map(batch => batch.items.length)).toEqual([3])
    const big = house({ maxItems: 100 })
    big.put(4, 400_000)
    await big.advance(0)
    expect(big.target.batches.map(batch => batch.items.length)).toEqual([2, 2])
  })

  it('goes on after ten minutes without a receiver: same ids, same body, same order, nothing lost', async () => {
    const h = house()
    let down = true
    h.target.answer = () => (down ? { kind: 'retry', reason: 'unreachable', latencyMs: 1 } : OK)
    h.put(5)
    await h.advance(0)
    const tries: number[] = []
    const began = h.timing.now()
    for (let minute = 0; minute < 10; minute++) {
      await h.advance(MINUTE)
      h.put(1)
    }
    tries.push(...h.log.map(row => row.at.getTime() - began))
    expect(tries.map(ms => ms / SECOND)).toEqual([0, 1, 3, 8, 18, 48, 108, 228, 528])
    expect(new Set(h.target.batches.map(batch => batch.body)).size).toBe(1)
    expect(h.target.batches.map(batch => batch.attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(h.state.progress).toMatchObject({ ackedSeq: 0, failures: 9, lastError: 'unreachable' })
    down = false
    await h.advance(10 * MINUTE)
    expect(h.state.progress).toMatchObject({ ackedSeq: 15, delivered: 15, failures: 0, lastError: null })
    expect([...new Set(h.target.ids)]).toEqual(upTo(15))
    expect(h.dead).toEqual([])
  })

  it('believes a receiver that names a time, an hour at most', async () => {
    const h = house()
    h.target.answer = () => ({ ...FAILED, retryAfterMs: 20 * SECOND }) as DeliveryOutcome
    h.put(1)
    await h.advance(19 * SECOND)
    expect(h.target.batches.length).toBe(1)
    await h.advance(SECOND)
    expect(h.target.batches.length).toBe(2)
    h.target.answer = () => ({ ...FAILED, retryAfterMs: 1000 * HOUR }) as DeliveryOutcome
    await h.advance(20 * SECOND)
    expect(h.state.progress.nextTryAt?.getTime()).toBe(h.timing.now() + HOUR)
  })

  it('gives up a target that never settles, and what it throws counts as a failure', async () => {
    const h = house()
    let told = false
    h.target.answer = (_, signal) => {
      signal.addEventListener('abort', () => {
        told = true
      })
      return new Promise(() => {})
    }
    h.put(1)
    const passing = h.timing.advance(MINUTE, async () => {
      for (let i = 0; i < 20; i++) await Promise.resolve()
    })
    await passing
    expect(told).toBe(true)
    await h.deliverer.settled()
    expect(h.log.at(-1)).toMatchObject({ result: 'retry', reason: 'timeout' })
    h.target.answer = () => {
      throw new Error('a bug of the adapter')
    }
    await h.advance(SECOND)
    expect(h.log.at(-1)).toMatchObject({ result: 'retry', reason: 'protocol', detail: 'a bug of the adapter' })
  })

  it('finds the one item that is refused, buries it after three tries and goes on', async () => {
    const h = house({ maxItems: 8 })
    h.target.answer = ({ items }) =>
      items.some(({ id }) => id === 'i6') ? { kind: 'refused', reason: 'status', status: 422, latencyMs: 1 } : OK
    h.put(8)
    await h.advance(10 * SECOND)
    expect(h.dead).toMatchObject([{ reason: 'status', attempts: 3 }])
    expect(h.dead[0]!.items.map(item => item.seq)).toEqual([6])
    expect(h.state.progress).toMatchObject({ ackedSeq: 8, delivered: 7, failures: 0 })
    const arrived = h.target.batches.filter(({ items }) => items.every(({ id }) => id !== 'i6'))
    expect(arrived.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(upTo(8).filter(id => id !== 'i6'))
  })

  it('goes on behind the part that arrived', async () => {
    const h = house()
    h.target.answer = ({ attempt, items }) =>
      items[0]!.id === 'i1' && attempt === 1 ? { kind: 'partial', acknowledged: 2, latencyMs: 1 } : OK
    h.put(4)
    await h.advance(0)
    expect(h.target.batches.map(({ items }) => items.map(({ id }) => id))).toEqual([
      ['i1', 'i2', 'i3'],
      ['i3', 'i4'],
    ])
    h.target.answer = () => ({ kind: 'partial', acknowledged: 0, latencyMs: 1 })
    h.put(1)
    await h.advance(0)
    expect(h.state.progress).toMatchObject({ ackedSeq: 4, failures: 1 })
  })

  it('buries what is a day old, and is given up after 50 failures in a row', async () => {
    const h = house({ maxItems: 1 })
    h.target.answer = () => FAILED
    h.put(3)
    await h.advance(24 * HOUR)
    expect(h.dead).toEqual([])
    await h.advance(HOUR)
    expect(h.dead.map(({ items }) => items[0]!.seq)).toEqual([1])
    expect(h.state.givenUp).toBeNull()
    await h.advance(24 * HOUR)
    expect(h.state.givenUp).toBe('status 500')
    expect(h.state.progress).toMatchObject({ failures: 50, ackedSeq: 1 })
    const tries = h.target.batches.length
    await h.advance(24 * HOUR)
    expect(h.target.batches.length).toBe(tries)
  })

  it('keeps its waiting over a restart, and tries again what was not written down', async () => {
    const h = house()
    h.target.answer = () => FAILED
    h.put(3)
    await h.advance(10 * SECOND)
    const { failures, nextTryAt } = h.state.progress
    const tries = h.target.batches.length
    h.restart()
    await h.advance(nextTryAt!.getTime() - h.timing.now() - 1)
    expect(h.target.batches.length).toBe(tries)
    h.target.answer = () => OK
    await h.advance(1)
    expect(h.target.batches.at(-1)).toMatchObject({ attempt: failures + 1 })
    expect(h.state.progress.ackedSeq).toBe(3)
    h.state.progress = { ...h.state.progress, ackedSeq: 0 }
    h.restart()
    await h.advance(0)
    expect(h.target.batches.at(-1)!.items.map(({ id }) => id)).toEqual(upTo(3))
  })

  it('waits for a client that is away without failing, and for a database that is', async () => {
    const h = house()
    h.target.answer = () => ({ kind: 'away' })
    h.put(2)
    await h.advance(SECOND)
    expect(h.deliverer.away).toBe(true)
    expect(h.log).toEqual([])
    expect(h.state.progress.failures).toBe(0)
    h.target.answer = () => OK
    h.target.events!.wake()
    await h.advance(0)
    expect(h.deliverer.away).toBe(false)
    expect(h.state.progress.ackedSeq).toBe(2)
    h.state.databaseFails = true
    h.put(1)
    await h.advance(SECOND)
    h.state.databaseFails = false
    await h.advance(5 * SECOND)
    expect(h.state.progress).toMatchObject({ ackedSeq: 3, failures: 0 })
  })

  it('stops at once, whatever the target does', async () => {
    const h = house()
    h.target.answer = () => new Promise(() => {})
    h.put(1)
    await h.deliverer.stop()
    expect(h.state.progress).toMatchObject({ ackedSeq: 0, failures: 0 })
  })
})
