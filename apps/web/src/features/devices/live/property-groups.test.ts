import type { Property } from '@thingwright/thing-model/model'
import { expect, it } from 'vitest'
import { groupProperties } from './property-groups.ts'

const p = (identifier: string, group?: string, sort?: number): Property => ({
  identifier,
  name: identifier,
  access: 'r',
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
