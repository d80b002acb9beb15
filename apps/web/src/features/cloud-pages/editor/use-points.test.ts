import { expect, it } from 'vitest'
import { pointsIn } from './use-points.ts'

it('offers a property and the parts of its value', () => {
  const motor = {
    identifier: 'motor',
    name: 'Motor',
    access: 'rw',
    dataType: {
      type: 'struct',
      fields: [
        { identifier: 'hz', name: 'Speed', unit: 'Hz', dataType: { type: 'double' } },
        { identifier: 'at', name: 'Place', dataType: { type: 'geo' } },
      ],
    },
  }
  expect(pointsIn(motor).map(({ identifier, name, unit, writable }) => [identifier, name, unit, writable])).toEqual([
    ['motor', 'Motor', '', true],
    ['motor.hz', 'Motor · Speed', 'Hz', false],
    ['motor.at', 'Motor · Place', '', false],
    ['motor.at.lat', 'Motor · Place · lat', '', false],
    ['motor.at.lng', 'Motor · Place · lng', '', false],
  ])
  expect(pointsIn({ identifier: 'level', name: 'Level' })).toEqual([
    { identifier: 'level', name: 'Level', unit: '', writable: false },
  ])
})
