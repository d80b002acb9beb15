import type { DataType } from '@thingwright/thing-model/model'
import { expect, it } from 'vitest'
import { valueWords } from './value-text.ts'

const words = (dataType: DataType, value: unknown, more: { unit?: string; decimals?: number } = {}, english = false) =>
  valueWords({ dataType, ...more }, value, { english, yes: '是', no: '否' })

it('numbers have their decimals and unit, and lose no digits beyond 2^53', () => {
  expect(words({ type: 'double' }, 21.456, { decimals: 1, unit: '°C' })).toEqual({ text: '21.5', unit: '°C' })
  expect(words({ type: 'int64' }, '9007199254741993').text.replace(/\D/g, '')).toBe('9007199254741993')
})

it('truth values and levels speak their own words in the shown language', () => {
  const type: DataType = { type: 'bool', trueText: '运行', falseText: '停止', trueEtext: 'Running' }
  expect(words(type, true).text).toBe('运行')
  expect(words(type, true, {}, true).text).toBe('Running')
  expect(words(type, false, {}, true).text).toBe('停止')
  expect(words({ type: 'bool' }, false).text).toBe('否')
  const modes: DataType = { type: 'enum', items: [{ value: 1, name: '自动', ename: 'Auto' }] }
  expect(words(modes, 1, {}, true).text).toBe('Auto')
  expect(words(modes, 7).text).toBe('7')
})

it('a missing value is a dash, not a zero', () => {
  expect(words({ type: 'double' }, undefined, { unit: 'm' })).toEqual({ text: '–' })
  expect(words({ type: 'bool' }, null).text).toBe('–')
})

it('places and structures can be read', () => {
  expect(words({ type: 'geo' }, { lng: 121.4737, lat: 31.2304 }).text).toBe('121.47370, 31.23040')
  expect(words({ type: 'json' }, { a: 1 }).text).toBe('{"a":1}')
  const state: DataType = {
    type: 'struct',
    fields: [
      { identifier: 'wear', name: '磨损', ename: 'Wear', dataType: { type: 'double' }, unit: '%' },
      { identifier: 'ok', name: '正常', dataType: { type: 'bool' } },
      { identifier: 'fault', name: '故障', dataType: { type: 'string' } },
      { identifier: 'gone', name: '无', dataType: { type: 'string' } },
    ],
  }
  expect(words(state, { ok: true, wear: 3, fault: '' }).text).toBe('磨损 3 % · 正常 是 · 故障 –')
  expect(words(state, { wear: 3 }, {}, true).text).toBe('Wear 3 %')
  expect(words(state, 'broken').text).toBe('"broken"')
  const list: DataType = { type: 'array', element: { type: 'double' } }
  expect(words(list, [1.25, 2], { unit: 'g' }).text).toBe('1.25, 2 g')
  expect(words(list, []).text).toBe('–')
})
