import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { differences } from '../../apps/server/scripts/row-differences.ts'

const root = join(import.meta.dirname, '../..')

// The gate over the statements can fail, and says where.
describe('statements', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tw-statements-'))
    const file = join(folder, 'planted.mts')
    writeFileSync(
      file,
      `import { sql } from '${join(root, 'apps/server/src/lib/sql/statement.ts')}'
export const NO_COLUMN = sql\`select colour from devices where id = $1\`
export const NO_TABLE = sql\`delete from gadgets\`
export const NOBODY_MAY = sql\`select rolpassword from pg_authid\`
export const RIGHT = sql\`select name from devices where id = $1\`
`,
    )
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('names those that the schema does not know and those that no role may run', () => {
    const run = spawnSync(
      process.execPath,
      ['--import', 'tsx', 'apps/server/scripts/check-statements.ts', join(folder, 'planted.mts')],
      { cwd: root, encoding: 'utf8' },
    )
    expect(run.status).toBe(1)
    const lines = run.stdout.trim().split('\n')
    expect(lines.slice(0, -1).map(line => line.replace(/^\S*planted\.mts:/, ''))).toEqual([
      expect.stringMatching(/^2:\d+: column "colour" does not exist/),
      expect.stringMatching(/^3:\d+: relation "gadgets" does not exist/),
      expect.stringMatching(/^4:\d+: no role may run it \(app: permission denied for table pg_authid/),
    ])
    expect(lines.at(-1)).toMatch(/^\d{3,} statements, 3 problems$/)
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
})
