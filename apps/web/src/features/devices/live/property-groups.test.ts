import type { Property } from '@thingwright/thing-model/model'
import { expect, it } from 'vitest'
import { groupProperties } from './property-groups.ts'

const p = (identifier: string, group?: string, sort?: number, access: Property['access'] = 'r'): Property => ({
  identifier,
  name: identifier,
  access,
  dataType: { type: 'bool' },
  ...(group === undefined ? {} : { group }),
  ...(sort === undefined ? {} : { sort }),
})

it('groups keep the order of the model, the ungrouped come last, sort decides inside', () => {
  const groups = groupProperties([p('x'), p('b', 'pump', 2), p('a', 'pump', 1), p('t', 'tank'), p('c', 'pump', 2)])
  expect(groups.map(g => [g.name, g.properties.map(each => each.identifier)])).toEqual([
    ['pump', ['a', 'b', 'c']],
    ['tank', ['t']],
    ['', ['x']],
  ])
})

it('readings stand before settings; a named group stays whole and is one of settings when nothing in it is only read', () => {
  const groups = groupProperties([
    p('limit', 'set', 0, 'rw'),
    p('valve', undefined, 0, 'rw'),
    p('reset', undefined, 0, 'w'),
    p('pump', 'pump', 2, 'rw'),
    p('level'),
    p('current', 'pump', 1),
  ])
  expect(groups.map(g => [g.part, g.name, g.properties.map(each => each.identifier)])).toEqual([
    ['readings', 'pump', ['current', 'pump']],
    ['readings', '', ['level']],
    ['settings', 'set', ['limit']],
    ['settings', '', ['valve', 'reset']],
  ])
})
