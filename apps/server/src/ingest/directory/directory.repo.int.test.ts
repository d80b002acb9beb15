import { beforeAll, describe, expect, it } from 'vitest'
import { insertDevice, insertProduct, insertTenant } from '../../db/fixtures.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { takesData } from '../../modules/tenants/index.ts'
import { directoryQueries } from './directory.repo.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})

describe('what the device path knows of a device', () => {
  it.each(['inactive', 'frozen', 'expired', 'trial', 'active', 'grace'] as const)(
    'says whether its company’s state lets it in: %s',
    async status => {
      const device = await insertDevice(
        db.superuser,
        await insertProduct(db.superuser, await insertTenant(db.superuser, { status })),
      )
      const queries = directoryQueries(db.database.telemetry)
      const [byNumber] = await queries.byNumber([{ productKey: device.product.productKey, deviceNo: device.deviceNo }])
      const [byNum] = await queries.byNum([device.num])
      expect([byNumber!.company_open, byNum!.company_open]).toEqual([takesData(status), takesData(status)])
    },
  )
})
