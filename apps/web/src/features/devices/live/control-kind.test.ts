import type { DataType, Property } from '@thingwright/thing-model/model'
import { describe, expect, it } from 'vitest'
import { controlOf, isChartable, isStepped, stepOf } from './control-kind.ts'

const property = (dataType: DataType, more: Partial<Property> = {}): Property => ({
  identifier: 'p',
  name: 'p',
  access: 'rw',
  dataType,
  ...more,
})
const levels = (count: number): DataType => ({
  type: 'enum',
  items: Array.from({ length: count }, (_, value) => ({ value, name: String(value) })),
})

const words = (...names: string[]): DataType => ({
  type: 'enum',
  items: names.map((name, value) => ({ value, name })),
})

describe('the control of a property', () => {
  it.each<[string, DataType, Partial<Property>, string]>([
    ['read-only', { type: 'bool' }, { access: 'r' }, 'none'],
    ['write-only', { type: 'bool' }, { access: 'w' }, 'form'],
    ['truth value', { type: 'bool' }, {}, 'switch'],
    ['bounded number', { type: 'double', min: 0, max: 5 }, {}, 'slider'],
    ['bounded number as number', { type: 'int32', min: 0, max: 5 }, { widget: 'number' }, 'number'],
    ['unbounded number', { type: 'float', min: 0 }, { widget: 'slider' }, 'number'],
    ['number with one possible value', { type: 'int32', min: 5, max: 5 }, {}, 'number'],
    ['few levels', levels(4), {}, 'levels'],
    ['many levels', levels(5), {}, 'select'],
    ['levels as a list', levels(3), { widget: 'select' }, 'select'],
    ['levels with short words', words('自动', '手动', '停止'), {}, 'levels'],
    ['levels with long words', words('Stopped', 'Running', 'Overheated'), {}, 'select'],
    ['levels with long Chinese words', words('正在自动运行', '手动操作中', '已经停止'), {}, 'select'],
    ['text', { type: 'string' }, {}, 'text'],
    ['colour', { type: 'string' }, { widget: 'color' }, 'color'],
    ['long integer', { type: 'int64' }, {}, 'form'],
    ['struct', { type: 'struct', fields: [] }, {}, 'form'],
    ['place', { type: 'geo' }, {}, 'form'],
    ['time', { type: 'date' }, {}, 'form'],
  ])('of a %s', (_, dataType, more, expected) => {
    expect(controlOf(property(dataType, more))).toBe(expected)
  })
})

it('steps follow the model, else the range', () => {
  expect(stepOf(property({ type: 'double', min: 0, max: 5, step: 0.25 }))).toBe(0.25)
  expect(stepOf(property({ type: 'double', min: 0, max: 5 }))).toBe(0.01)
  expect(stepOf(property({ type: 'double', min: 0, max: 100 }))).toBe(1)
  expect(stepOf(property({ type: 'int32', min: 0, max: 3000 }))).toBe(1)
  expect(stepOf(property({ type: 'double' }))).toBe(1)
})

it('curves are drawn of numbers, truth values and numbered levels that keep a history', () => {
  expect(isChartable(property({ type: 'double' }))).toBe(true)
  expect(isChartable(property({ type: 'bool' }))).toBe(true)
  expect(isChartable(property(levels(2)))).toBe(true)
  expect(isChartable(property({ type: 'enum', items: [{ value: 'a', name: 'a' }] }))).toBe(false)
  expect(isChartable(property({ type: 'string' }))).toBe(false)
  expect(isChartable(property({ type: 'double' }, { history: false }))).toBe(false)
  expect(isChartable(property({ type: 'double' }, { access: 'w' }))).toBe(false)
  expect(isStepped(property({ type: 'bool' }))).toBe(true)
  expect(isStepped(property({ type: 'double' }))).toBe(false)
})
