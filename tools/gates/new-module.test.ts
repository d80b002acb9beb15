import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

describe('the slice generator', () => {
  let copy: string

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'thingwright-slice-'))
    for (const part of ['apps/server', 'packages/contracts', 'packages/thing-model'])
      cpSync(join(root, part), join(copy, part), {
        recursive: true,
        filter: path => !/\/node_modules(\/|$)/.test(path.slice(root.length)),
      })
    cpSync(join(root, 'tsconfig.base.json'), join(copy, 'tsconfig.base.json'))
    mkdirSync(join(copy, 'node_modules/@thingwright'), { recursive: true })
    for (const name of readdirSync(join(root, 'node_modules')))
      if (name !== '@thingwright') symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
    for (const name of ['contracts', 'thing-model'])
      symlinkSync(join(copy, 'packages', name), join(copy, 'node_modules/@thingwright', name))
    symlinkSync(join(root, 'apps/server/node_modules'), join(copy, 'apps/server/node_modules'))
  })
  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  const generate = (name: string) =>
    spawnSync(process.execPath, [join(root, 'scripts/new-module.mjs'), name, copy], { encoding: 'utf8' })

  it('makes a slice that type-checks as it is', () => {
    expect(generate('water-pumps')).toMatchObject({ status: 0 })
    expect(JSON.parse(readFileSync(join(copy, 'apps/server/src/module-graph.json'), 'utf8'))).toHaveProperty(
      'water-pumps',
      [],
    )
    // Only the slice and what it imports are checked: the rest of the tree has a check of its own.
    writeFileSync(
      join(copy, 'tsconfig.json'),
      JSON.stringify({
        extends: './tsconfig.base.json',
        compilerOptions: { incremental: false },
        files: ['apps/server/src/modules/water-pumps/index.ts'],
      }),
    )
    const types = spawnSync(
      process.execPath,
      [join(root, 'node_modules/typescript-native/bin/tsc'), '-p', join(copy, 'tsconfig.json')],
      { encoding: 'utf8', cwd: copy },
    )
    expect(types.stdout).toBe('')
    expect(types.status).toBe(0)
  }, 300_000)

  it('touches nothing that exists', () => {
    expect(generate('devices')).toMatchObject({ status: 1 })
    expect(generate('water-pumps')).toMatchObject({ status: 1 })
  })

  it.each(['', 'Pumps', 'pump', '../pumps', 'water pumps'])('refuses the name %j', name => {
    expect(generate(name).status).toBe(1)
  })
})
