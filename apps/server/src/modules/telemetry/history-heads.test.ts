import { expect, it } from 'vitest'
import { headsOf } from './history-heads.ts'

const property = (identifier: string, name: string, unit: string | null, ename: string | null = null) => ({
  identifier,
  name,
  ename,
  unit,
  zone: 'Europe/Berlin',
})

it('names the columns of a history with units, in the language of the caller, and tells namesakes apart', () => {
  const described = [
    property('t1', 'Temp', '\u2103', 'Temperature'),
    property('t2', 'Temp', '\u2103'),
    property('on', 'On', null),
  ]
  expect(headsOf('zh', ['t1', 'on'], described, 'names')).toMatchObject({
    zone: 'Europe/Berlin',
    values: ['Temp (\u2103)', 'On'],
  })
  expect(headsOf('en', ['on', 't1'], described, 'names').values).toEqual(['On', 'Temperature (\u2103)'])
  expect(headsOf('zh', ['t1', 't2'], described, 'names').values).toEqual(['Temp (\u2103) [t1]', 'Temp (\u2103) [t2]'])
  expect(headsOf('zh', ['t1', 't2'], described, 'identifiers').values).toEqual(['t1', 't2'])
})
