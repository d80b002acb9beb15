import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrationsFolder, readMigrations, withRoles } from './migration-files.ts'

const roles = { app: 'tw_app', system: 'tw_system', telemetry: 'odd"name' }

describe('placeholders of roles', () => {
  it('become quoted names', () => {
    expect(withRoles('grant select on t to :app, :system,:telemetry;', roles)).toBe(
      'grant select on t to "tw_app", "tw_system","odd""name";',
    )
  })

  it('are not casts, slices or longer words', () => {
    const sql = "select a::app, b ::system, c[1:app], :apple, 'x:app', d::uuid"
    expect(withRoles(sql, roles)).toBe(sql)
  })
})

describe('the folder of migrations', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'tw-migrations-'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  it('is found beside the bundle and beside its chunks', () => {
    mkdirSync(join(dir, 'migrations'))
    mkdirSync(join(dir, 'chunks'))
    expect(migrationsFolder(dir)).toBe(join(dir, 'migrations'))
    expect(migrationsFolder(join(dir, 'chunks'))).toBe(join(dir, 'migrations'))
    expect(() => migrationsFolder(join(dir, 'chunks', 'deeper'))).toThrow(/migrations is missing/)
  })

  it('is read in the order of numbers, and its checksums do not depend on line ends', () => {
    writeFileSync(join(dir, '0002_b.sql'), 'select 1;\r\nselect 2;\r\n')
    writeFileSync(join(dir, '0001_a.sql'), 'select 1;\nselect 2;\n')
    const [first, second] = readMigrations(dir)
    expect([first?.name, second?.name]).toEqual(['0001_a.sql', '0002_b.sql'])
    expect(second?.sha256).toBe(first?.sha256)
  })

  it('refuses a name out of order and a number given twice', () => {
    writeFileSync(join(dir, '0001_a.sql'), '')
    writeFileSync(join(dir, '0001_b.sql'), '')
    expect(() => readMigrations(dir)).toThrow(/0001_b\.sql/)
    rmSync(join(dir, '0001_b.sql'))
    writeFileSync(join(dir, 'fix.sql'), '')
    expect(() => readMigrations(dir)).toThrow(/fix\.sql/)
  })
})
