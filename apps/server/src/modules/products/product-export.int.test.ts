import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { insertDevice, insertProduct } from '../../db/fixtures.ts'
import { company, management } from '../../db/testing/management.ts'
import { exportProducts } from './product-export.ts'

it('products are exported with their counts', async () => {
  const m = await management()
  const own = await company(m.db)
  const product = await insertProduct(m.db.superuser, own, { name: '@pump' })
  await insertDevice(m.db.superuser, product)
  const ctx = { ...own.ctx, locale: 'en' as const }
  const reply = await exportProducts(m.database, m.products.service, ctx, { format: 'csv' })
  const [head, line] = (await text(reply.body)).trimEnd().split('\r\n')
  expect(head).toMatch(/^Name,Product key,Category,Link type,Node type,State,Model version,Devices,Online,/)
  expect(line).toContain(`'@pump,${product.productKey},,mqtt,Device,Published,1,1,0,`)
})
