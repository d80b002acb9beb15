import type { CatalogueItem } from '@thingwright/contracts/catalogue.contract'
import { expect, it } from 'vitest'
import { addMonths, price } from './pricing.ts'

const DAY_MS = 86_400_000
const plan = (id: string, months: number, priceFen: number) =>
  ({ id, sku: id, kind: 'plan', name: id, ename: id, spec: { months, quotas: {} }, priceFen }) as CatalogueItem
const ACTIVE = { status: 'active', expiresAt: null }

it('half of a term is worth half of its price, on whatever day of a year it began', () => {
  for (let day = 0; day < 4 * 365; day++) {
    const startedAt = Date.UTC(2026, 0, 1, 0, 0, 1) + day * DAY_MS
    const endsAt = addMonths(startedAt, 1)
    const half = startedAt + (endsAt - startedAt) / 2
    const present = { itemId: 'basic', months: 1, priceFen: 10_000, startedAt, endsAt }
    const { item, payableFen } = price(plan('pro', 12, 1_560_000), 1, present, ACTIVE, half)
    expect(item.prorated!.creditFen, new Date(startedAt).toISOString()).toBe(5_000)
    expect(payableFen).toBe(1_555_000)
  }
})

it('a term that was renewed is worth what is left of both', () => {
  const begin = Date.UTC(2027, 0, 31)
  const first = addMonths(begin, 1)
  const present = { itemId: 'basic', months: 1, priceFen: 2_800, startedAt: first, endsAt: addMonths(first, 1) }
  const { item } = price(plan('pro', 1, 100_000), 1, present, ACTIVE, first - 14 * DAY_MS)
  expect(item.prorated!.creditFen).toBe(4_200)
})
