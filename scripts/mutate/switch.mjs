// Runs before each test file: puts the fault on, or notes what the file reaches of all of them.
import { appendFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, inject } from 'vitest'

const { fault, hits, reach } = inject('planted')
globalThis.__stryker__ ??= { mutantCoverage: { static: {}, perTest: {} } }
const planted = globalThis.__stryker__

if (fault !== null) {
  planted.activeMutant = fault
  // A loop that no longer ends is ended by the switch itself.
  planted.hitCount = 0
  planted.hitLimit = hits
}
if (reach) {
  const coverage = planted.mutantCoverage
  coverage.static = {}
  coverage.perTest = {}
  // What is reached while files are loaded is reached in the first file alone: it does not count.
  planted.currentTestId = undefined
  beforeAll(() => {
    planted.currentTestId = 'run'
  })
  afterAll(() => {
    planted.currentTestId = undefined
    const { testPath } = expect.getState()
    appendFileSync(reach, `${JSON.stringify({ file: testPath, hits: coverage.perTest.run ?? {} })}\n`)
  })
}
