import { expect, it, vi } from 'vitest'
import { sharedReads } from './shared-reads.ts'

/** Reads that end when the test says so. */
function held() {
  const ends: { ok(value: number): void; fail(error: Error): void }[] = []
  const read = vi.fn((_key: string) => new Promise<number>((ok, fail) => ends.push({ ok, fail })))
  return { ends, read, get: sharedReads(read) }
}
const turn = () => new Promise(resolve => setImmediate(resolve))

it('gives callers that come during a read the next one, together', async () => {
  const { ends, read, get } = held()
  const first = get('a')
  const later = [get('a'), get('a'), get('a')]
  expect(read).toHaveBeenCalledTimes(1)
  ends[0]!.ok(1)
  expect(await first).toBe(1)
  await turn()
  expect(read).toHaveBeenCalledTimes(2)
  // Asked during the second one: the third.
  const last = get('a')
  ends[1]!.ok(2)
  expect(await Promise.all(later)).toEqual([2, 2, 2])
  await turn()
  ends[2]!.ok(3)
  expect(await last).toBe(3)
  // Nothing runs: at once.
  const quiet = get('a')
  expect(read).toHaveBeenCalledTimes(4)
  ends[3]!.ok(4)
  expect(await quiet).toBe(4)
})

it('keeps keys apart, and goes on after a failure', async () => {
  const { ends, read, get } = held()
  const [a, b] = [get('a'), get('b')]
  expect(read.mock.calls.map(([key]) => key)).toEqual(['a', 'b'])
  const next = get('a')
  ends[0]!.fail(new Error('no database'))
  await expect(a).rejects.toThrow('no database')
  await turn()
  ends[1]!.ok(5)
  ends[2]!.ok(6)
  expect([await b, await next]).toEqual([5, 6])
})
