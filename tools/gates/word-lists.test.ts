import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

const gate = join(import.meta.dirname, '../../scripts/word-lists.mjs')
const WORDS = 'packages/contracts/src/plants.words.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tw-word-lists-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function run(files: Record<string, string>): string[] {
  const all = { [WORDS]: "export const PLANTS = ['oak', 'elm', 'ash'] as const\n", ...files }
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  const { stdout } = spawnSync(process.execPath, [gate, folder], { encoding: 'utf8' })
  return stdout.trim().split('\n')
}
const copied = (file: string, line: number) => [`${file}:${line}: oak, elm, ash stands in ${WORDS}`]

it('leaves alone what is imported, in an order of its own, short, or a test\u2019s', () => {
  expect(
    run({
      'apps/web/src/a.ts': "import { PLANTS } from '@thingwright/contracts/plants.words'\nexport const a = PLANTS\n",
      'apps/web/src/b.ts': "export const b = ['ash', 'elm', 'oak']\nexport const c = ['oak', 'elm']\n",
      'apps/web/src/c.test.ts': "export const d = ['oak', 'elm', 'ash']\n",
    }),
  ).toEqual(['1 lists'])
})

it('refuses a list that is copied to a page', () => {
  const file = 'apps/web/src/features/plants/page.tsx'
  expect(run({ [file]: "const x = 1\nexport const page = (['oak', 'elm', 'ash'] as const).length + x\n" })).toEqual(
    copied(file, 2),
  )
})

it('refuses a list that is written again in a contract', () => {
  const file = 'packages/contracts/src/plants.contract.ts'
  expect(run({ [file]: "export const Plant = Words(['oak', 'elm', 'ash'])\n" })).toEqual(copied(file, 1))
})

it('refuses to have read nothing', () => {
  expect(run({ [WORDS]: 'export {}\n' })).toEqual(['no list was found'])
})
