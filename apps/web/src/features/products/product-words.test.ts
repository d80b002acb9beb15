import { expect, it } from 'vitest'
import { statusOf } from './product-words.ts'

it('tells a new draft from a product that was taken back, and from one with changes waiting', () => {
  expect(statusOf({ status: 'draft', modelChanged: true, modelVersion: 0 })).toBe('draft')
  expect(statusOf({ status: 'draft', modelChanged: false, modelVersion: 3 })).toBe('stopped')
  expect(statusOf({ status: 'published', modelChanged: false, modelVersion: 3 })).toBe('published')
  expect(statusOf({ status: 'published', modelChanged: true, modelVersion: 3 })).toBe('changed')
})
