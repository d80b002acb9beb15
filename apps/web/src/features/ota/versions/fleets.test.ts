import type { FirmwareVersionCount } from '@thingwright/contracts/firmware.contract'
import { describe, expect, it } from 'vitest'
import { fleets } from './fleets.ts'

const count = (
  version: string | null,
  devices: number,
  more: Partial<FirmwareVersionCount> = {},
): FirmwareVersionCount => ({
  productId: 'p1',
  productName: 'Pump',
  module: 'default',
  version,
  packageId: null,
  orderNo: null,
  devices,
  online: 0,
  ...more,
})

describe('the matrix of versions', () => {
  it('has one fleet for each product and module, newest version first and unknown ones last', () => {
    const found = fleets([
      count(null, 10),
      count('0.9.10', 2),
      count('0.9.9', 1),
      count('1.0', 70, { packageId: 'a', orderNo: 1 }),
      count('1.1', 17, { packageId: 'b', orderNo: 2 }),
      count('5', 3, { module: 'radio' }),
    ])
    expect(found.map(each => [each.module, each.devices, each.newest])).toEqual([
      ['default', 100, '1.1'],
      ['radio', 3, null],
    ])
    expect(found[0]!.rows.map(each => [each.version, each.percent, each.newest])).toEqual([
      ['1.1', 17, true],
      ['1.0', 70, false],
      ['0.9.10', 2, false],
      ['0.9.9', 1, false],
      [null, 10, false],
    ])
    expect(found[0]!.newestPackage).toBe('b')
  })

  it('draws a bar for a single device among a hundred thousand', () => {
    const [fleet] = fleets([count('1', 99_999), count('2', 1)])
    expect(fleet!.rows.find(each => each.version === '2')).toMatchObject({ percent: 0, width: 1 })
  })
})
