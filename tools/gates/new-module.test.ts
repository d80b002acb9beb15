import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const PACKAGES = ['contracts', 'thing-model', 'rules', 'device-sdk']
const PARTS = ['apps/server', 'apps/web', ...PACKAGES.map(name => `packages/${name}`), 'scripts', 'tools']

/** What `npm run check` would say, of the parts that a module touches; its whole run is too long for a test. */
const CHECKS: Record<string, string[]> = {
  'types of the contracts': ['node_modules/typescript-native/bin/tsc', '-p', 'packages/contracts'],
  'types of the server': ['node_modules/typescript-native/bin/tsc', '-p', 'apps/server'],
  'types of the console': ['node_modules/typescript-native/bin/tsc', '-p', 'apps/web'],
  'route table': ['--import', 'tsx', 'packages/contracts/scripts/route-table.ts'],
  'api paths': ['--import', 'tsx', 'packages/contracts/scripts/api-paths.ts', '--check'],
  texts: ['scripts/texts.mjs', '.'],
}

describe('the generator of modules', () => {
  let copy: string

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'thingwright-module-'))
    const notHere = /\/(node_modules|dist|\.tsbuild|data)(\/|$)/
    for (const part of PARTS)
      cpSync(join(root, part), join(copy, part), {
        recursive: true,
        filter: path => !notHere.test(path.slice(root.length)),
      })
    for (const file of ['tsconfig.base.json', 'biome.json', 'package.json']) cpSync(join(root, file), join(copy, file))
    mkdirSync(join(copy, 'node_modules/@thingwright'), { recursive: true })
    for (const name of readdirSync(join(root, 'node_modules')))
      if (name !== '@thingwright') symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
    for (const name of PACKAGES)
      symlinkSync(join(copy, 'packages', name), join(copy, 'node_modules/@thingwright', name))
    for (const part of PARTS)
      if (existsSync(join(root, part, 'node_modules')))
        symlinkSync(join(root, part, 'node_modules'), join(copy, part, 'node_modules'))
  })
  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  const node = (args: string[]) => spawnSync(process.execPath, args, { encoding: 'utf8', cwd: copy })
  const generate = (name: string) => node([join(root, 'scripts/new-module.mjs'), name, copy])

  it('makes and registers one whose types, texts and routes are in order as they are', () => {
    expect(generate('water-pumps')).toMatchObject({ status: 0, stderr: '' })
    for (const [check, args] of Object.entries(CHECKS)) {
      const { status, stdout, stderr } = node(args)
      expect({ check, status, said: status === 0 ? '' : stdout + stderr }).toEqual({ check, status: 0, said: '' })
    }
    const lint = node(['node_modules/@biomejs/biome/bin/biome', 'ci', '--vcs-enabled=false', 'apps', 'packages'])
    expect({ status: lint.status, said: lint.stderr }).toMatchObject({ status: 0 })
  }, 300_000)

  it('makes none twice, and none over one that exists', () => {
    expect(generate('devices')).toMatchObject({ status: 1 })
    expect(generate('water-pumps')).toMatchObject({ status: 1 })
  })

  it.each(['', 'Pumps', 'pump', '../pumps', 'water pumps'])('refuses the name %j', name => {
    expect(generate(name).status).toBe(1)
  })
})
