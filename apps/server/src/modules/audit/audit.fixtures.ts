import type { Database } from '../../lib/database/database.ts'
import { silentLogger } from '../../lib/log.ts'
import { type AuditModuleDeps, createAuditModule } from './audit.module.ts'

/** The module on a test database, with everything around it replaced by the plainest answer. */
export function auditFixture(database: Database, over: Partial<AuditModuleDeps> = {}) {
  return createAuditModule({
    database,
    // That of db/testing.ts, with which lines are sealed in tests.
    secretKey: 'k'.repeat(64),
    logger: silentLogger,
    placeOf: () => 'unknown',
    clientOf: userAgent => userAgent.split('/')[0] ?? '',
    retentionDays: async () => 200,
    startTask: async () => {
      throw new Error('this test starts no tasks')
    },
    registerTask: () => {},
    now: () => Date.now(),
    ...over,
  })
}
