import { describe, expect, it } from 'vitest'
import { raw } from '../lib/testing/raw.ts'
import { insertThings } from './fixtures.ts'
import { testDatabase } from './testing.ts'

describe('test databases', () => {
  it('are migrated and empty, and know nothing of each other', async () => {
    const first = await testDatabase()
    const second = await testDatabase()
    await insertThings(first.superuser)
    const count = 'select count(*) from devices'
    expect((await first.superuser.query(count)).rows).toEqual([{ count: 1 }])
    expect((await second.superuser.query(count)).rows).toEqual([{ count: 0 }])
  })

  it('are gone once dropped', async () => {
    const kept = await testDatabase()
    const dropped = await testDatabase()
    await dropped.drop()
    const { rows } = await kept.superuser.query('select datname from pg_database where datname = any($1)', [
      [kept.name, dropped.name],
    ])
    expect(rows).toEqual([{ datname: kept.name }])
  })

  it('give each of the three roles its own connection', async () => {
    const { database, superuser } = await testDatabase()
    const { tenant, device } = await insertThings(superuser)
    const asApp = await database.withTenant({ tenantId: tenant.id }, scope =>
      raw(scope, 'select current_user as who, num from devices'),
    )
    expect(asApp.rows).toEqual([{ who: 'tw_app', num: device.num }])
    const asSystem = await database.withSystemScope('seed', scope => raw(scope, 'select current_user as who'))
    expect(asSystem.rows).toEqual([{ who: 'tw_system' }])
    expect((await database.telemetry.query('select current_user as who')).rows).toEqual([{ who: 'tw_telemetry' }])
  })
})
