import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { insertDevice, insertProduct, insertTenant, insertThings } from '../../db/fixtures.ts'
import { TEST_AUDIT_KEY, type TestDatabase, testDatabase } from '../../db/testing.ts'
import { newId } from '../ids.ts'
import { createNews } from '../news.ts'
import { Statement } from '../sql/statement.ts'
import { raw } from '../testing/raw.ts'
import { openDatabase } from './database.ts'
import { isConnectionLost } from './database-errors.ts'

let test: TestDatabase
let mine: Awaited<ReturnType<typeof insertThings>>
let theirs: Awaited<ReturnType<typeof insertThings>>
beforeAll(async () => {
  test = await testDatabase()
  mine = await insertThings(test.superuser)
  theirs = await insertThings(test.superuser)
})

const REFUSED = { code: '42501' }
const countDevices = 'select count(*)::int as n from devices'

describe('a read in one round trip', () => {
  const read = {
    name: 'test_devices_named',
    types: ['text[]', 'int', 'text'],
    statement: new Statement<{ name: string; said: string | null }>(
      'select name, $3 as said from devices where name = any ($1) and num > $2',
    ),
  }
  const ask = (tenantId: string, names: string[], said: string | null = null) =>
    test.database.read({ tenantId }, read, [names, 0, said])

  it('sees exactly its tenant, prepared or prepared before', async () => {
    const { rows } = await test.superuser.query('select name from devices where num = $1', [mine.device.num])
    const { name } = rows[0]
    for (let i = 0; i < 3; i++) {
      expect(await ask(mine.tenant.id, [name])).toEqual([{ name, said: null }])
      expect(await ask(newId(), [name])).toEqual([])
    }
  })

  it('carries awkward texts as they are: quotes, backslashes, braces, commas, line ends, dollars', async () => {
    const { rows } = await test.superuser.query('select name from devices where num = $1', [mine.device.num])
    for (const said of [`'; drop table devices; --`, `\\'`, `{"a",b}`, '$1 $$', 'a\nb', '', 'E\\047'])
      expect(await ask(mine.tenant.id, [rows[0].name, said], said)).toEqual([{ name: rows[0].name, said }])
    await expect(ask(mine.tenant.id, ['a\u0000b'])).rejects.toBeDefined()
  })

  it('leaves nothing behind when it fails, and changes nothing', async () => {
    const broken = { name: 'test_divided', types: ['int'], statement: new Statement('select 1 / $1 as n') }
    await expect(test.database.read({ tenantId: mine.tenant.id }, broken, [0])).rejects.toMatchObject({ code: '22012' })
    expect(await test.database.read({ tenantId: mine.tenant.id }, broken, [1])).toEqual([{ n: 1 }])
    const writing = { name: 'test_writing', types: [], statement: new Statement(`update devices set name = 'x'`) }
    await expect(test.database.read({ tenantId: mine.tenant.id }, writing, [])).rejects.toMatchObject({ code: '25006' })
    await expect(test.database.read({ tenantId: 'x' }, broken, [1])).rejects.toThrow(/UUID/)
  })
})

describe('the role app', () => {
  it('sees nothing without a tenant', async () => {
    const pool = new pg.Pool({ ...test.access.app, max: 1 })
    for (const table of ['tenants', 'logins', 'products', 'product_properties', 'devices', 'commands', 'audit_logs']) {
      expect((await pool.query(`select 1 from ${table}`)).rowCount, table).toBe(0)
    }
    await pool.end()
  })

  it('sees exactly its tenant', async () => {
    const { rows } = await test.database.withTenant({ tenantId: mine.tenant.id }, scope =>
      raw(
        scope,
        'select d.num, p.num as product, (select count(*)::int from product_properties) as properties from devices d join products p on p.id = d.product_id',
      ),
    )
    const properties = Object.keys(mine.product.properties).length
    expect(rows).toEqual([{ num: mine.device.num, product: mine.product.num, properties }])
  })

  it('cannot write into another tenant, change its rows, or move its own there', async () => {
    const asMe = (sql: string, params: unknown[]) =>
      test.database.withTenant({ tenantId: mine.tenant.id }, scope => raw(scope, sql, params))
    const group = "insert into groups (id, tenant_id, kind, name) values ($1, $2, 'device', 'x')"
    await expect(asMe(group, [newId(), theirs.tenant.id])).rejects.toMatchObject(REFUSED)
    await expect(asMe('update devices set tenant_id = $1', [theirs.tenant.id])).rejects.toMatchObject(REFUSED)
    const touched = await asMe("update devices set name = 'x' where id = $1", [theirs.device.id])
    expect(touched.rowCount).toBe(0)
  })

  it('keeps no tenant on a pooled connection, neither after a commit nor after a rollback', async () => {
    const access = { ...test.access, app: { ...test.access.app, max: 1 } }
    const database = openDatabase(access, () => {}, TEST_AUDIT_KEY)
    const other = new pg.Pool({ ...test.access.app, max: 1 })
    const backend = await database.withTenant({ tenantId: mine.tenant.id }, async scope => {
      expect((await raw(scope, countDevices)).rows).toEqual([{ n: 1 }])
      return (await raw(scope, 'select pg_backend_pid() as pid')).rows[0]
    })
    const failed = database.withTenant({ tenantId: mine.tenant.id }, scope => raw(scope, 'select 1/0'))
    await expect(failed).rejects.toMatchObject({ code: '22012' })
    const stranger = await insertTenant(test.superuser)
    const next = await database.withTenant({ tenantId: stranger.id }, async scope => [
      (await raw(scope, 'select pg_backend_pid() as pid')).rows[0],
      (await raw(scope, countDevices)).rows[0],
    ])
    expect(next).toEqual([backend, { n: 0 }])
    // The same on a bare connection: after a transaction with a tenant the setting is '' and must not be an error.
    const client = await other.connect()
    await client.query(`begin; select set_config('app.tenant_id', '${mine.tenant.id}', true)`)
    expect((await client.query(countDevices)).rows).toEqual([{ n: 1 }])
    await client.query('commit')
    expect((await client.query(countDevices)).rows).toEqual([{ n: 0 }])
    client.release()
    await Promise.all([other.end(), database.close()])
  })

  it('has no right on the device path’s tables nor on the installation’s', async () => {
    const tables = [
      'journal',
      'latest',
      'telemetry',
      'device_sessions',
      'refused_frames',
      'device_events',
      'device_stats',
    ]
    for (const table of [...tables, 'installation_settings', 'idempotency_keys', 'sms_codes', 'schema_migrations']) {
      const attempt = test.database.withTenant({ tenantId: mine.tenant.id }, scope =>
        raw(scope, `select 1 from ${table}`),
      )
      await expect(attempt, table).rejects.toMatchObject(REFUSED)
    }
  })

  it('cannot make tables or drop partitions', async () => {
    for (const sql of ['create table public.mine (n int)', "select drop_journal_partition('journal_2026010100')"]) {
      const attempt = test.database.withTenant({ tenantId: mine.tenant.id }, scope => raw(scope, sql))
      await expect(attempt, sql).rejects.toMatchObject(REFUSED)
    }
  })

  it('meets a policy on every table it may read', async () => {
    const { rows } = await test.superuser.query(`
      select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and has_table_privilege('tw_app', oid, 'select, insert, update, delete') and not relrowsecurity`)
    expect(rows).toEqual([])
  })
})

describe('the other roles', () => {
  it('system sees every tenant, but nothing of the journal', async () => {
    const { rows } = await test.database.withSystemScope('seed', scope => raw(scope, countDevices))
    expect(rows).toEqual([{ n: 2 }])
    const attempt = test.database.withSystemScope('seed', scope => raw(scope, 'select 1 from journal'))
    await expect(attempt).rejects.toMatchObject(REFUSED)
  })

  it('telemetry writes the journal and activates a device, but changes nothing else of it', async () => {
    const { telemetry } = test.database
    await telemetry.query('select ensure_journal_partition(now()), ensure_telemetry_partition($1)', [
      Math.floor(Date.now() / 3_600_000),
    ])
    await telemetry.query(
      "insert into journal (lane, seq, arrived_at, device, kind, ts, values) values (0, 1, now(), $1, 1, 0, '{}')",
      [mine.device.num],
    )
    await telemetry.query("update devices set lifecycle = 'active', activated_at = now() where num = $1", [
      mine.device.num,
    ])
    await expect(telemetry.query("update devices set name = 'x'")).rejects.toMatchObject(REFUSED)
    await expect(telemetry.query('select 1 from logins')).rejects.toMatchObject(REFUSED)
  })
})

describe('a transaction', () => {
  it('runs its effects after the commit, never after a rollback, and an effect that fails does not fail it', async () => {
    const seen: string[] = []
    const database = openDatabase(test.access, error => seen.push(error.message), TEST_AUDIT_KEY)
    const done = await database.withSystemScope('seed', async scope => {
      scope.afterCommit(() => {
        throw new Error('effect failed')
      })
      scope.afterCommit(() => seen.push('second'))
      seen.push('work')
      return 'result'
    })
    expect(done).toBe('result')
    const failed = database.withSystemScope('seed', async scope => {
      scope.afterCommit(() => seen.push('never'))
      await raw(scope, 'select 1/0')
    })
    await expect(failed).rejects.toThrow()
    expect(seen).toEqual(['work', 'effect failed', 'second'])
    await database.close()
  })

  it('tells its news after the commit, never after a rollback, and those of its own database alone', async () => {
    const heard: string[] = []
    const news = createNews(error => heard.push(error.message))
    const database = test.database.telling(news)
    news.hear({ 'company.changed': ({ tenantId }) => heard.push(tenantId) })
    await database.withTenant({ tenantId: mine.tenant.id }, async scope => {
      scope.tell('company.changed', { tenantId: 'mine' })
      heard.push('work')
    })
    await database.withSystemScope('seed', async scope => scope.tell('company.changed', { tenantId: 'system' }))
    const failed = database.withTenant({ tenantId: mine.tenant.id }, async scope => {
      scope.tell('company.changed', { tenantId: 'never' })
      await raw(scope, 'select 1/0')
    })
    await expect(failed).rejects.toThrow()
    await test.database.withSystemScope('seed', async scope => scope.tell('company.changed', { tenantId: 'elsewhere' }))
    expect(heard).toEqual(['work', 'mine', 'system'])
  })

  it('whose connection is lost fails as such, and the next one works', async () => {
    const lost = test.database.withTenant({ tenantId: mine.tenant.id }, async scope => {
      const { rows } = await raw(scope, 'select pg_backend_pid() as pid')
      await test.superuser.query('select pg_terminate_backend($1)', [rows[0]!.pid])
      // While no query runs the loss reaches nobody but the connection's own listener.
      await new Promise(resolve => setImmediate(resolve))
      await raw(scope, 'select 1')
    })
    expect(isConnectionLost(await lost.catch((error: unknown) => error))).toBe(true)
    const { rows } = await test.database.withTenant({ tenantId: mine.tenant.id }, scope => raw(scope, countDevices))
    expect(rows).toEqual([{ n: 1 }])
  })

  it('refuses a tenant id that is no UUID before anything is sent', async () => {
    const attempt = test.database.withTenant({ tenantId: "'; drop table devices; --" }, async () => {})
    await expect(attempt).rejects.toThrow(/UUID/)
  })
})

describe('fixtures', () => {
  it('may be asked for more of the same', async () => {
    const product = await insertProduct(test.superuser, await insertTenant(test.superuser))
    const devices = [await insertDevice(test.superuser, product), await insertDevice(test.superuser, product)]
    expect(new Set(devices.map(device => device.num)).size).toBe(2)
  })
})
