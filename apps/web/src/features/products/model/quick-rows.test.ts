import { parseModel } from '@thingwright/thing-model'
import { describe, expect, it } from 'vitest'
import { type QuickRow, readRows } from './quick-rows.ts'

let key = 0
const row = (given: Partial<QuickRow>): QuickRow => ({
  key: ++key,
  kind: 'number',
  name: '',
  identifier: '',
  unit: '',
  words: '',
  ...given,
})

describe('the quick mode', () => {
  it('turns plain lines into a valid model', () => {
    const { properties, problems } = readRows([
      row({ name: '温度', unit: '°C' }),
      row({ name: 'Water level', unit: 'cm' }),
      row({ kind: 'switch', name: '水泵', words: '停,转' }),
      row({ kind: 'levels', name: '档位', words: '低、中,高' }),
      row({ kind: 'position', name: '位置', unit: 'm' }),
      row({}),
    ])
    expect([...problems]).toEqual([])
    expect(parseModel({ properties }).ok).toBe(true)
    expect(properties.map(({ identifier, access, unit }) => ({ identifier, access, unit }))).toEqual([
      { identifier: 'number', access: 'r', unit: '°C' },
      { identifier: 'waterLevel', access: 'r', unit: 'cm' },
      { identifier: 'switch', access: 'rw', unit: undefined },
      { identifier: 'levels', access: 'rw', unit: undefined },
      { identifier: 'position', access: 'r', unit: undefined },
    ])
    expect(properties[2]!.dataType).toMatchObject({ falseText: '停', trueText: '转' })
    expect(properties[3]!.dataType).toMatchObject({ items: [{ name: '低' }, { name: '中' }, { name: '高' }] })
  })

  it('never gives two lines the same identifier by itself', () => {
    const { properties } = readRows([row({ name: '温度' }), row({ name: '湿度' })], ['number'])
    expect(properties.map(p => p.identifier)).toEqual(['number2', 'number3'])
  })

  it('names the line that is wrong', () => {
    const rows = [
      row({ identifier: 'a' }),
      row({ name: 'x', identifier: '1a' }),
      row({ name: 'y', identifier: 'same' }),
      row({ name: 'z', identifier: 'same' }),
    ]
    const { problems } = readRows(rows)
    expect([...problems.values()]).toEqual(['name_missing', 'identifier_invalid', 'identifier_duplicate'])
  })
})
