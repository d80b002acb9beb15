import type { ChangeHouse } from './house.ts'
import { proven } from './people.journey.ts'

const iccid = (n: number) => `8986032026000000${String(n).padStart(4, '0')}`
const ADDRESS = { name: 'Anna', phone: '13800000000', region: 'Fujian', line: '1 Road' }

/** SIM cards that the company buys and the operator ships. */
export async function cardOrders(house: ChangeHouse): Promise<void> {
  const { go, tenantId } = house
  const as = await proven(house, 'operator')
  const spec = { carrier: 'cmcc', use: 'single', forms: ['2ff'], monthMb: 30, months: 12, cardFen: 0 }
  const words = { name: 'card', ename: 'card', text: '', etext: '', state: 'published', position: 0 }
  await go('catalogue.create', { as, body: { ...words, sku: 'card-30', kind: 'sim', spec, priceFen: 100 } })
  await go('moneyDesk.credit', { as, params: { id: tenantId }, body: { giftFen: 1_000, reason: 'cards' } })
  const body = { name: 'Source', kind: 'onelink', account: 'A1', password: 'p1' }
  const source = await go('cardDesk.createSource', { as, body })
  const stock = { sourceId: source.id, form: '2ff', use: 'single', cards: [{ iccid: iccid(1) }, { iccid: iccid(2) }] }
  await go('cardDesk.addStock', { as, body: stock })
  await go('cardDesk.removeStock', { as, params: { iccid: iccid(2) } })
  await go('cardDesk.updateSource', { as, params: { id: source.id }, body: { version: source.version, account: 'A2' } })
  const order = await go('cardOrders.create', { body: { sku: 'card-30', quantity: 1, form: '2ff', address: ADDRESS } })
  const params = { id: order.id }
  await go('purchaseOrders.pay', { params, body: { provider: 'balance' } })
  const sent = { from: iccid(1), to: iccid(1), logisticsCompany: 'SF', logisticsNo: 'SF0001' }
  await go('cardDesk.ship', { as, params, body: sent })
  await go('cardOrders.receive', { params })
  await go('cardOrders.renew', { body: { sku: 'card-30', cardOrderId: order.id } })
}
