import { expect, it } from 'vitest'
import { isNetwork } from './networks.ts'

it.each([
  ['203.0.113.7', true],
  ['10.0.0.0/8', true],
  ['2001:db8::/32', true],
  ['::1', true],
  ['1:2:3:4:5:6:7:8', true],
  ['10.0.0.0/33', false],
  ['010.0.0.1', false],
  ['256.1.1.1', false],
  ['1:2:3', false],
  ['1::2::3', false],
  ['::/129', false],
  ['example.com', false],
  ['10.0.0.0/8/8', false],
  ['', false],
])('%s is a network: %s', (text, expected) => {
  expect(isNetwork(text)).toBe(expected)
})
