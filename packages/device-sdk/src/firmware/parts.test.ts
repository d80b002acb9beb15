import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readNotify } from './notify.ts'
import { FileFirmwareStore, firstState } from './store.ts'
import { manifestOf, publicKeyOf } from './verify.ts'
import { compareVersions } from './version.ts'

describe('versions', () => {
  it('are ordered as people number them', () => {
    const ordered = ['0.9', '1.0.0-alpha', '1.0.0-rc1', '1.0.0-rc2', '1.0.0', 'v1.0.1', '1.2', '1.10-beta', '1.10', '2']
    for (const [i, a] of ordered.entries())
      for (const [j, b] of ordered.entries())
        expect(Math.sign(compareVersions(a, b)), `${a} ${b}`).toBe(Math.sign(i - j))
    expect(compareVersions('1.0', '1.0.0')).toBe(0)
    expect(compareVersions('1.0+build1', '1.0+build2')).toBe(0)
  })
})

it('what a signature speaks for are the lines of docs/device-protocol.md', () => {
  const protocol = readFileSync(join(import.meta.dirname, '../../../../docs/device-protocol.md'), 'utf8')
  const [lines] = /thingwright-firmware-1\n[^`]+/.exec(protocol)!
  const facts = { module: 'default', version: '1.5.0', fromVersion: '1.4.2', size: 10, sha256: 'a'.repeat(64) }
  const notice = readNotify({ id: 'a-1', ...facts })!
  const said = lines
    .replace('{productKey}', 'pk')
    .replace('{sha256, lower case}', facts.sha256)
    .replace(/\{(module|version|fromVersion|size)\}/g, (_, name: keyof typeof facts) => String(facts[name]))
  expect(manifestOf('pk', notice)).toBe(said)
  expect(manifestOf('pk', { ...notice, fromVersion: null }).split('\n')[4]).toBe('-')
})

describe('notices', () => {
  const good = { id: 'a-1', version: '2', size: 10, sha256: 'A'.repeat(64) }
  it('are read, with what is missing filled in', () => {
    expect(readNotify({ ...good, chunk: { bytes: 1e9 } })).toMatchObject({
      module: 'default',
      kind: 'full',
      sha256: 'a'.repeat(64),
      chunkBytes: 65_536,
      signature: null,
      downgrade: false,
    })
    expect(readNotify({ ...good, fromVersion: '1' })?.kind).toBe('delta')
  })
  it.each([
    { id: null },
    { ...good, id: '../x' },
    { ...good, size: 0 },
    { ...good, size: 1.5 },
    { ...good, sha256: 'xyz' },
    { ...good, version: '' },
  ])('are none: %j', body => {
    expect(readNotify(JSON.stringify(body))).toBeNull()
  })
})

describe('keys', () => {
  it('other than Ed25519 are refused', () => {
    expect(() => publicKeyOf('AAAA')).toThrow(TypeError)
  })
})

describe('a store of files', () => {
  it('keeps its state and both slots', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slots-'))
    try {
      const store = new FileFirmwareStore(join(folder, 'firmware'))
      expect(await store.readState()).toBeNull()
      await store.writeState(firstState('1'))
      expect(await new FileFirmwareStore(join(folder, 'firmware')).readState()).toEqual(firstState('1'))
      await store.erase('b')
      await store.write('b', 0, Buffer.from('hello'))
      await store.write('b', 5, Buffer.from(' there'))
      expect(Buffer.from(await store.read('b', 3, 100)).toString()).toBe('lo there')
      await store.erase('b')
      expect(await store.read('b', 0, 10)).toHaveLength(0)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
