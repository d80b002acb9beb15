import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

const gate = join(import.meta.dirname, '../../scripts/text-keys.mjs')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tw-text-keys-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const TEXTS = { title: 'a', rows_one: 'b', rows_other: 'c', state: { on: 'd' }, rules_plain: 'e' }

function run(page: string): string[] {
  const files = {
    'features/plants/locales/zh.json': JSON.stringify(TEXTS),
    'lib/locales/zh.json': JSON.stringify({ error: { page: 'f' } }),
    'features/plants/page.tsx': page,
  }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  const { stdout } = spawnSync(process.execPath, [gate, folder], { encoding: 'utf8' })
  return stdout.trim().split('\n')
}
const page = (line: string) =>
  `import { text } from '../../lib/i18n.ts'\nexport function Page() {\n  const { t } = useTranslation('plants')\n  ${line}\n}\n`
const at = (line: number, key: string) => [`features/plants/page.tsx:${line}: no text ${key}`]

it('finds texts that are there: plurals, contexts, parts known later, defaults, those of other namespaces', () => {
  expect(
    run(
      page(
        [
          "t('title')",
          "t('rows', { count })",
          "t('rules', { context })",
          `t(\`state.\${state}\`)`,
          "t('state.gone', { defaultValue: '-' })",
          "t('common:error.page')",
          "text('error.page')",
        ].join('; '),
      ),
    ),
  ).toEqual(['6 keys'])
})

it.each([
  ['that nobody wrote', page("t('titel')"), at(4, 'plants:titel')],
  ['in one branch', page("t(on ? 'title' : 'none')"), at(4, 'plants:none')],
  ['of which no form is there', page(`t(\`kind.\${kind}\`)`), at(4, 'plants:kind.*')],
  ['of another namespace', page("t('common:error.gone')"), at(4, 'common:error.gone')],
  [
    'asked with a t that is handed on',
    `${page('columns(t)')}const columns = (t: TFunction) => t('column')\n`,
    at(6, '?:column'),
  ],
])('refuses a text %s', (_, source, problem) => {
  expect(run(source)).toEqual(problem)
})
