import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertDevice, insertProduct } from '../db/fixtures.ts'
import { seedCompany } from '../db/seeds/minimal/minimal.seed.ts'
import { fillTenant, tenantTables } from '../db/testing/fill-tenant.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { raw } from '../lib/testing/raw.ts'
import type { Container } from './container.ts'
import { testContainer } from './testing/test-app.ts'

/** Kept by rule: the operation log with its proof and consents (retention by law), and that the company was closed. */
const KEPT = [
  'audit_chain',
  'audit_checkpoints',
  'audit_epochs',
  'audit_heads',
  'audit_logs',
  'audit_pending',
  'company_closings',
  'consents',
]
const FILES = ['media/:id/picture', 'media/:id/picture-thumb', 'tasks/:id/export-1', 'company/:id/licence/scan']

describe('a closed company whose day has come', () => {
  let db: TestDatabase
  let container: Container
  let closed: string
  let other: string
  let devices: number[]

  beforeAll(async () => {
    db = await testDatabase()
    container = testContainer(db)
    closed = await companyWithEverything('closed')
    other = await companyWithEverything('other')
    devices = await deviceNums(closed)
    for (const device of devices)
      for (const row of [
        `latest (device, values) values ($1, '{}')`,
        'device_stats (device, hour) values ($1, 1)',
        `device_events (device, ts, lane, seq, identifier, level, params) values ($1, 1, 1, 1, 'e', 'info', '{}')`,
        `device_connections (device, at, seq, kind) values ($1, now(), 1, 'online')`,
      ])
        await db.superuser.query(`insert into ${row}`, [device])
    await db.superuser.query(
      `update company_closings set requested_at = now() - interval '9 days', due_at = now() - interval '2 days',
         frozen_at = case when tenant_id = $1 then now() - interval '25 hours' else now() end, purged_at = null`,
      [closed],
    )
  })
  afterAll(() => db.drop())

  /** Real rows that hold each other, then one row in every table that names a company, and files of every kind. */
  async function companyWithEverything(name: string): Promise<string> {
    const tenantId = await db.database.withSystemScope('seed', scope =>
      seedCompany(scope, { name, owner: { username: name, passwordHash: '', displayName: '', kind: 'member' } }),
    )
    const product = await insertProduct(db.superuser, { id: tenantId })
    await insertDevice(db.superuser, product)
    await fillTenant(db.superuser, tenantId)
    for (const key of FILES)
      await container.objectStore.put(key.replace(':id', tenantId), Buffer.from('x'), { contentType: 'text/plain' })
    return tenantId
  }
  const deviceNums = async (tenantId: string): Promise<number[]> =>
    (await db.superuser.query('select num from devices where tenant_id = $1', [tenantId])).rows.map(row => row.num)

  async function counts(tenantId: string): Promise<Record<string, number>> {
    const found: Record<string, number> = {}
    for (const { name } of await tenantTables(db.superuser)) {
      const { rows } = await db.superuser.query(`select count(*)::int as n from ${name} where tenant_id = $1`, [
        tenantId,
      ])
      if (rows[0].n > 0) found[name] = rows[0].n
    }
    return found
  }
  async function files(): Promise<string[]> {
    const keys: string[] = []
    for await (const { key } of container.objectStore.list('')) keys.push(key)
    return keys.toSorted()
  }

  it('leaves no row in any table that names a company but what the law keeps, no file and no telemetry', async () => {
    const before = await counts(closed)
    // Its made-up device in the queue is nobody's and goes with the queue.
    const { device_purges: _, ...bystander } = await counts(other)
    expect(Object.keys(before)).toEqual((await tenantTables(db.superuser)).map(table => table.name))
    expect(devices.length).toBeGreaterThan(1)

    // The object store is away while the rows go: the files are removed by a later sweep.
    const { remove } = container.objectStore
    container.objectStore.remove = () => Promise.reject(new Error('store away'))
    await container.security.sweep()
    expect(await files()).toContain(FILES[0]!.replace(':id', closed))
    container.objectStore.remove = remove
    await container.security.sweep()

    const after = await counts(closed)
    expect(Object.keys(after)).toEqual(KEPT.filter(table => before[table]))
    expect(after.audit_logs).toBe(before.audit_logs! + 1)
    expect(await counts(other)).toEqual(bystander)
    expect(await files()).toEqual(FILES.map(key => key.replace(':id', other)).toSorted())
  })

  it('is the only one whose tables the installation can empty in one go, and never the operation log', async () => {
    const attempt = (table: string, tenantId: string) =>
      db.database
        .withSystemScope('maintenance', scope => raw(scope, 'select purge_company_table($1, $2)', [table, tenantId]))
        .then(
          () => 'done',
          (error: { code?: string }) => error.code,
        )
    // Closed already, and frozen so that it may be deleted.
    expect(await attempt('groups', closed)).toBe('42501')
    expect(await attempt('audit_logs', other)).toBe('42501')
    expect(await attempt('consents', other)).toBe('42501')
    await db.superuser.query('update company_closings set frozen_at = null where tenant_id = $1', [other])
    expect(await attempt('groups', other)).toBe('42501')
  })

  it('leaves nothing that hangs on a device or a person without naming the company', async () => {
    const { rows: tables } = await db.superuser.query<{ name: string; key: string }>(
      `select c.relname as name, a.attname as key from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and a.attname in ('device', 'login_id') and not a.attisdropped
         and not exists (select 1 from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id')`,
    )
    expect(tables.length).toBeGreaterThan(3)
    for (const { name, key } of tables) {
      const { rows } = await db.superuser.query(
        key === 'device'
          ? `select count(*)::int as n from ${name} where device = any ($1)`
          : `select count(*)::int as n from ${name} where login_id is not null and login_id not in (select id from logins) and $1::bigint[] is not null`,
        [devices],
      )
      expect(rows[0].n, name).toBe(0)
    }
  })
})
