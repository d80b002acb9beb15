import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EmbeddedAddress, embeddedConnection } from './embedded/embedded-postgres.ts'
import { migrate } from './migrate.ts'
import { StartError } from './start-error.ts'
import { spawnChild } from './testing/spawn-child.ts'
import { temporaryFolder, testServerAddress } from './testing.ts'

const top = temporaryFolder('tw-migrate-')
afterAll(() => top.remove())

let at: EmbeddedAddress
let database: string
let folder: string
beforeEach(async () => {
  at = await testServerAddress()
  database = `m_${randomBytes(5).toString('hex')}`
  folder = join(top.path, database)
  mkdirSync(folder)
})
afterEach(() => sql(`drop database if exists ${database} with (force)`, 'postgres'))

const superuser = () => embeddedConnection(at, 'postgres', 'postgres')
const options = () => ({ database, rolePrefix: 'tw', folder })
const write = (name: string, text: string) => writeFileSync(join(folder, name), text)

async function sql(text: string, db = database): Promise<unknown[]> {
  const client = new pg.Client(embeddedConnection(at, 'postgres', db))
  await client.connect()
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

describe('migrating', () => {
  it('makes the database and its schema, and does nothing the second time', async () => {
    const real = { database, rolePrefix: 'tw' }
    expect((await migrate(superuser(), real)).applied).toContain('0001_foundation.sql')
    expect(await migrate(superuser(), real)).toEqual({ applied: [] })
    expect(await sql("select to_regclass('public.devices') is not null")).toEqual([true])
  })

  it('leaves three roles that log in and can look past nothing', async () => {
    await migrate(superuser(), { database, rolePrefix: 'tw' })
    const text = `select rolname, rolcanlogin, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb
                  from pg_roles where rolname like 'tw\\_%' order by 1`
    expect(await sql(text)).toEqual(['tw_app', true, false, 'tw_system', true, false, 'tw_telemetry', true, false])
  })

  it('is done once when two processes start at the same moment', async () => {
    write('0001_slow.sql', 'create table once (n int); select pg_sleep(0.5);')
    const children = [1, 2].map(() => spawnChild('migrate', { superuser: superuser(), ...options() }))
    const results = await Promise.all(children.map(child => child.next<{ applied: string[] }>('migrated')))
    expect(results.map(result => result.applied).sort()).toEqual([[], ['0001_slow.sql']])
    await Promise.all(children.map(child => child.end()))
  })

  it('killed in the middle leaves nothing half done, and the next start completes it', async () => {
    write('0001_first.sql', 'create table first (n int);')
    write('0002_cut.sql', 'create table half (n int); select pg_sleep(30);')
    const child = spawnChild('migrate', { superuser: superuser(), ...options() })
    const sleeping = `select count(*)::int from pg_stat_activity where datname = '${database}' and wait_event = 'PgSleep'`
    await expect.poll(() => sql(sleeping, 'postgres'), { interval: 50 }).toEqual([1])
    child.kill('SIGKILL')
    await child.exited
    expect(await sql("select to_regclass('first') is not null, to_regclass('half') is not null")).toEqual([true, false])
    write('0002_cut.sql', 'create table half (n int);')
    expect(await migrate(superuser(), options())).toEqual({ applied: ['0002_cut.sql'] })
  })

  it('refuses an edited migration, naming it', async () => {
    write('0001_a.sql', 'create table a (n int);')
    await migrate(superuser(), options())
    write('0001_a.sql', 'create table a (n bigint);')
    await expect(migrate(superuser(), options())).rejects.toThrow(/^0001_a\.sql was changed/)
  })

  it('refuses a database that is newer than the program, naming what it does not know', async () => {
    write('0001_a.sql', 'create table a (n int);')
    write('0002_b.sql', 'create table b (n int);')
    await migrate(superuser(), options())
    rmSync(join(folder, '0002_b.sql'))
    await expect(migrate(superuser(), options())).rejects.toThrow(/newer than this program.*0002_b\.sql/)
  })

  it('refuses a new migration that comes before an applied one', async () => {
    write('0002_b.sql', 'create table b (n int);')
    await migrate(superuser(), options())
    write('0001_a.sql', 'create table a (n int);')
    await expect(migrate(superuser(), options())).rejects.toThrow(/^0001_a\.sql comes before 0002_b\.sql/)
  })

  it('undoes a failing migration whole, keeps the ones before it, and says where it failed', async () => {
    write('0001_a.sql', 'create table a (n int);')
    write('0002_bad.sql', 'create table half (n int);\nselect wrong;\n')
    const attempt = migrate(superuser(), options())
    await expect(attempt).rejects.toThrow(StartError)
    await expect(attempt).rejects.toThrow(/0002_bad\.sql failed near line 2/)
    expect(
      await sql("select to_regclass('half') is null, (select string_agg(name, ',') from schema_migrations)"),
    ).toEqual([true, '0001_a.sql'])
  })
})
