import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { newClient, openPool } from '../lib/database/pool.ts'
import { parseDatabaseUrl } from './external-database.ts'
import { StartError } from './start-error.ts'

const folder = mkdtempSync(join(tmpdir(), 'tw-url-'))
for (const name of ['ca', 'cert', 'key']) writeFileSync(join(folder, name), `pem of ${name}`)
afterAll(() => rmSync(folder, { recursive: true }))

const url = (query: string) => `postgresql://owner:word@db.example:5433/iot${query}`

describe('a database URL', () => {
  it.each([
    ['p@ss:w/rd?#[]', encodeURIComponent('p@ss:w/rd?#[]')],
    ['50%', '50%25'],
    ['密码 und Ünïcode', encodeURIComponent('密码 und Ünïcode')],
    ["quote' and \\ and +", `${encodeURIComponent("quote' and \\ and ")}+`],
  ])('is read with the password %s', (password, written) => {
    expect(parseDatabaseUrl(`postgresql://owner:${written}@db/iot`).password).toBe(password)
  })

  it.each(['my#db', 'a/b', 'what?', 'a@b', 'two words', '平台'])('is read with the database name %s', name => {
    expect(parseDatabaseUrl(`postgresql://owner:word@db/${encodeURIComponent(name)}`).database).toBe(name)
  })

  it.each([
    ['', false],
    ['?sslmode=disable', false],
    ['?sslmode=prefer', { rejectUnauthorized: false }],
    ['?sslmode=require', { rejectUnauthorized: false }],
    ['?sslmode=no-verify', { rejectUnauthorized: false }],
    ['?sslmode=verify-ca', {}],
    ['?sslmode=verify-full', {}],
    ['?ssl=true', {}],
    [`?sslmode=require&sslrootcert=${join(folder, 'ca')}`, { ca: 'pem of ca' }],
    [`?sslmode=verify-full&sslrootcert=${join(folder, 'ca')}`, { ca: 'pem of ca' }],
  ])('%s asks of the server’s certificate: %j', (query, expected) => {
    expect(parseDatabaseUrl(url(query)).ssl).toEqual(expected)
  })

  it('that cannot be used is refused in one line without the password', () => {
    for (const query of ['?sslmode=sometimes', '?sslmode=verify-full&sslrootcert=/nowhere/ca.pem']) {
      const attempt = () => parseDatabaseUrl(url(query))
      expect(attempt).toThrow(StartError)
      expect(attempt).toThrow(/^DATABASE_URL: (?!.*word).*$/)
    }
  })

  it('keeps its password and its TLS key when it travels, also after connections were made of it', async () => {
    const files = `&sslcert=${join(folder, 'cert')}&sslkey=${join(folder, 'key')}`
    const connection = parseDatabaseUrl(url(`?sslmode=require${files}`))
    const pool = openPool(connection, () => {})
    newClient(connection)
    // Two ways of copying: a spread, and what a channel between processes does.
    const travelled = structuredClone({ ...connection, ssl: { ...(connection.ssl as object) } })
    expect(travelled).toMatchObject({ password: 'word', ssl: { cert: 'pem of cert', key: 'pem of key' } })
    expect(structuredClone(connection)).toMatchObject({ password: 'word', ssl: { key: 'pem of key' } })
    await pool.end()
  })
})
