import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { describe, expect, it } from 'vitest'
import { forbidInBundle, forbidInEntry } from './forbid-in-bundle.ts'

/** Builds one line of code in memory. */
function bundle(code: string) {
  const entry = fileURLToPath(new URL('./planted-entry.ts', import.meta.url))
  return build({
    configFile: false,
    logLevel: 'silent',
    root: fileURLToPath(new URL('..', import.meta.url)),
    plugins: [
      { name: 'planted', resolveId: id => (id === entry ? id : null), load: id => (id === entry ? code : null) },
      forbidInBundle(['typebox']),
      forbidInEntry(['antd']),
    ],
    build: { write: false, minify: false, rolldownOptions: { input: entry } },
  })
}

describe('what only later pages may bring', () => {
  it('fails the build when the entry holds it', async () => {
    await expect(bundle("import { Button } from 'antd'; console.log(Button)")).rejects.toThrow('every visitor')
  })

  it('is fine in a part that is downloaded when it is opened', async () => {
    await expect(bundle("console.log(import('antd/es/theme/themes/seed'))")).resolves.toBeDefined()
  })
})

describe('what may not reach the browser', () => {
  it('fails the build when a contract is imported as a value', async () => {
    await expect(
      bundle("import { devicesContract } from '@thingwright/contracts/devices.contract'; console.log(devicesContract)"),
    ).rejects.toThrow('typebox')
  })

  it('does not mind types and plain values', async () => {
    await expect(
      bundle(
        "import type { DeviceView } from '@thingwright/contracts/devices.contract'; import { API_PATHS } from '@thingwright/contracts/api-paths'; console.log(API_PATHS as unknown as DeviceView)",
      ),
    ).resolves.toBeDefined()
  })
})
