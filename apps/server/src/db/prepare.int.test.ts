import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../lib/database/database.ts'
import { silentLogger } from '../lib/log.ts'
import { raw } from '../lib/testing/raw.ts'
import { insertTenant } from './fixtures.ts'
import { prepareDatabase } from './prepare.ts'
import { TEST_AUDIT_KEY, temporaryFolder } from './testing.ts'

const folder = temporaryFolder('tw-prepare-')
afterAll(() => folder.remove())
const options = {
  dataDir: join(folder.path, 'data'),
  databaseUrl: null,
  secretKey: 'a'.repeat(64),
  logger: silentLogger,
}

describe('preparing the embedded database', () => {
  it('leaves a migrated database that a second process may attach to without owning it', async () => {
    const owner = await prepareDatabase(options)
    try {
      expect(owner).toMatchObject({
        kind: 'embedded',
        timescale: null,
        applied: expect.arrayContaining(['0001_foundation.sql']),
      })
      expect(owner.version).toMatch(/^18\./)
      const guest = await prepareDatabase({ ...options, attachTo: owner.embedded!.address })
      expect(guest).toMatchObject({ kind: 'embedded', embedded: null, applied: [], access: owner.access })
      await guest.stop()

      const database = openDatabase(JSON.parse(JSON.stringify(owner.access)), () => {}, TEST_AUDIT_KEY)
      const tenant = await database.withSystemScope('seed', scope =>
        insertTenant({ query: (text, params) => raw(scope, text, params) }),
      )
      const { rows } = await database.withTenant({ tenantId: tenant.id }, scope => raw(scope, 'select id from tenants'))
      expect(rows).toEqual([{ id: tenant.id }])
      await database.close()
    } finally {
      await owner.stop()
    }
    expect(owner.embedded?.pids()).toEqual([])
  })
})
