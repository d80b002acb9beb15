import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { insertTenant } from '../db/fixtures.ts'
import { TEST_SECRET_KEY, testDatabase } from '../db/testing.ts'
import { recordAudit } from '../lib/audit.ts'
import { systemContext } from '../lib/context.ts'
import { auditSeal, readAsCompany, verifyCompany } from '../modules/audit/index.ts'
import { logHasAnotherKey, openWithLog } from './sealed-log.ts'

describe('a process that writes the operation log', () => {
  it('marks what an earlier version wrote before it adds a line, whether it is the server or a command', async () => {
    const db = await testDatabase()
    const tenantId = (await insertTenant(db.superuser)).id
    await db.superuser.query(
      `insert into audit_logs (id, tenant_id, actor_kind, actor_name, action, object_type)
       values (gen_random_uuid(), $1, 'member', 'li.na', 'device.create', 'device')`,
      [tenantId],
    )
    // A command comes first, the server after it; a third process has another key.
    for (const name of ['a command', 'the server']) {
      const database = await openWithLog(db.access, () => {}, TEST_SECRET_KEY)
      const ctx = systemContext(tenantId, name)
      await database.withTenant(ctx, scope => recordAudit(scope, ctx, { action: 'thing.change', objectType: 'thing' }))
      expect(await logHasAnotherKey(database, TEST_SECRET_KEY)).toBe(false)
      const found = await verifyCompany(readAsCompany(database, tenantId), auditSeal(TEST_SECRET_KEY), tenantId)
      expect(found).toMatchObject({ ok: true, earlier: 1 })
      await database.close()
    }
    const other = await openWithLog(db.access, () => {}, 'another one')
    expect(await logHasAnotherKey(other, 'another one')).toBe(true)
    await other.close()
    await db.drop()
  })

  it('opens the database here and nowhere else, so that it has the key', () => {
    const root = join(import.meta.dirname, '..')
    const openers = readdirSync(root, { encoding: 'utf8', recursive: true }).filter(
      path =>
        path.endsWith('.ts') &&
        !/\.test\.ts$|(^|\/)testing(\/|\.ts$)/.test(path) &&
        readFileSync(join(root, path), 'utf8').includes('openDatabase('),
    )
    expect(openers.toSorted()).toEqual(['app/sealed-log.ts', 'lib/database/database.ts'])
  })
})
