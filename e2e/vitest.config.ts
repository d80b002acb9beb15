import { defineConfig } from 'vitest/config'
import LongestFirst from '../scripts/longest-first.mjs'

/** What holds the clock of the specification against the page: nothing else runs meanwhile. */
const TIMED = ['section-2-routes.e2e.ts', 'section-4-guard.e2e.ts', 'first-device.e2e.ts']

const COMMON = {
  exclude: ['**/node_modules/**'] as string[],
  // Against hanging only.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  pool: 'forks',
  globalSetup: ['./fixtures/global-setup.ts'] as string[],
  setupFiles: ['./fixtures/on-failure.ts'] as string[],
  // A condition is waited for, not a time: a busy machine makes a test slower, not red.
  expect: { poll: { interval: 50, timeout: 60_000 } },
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
          // Every file has a server and a browser of its own, and spends half of its time waiting for one of them.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
