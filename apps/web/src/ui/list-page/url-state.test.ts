import { describe, expect, it } from 'vitest'
import { clearListState, filterCount, nextSort, readListState, writeListState } from './url-state.ts'

const FILTERS = [{ key: 'link', values: ['online', 'offline'] }, { key: 'productId' }]
const read = (query: string) => readListState(new URLSearchParams(query), FILTERS)

describe('the state of a list in the address', () => {
  it('is read from the query', () => {
    expect(read('q=泵&sort=-createdAt&link=online&productId=p1')).toEqual({
      q: '泵',
      sort: '-createdAt',
      filters: { link: 'online', productId: 'p1' },
    })
  })

  it('ignores values a filter cannot take, unknown filters and malformed orders', () => {
    expect(read('link=sideways&colour=red&sort=name;drop&productId=')).toEqual({ q: '', sort: '', filters: {} })
  })

  it('cuts a search that is longer than the server takes', () => {
    expect(read(`q=${'x'.repeat(500)}`).q).toHaveLength(128)
  })

  it('keeps what is not the list’s own when something changes', () => {
    const next = writeListState(new URLSearchParams('tab=recycled&link=online'), { q: 'a b', filters: { link: null } })
    expect(next.toString()).toBe('tab=recycled&q=a+b')
  })

  it('survives a round trip with characters of every kind', () => {
    const written = writeListState(new URLSearchParams(), { q: '50% & =?#泵', filters: { productId: 'a/b' } })
    expect(read(written.toString())).toEqual({ q: '50% & =?#泵', sort: '', filters: { productId: 'a/b' } })
  })

  it('is cleared without touching the order and the rest', () => {
    const cleared = clearListState(new URLSearchParams('tab=x&sort=name&q=1&link=online&productId=2'), FILTERS)
    expect(cleared.toString()).toBe('tab=x&sort=name')
  })
})

it('a column’s head turns the order down, up and off', () => {
  expect(nextSort('', 'name')).toBe('-name')
  expect(nextSort('-name', 'name')).toBe('name')
  expect(nextSort('name', 'name')).toBe('')
  expect(nextSort('-createdAt', 'name')).toBe('-name')
})

it('counts the filters that are set', () => {
  const state = read('q=1&link=online&productId=2')
  expect(filterCount(state)).toBe(2)
  expect(filterCount(state, ['productId'])).toBe(1)
})
