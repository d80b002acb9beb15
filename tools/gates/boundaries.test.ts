import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** rule → [file, its text]. Each is one import that the rule exists to refuse. */
const PLANTS: Record<string, [string, string]> = {
  'no-cycles': ['apps/server/src/lib/plant-a.ts', "import { b } from './plant-b.ts'\nexport const a = () => b\n"],
  'no-cycles-across-folders': [
    'apps/server/src/lib/lists/plant-d.ts',
    "import type { C } from '../plant-c.ts'\nexport type D = { c?: C }\n",
  ],
  'contracts-are-leaf': [
    'packages/contracts/src/plant.ts',
    "import { newId } from '../../../apps/server/src/lib/ids.ts'\nexport const x = newId\n",
  ],
  'contracts-use-typebox-only': ['packages/contracts/src/plant-npm.ts', "import pg from 'pg'\nexport const x = pg\n"],
  'packages-are-pure': [
    'packages/thing-model/src/plant.ts',
    "import { readFileSync } from 'node:fs'\nexport const x = readFileSync\n",
  ],
  'schedules-know-croner-only': ['packages/schedules/src/plant.ts', "import pg from 'pg'\nexport const x = pg\n"],
  'sdk-knows-no-server': [
    'packages/device-sdk/src/plant.ts',
    "import { newId } from '../../../apps/server/src/lib/ids.ts'\nexport const x = newId\n",
  ],
  'lib-is-bottom': [
    'apps/server/src/lib/plant-up.ts',
    "import { accountState } from '../modules/tenants/index.ts'\nexport const x = accountState\n",
  ],
  'only-app-wires-adapters': [
    'apps/server/src/modules/tenants/plant-adapter.ts',
    "import { createLogSms } from '../../adapters/sms/log/log-sms.ts'\nexport const x = createLogSms\n",
  ],
  'adapters-see-ports-only': [
    'apps/server/src/adapters/sms/log/plant.ts',
    "import { accountState } from '../../../modules/tenants/index.ts'\nexport const x = accountState\n",
  ],
  'adapters-are-strangers': [
    'apps/server/src/adapters/sms/plant/plant.ts',
    "import { createLogSms } from '../log/log-sms.ts'\nexport const x = createLogSms\n",
  ],
  'modules-dont-know-ingest': [
    'apps/server/src/modules/tenants/plant-ingest.ts',
    "import { LANES } from '../../ingest/lanes.port.ts'\nexport const x = LANES\n",
  ],
  'ingest-dont-know-app': [
    'apps/server/src/ingest/plant.ts',
    "import { banner } from '../app/banner.ts'\nexport const x = banner\n",
  ],
  'ingest-points-down:uplink.ts': [
    'apps/server/src/ingest/memory/plant.ts',
    "import type { Presence } from '../presence/presence.ts'\nexport type X = Presence\n",
  ],
  'ingest-points-down:journal': [
    'apps/server/src/ingest/journal/plant.ts',
    "import { createStoreConsumer } from '../consumers/store/store.consumer.ts'\nexport const x = createStoreConsumer\n",
  ],
  'ingest-points-down:stages': [
    'apps/server/src/ingest/stages/plant.ts',
    "import type { SubDevices } from '../gateway/sub-devices.ts'\nexport type X = SubDevices\n",
  ],
  'ingest-points-down:transports': [
    'apps/server/src/ingest/transports/plant.ts',
    "import type { Gateway } from '../gateway/options.ts'\nexport type X = Gateway<never>\n",
  ],
  'ingest-points-down:gateway': [
    'apps/server/src/ingest/gateway/plant.ts',
    "import { createGateway } from '../gateway.ts'\nexport const x = createGateway\n",
  ],
  'ingest-has-no-attic': [
    'apps/server/src/ingest/plant-room/plant.ts',
    "import type { Clock } from '../../lib/clock.ts'\nexport type X = Clock\n",
  ],
  'module-front-door': [
    'apps/server/src/modules/identity/plant-door.ts',
    "import { accountState } from '../tenants/tenants.service.ts'\nexport const x = accountState\n",
  ],
  'ingest-front-door': [
    'apps/server/src/ingest/plant-door.ts',
    "import { accountState } from '../modules/tenants/tenants.service.ts'\nexport const x = accountState\n",
  ],
  'ports-need-nobody': [
    'apps/server/src/modules/tenants/plant.port.ts',
    "import { accountState } from './tenants.service.ts'\nexport const x = accountState\n",
  ],
  'declared-edges:tenants': [
    'apps/server/src/modules/tenants/plant-edge.ts',
    "import { createMenusService } from '../menus/index.ts'\nexport const x = createMenusService\n",
  ],
  'sql-only-in-repos': ['apps/server/src/modules/tenants/plant-sql.ts', "import pg from 'pg'\nexport const x = pg\n"],
  'statements-only-in-repos': [
    'apps/server/src/modules/tenants/plant-statement.ts',
    "import { sql } from '../../lib/sql/statement.ts'\nexport const x = sql`select 1`\n",
  ],
  'only-devices-authorise': [
    'apps/server/src/modules/tenants/plant-brand.ts',
    "import { brandAuthorised } from '../devices/authorised.port.ts'\nexport const x = brandAuthorised([1])\n",
  ],
  'http-only-in-app': [
    'apps/server/src/modules/tenants/plant-http.ts',
    "import fastify from 'fastify'\nexport const x = fastify\n",
  ],
  'features-are-strangers': [
    'apps/web/src/features/plant-one/a.ts',
    "import { b } from '../plant-two/b.ts'\nexport const a = b\n",
  ],
  'web-shared-is-bottom': [
    'apps/web/src/lib/plant.ts',
    "import { b } from '../features/plant-two/b.ts'\nexport const a = b\n",
  ],
  'features-dont-know-app': [
    'apps/web/src/features/plant-one/c.ts',
    "import { x } from '../../app/plant-app.ts'\nexport const a = x\n",
  ],
  'web-never-server': [
    'apps/web/src/lib/plant-server.ts',
    "import { newId } from '../../../server/src/lib/ids.ts'\nexport const x = newId\n",
  ],
  'web-sees-contracts-as-types': [
    'apps/web/src/lib/plant-contract.ts',
    "import { allContracts } from '@thingwright/contracts/all-contracts'\nexport const x = allContracts\n",
  ],
  'words-import-nothing': [
    'packages/contracts/src/plant.words.ts',
    "import { Type } from 'typebox'\nexport const PLANTS = [Type.String()]\n",
  ],
  'web-data-through-its-hooks': [
    'apps/web/src/features/plant-one/read.ts',
    "import { useQuery } from '@tanstack/react-query'\nexport const x = useQuery\n",
  ],
  'pages-without-frame-have-no-cache': [
    'apps/web/src/app/pages/plant.ts',
    "import { useWork } from '../../lib/server-state/use-work.ts'\nexport const x = useWork\n",
  ],
  'no-typebox-in-web': ['apps/web/src/lib/plant-typebox.ts', "import { Type } from 'typebox'\nexport const x = Type\n"],
  'tools-speak-the-wire': [
    'tools/plant.ts',
    "import { newId } from '../apps/server/src/lib/ids.ts'\nexport const x = newId\n",
  ],
  'no-undeclared-npm': ['apps/server/src/lib/plant-npm.ts', "import React from 'react'\nexport const x = React\n"],
  'no-unresolvable': ['apps/server/src/lib/plant-missing.ts', "import { x } from './nowhere.ts'\nexport const y = x\n"],
}
const HELPERS: Record<string, string> = {
  'apps/server/src/lib/plant-c.ts': "import type { D } from './lists/plant-d.ts'\nexport type C = { d: D }\n",
  'apps/server/src/lib/plant-b.ts': "import { a } from './plant-a.ts'\nexport const b = () => a\n",
  'apps/web/src/features/plant-two/b.ts': 'export const b = 1\n',
  'apps/web/src/app/plant-app.ts': 'export const x = 1\n',
}

interface Report {
  summary: { violations: { rule: { name: string }; from: string }[]; totalCruised: number }
}

function cruise(cwd: string): Report {
  const result = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
      '--config',
      '.dependency-cruiser.cjs',
      '--output-type',
      'json',
      'apps',
      'packages',
      'tools',
      'e2e',
    ],
    {
      cwd,
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
    },
  )
  return JSON.parse(result.stdout) as Report
}

describe('architecture rules', () => {
  let copy: string
  let report: Report

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'thingwright-gates-'))
    for (const part of ['apps', 'packages', 'tools', 'e2e']) {
      cpSync(join(root, part), join(copy, part), {
        recursive: true,
        filter: path => !/\/(node_modules|dist|results)(\/|$)/.test(path.slice(root.length)),
      })
    }
    for (const file of ['package.json', 'tsconfig.base.json', '.dependency-cruiser.cjs'])
      cpSync(join(root, file), join(copy, file))
    // Packages of ours must resolve into the copy, all others into the real folder.
    mkdirSync(join(copy, 'node_modules/@thingwright'), { recursive: true })
    for (const name of readdirSync(join(root, 'node_modules'))) {
      if (name !== '@thingwright') symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
    }
    for (const name of readdirSync(join(copy, 'packages'))) {
      symlinkSync(join(copy, 'packages', name), join(copy, 'node_modules/@thingwright', name))
    }
    for (const [file, text] of [...Object.values(PLANTS), ...Object.entries(HELPERS)]) {
      mkdirSync(dirname(join(copy, file)), { recursive: true })
      writeFileSync(join(copy, file), text)
    }
    report = cruise(copy)
  }, 600_000)

  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  it.each(Object.entries(PLANTS))('%s catches its planted violation', (rule, [file]) => {
    expect(report.summary.violations.filter(v => v.rule.name === rule).map(v => v.from)).toContain(file)
  })

  it('has a planted violation for every rule', () => {
    const rules = [...readFileSync(join(root, '.dependency-cruiser.cjs'), 'utf8').matchAll(/rule\(\s*'([^']+)'/g)].map(
      m => m[1],
    )
    expect(rules.filter(rule => !(rule! in PLANTS))).toEqual([])
  })

  it('looks at the modules there are', () => {
    expect(report.summary.totalCruised).toBeGreaterThan(250)
  })
})
