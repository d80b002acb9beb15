import { expect, it } from 'vitest'
import { keyMeaning } from './use-list-keys.ts'

const keys = ['a', 'b', 'c']

it('j and k walk the rows and stop at the ends', () => {
  expect(keyMeaning('j', keys, null)).toEqual({ move: 'a' })
  expect(keyMeaning('j', keys, 'a')).toEqual({ move: 'b' })
  expect(keyMeaning('j', keys, 'c')).toEqual({ move: 'c' })
  expect(keyMeaning('k', keys, 'b')).toEqual({ move: 'a' })
  expect(keyMeaning('k', keys, 'a')).toEqual({ move: 'a' })
})

it('Enter and x mean the row stood on, and nothing without one', () => {
  expect(keyMeaning('Enter', keys, 'b')).toEqual({ open: 'b' })
  expect(keyMeaning('x', keys, 'b')).toEqual({ toggle: 'b' })
  expect(keyMeaning('Enter', keys, null)).toBeNull()
  expect(keyMeaning('x', keys, 'gone')).toBeNull()
})

it('an empty list still has its search', () => {
  expect(keyMeaning('j', [], null)).toBeNull()
  expect(keyMeaning('/', [], null)).toBe('search')
})
