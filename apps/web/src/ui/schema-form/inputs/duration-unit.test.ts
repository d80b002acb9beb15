import { expect, it } from 'vitest'
import { unitFor } from './duration-unit.ts'

it('a length of time is shown in the largest unit that leaves it whole', () => {
  expect(unitFor(90)).toBe(1)
  expect(unitFor(300)).toBe(60)
  expect(unitFor(7200)).toBe(3600)
  expect(unitFor(86_400)).toBe(86_400)
  expect(unitFor(undefined)).toBe(60)
})
