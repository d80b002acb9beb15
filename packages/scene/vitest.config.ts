import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    // Against hanging, not for speed: a machine may be busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { interval: 20, timeout: 30_000 } },
  },
})
