import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../lib/database/database.ts'
import { silentLogger } from '../lib/log.ts'
import { raw } from '../lib/testing/raw.ts'
import { type EmbeddedPostgres, embeddedConnection, startEmbeddedPostgres } from './embedded/embedded-postgres.ts'
import { inspectDatabase, parseDatabaseUrl } from './external-database.ts'
import { insertThings } from './fixtures.ts'
import { RolesNeededError, rolePasswords, rolePrefixOf, scramVerifier } from './login-roles.ts'
import { type PreparedDatabase, prepareDatabase } from './prepare.ts'
import { TEST_AUDIT_KEY, temporaryFolder } from './testing.ts'

const folder = temporaryFolder('tw-external-')
const secretKey = 'a'.repeat(64)
let server: EmbeddedPostgres

/** A server of somebody else's: everybody but its administrator must give a password. */
beforeAll(async () => {
  const hba = join(folder.path, 'hba.conf')
  writeFileSync(hba, 'local all postgres trust\nlocal all all scram-sha-256\n')
  const settings = { hba_file: hba, fsync: 'off' }
  server = await startEmbeddedPostgres({
    dataDir: join(folder.path, 'd'),
    logger: silentLogger,
    settings,
    syncNewCluster: false,
  })
})
afterAll(async () => {
  await server.stop()
  folder.remove()
})

async function asAdministrator(text: string, database = 'postgres'): Promise<void> {
  const client = new pg.Client(embeddedConnection(server.address, 'postgres', database))
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

async function customer(name: string, rights: string): Promise<string> {
  await asAdministrator(`create role ${name} login ${rights} password ${"'pass word'"}`)
  await asAdministrator(`create database ${name} owner ${name}`)
  return `postgresql://${name}:pass%20word@localhost/${name}?host=${encodeURIComponent(server.address.socketDir)}`
}

const prepare = (databaseUrl: string, key = secretKey): Promise<PreparedDatabase> =>
  prepareDatabase({ dataDir: folder.path, databaseUrl, secretKey: key, logger: silentLogger })

describe('an external database', () => {
  it('is prepared by an owner who may make roles, and used with derived passwords', async () => {
    const url = await customer('shop', 'createrole')
    const prepared = await prepare(url)
    expect(prepared).toMatchObject({
      kind: 'external',
      timescale: null,
      embedded: null,
      applied: expect.arrayContaining(['0001_foundation.sql']),
    })
    expect(prepared.access.app).toMatchObject({ user: 'shop_app', database: 'shop' })
    const owner = new pg.Pool(prepared.superuser)
    const { tenant, device } = await insertThings(owner)
    await owner.end()
    const database = openDatabase(prepared.access, () => {}, TEST_AUDIT_KEY)
    const { rows } = await database.withTenant({ tenantId: tenant.id }, scope => raw(scope, 'select num from devices'))
    expect(rows).toEqual([{ num: device.num }])
    await database.telemetry.query('select ensure_journal_partition(now())')
    await database.close()
    expect((await prepare(url)).applied).toEqual([])
  })

  it('takes over the roles when the secret key has changed', async () => {
    const url = await customer('moved', 'createrole')
    await prepare(url)
    const { access } = await prepare(url, 'b'.repeat(64))
    const client = new pg.Client(access.app)
    await client.connect()
    await client.end()
    const old = new pg.Client({ ...access.app, password: rolePasswords(secretKey, 'moved').app })
    await expect(old.connect()).rejects.toMatchObject({ code: '28P01' })
  })

  it('whose owner may not make roles gets the SQL to run, after which it starts', async () => {
    const url = await customer('plain', '')
    const refusal = await prepare(url).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(RolesNeededError)
    const { sql, message } = refusal as RolesNeededError
    expect(message).toContain(sql)
    expect(sql).not.toContain(rolePasswords(secretKey, 'plain').app)
    await asAdministrator(sql)
    const prepared = await prepare(url)
    const database = openDatabase(prepared.access, () => {}, TEST_AUDIT_KEY)
    expect((await database.withSystemScope('seed', scope => raw(scope, 'select current_user as who'))).rows).toEqual([
      { who: 'plain_system' },
    ])
    await database.close()
  })

  it('with a role that looks past row-level security is refused', async () => {
    const url = await customer('leaky', 'createrole')
    await asAdministrator('create role leaky_app login superuser')
    await expect(prepare(url)).rejects.toThrow(/leaky_app is a superuser or bypasses/)
  })

  it('that cannot be reached or refuses us is named without its password', async () => {
    const url = await customer('closed', '')
    await expect(prepare(url.replace('pass%20word', 'wrong'))).rejects.toThrow(
      /^DATABASE_URL: cannot connect to closed@.*\/closed: (?!.*wrong)/,
    )
    const nowhere = { ...parseDatabaseUrl(url), host: '/nowhere' }
    await expect(inspectDatabase(nowhere, silentLogger, 0)).rejects.toThrow(/cannot connect to closed@\/nowhere/)
  })
})

describe('names and passwords of the roles', () => {
  it('come from the database’s name, and two names never share them', () => {
    expect(rolePrefixOf('iot')).toBe('iot')
    const cleaned = ['my-iot', 'my.iot', 'My_Iot', 'my_iot', '物联网', '平台', 'x'.repeat(63)].map(rolePrefixOf)
    expect(new Set(cleaned).size).toBe(cleaned.length)
    for (const prefix of cleaned) expect(prefix).toMatch(/^[a-z0-9_]{1,53}$/)
  })

  it('are stored in the form of RFC 5803', () => {
    // Values of RFC 7677 §3: password "pencil", its salt and 4096 rounds.
    expect(scramVerifier('pencil', Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64'))).toBe(
      'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
    )
  })
})
