import { expect, it } from 'vitest'
import { withTags } from './device-batch.ts'

it('tags are added once and taken away', () => {
  expect(withTags(['a', 'b'], ['b', 'c'], ['a'])).toEqual(['b', 'c'])
  expect(withTags(['a'], ['a'], ['a'])).toEqual(['a'])
  expect(withTags([], [], ['x'])).toEqual([])
})
