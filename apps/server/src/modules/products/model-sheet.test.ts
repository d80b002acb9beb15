import { parseModel } from '@thingwright/thing-model'
import { describe, expect, it } from 'vitest'
import { readLine, readModelSheet, readStore } from './model-sheet.ts'

async function* rows(...lines: string[][]) {
  for (const [at, cells] of lines.entries()) yield { number: at + 1, cells }
}
const read = (...lines: string[][]) => readModelSheet(rows(...lines))
const HEAD = ['Identifier', '名称', 'type', 'Access', 'Minimum', '最大值', '枚举值', 'Store policy', '上行映射']

describe('a sheet of properties', () => {
  it('is read with titles of either language, and blank rows are nothing', async () => {
    const { properties, problems } = await read(
      HEAD,
      ['temp', '温度', 'double', 'r', '-40', '125', '', 'deadband 2% max 60', '0,-40;4095,125'],
      [],
      ['mode', '', 'enum', 'rw', '', '', '0=off; 1=on'],
      ['lamp', '灯', 'bool', 'rw', '', '', '0=关;1=开'],
    )
    expect(problems).toEqual([])
    expect(properties).toEqual([
      {
        identifier: 'temp',
        name: '温度',
        dataType: { type: 'double', min: -40, max: 125 },
        access: 'r',
        store: { mode: 'deadband', band: 2, percent: true, maxSeconds: 60 },
        mapping: { up: { x1: 0, y1: -40, x2: 4095, y2: 125 } },
      },
      {
        identifier: 'mode',
        name: 'mode',
        dataType: {
          type: 'enum',
          items: [
            { value: 0, name: 'off' },
            { value: 1, name: 'on' },
          ],
        },
        access: 'rw',
      },
      { identifier: 'lamp', name: '灯', dataType: { type: 'bool', falseText: '关', trueText: '开' }, access: 'rw' },
    ])
    expect(parseModel({ properties }).ok).toBe(true)
  })

  it('with bad rows gives the good ones, and for each bad one its line, column and reason', async () => {
    const { properties, problems } = await read(
      HEAD,
      ['1st', '', 'double'],
      ['good', '', 'int32'],
      ['good', 'again', 'int32'],
      ['t', '', 'decimal'],
      ['m', '', 'double', 'x', 'low'],
      ['r', '', 'double', 'r', '5', '1'],
      ['s', '', 'double', 'r', '', '', '', 'sometimes'],
      ['l', '', 'double', 'r', '', '', '', '', '1,2'],
      ['e', '', 'enum', 'r'],
    )
    expect(properties.map(property => property.name)).toEqual(['good'])
    expect(problems.map(({ row, column, code }) => `${row} ${column} ${code}`)).toEqual([
      '2 identifier model.identifier_invalid',
      '4 identifier model.identifier_duplicate',
      '5 type model.type_unknown',
      '6 min model.not_number',
      '7 min model.range_reversed',
      '8 store model.sheet_store',
      '9 mapUp model.sheet_line',
      '10 items model.items_missing',
    ])
  })

  it('without its head is said to be none', async () => {
    expect((await read(['a', 'b'], ['1', '2'])).problems).toMatchObject([{ row: 1, code: 'model.sheet_head' }])
    expect(await read()).toEqual({ properties: [], problems: [] })
  })

  it('reads policies and lines as people write them', () => {
    expect(readStore('Change')).toEqual({ mode: 'change' })
    expect(readStore('interval 60')).toEqual({ mode: 'interval', seconds: 60 })
    expect(readStore('deadband')).toEqual({ mode: 'deadband' })
    expect(readStore('deadband 0.5 max')).toBe(null)
    expect(readLine('0, 0; 4095, 100')).toEqual({ x1: 0, y1: 0, x2: 4095, y2: 100 })
    expect(readLine('0,0→4095,-100')).toEqual({ x1: 0, y1: 0, x2: 4095, y2: -100 })
    expect(readLine('0,a;1,2')).toBe(null)
  })
})
