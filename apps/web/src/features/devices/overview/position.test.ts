import type { Property } from '@thingwright/thing-model/model'
import { expect, it } from 'vitest'
import { positionOf } from './position.ts'

const geo = (identifier: string) =>
  ({ identifier, name: identifier, access: 'r', dataType: { type: 'geo' } }) as Property
const reading = (lng: unknown, lat: unknown, ts: number, quality: 'good' | 'bad' = 'good') => ({
  value: { lng, lat },
  ts,
  quality,
})
const ENTERED = { location: { lng: 120, lat: 30, address: '之江路 368 号' } }

it('what the device reported last counts before what was entered', () => {
  expect(positionOf(ENTERED, [geo('a'), geo('b')], { a: reading(1, 2, 10), b: reading(3, 4, 20) })).toEqual({
    place: { lng: 3, lat: 4 },
    reportedAt: 20,
    address: '',
  })
})

it('values of bad quality and those that are no place do not count', () => {
  const entered = { place: { lng: 120, lat: 30 }, reportedAt: null, address: '之江路 368 号' }
  expect(positionOf(ENTERED, [geo('a')], { a: reading(1, 2, 10, 'bad') })).toEqual(entered)
  expect(positionOf(ENTERED, [geo('a')], { a: reading('1', null, 10) })).toEqual(entered)
  expect(positionOf(ENTERED, [geo('a')], {})).toEqual(entered)
})

it('is nothing when nobody told it', () => {
  expect(positionOf({ location: null }, [], {})).toBeNull()
})
