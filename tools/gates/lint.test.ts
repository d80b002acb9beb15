import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const WEB = 'apps/web/src/plant/'
const SERVER = 'apps/server/src/plant/'

/** rule → [file, its text]. Each is one fault that the rule exists to refuse. */
const PLANTS: Record<string, [string, string]> = {
  'suspicious/noExplicitAny': [`${SERVER}any.ts`, 'export const x = (value: any) => value\n'],
  'correctness/noUnusedImports': [`${SERVER}imports.ts`, "import { join } from 'node:path'\nexport const x = 1\n"],
  'correctness/noUnusedVariables': [`${SERVER}variables.ts`, 'export function x() {\n  const y = 1\n}\n'],
  'correctness/useHookAtTopLevel': [
    `${WEB}hook.tsx`,
    "import { useState } from 'react'\nexport function Card({ on }: { on: boolean }) {\n  if (on) useState(1)\n  return null\n}\n",
  ],
  'correctness/useExhaustiveDependencies': [
    `${WEB}dependencies.tsx`,
    "import { useEffect } from 'react'\nexport function Card({ id }: { id: string }) {\n  useEffect(() => document.body.append(id), [])\n  return null\n}\n",
  ],
  'correctness/useJsxKeyInIterable': [
    `${WEB}key.tsx`,
    'export const Card = ({ ids }: { ids: string[] }) => ids.map(id => <b>{id}</b>)\n',
  ],
  'correctness/noNestedComponentDefinitions': [
    `${WEB}nested.tsx`,
    'export function Card() {\n  function Inner() {\n    return <b />\n  }\n  return <Inner />\n}\n',
  ],
  'correctness/noReactPropAssignments': [
    `${WEB}assigned.tsx`,
    'export function Card(props: { n: number }) {\n  props.n = 1\n  return <b>{props.n}</b>\n}\n',
  ],
  'nursery/noReactObjectTypeAsDefaultProp': [
    `${WEB}default.tsx`,
    'export function Card({ ids = [] }: { ids?: string[] }) {\n  return <b>{ids.length}</b>\n}\n',
  ],
  'suspicious/noReactForwardRef': [
    `${WEB}forward.tsx`,
    "import { forwardRef } from 'react'\nexport const Card = forwardRef<HTMLElement>((_, ref) => <b ref={ref} />)\n",
  ],
  'suspicious/noAsyncPromiseExecutor': [
    `${SERVER}executor.ts`,
    'export const x = new Promise(async resolve => resolve(await 1))\n',
  ],
  'suspicious/noFocusedTests': [`${SERVER}focused.test.ts`, "import { it } from 'vitest'\nit.only('x', () => {})\n"],
  'suspicious/noSkippedTests': [`${SERVER}skipped.test.ts`, "import { it } from 'vitest'\nit.skip('x', () => {})\n"],
  'suspicious/noConsole': [`${SERVER}console.ts`, "export const x = () => console.log('here')\n"],
  'style/noProcessEnv': [`${SERVER}env.ts`, 'export const x = process.env.HTTP_PORT\n'],
  'style/noJsxLiterals': [`${WEB}text.tsx`, 'export const Card = () => <p>Save it</p>\n'],
}
/** What the same rules let stand. */
const RIGHT: Record<string, string> = {
  'apps/server/src/lib/config.ts': 'export const x = process.env.HTTP_PORT\n',
  [`${SERVER}right.test.ts`]:
    "import { it } from 'vitest'\nit.skipIf(process.env.CURL)('x', () => console.log('left out'))\n",
  'tools/simulators/plant/main.ts': "console.log(process.env.HOST ?? 'listening')\n",
  [`${WEB}right.tsx`]: 'export const Card = ({ n }: { n: number }) => <p>{n} ·</p>\n',
}

interface Report {
  diagnostics: { category: string; location: { path: string | { file: string } } }[]
}

describe('lint', () => {
  let folder: string
  const found = new Set<string>()

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tw-lint-'))
    cpSync(join(root, 'biome.json'), join(folder, 'biome.json'))
    for (const [file, text] of [...Object.values(PLANTS), ...Object.entries(RIGHT)]) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), text)
    }
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
    const { stdout } = spawnSync(
      process.execPath,
      [biome, 'lint', '--vcs-enabled=false', '--error-on-warnings', '--max-diagnostics=none', '--reporter=json', '.'],
      { cwd: folder, encoding: 'utf8' },
    )
    for (const { category, location } of (JSON.parse(stdout) as Report).diagnostics) {
      const path = typeof location.path === 'string' ? location.path : location.path.file
      found.add(`${category.replace('lint/', '')} ${path}`)
    }
  }, 120_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(Object.entries(PLANTS))('%s catches its planted fault', (rule, [file]) => {
    expect([...found]).toContain(`${rule} ${file}`)
  })

  it('lets stand what is right', () => {
    expect([...found].filter(line => Object.keys(RIGHT).some(file => line.endsWith(` ${file}`)))).toEqual([])
  })

  it('has a planted fault for every rule that is named as an error', () => {
    interface Rules {
      linter: { rules: Record<string, Record<string, string | { level: string }>> }
    }
    const settings = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8')) as Rules & { overrides: Rules[] }
    const errors = [settings, ...settings.overrides].flatMap(({ linter }) =>
      Object.entries(linter.rules).flatMap(([group, rules]) =>
        Object.entries(rules).flatMap(([rule, level]) =>
          (typeof level === 'string' ? level : level.level) === 'error' ? [`${group}/${rule}`] : [],
        ),
      ),
    )
    expect(errors.toSorted()).toEqual(Object.keys(PLANTS).toSorted())
  })
})
