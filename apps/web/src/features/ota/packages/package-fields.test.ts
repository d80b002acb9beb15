import { describe, expect, it } from 'vitest'
import { extOf, uploadFields, versionIn } from './package-fields.ts'

describe('a new package', () => {
  it.each([
    ['pump_v1.4.2-rc1.bin', '1.4.2-rc1'],
    ['pump-2.0.bin', '2.0'],
    ['V3.1.tar.gz', '3.1'],
    ['esp32.bin', null],
    ['firmware.bin', null],
  ])('takes the version of %s from the name where there is one', (name, version) => {
    expect(versionIn(name)).toBe(version)
  })

  it('sends what was filled in, and a former version with deltas only', () => {
    const values = {
      productId: 'p',
      name: ' Pump ',
      module: 'default',
      kind: 'full',
      version: '1.1',
      fromVersion: '1.0',
      orderNo: 3,
      signature: '',
      notes: null,
      expected: 'ff',
      ext: [{ key: 'channel', value: 'beta' }],
    }
    expect(uploadFields(values, 'abc')).toEqual({
      productId: 'p',
      name: 'Pump',
      module: 'default',
      kind: 'full',
      version: '1.1',
      orderNo: '3',
      sha256: 'abc',
      ext: '{"channel":"beta"}',
    })
    expect(uploadFields({ ...values, kind: 'delta', ext: [] }, 'abc')).toMatchObject({ fromVersion: '1.0' })
  })

  it('has own keys without a value as empty texts', () => {
    expect(extOf([{ key: 'a' }, { key: 'b', value: '1' }])).toEqual({ a: '', b: '1' })
    expect(extOf(undefined)).toEqual({})
  })
})
