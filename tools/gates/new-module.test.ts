import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const WORKSPACES = ['apps', 'packages'].flatMap(folder =>
  readdirSync(join(root, folder))
    .map(name => `${folder}/${name}`)
    .filter(path => existsSync(join(root, path, 'package.json'))),
)
const PLACES = [...WORKSPACES, 'tools', 'e2e']

/** Tests that go over every module there is, and those of the two that are made here. */
const TESTS: Record<string, string[]> = {
  'packages/contracts': [],
  'apps/web': ['src/texts.test.ts', 'src/app/water-pumps-page.test.tsx', 'src/app/gauges-page.test.tsx'],
  'apps/server': [
    'src/modules/water-pumps',
    'src/modules/gauges',
    'src/app/every-change.int.test.ts',
    'src/app/http-schemas.test.ts',
    'src/app/further-modules.test.ts',
    'src/app/collected.int.test.ts',
    'src/app/assistant-phrases.test.ts',
    'src/app/company-phrases.test.ts',
    'src/app/thing-phrases.test.ts',
    'src/modules/roles/right-words.test.ts',
    'src/modules/roles/roles.int.test.ts',
    'src/modules/menus',
    'src/db/rls.int.test.ts',
  ],
}
/** Of the matrix of who is refused where, the rows of the new modules: all of it takes minutes. */
const MATRIX = ['src/app/access-matrix.int.test.ts', '-t', 'water-pumps|gauges|the registry']

/** What docs/how-to/module.md says to type. */
const TYPED = /^npm run new-module -- (.+)$/m.exec(readFileSync(join(root, 'docs/how-to/module.md'), 'utf8'))![1]!

const NOBODY = ['-c', 'user.name=nobody', '-c', 'user.email=nobody@localhost']

describe('the generator of modules', () => {
  let copy: string

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'thingwright-module-'))
    const notHere = /\/(node_modules|dist|results|\.tsbuild|data|\.git)(\/|$)/
    cpSync(root, copy, { recursive: true, filter: path => !notHere.test(path.slice(root.length)) })
    mkdirSync(join(copy, 'node_modules/@thingwright'), { recursive: true })
    for (const name of readdirSync(join(root, 'node_modules')))
      if (name !== '@thingwright') symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
    for (const place of PLACES) {
      symlinkSync(join(copy, place), join(copy, 'node_modules/@thingwright', place.split('/').at(-1)!))
      const own = join(root, place, 'node_modules')
      if (existsSync(own)) symlinkSync(own, join(copy, place, 'node_modules'))
    }
    for (const args of [
      ['init', '-q'],
      ['add', '-A'],
      [...NOBODY, 'commit', '-qm', 'before'],
    ])
      spawnSync('git', args, { cwd: copy })
  })
  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  const node = (args: string[], place = '.') =>
    spawnSync(process.execPath, args, {
      encoding: 'utf8',
      cwd: join(copy, place),
      maxBuffer: 1 << 26,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
    })
  const generate = (...args: string[]) => node(['scripts/new-module.mjs', ...args])
  const green = (what: string, { status, stdout, stderr }: ReturnType<typeof node>) =>
    expect({ what, status, said: status === 0 ? '' : (stdout + stderr).slice(-6000) }).toEqual({
      what,
      status: 0,
      said: '',
    })

  it('makes modules that pass every check as they are, in at most eight files that exist', () => {
    // One with everything; one at an address of another area, with the rights of devices.
    green('generating', generate(...TYPED.split(' ')))
    const changed = spawnSync('git', ['diff', '--name-only'], { cwd: copy, encoding: 'utf8' }).stdout
    expect(changed.trim().split('\n').length).toBeLessThanOrEqual(8)
    green('generating', generate('gauges', '--at', '/manage/gauges'))
    green('npm run check', node(['scripts/check.mjs']))
  }, 900_000)

  it.each(Object.entries(TESTS))(
    'which pass the tests of %s that go over all modules',
    (place, files) => {
      green(place, node(['../../node_modules/vitest/vitest.mjs', 'run', ...files], place))
    },
    900_000,
  )

  it('which are closed to whoever must not come in', () => {
    green('the matrix', node(['../../node_modules/vitest/vitest.mjs', 'run', ...MATRIX], 'apps/server'))
  }, 900_000)

  it('makes none twice, none over one that exists, and none with rights that are another’s', () => {
    expect(generate('devices')).toMatchObject({ status: 1 })
    expect(generate('water-pumps')).toMatchObject({ status: 1 })
    expect(generate('valves', '--right', 'device')).toMatchObject({ status: 1 })
    expect(generate('valves', '--right', 'pump')).toMatchObject({ status: 1 })
  })

  it.each([
    [''],
    ['Pumps'],
    ['pump'],
    ['../pumps'],
    ['water pumps'],
    ['pumps', '--tables', '9'],
    ['pumps', '--at', 'admin'],
  ])('refuses %j', (...args) => {
    expect(generate(...args).status).toBe(1)
  })
})
