import type { DataType } from '@thingwright/thing-model'
import { describe, expect, it } from 'vitest'
import { partsNamed, readValue, typeText, valueText } from './model-words.ts'

const LEVELS: DataType = {
  type: 'enum',
  items: [
    { value: 1, name: '节能', ename: 'Eco' },
    { value: 'x', name: '强冷', ename: 'Boost' },
  ],
}
const part = (dataType: DataType, more = {}) => ({ dataType, ...more })

describe('a value that was said', () => {
  it.each([
    ['开', { type: 'bool' }, true],
    ['turned', { type: 'bool' }, undefined],
    ['关闭', { type: 'bool' }, false],
    ['Open', { type: 'bool', trueEtext: 'open', falseEtext: 'closed' }, true],
    ['22 ℃', { type: 'double' }, 22],
    ['-18.5', { type: 'double' }, -18.5],
    ['1e3', { type: 'int32' }, 1000],
    ['twenty', { type: 'double' }, undefined],
    ['2 or 3', { type: 'double' }, undefined],
    ['9007199254740993', { type: 'int64' }, '9007199254740993'],
    ['eco', LEVELS, 1],
    ['强冷', LEVELS, 'x'],
    ['other', LEVELS, undefined],
    ['{"a":1}', { type: 'json' }, { a: 1 }],
    ['{a', { type: 'struct', fields: [] }, undefined],
    ['words as they are', { type: 'string' }, 'words as they are'],
  ] as [string, DataType, unknown][])('%s', (said, dataType, expected) => {
    expect(readValue(part(dataType), said)).toEqual(expected)
  })
  it('is left alone when it is no text', () => expect(readValue(part({ type: 'double' }), 4)).toBe(4))
})

it('values are shown by the words of their model', () => {
  expect(valueText(part({ type: 'double' }, { unit: '℃', decimals: 1 }), 21.449999, 'en')).toBe('21.4 ℃')
  expect(valueText(part({ type: 'double' }), 0.1 + 0.2, 'en')).toBe('0.3')
  expect(valueText(part({ type: 'bool' }), true, 'zh')).toBe('开')
  expect(valueText(part(LEVELS), 1, 'en')).toBe('Eco')
  expect(valueText(part({ type: 'password' }), 'hunter2', 'en')).toBe('******')
  expect(valueText(part({ type: 'geo' }), { lng: 1, lat: 2 }, 'en')).toBe('{"lng":1,"lat":2}')
  expect(typeText({ type: 'int32', min: 0 }, 'en')).toBe('a whole number 0…+∞')
})

it('a name finds its part: whole before near, in either language', () => {
  const parts = [
    { identifier: 'temperature', name: '温度', ename: 'Temperature' },
    { identifier: 'target_temperature', name: '目标温度', ename: 'Target temperature' },
  ]
  const found = (text: string) => partsNamed(parts, text).map(({ identifier }) => identifier)
  expect(found('温度')).toEqual(['temperature'])
  expect(found('TARGET temperature')).toEqual(['target_temperature'])
  expect(found('目标')).toEqual(['target_temperature'])
  expect(found('temp')).toEqual(['temperature', 'target_temperature'])
  expect(found('室内温度')).toEqual(['temperature'])
  expect(found('')).toEqual([])
})
