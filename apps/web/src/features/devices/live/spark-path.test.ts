import { expect, it } from 'vitest'
import { areaUnder, endOf, sparkPath } from './spark-path.ts'

it('spans the whole width and height', () => {
  expect(
    sparkPath(
      [
        [0, 0],
        [5, 10],
        [10, 0],
      ],
      100,
      23,
      false,
    ),
  ).toBe('M0 21.5L50 1.5L100 21.5')
})

it('breaks at nulls, steps for levels, lies flat for constants', () => {
  expect(
    sparkPath(
      [
        [0, 1],
        [5, null],
        [10, 1],
      ],
      100,
      20,
      false,
    ),
  ).toBe('M0 10M100 10')
  expect(
    sparkPath(
      [
        [0, 0],
        [10, 1],
      ],
      100,
      23,
      true,
    ),
  ).toBe('M0 21.5H100V1.5')
})

it('keeps its place in the day', () => {
  const points = [
    [50, 0],
    [100, 1],
  ] as const
  expect(sparkPath(points, 100, 23, false, 0, 100)).toBe('M50 21.5L100 1.5')
})

it('is nothing without two values', () => {
  expect(sparkPath([[0, 1]], 100, 20, false)).toBe('')
  expect(
    sparkPath(
      [
        [0, null],
        [1, 2],
      ],
      100,
      20,
      false,
    ),
  ).toBe('')
})

it('has an area under each piece and an end', () => {
  expect(areaUnder('M0 10L50 5L60 8M80 3M90 4H95V2', 20)).toBe('M0 10L50 5L60 8L60 20L0 20ZM90 4H95V2L95 20L90 20Z')
  expect(endOf('M0 10L50 5L60 8')).toEqual([60, 8])
  expect(endOf('M90 4H95V2')).toEqual([95, 2])
  expect(endOf('')).toBeNull()
})
