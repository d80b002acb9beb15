import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
let folder: string

/** A program that has nothing of ours but the packed library, in a folder of its own. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tw-pack-'))
  const packed = spawnSync(process.execPath, [join(root, 'scripts/pack-device-sdk.mjs'), folder], { encoding: 'utf8' })
  expect(packed.stderr).toBe('')
  const file = packed.stdout.trim()
  expect(existsSync(file)).toBe(true)
  // What packages/device-sdk/README.md tells people to install; an installation itself asks the registry for mqtt.
  const readme = readFileSync(join(root, 'packages/device-sdk/README.md'), 'utf8')
  expect(readme).toContain(`npm install ./${basename(file)}`)
  const library = join(folder, 'node_modules/@thingwright/device-sdk')
  mkdirSync(library, { recursive: true })
  expect(spawnSync('tar', ['-xzf', file, '-C', library, '--strip-components=1']).status).toBe(0)
  for (const name of ['mqtt', '@types'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(
    join(folder, 'device.ts'),
    `import { createDevice, type DeviceOptions, FirmwareUpdater } from '@thingwright/device-sdk'
const options: DeviceOptions = { url: 'http://127.0.0.1:1', productKey: 'p', deviceNo: 'd', deviceSecret: 's' }
const device = createDevice(options)
device.onPropertySet(params => ({ pump: params.pump }))
const online: boolean = device.online
// @ts-expect-error a point needs values
void device.postBatch([{ ts: 1 }]).catch(() => undefined)
console.log(JSON.stringify({ online, updater: typeof FirmwareUpdater }))
await device.close()
`,
  )
}, 600_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the packed device library', () => {
  it('holds compiled files only, and says what it needs', () => {
    const library = join(folder, 'node_modules/@thingwright/device-sdk')
    expect(readdirSync(library).sort()).toEqual(['LICENSE', 'README.md', 'index.js', 'package.json', 'types'])
    const { private: hidden, dependencies, scripts } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'))
    expect({ hidden, scripts, dependencies: Object.keys(dependencies) }).toEqual({ dependencies: ['mqtt'] })
    expect(readFileSync(join(library, 'types/index.d.ts'), 'utf8')).not.toContain(".ts'")
  })

  it('is understood by a strict compiler and runs', () => {
    const tsc = join(root, 'node_modules/typescript-native/bin/tsc')
    const flags = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node', '--outDir', 'out']
    const types = spawnSync(process.execPath, [tsc, ...flags, 'device.ts'], { cwd: folder, encoding: 'utf8' })
    expect(types.stdout).toBe('')
    const run = spawnSync(process.execPath, ['out/device.js'], { cwd: folder, encoding: 'utf8', timeout: 120_000 })
    expect(run.stderr).toBe('')
    expect(JSON.parse(run.stdout)).toEqual({ online: false, updater: 'function' })
  }, 300_000)
})
