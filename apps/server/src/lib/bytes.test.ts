import { expect, it } from 'vitest'
import { showBytes } from './bytes.ts'

it.each([
  [0, '0 B'],
  [1_010, '1010 B'],
  [1_024, '1 KB'],
  [1_536, '1.5 KB'],
  [1_000_000, '976.6 KB'],
  [1_100_000, '1.05 MB'],
  [20 * 1024 ** 2, '20 MB'],
  [5 * 1024 ** 5, '5120 TB'],
])('%d bytes are written as the console writes them', (bytes, shown) => expect(showBytes(bytes)).toBe(shown))
