import { defineConfig } from 'vitest/config'
import LongestFirst from '../../scripts/longest-first.mjs'

export default defineConfig({
  test: {
    name: 'server',
    include: ['src/**/*.test.ts'],
    pool: 'forks',
    // Two cores: more files at a time only wait for each other and for the database.
    maxWorkers: 2,
    // Two hundred files import much the same program: once for each process, not once for each file. So `vi.mock`
    // does not belong here; what a test wants to be different is handed in.
    isolate: false,
    setupFiles: ['./src/lib/testing/leave-as-found.ts'],
    // A condition is waited for, not a time: a busy machine makes a test slower, not red. These are against hanging only,
    // which is seen within a minute; what never comes is told before its test is cut off.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { interval: 20, timeout: 45_000 } },
    sequence: { sequencer: LongestFirst },
    globalSetup: ['./src/db/testing/global-setup.ts'],
  },
})
