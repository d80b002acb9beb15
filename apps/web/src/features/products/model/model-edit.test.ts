import { emptyModel, parseModel, type ThingModel } from '@thingwright/thing-model'
import { describe, expect, it } from 'vitest'
import {
  duplicateFeature,
  featureOfPath,
  freeIdentifier,
  moveFeature,
  putFeature,
  removeFeature,
  suggestIdentifier,
} from './model-edit.ts'

const property = (identifier: string) =>
  ({ identifier, name: identifier, dataType: { type: 'bool' }, access: 'r' }) as const
const model = (...ids: string[]): ThingModel => ({ ...emptyModel(), properties: ids.map(property) })
const ids = (m: ThingModel) => m.properties.map(p => p.identifier)

describe('editing a thing model', () => {
  it('adds, replaces and removes without touching the model it was given', () => {
    const before = model('a', 'b')
    expect(ids(putFeature(before, 'properties', null, property('c')))).toEqual(['a', 'b', 'c'])
    expect(ids(putFeature(before, 'properties', 0, property('x')))).toEqual(['x', 'b'])
    expect(ids(removeFeature(before, 'properties', 0))).toEqual(['b'])
    expect(ids(before)).toEqual(['a', 'b'])
  })

  it('copies under a free identifier, so that the copy is a valid model', () => {
    const copied = duplicateFeature(duplicateFeature(model('t', 'u'), 'properties', 0), 'properties', 0)
    expect(ids(copied)).toEqual(['t', 't3', 't2', 'u'])
    expect(parseModel(copied).ok).toBe(true)
  })

  it('moves one step and stays at the ends', () => {
    expect(ids(moveFeature(model('a', 'b', 'c'), 'properties', 1, -1))).toEqual(['b', 'a', 'c'])
    expect(ids(moveFeature(model('a', 'b', 'c'), 'properties', 1, 1))).toEqual(['a', 'c', 'b'])
    expect(ids(moveFeature(model('a', 'b'), 'properties', 0, -1))).toEqual(['a', 'b'])
    expect(ids(moveFeature(model('a', 'b'), 'properties', 1, 1))).toEqual(['a', 'b'])
  })
})

describe('identifiers', () => {
  it('are made from what letters a name has', () => {
    expect(suggestIdentifier('Water level', 'number', [])).toBe('waterLevel')
    expect(suggestIdentifier('Température (°C)', 'number', [])).toBe('temperatureC')
    expect(suggestIdentifier('3 phase', 'number', [])).toBe('_3Phase')
    expect(suggestIdentifier('水位', 'number', [])).toBe('number')
    expect(suggestIdentifier('水位', 'number', ['number'])).toBe('number2')
    expect(suggestIdentifier('ts', 'number', [])).toBe('ts2')
  })

  it('stay within 64 characters when numbered', () => {
    const long = 'x'.repeat(64)
    expect(freeIdentifier([long], long)).toHaveLength(64)
    expect(freeIdentifier(['t2', 't3'], 't2')).toBe('t4')
  })
})

it('a problem is traced to the feature it is in', () => {
  expect(featureOfPath('properties[3].dataType.min')).toEqual({ list: 'properties', index: 3, rest: 'dataType.min' })
  expect(featureOfPath('services[0]')).toEqual({ list: 'services', index: 0, rest: '' })
  expect(featureOfPath('')).toBeNull()
})
