import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { differences } from '../../apps/server/scripts/row-differences.ts'
import { changedPlans } from '../../apps/server/scripts/statement-plans.ts'
import { changedReaders, ownershipProblems, readersOf } from '../../apps/server/scripts/table-owners.ts'

const root = join(import.meta.dirname, '../..')

// The gate over the statements can fail, and says where.
describe('statements', () => {
  let folder: string
  let file: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tw-statements-'))
    const module = join(folder, 'modules/planted')
    mkdirSync(module, { recursive: true })
    file = join(module, 'planted.mts')
    writeFileSync(
      file,
      `import { sql } from '${join(root, 'apps/server/src/lib/sql/statement.ts')}'
import { groupDirectory } from '${join(root, 'apps/server/src/modules/groups/groups.views.ts')}'
export const NO_COLUMN = sql\`select colour from devices where id = $1\`
export const NO_TABLE = sql\`delete from gadgets\`
export const NOBODY_MAY = sql\`select rolpassword from pg_authid\`
export const READS = sql\`select name from devices where id = $1\`
export const READS_BELOW = sql\`with g as (select 1 as id) select (select max(num) from products where id = $1) from g\`
export const WRITES = sql\`with gone as (delete from media where id = $1 returning id) select id from gone\`
export const THROUGH_THE_OWNER = sql\`select g.name from \${groupDirectory} g where g.id = $1\`
export const HOT = sql\`select now() as now\`.named('planted-hot')
export const RIGHT = sql\`select now() as now\`
`,
    )
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('names those that the schema does not know, that no role may run, that use tables of others', () => {
    const run = spawnSync(process.execPath, ['--import', 'tsx', 'apps/server/scripts/check-statements.ts', file], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(run.status).toBe(1)
    const lines = run.stdout.trim().split('\n')
    expect(lines.slice(0, -1).map(line => line.replace(/^\S*planted\.mts:/, ''))).toEqual([
      expect.stringMatching(/^3:\d+: column "colour" does not exist/),
      expect.stringMatching(/^4:\d+: relation "gadgets" does not exist/),
      expect.stringMatching(/^5:\d+: no role may run it \(app: permission denied for table pg_authid/),
      expect.stringMatching(/^planted-hot: its plan is another one than in hot-plans\.txt/),
      '# planted-hot',
      'Result',
      expect.stringMatching(/^8:\d+: writes media, which media owns$/),
      expect.stringMatching(/^table-readers\.txt: now devices of devices: .*\bplanted\b/),
      expect.stringMatching(/^table-readers\.txt: now products of products: .*\bplanted\b/),
    ])
    expect(lines.at(-1)).toMatch(/^\d{3,} statements, 7 problems$/)
  })

  it.each<[string, [string, string[]][], number, boolean, string[]]>([
    ['the same', [['x', ['string']]], 25, false, []],
    ['one of some texts', [['x', ['string', 'null']]], 1043, true, []],
    ['another type', [['x', ['string']]], 23, false, ['column "x" is number, the type says string']],
    [
      'numeric, which the driver leaves a text',
      [['x', ['number']]],
      1700,
      false,
      ['column "x" is string, the type says number'],
    ],
    ['a list', [['x', ['string']]], 1009, false, ['column "x" is array, the type says string']],
    ['JSON, which may be anything', [['x', ['object']]], 3802, false, []],
    ['null that the type forgets', [['x', ['Date']]], 1184, true, ['column "x" can be null']],
    [
      'no such column',
      [
        ['x', ['string']],
        ['y', ['string']],
      ],
      25,
      false,
      ['no column "y"'],
    ],
    [
      'a column that need not be there',
      [
        ['x', ['string']],
        ['y', ['string', 'undefined']],
      ],
      25,
      false,
      [],
    ],
    ['a column too many', [], 25, false, ['column "x" is not in the row\'s type']],
  ])('compares rows: %s', (_, row, dataTypeID, canBeNull, expected) => {
    expect(differences(row, [{ name: 'x', dataTypeID, tableID: 0, columnID: 0 }], () => canBeNull)).toEqual(expected)
  })

  it('knows which role runs a statement by the scope that it is given to', () => {
    const project = join(folder, 'project')
    mkdirSync(join(project, 'src'), { recursive: true })
    writeFileSync(
      join(project, 'tsconfig.json'),
      '{ "compilerOptions": { "strict": true, "module": "nodenext", "allowImportingTsExtensions": true, "noEmit": true }, "include": ["src"] }',
    )
    writeFileSync(
      join(project, 'src/scopes.ts'),
      ['Tenant', 'System'].map(of => `export interface ${of}Scope { run(statement: object): void }\n`).join(''),
    )
    writeFileSync(
      join(project, 'src/x.repo.ts'),
      `// as lib/sql/statement.ts
declare function sql<Row>(text: TemplateStringsArray): { row: Row; held: { row: Row } }
import type { SystemScope, TenantScope } from './scopes.ts'
type Scope = Pick<SystemScope, 'run'>
type Either = Pick<SystemScope | TenantScope, 'run'>
const OWN = sql<{ a: string }>\`select 1\`
const ALL = sql<{ a: string }>\`select 2\`
const BOTH = sql<{ a: string }>\`select 3\`
const ANY = sql<{ a: string }>\`select 4\`
export const own = (scope: TenantScope) => scope.run(OWN.held)
export const all = (scope: Scope) => scope.run(ALL)
export const both = (scope: TenantScope, system: SystemScope) => [scope.run(BOTH), system.run(BOTH)]
export const any = (scope: Either) => scope.run(ANY)
`,
    )
    const run = spawnSync(process.execPath, [join(root, 'scripts/statement-rows.mjs'), project], { encoding: 'utf8' })
    expect(JSON.parse(run.stdout).roles).toEqual({
      'x.repo.ts:6': ['app'],
      'x.repo.ts:7': ['system'],
      'x.repo.ts:8': ['app', 'system'],
    })
  })

  it('tells when a hot statement is planned in another way', () => {
    const kept =
      '# a\nIndex Scan things by things_pkey\n\n# b\nLimit\n  Index Scan things by things_at_idx\n\n# gone\nResult\n'
    const now = '# a\nIndex Scan things by things_pkey\n\n# b\nLimit\n  Seq Scan things\n\n# new\nResult\n'
    expect(changedPlans(kept, kept)).toEqual([])
    expect(changedPlans(kept, now)).toEqual([
      expect.stringMatching(/^b: its plan is another one[^\n]*\n# b\nLimit\n {2}Seq Scan things$/),
      expect.stringMatching(/^gone: [^\n]*\n\(gone\)$/),
      expect.stringMatching(/^new: [^\n]*\n# new\nResult$/),
    ])
  })

  it('holds the list of owners against what is so', () => {
    const use = (table: string, area: string, writes = false) => ({
      table,
      area,
      writes,
      at: 0,
      place: `modules/${area}/x.ts:1`,
    })
    const owners = {
      whole: { 'modules/whole/': 'why', 'modules/nobody/': 'why' },
      tables: {
        a: { owner: 'a', writers: { d: 'why', e: 'why' } },
        gone: { owner: 'a' },
      },
    }
    const uses = [use('a', 'a', true), use('a', 'b'), use('a', 'd', true), use('a', 'whole', true), use('a', 'd')]
    expect(ownershipProblems(uses, owners, ['a', 'new'])).toEqual([
      'new: has no owner in table-owners.json',
      'a: e is declared and does not write it',
      'gone: stands in table-owners.json and is no table',
      'modules/nobody/: needs no exemption',
    ])
    const now = readersOf(uses, owners)
    expect(now).toBe('a of a: b, d\n')
    expect(changedReaders(now, now)).toEqual([])
    expect(changedReaders('a of a: b\nold of a: c\n', now).map(line => line.split(': see')[0])).toEqual([
      'table-readers.txt: now a of a: b, d',
      'table-readers.txt: nobody now, was old of a: c',
    ])
  })
})
