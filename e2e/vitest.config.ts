import { defineConfig } from 'vitest/config'
import LongestFirst from '../scripts/longest-first.mjs'

/** What holds the clock of the specification against the page: nothing else runs meanwhile. */
const TIMED = ['first-device.e2e.ts']

const COMMON = {
  exclude: ['**/node_modules/**'] as string[],
  // Against hanging only, which is seen within a minute.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  pool: 'forks',
  globalSetup: ['./fixtures/global-setup.ts'] as string[],
  setupFiles: ['./fixtures/on-failure.ts'] as string[],
  // A condition is waited for, not a time: a busy machine makes a test slower, not red. What never comes is told before
  // the test is cut off, which would only say that it was.
  expect: { poll: { interval: 50, timeout: 45_000 } },
} as const

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...COMMON, name: 'timed', include: TIMED, maxWorkers: 1, sequence: { groupOrder: 0 } } },
      {
        test: {
          ...COMMON,
          name: 'journeys',
          include: ['**/*.e2e.ts'],
          exclude: [...COMMON.exclude, ...TIMED],
          // Two cores, which two browsers with their servers keep busy.
          maxWorkers: 2,
          // The browser's driver is read once by each process, not once by each file.
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
