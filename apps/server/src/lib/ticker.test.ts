import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTicker } from './ticker.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Work that ends when the test says so. */
function held() {
  const ends: { ok(): void; fail(error: Error): void }[] = []
  const work = vi.fn(() => new Promise<void>((ok, fail) => ends.push({ ok, fail })))
  return { ends, work }
}

it('works at its start, then after each pause, and goes on after an error', async () => {
  const { ends, work } = held()
  const onError = vi.fn()
  const ticker = createTicker({ everyMs: 1_000, work, onError })
  await vi.advanceTimersByTimeAsync(5_000)
  expect(work).not.toHaveBeenCalled()
  ticker.start()
  expect(work).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(work).toHaveBeenCalledTimes(1)
  ends[0]!.fail(new Error('no database'))
  await vi.advanceTimersByTimeAsync(999)
  expect(onError).toHaveBeenCalledWith(new Error('no database'))
  expect(work).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(work).toHaveBeenCalledTimes(2)
})

it('works once more when it is woken meanwhile, however often', async () => {
  const { ends, work } = held()
  const ticker = createTicker({ everyMs: 60_000, work, onError: vi.fn() })
  ticker.start()
  ticker.wake()
  ticker.wake()
  expect(work).toHaveBeenCalledTimes(1)
  ends[0]!.ok()
  await vi.advanceTimersByTimeAsync(1)
  expect(work).toHaveBeenCalledTimes(2)
  ends[1]!.ok()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(work).toHaveBeenCalledTimes(2)
  ticker.wake()
  expect(work).toHaveBeenCalledTimes(3)
})

it('stops when the work under way has ended, and is not woken any more', async () => {
  const { ends, work } = held()
  const ticker = createTicker({ everyMs: 10, work, onError: vi.fn() })
  ticker.start()
  let isStopped = false
  const stopped = ticker.stop().then(() => {
    isStopped = true
  })
  await vi.advanceTimersByTimeAsync(100)
  expect([isStopped, ticker.isStopping()]).toEqual([false, true])
  ends[0]!.ok()
  await stopped
  ticker.wake()
  await vi.advanceTimersByTimeAsync(100)
  expect([work.mock.calls.length, ticker.isStopping()]).toEqual([1, false])
})
