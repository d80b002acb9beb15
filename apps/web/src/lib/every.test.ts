import { QueryClient } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { every } from './every.ts'

it('leaves an error without data standing until somebody tries again, and goes on with what was read once', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const queryKey = ['health']
  const read = (queryFn: () => Promise<number>) => client.fetchQuery({ queryKey, queryFn }).catch(() => null)
  const away = () => Promise.reject(new Error('away'))
  const interval = () => every(1_000)(client.getQueryCache().find({ queryKey })!)
  await read(away)
  expect(interval()).toBe(false)
  await read(() => Promise.resolve(1))
  expect(interval()).toBe(1_000)
  await client.invalidateQueries()
  await read(away)
  expect(client.getQueryState(queryKey)).toMatchObject({ status: 'error', data: 1 })
  expect(interval()).toBe(1_000)
  expect(every(false)({ state: { status: 'pending', data: undefined } })).toBe(false)
  client.clear()
})
