import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { LiveReads } from './live-reads.ts'

/** A page over a server that answers when the test says so. */
function setUp() {
  const asked: ((answer: unknown) => void)[] = []
  let follow: () => void = () => undefined
  const followed = new Promise<void>(resolve => {
    follow = resolve
  })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const reads = new LiveReads({
    followed: () => followed,
    refresh: () => void client.invalidateQueries({ queryKey: ['x'] }),
    later: work => setTimeout(work, 0),
  })
  const observer = new QueryObserver<unknown>(client, {
    queryKey: ['x'],
    queryFn: reads.read(() => new Promise(resolve => asked.push(resolve))),
  })
  const seen: unknown[] = []
  observer.subscribe(({ data }) => {
    if (data !== undefined && data !== seen.at(-1)) seen.push(data)
  })
  return { reads, asked, follow, client, seen }
}

describe('what is read and heard', () => {
  it('is read through a function that may be handed on by itself', async () => {
    const { reads, follow } = setUp()
    const { read } = reads
    const answer = read(async (word: string) => `${word}!`)('state')
    follow()
    expect(await answer).toBe('state!')
  })

  it('is followed before it is read', async () => {
    const page = setUp()
    await Promise.resolve()
    expect(page.asked).toHaveLength(0)
    page.reads.restart()
    page.follow()
    await expect.poll(() => page.asked.length).toBe(1)
    page.asked[0]!('state')
    await expect.poll(() => page.seen).toEqual(['state'])
    // The read came after the telling: it is not made twice.
    expect(page.asked).toHaveLength(1)
  })

  it('is read again when something happened while the first answer was on its way', async () => {
    const page = setUp()
    page.follow()
    await expect.poll(() => page.asked.length).toBe(1)
    page.reads.readAgain()
    page.reads.readAgain()
    page.asked[0]!('old')
    await expect.poll(() => page.asked.length).toBe(2)
    page.asked[1]!('new')
    await expect.poll(() => page.seen).toEqual(['old', 'new'])
    expect(page.asked).toHaveLength(2)
  })

  it('is read again when it was followed only after the answer', async () => {
    const page = setUp()
    page.follow()
    await expect.poll(() => page.asked.length).toBe(1)
    page.asked[0]!('before')
    await expect.poll(() => page.seen).toEqual(['before'])
    page.reads.restart()
    await expect.poll(() => page.asked.length).toBe(2)
    page.asked[1]!('after')
    await expect.poll(() => page.seen).toEqual(['before', 'after'])
  })

  it('keeps what was heard over an older answer, and only that', async () => {
    const page = setUp()
    page.follow()
    page.reads.merge(() => 'heard before the question')
    await expect.poll(() => page.asked.length).toBe(1)
    page.reads.merge(answer => `${String(answer)} and heard`)
    page.asked[0]!('read')
    await expect.poll(() => page.seen).toEqual(['read and heard'])
    void page.client.invalidateQueries({ queryKey: ['x'] })
    await expect.poll(() => page.asked.length).toBe(2)
    page.asked[1]!('newer')
    await expect.poll(() => page.seen.at(-1)).toBe('newer')
  })

  it('comes to rest with a device that speaks without end: one read at a time, and one after the last word', async () => {
    const page = setUp()
    page.follow()
    for (let n = 1; n <= 5; n++) {
      await expect.poll(() => page.asked.length).toBe(n)
      for (let word = 0; word < 10; word++) page.reads.readAgain()
      page.asked[n - 1]!(n)
      await expect.poll(() => page.seen.at(-1)).toBe(n)
    }
    await expect.poll(() => page.asked.length).toBe(6)
    page.asked[5]!('last')
    await expect.poll(() => page.seen.at(-1)).toBe('last')
    expect(page.asked).toHaveLength(6)
  })

  it('is read after an answer that failed, too', async () => {
    const page = setUp()
    page.follow()
    await expect.poll(() => page.asked.length).toBe(1)
    page.reads.readAgain()
    page.asked[0]!(Promise.reject(new Error('away')))
    await expect.poll(() => page.asked.length).toBe(2)
    page.asked[1]!('back')
    await expect.poll(() => page.seen).toEqual(['back'])
  })
})
