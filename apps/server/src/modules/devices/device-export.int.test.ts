import { buffer, text } from 'node:stream/consumers'
import { readSheet } from 'read-excel-file/node'
import { beforeAll, expect, it } from 'vitest'
import { insertDevice, insertProduct } from '../../db/fixtures.ts'
import { company, type Management, management } from '../../db/testing/management.ts'
import { exportDevices } from './device-export.ts'

let m: Management
beforeAll(async () => {
  m = await management()
})

it('devices are exported under the list’s filters, whole pages and all, without secrets or formulas', async () => {
  const own = await company(m.db)
  const [pumps, lamps] = [await insertProduct(m.db.superuser, own), await insertProduct(m.db.superuser, own)]
  for (let i = 0; i < 3; i++) await insertDevice(m.db.superuser, pumps, { name: `=pump ${i}`, deviceNo: `P-${i}` })
  const { secret } = await insertDevice(m.db.superuser, lamps, { name: 'lamp' })
  const other = await company(m.db)
  await insertDevice(m.db.superuser, await insertProduct(m.db.superuser, other), { name: 'theirs' })
  const ctx = { ...own.ctx, locale: 'en' as const }
  const service = m.devices.service
  const reply = await exportDevices(m.database, service, ctx, { format: 'csv', productId: pumps.id, sort: 'name' })
  const lines = (await text(reply.body)).trimEnd().split('\r\n')
  expect(lines[0]).toMatch(/^Name,Device number,Product,Product key,Product category,/)
  expect(lines.slice(1).map(line => line.split(',').slice(0, 2))).toEqual([
    ["'=pump 0", 'P-0'],
    ["'=pump 1", 'P-1'],
    ["'=pump 2", 'P-2'],
  ])
  const all = await exportDevices(m.database, service, ctx, { format: 'xlsx' })
  const bytes = await buffer(all.body)
  const sheet = (await readSheet(bytes)) as unknown[][]
  expect(sheet).toHaveLength(5)
  expect(JSON.stringify(sheet)).not.toContain(secret)
  expect(sheet[0]).toContain('Created (Asia/Shanghai)')
  const { items } = await m.audit.service.list(own.ctx, { action: 'device.export' })
  expect(items.map(({ after }) => after)).toMatchObject([
    { format: 'xlsx', rows: 4 },
    { format: 'csv', rows: 3, filters: { productId: pumps.id, sort: 'name' } },
  ])
})

it('what a company notes of a device, how long it may be silent and what it runs stand in the file', async () => {
  const own = await company(m.db)
  const product = await m.products.service.create(own.ctx, { name: 'P', linkType: 'mqtt', category: 'water' })
  await m.devices.service.create(own.ctx, {
    name: 'noted',
    productId: product.id,
    offlineDelaySeconds: 90,
    attributes: [
      { name: 'contract', value: 'C-1' },
      { name: 'installer', value: 'Li' },
    ],
  })
  await m.db.superuser.query(
    `insert into device_firmware (device, tenant_id, module, version, reported_at, changed_at)
     select num, tenant_id, 'default', '2.1.0', now(), now() from devices where tenant_id = $1`,
    [own.id],
  )
  const ctx = { ...own.ctx, locale: 'en' as const }
  const { body } = await exportDevices(m.database, m.devices.service, ctx, { format: 'xlsx' })
  const [head, line] = (await readSheet(await buffer(body))) as unknown[][]
  const cell = (title: string) => line![head!.indexOf(title)]
  expect([cell('Custom attributes'), cell('Offline delay (s)')]).toEqual(['contract: C-1\ninstaller: Li', 90])
  expect([cell('Product category'), cell('Firmware version')]).toEqual(['water', '2.1.0'])
})

it('more than a page of devices comes once each', async () => {
  const own = await company(m.db)
  const product = await insertProduct(m.db.superuser, own)
  await m.db.superuser.query(
    `insert into devices (id, tenant_id, product_id, product_num, device_no, name, secret_hash, secret_cipher)
     select gen_random_uuid(), $1, $2, $3, 'd' || n, 'd' || n, '', '' from generate_series(1, 2500) n`,
    [own.id, product.id, product.num],
  )
  const reply = await exportDevices(m.database, m.devices.service, own.ctx, { format: 'csv' })
  const lines = (await text(reply.body)).trimEnd().split('\r\n').slice(1)
  expect(new Set(lines.map(line => line.split(',')[1])).size).toBe(2500)
})
