import { expect } from 'vitest'
import type { ChangeHouse } from './house.ts'
import { proven } from './people.journey.ts'
import type { Things } from './things.journey.ts'

/** Devices that are offered to another company, taken back, and taken over. */
export async function companyTransfers(house: ChangeHouse, things: Things): Promise<void> {
  const { go, held } = house
  await house.company('Takes devices', 'taker')
  const taker = await house.arranged(proven(house, 'taker'))
  const giver = await house.arranged(proven(house, 'chief'))
  const { id } = await go('devices.create', { body: { productId: things.productId, name: 'Leaves' } })
  const target = { ids: [id] }
  const first = await go('companyTransfers.create', { as: giver, body: { target } })
  await go('companyTransfers.withdraw', { as: giver, params: { id: first.id } })
  const { code, products } = await go('companyTransfers.create', { as: giver, body: { target, withHistory: true } })
  await go('companyTransfers.find', { as: taker, body: { code } })
  const { id: transferId } = await go('companyTransfers.accept', {
    as: taker,
    body: { code, products: products.map((product: { id: string }) => ({ from: product.id, to: null })) },
  })
  await expect
    .poll(async () => (await house.call<{ state: string }>('GET', `/company-transfers/${transferId}`, taker)).state, {
      timeout: 30_000,
    })
    .toBe('done')
  await held('a transfer between companies')
}
