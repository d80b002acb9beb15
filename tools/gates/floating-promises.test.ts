import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const gate = join(import.meta.dirname, '../../scripts/floating-promises.mjs')

const COMMON = `
export declare function save(): Promise<void>
export declare function maybe(): Promise<void> | [number] | undefined
export declare function look(): number
export declare function every(work: () => void): void
export declare function wait(work: () => Promise<void>): void
export declare function either(work: () => void | Promise<void>): void
export declare function inBackground(what: string, work: Promise<unknown>): void
export declare function store(name: string): Promise<void>
export declare function isFree(): Promise<boolean>
export declare function on(event: string, listener: (...given: unknown[]) => void): void
export declare const socket: { onclose: (() => void) | null; listen(to: { onData(): void }): void }
export declare const saver: { save(): Promise<void> }
export declare const shelf: { find(work: typeof save): Promise<number>; register(plugin: () => void): void }
export declare const reply: { header(name: string): typeof reply; then(done: () => void): void }
`
/** Each line ends in what is wrong with it. */
const PLANTED = `
void save() // void
void save().catch(() => {}) // void
void maybe() // void
save() // floats
save().then(look) // floats
save().then(look, look) // floats
save().finally(look) // floats
maybe() // floats
look() && save() // floats
look() ? save() : undefined // floats
every(() => save()) // given
every(async () => undefined) // given
every(async function () {}) // given
every(() => void save()) // void
every(save) // given
on('data', store) // given
on('data', saver.save) // given
on('data', store.bind(null, 'a')) // given
socket.onclose = save // given
socket.listen({ onData: save }) // given
if (!isFree()) look() // taken
;[1, 2].filter(async n => n > 1) // taken
;[1, 2].some(() => isFree()) // taken
;[1, 2].find(isFree) // taken
`
const RIGHT = `
void look()
look()
await save()
save().catch(() => {})
save().catch(() => {}).finally(look)
inBackground('saving', save())
inBackground('saving', save().then(look))
every(() => inBackground('saving', save()))
every(() => void look())
wait(() => save())
wait(async () => save())
either(async () => save())
reply.header('x')
every(look)
wait(save)
either(save)
on('data', look)
setTimeout(look, 1)
socket.onclose = () => inBackground('saving', save())
shelf.register(save)
await shelf.find(save)
if (!(await isFree())) look()
save().then(save).catch(save)
;[1, 2].filter(look)
await Promise.all([1, 2].map(isFree))
let running: Promise<void> | undefined
running ??= save().finally(async () => save())
await running
`

// The gate over floating promises can fail, and says where.
describe('promises that nobody waits for', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tw-promises-'))
    mkdirSync(join(folder, 'src'))
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { target: 'es2022', module: 'esnext', strict: true, types: [] } }),
    )
    writeFileSync(join(folder, 'src/common.ts'), COMMON)
    const names =
      "import { either, every, inBackground, isFree, look, maybe, on, reply, save, saver, shelf, socket, store, wait } from './common'"
    for (const [name, text] of Object.entries({ planted: PLANTED, right: RIGHT }))
      writeFileSync(
        join(folder, `src/${name}.ts`),
        `${names}${text}export { either, inBackground, reply, saver, shelf, store, wait }\n`,
      )
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const findings = (...words: string[]) => {
    const run = spawnSync(process.execPath, [gate, ...words, folder], { encoding: 'utf8' })
    const found = run.stdout
      .trim()
      .split('\n')
      .map(line => `${line.split(' ')[0]} ${/ (void|floats|taken)|returned/.exec(line)?.[1] ?? 'given'}`)
    return { found: found.sort(), status: run.status }
  }
  const planted = PLANTED.split('\n').flatMap((line, at) => {
    const what = / \/\/ (\w+)$/.exec(line)?.[1]
    return what ? [`src/planted.ts:${at + 1}: ${what}`] : []
  })

  it('are named with their line and what to do; what is awaited, caught or handed on is not', () => {
    expect(findings()).toEqual({ found: planted.sort(), status: 1 })
  })

  it('float in a browser too, where void, async, a name and a second word of then say that nobody waits', () => {
    const said = /\bvoid |every\(async|then\(look, look\)|\((save|'data'.*)\) |(= |: )save/
    const without = planted.filter(line => !said.test(PLANTED.split('\n')[Number(line.split(':')[1]) - 1]!))
    expect(without.length).toBeGreaterThan(5)
    expect(findings('--browser')).toEqual({ found: without.sort(), status: 1 })
  })
})
