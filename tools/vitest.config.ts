import { defineConfig } from 'vitest/config'
import LongestFirst from '../scripts/longest-first.mjs'

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    // Two cores, and most of these wait for a program that they started or killed.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // Against hanging, not for speed: a machine may be busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { interval: 20, timeout: 30_000 } },
  },
})
