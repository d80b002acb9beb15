import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const gate = join(root, 'scripts/dead-code.mjs')

/** A small repository of the same shape, with everything that the gate is there to find. */
const TREE: Record<string, unknown> = {
  'package.json': { name: 'planted', private: true, type: 'module', workspaces: ['apps/*'] },
  'knip.json': {
    workspaces: {
      '.': { entry: [], project: [] },
      'apps/server': { entry: ['src/main.ts!'], project: ['src/**/*.ts!', '!src/**/*.test.ts!'] },
    },
  },
  'apps/server/package.json': {
    name: '@planted/server',
    private: true,
    type: 'module',
    dependencies: { pg: '8.23.1', fflate: '0.8.3', 'csv-parse': '7.0.3' },
    devDependencies: { vitest: '4.1.12', ws: '8.18.3' },
  },
  'apps/server/src/main.ts':
    "import pg from 'pg'\nimport { WebSocket } from 'ws'\nimport { used } from './parts.ts'\nused(pg, WebSocket)\n",
  'apps/server/src/parts.ts': 'export const used = (...all: unknown[]) => all\nexport const unused = 1\n',
  'apps/server/src/parts.test.ts':
    "import { unzipSync } from 'fflate'\nimport { it } from 'vitest'\nimport { used } from './parts.ts'\nit('x', () => void used(unzipSync))\n",
  'apps/server/src/orphan.ts': 'export const x = 1\n',
}

// The gate over dead code and packages can fail, and says where.
describe('dead code', () => {
  let folder: string
  let lines: string[]
  let status: number | null
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tw-dead-'))
    for (const [file, text] of Object.entries(TREE)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), typeof text === 'string' ? text : JSON.stringify(text))
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const run = spawnSync(process.execPath, [gate, folder], { encoding: 'utf8' })
    lines = run.stdout.trim().split('\n')
    status = run.status
  }, 120_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each([
    ['a file that nobody imports', 'apps/server/src/orphan.ts: nobody imports it'],
    ['an export that nobody imports', 'apps/server/src/parts.ts: unused is exported and not used'],
    ['a package that nobody uses', 'apps/server/package.json: csv-parse is not used'],
    ['a package of production that only tests use', 'apps/server/package.json: fflate is used by tests only'],
    ['a package of tests that production uses', 'apps/server/src/main.ts: ws is used in production'],
  ])('names %s', (_, line) => expect(lines).toContain(line))

  it('names nothing else', () => {
    expect(lines).toHaveLength(5)
    expect(status).toBe(1)
  })
})
