import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

const gate = join(import.meta.dirname, '../../scripts/actions.mjs')
const PAGE = 'apps/web/src/features/plants/page.tsx'
const RIGHT = "export const right = () => useAct('plants.water', { touches: ['beds'] })\n"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tw-actions-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function run(files: Record<string, string>): string[] {
  for (const [file, text] of Object.entries({ 'apps/web/src/features/plants/right.tsx': RIGHT, ...files })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  const { stdout } = spawnSync(process.execPath, [gate, folder], { encoding: 'utf8' })
  return stdout.trim().split('\n')
}
const KEY = 'a key made by hand: useRead, useAct and useCache know an answer by its operation'
const CATCH = 'a catch that only shows the notice: run of useAct, or attempt of useWork, does'
const ONE = 'one operation: useAct knows whether it is on its way and what it touches'

it('leaves alone what does more, several calls that are one action, tests, and where keys are made', () => {
  expect(
    run({
      'apps/web/src/lib/server-state/use-read.ts': 'export const key = { queryKey: keyOf(operation) }\n',
      'apps/web/src/features/plants/page.test.tsx': "useQuery({ queryKey: ['plants'] })\n",
      'apps/web/src/app/pages/plants-closed.tsx': 'export const look = () => water().catch(showError)\n',
      [PAGE]: `
        const keyOf = (row: Row) => row.id
        export const more = () => water().catch(error => { setDry(true); showError(error) })
        export const two = () => attempt(async () => { await call('plants.water'); await call('plants.feed') })
        export const many = () => attempt(async () => { for (const id of ids) await call('plants.water', { id }) })
        export const asked = () => attempt(() => ask(answers => call('plants.water', answers)))
        export const file = () => attempt(() => download('plants.file', 'plants.csv'))
      `,
    }),
  ).toEqual(['1 actions'])
})

const PLANTED: [text: string, problem: string][] = [
  ["export const read = () => useQuery({ queryKey: ['plants', id], queryFn })", KEY],
  ['export const key = () => forget({ queryKey })', KEY],
  ["import { keyOf } from '../../lib/server-state/keys.ts'", KEY],
  ['export const go = () => water().catch(showError)', CATCH],
  ['export const go = () => water().then(done, showError)', CATCH],
  ['export const go = () => water().catch(error => showError(error))', CATCH],
  ['export const go = async () => { try { await water() } catch (error) { showError(error) } }', CATCH],
  [
    'export const go = async () => { try { return await water() } catch (error) { showError(error); return null } }',
    CATCH,
  ],
  ["export const go = () => attempt(async () => done(await call('plants.water', input)))", ONE],
]
const file = (at: number) => `apps/web/src/features/plants/page-${at}.tsx`

it('refuses keys made by hand, catches that only show the notice, and one operation as work', () => {
  const files = Object.fromEntries(PLANTED.map(([text], at) => [file(at), `const x = 1\n${text}\n`]))
  expect(run(files)).toEqual(PLANTED.map(([, problem], at) => `${file(at)}:2: ${problem}`))
})

it('refuses to have read nothing', () => {
  expect(run({ 'apps/web/src/features/plants/right.tsx': 'export {}\n' })).toEqual(['no action was found'])
})
