// A reporter of vitest: writes what went wrong outside every test (a promise that nobody waited for) where `npm test` reads it.
import { writeFileSync } from 'node:fs'

export default class StrayErrors {
  onTestRunEnd(_modules, errors) {
    const to = process.env.STRAY_ERRORS
    const lines = errors.map(error => ({
      file: error.VITEST_TEST_PATH ?? null,
      text: String(error.stack ?? error.message ?? error),
    }))
    if (to) writeFileSync(to, JSON.stringify(lines))
  }
}
