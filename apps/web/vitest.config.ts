import { defineConfig, mergeConfig } from 'vitest/config'
import LongestFirst from '../../scripts/longest-first.mjs'
import vite from './vite.config.ts'

export default mergeConfig(
  vite,
  defineConfig({
    test: {
      // Small files of pure code: threads start faster than processes.
      pool: 'threads',
      sequence: { sequencer: LongestFirst },
      // Against hanging only: samples are compiled and run here.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      // A condition is waited for, not a time: a busy machine makes a test slower, not red.
      expect: { poll: { interval: 20, timeout: 60_000 } },
    },
  }),
)
