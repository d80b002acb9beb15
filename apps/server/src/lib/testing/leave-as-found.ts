import { afterAll, vi } from 'vitest'

// Test files follow one another in one process (vitest.config.ts): none may leave its clock or its spies to the next.
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})
