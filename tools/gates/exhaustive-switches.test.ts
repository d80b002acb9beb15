import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const gate = join(import.meta.dirname, '../../scripts/exhaustive-switches.mjs')

const COMMON = `
export type State = 'sent' | 'done' | 'failed'
export declare const state: State
export declare const maybe: State | undefined
export declare const level: 1 | 2
export declare const event: { kind: 'up'; at: number } | { kind: 'down' }
export declare const name: string
export declare function tell(what: string): void
`
/** The lines of what is left out stand behind each. */
const PLANTED = `
switch (state) { case 'sent': tell('s'); break; case 'done': tell('d') } // "failed"
switch (maybe) { case 'sent': case 'done': case 'failed': tell('m') } // undefined
switch (level) { case 1: tell('l') } // 2
switch (event.kind) { case 'up': tell('e') } // "down"
`
const RIGHT = `
switch (state) { case 'sent': tell('s'); break; case 'done': case 'failed': tell('d') }
switch (state) { case 'sent': tell('s'); break; default: tell('else') }
switch (maybe) { case undefined: break; case 'sent': case 'done': case 'failed': tell('m') }
switch (name) { case 'a': tell('a') }
switch (true) { case level === 1: tell('l') }
`

// The gate over switches can fail, and says what is left out.
describe('switches over words', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tw-switches-'))
    mkdirSync(join(folder, 'src'))
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { target: 'es2022', module: 'esnext', strict: true, types: [] } }),
    )
    writeFileSync(join(folder, 'src/common.ts'), COMMON)
    const names = "import { event, level, maybe, name, state, tell } from './common'"
    for (const [file, text] of Object.entries({ planted: PLANTED, right: RIGHT }))
      writeFileSync(join(folder, `src/${file}.ts`), `${names}${text}export { event, level, maybe, name, state }\n`)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('are named with what they leave out; those that name all, or have a default, are not', () => {
    const { stdout, status } = spawnSync(process.execPath, [gate, folder], { encoding: 'utf8' })
    const planted = PLANTED.split('\n').flatMap((line, at) => {
      const what = / \/\/ (.+)$/.exec(line)?.[1]
      return what ? [`src/planted.ts:${at + 1}: the switch leaves out ${what}; name it, or write a default`] : []
    })
    expect({ found: stdout.trim().split('\n'), status }).toEqual({ found: planted, status: 1 })
  })
})
