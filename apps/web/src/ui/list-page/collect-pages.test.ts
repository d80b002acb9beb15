import { describe, expect, it } from 'vitest'
import { collectPages } from './collect-pages.ts'
import type { ListInput } from './list-types.ts'

function listOf(count: number, asked: ListInput[] = []) {
  return async (input: ListInput) => {
    asked.push(input)
    const from = Number(input.cursor ?? 0)
    const items = Array.from({ length: Math.min(input.limit, count - from) }, (_, i) => from + i)
    const end = from + items.length
    return { items, nextCursor: end < count ? String(end) : null, ...(input.total ? { total: count } : {}) }
  }
}

const start: ListInput = { limit: 20, q: 'a', filters: { link: 'online' } }

describe('collecting all pages of a list', () => {
  it('goes on by the cursor with the same filters until there is no more', async () => {
    const asked: ListInput[] = []
    const rows: number[] = []
    const progress: unknown[] = []
    const { cut } = await collectPages(listOf(250, asked), start, {
      signal: new AbortController().signal,
      max: 1000,
      onPage: (page, now) => {
        rows.push(...page)
        progress.push(now)
      },
    })
    expect(rows).toEqual(Array.from({ length: 250 }, (_, i) => i))
    expect(cut).toBe(false)
    expect(asked.map(({ cursor }) => cursor)).toEqual([undefined, '100', '200'])
    expect(asked.every(({ q, filters }) => q === 'a' && filters.link === 'online')).toBe(true)
    expect(progress).toEqual([
      { done: 100, total: 250 },
      { done: 200, total: 250 },
      { done: 250, total: 250 },
    ])
  })

  it('stops at the bound and says so', async () => {
    const rows: number[] = []
    const options = { signal: new AbortController().signal, onPage: (page: number[]) => rows.push(...page) }
    expect(await collectPages(listOf(250), start, { ...options, max: 150 })).toEqual({ cut: true })
    expect(rows).toHaveLength(150)
    expect(await collectPages(listOf(200), start, { ...options, max: 200 })).toEqual({ cut: false })
    expect(await collectPages(listOf(300), start, { ...options, max: 200 })).toEqual({ cut: true })
  })

  it('ends between two pages when it is cancelled', async () => {
    const abort = new AbortController()
    let pages = 0
    const run = collectPages(listOf(1000), start, {
      signal: abort.signal,
      max: 1000,
      onPage: () => {
        if (++pages === 2) abort.abort()
      },
    })
    await expect(run).rejects.toThrow()
    expect(pages).toBe(2)
  })
})
