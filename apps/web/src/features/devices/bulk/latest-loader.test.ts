import { expect, it, vi } from 'vitest'
import { latestOf } from './latest-loader.ts'

it('values of many devices are asked for at once, of other properties apart', async () => {
  const fetch = vi.fn(async ({ ids }: { ids: string }) => ({
    items: ids.split(',').map(id => ({ id, values: { t: { value: id, ts: 1, quality: 'good' } } })),
  }))
  const ids = Array.from({ length: 150 }, (_, n) => `d${n}`)
  const [values, other] = await Promise.all([
    Promise.all(ids.map(id => latestOf(id, 't', fetch))),
    latestOf('d0', 'u', fetch),
  ])
  expect(values.map(({ t }) => t!.value)).toEqual(ids)
  expect(other).toHaveProperty('t')
  expect(fetch.mock.calls.map(([{ ids }]) => ids.split(',').length)).toEqual([100, 50, 1])
})
