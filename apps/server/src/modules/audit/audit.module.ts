import type { Permission } from '@thingwright/contracts/permissions'
import { auditLineKey } from '../../lib/crypto/audit-line.ts'
import { deriveKey } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import type { ModuleParts } from '../../lib/module.ts'
import { type AuditChain, createAuditChain } from './audit.chain.ts'
import { createSeal, type Seal } from './audit.hash.ts'
import { createRefusalLog, type RefusalLog } from './audit.refusals.ts'
import { auditRoutes } from './audit.routes.ts'
import { type AuditDeps, type AuditService, createAuditService, VERIFY_TASK } from './audit.service.ts'
import { type Read, type Verification, verifyCompany } from './audit.verify.ts'
import { createUserLogService, type UserLogService } from './user-log.service.ts'

export interface AuditModule extends ModuleParts {
  service: AuditService
  userLog: UserLogService
  refusals: RefusalLog
  /** Started in one process with the worker role; more than one do no harm. */
  chain: AuditChain
  routes: BoundRoute[]
}

/** The part of a running task (modules/tasks) that the verification uses. */
interface VerifyTask {
  ctx: { tenantId: string }
  progress(done: number, total?: number): void
  failed(item: string, code: Verification['problems'][number]['code']): void
  cancelled(): boolean
}

export interface AuditModuleDeps extends AuditDeps {
  secretKey: string
  logger: Logger
  now(): number
  registerTask(
    kind: string,
    handler: {
      resumable: boolean
      needs(): readonly Permission[]
      run(task: VerifyTask): Promise<{ summary: Record<string, unknown> }>
    },
  ): void
}

/** The seal of this installation's chains. */
export function auditSeal(secretKey: string): Seal {
  return createSeal(deriveKey(secretKey, 'audit-chain'), auditLineKey(secretKey))
}

export function createAuditModule(deps: AuditModuleDeps): AuditModule {
  const { database, logger, now } = deps
  const seal = auditSeal(deps.secretKey)
  const service = createAuditService(deps)
  const userLog = createUserLogService(deps)
  deps.registerTask(VERIFY_TASK, {
    // Reads only: it may begin again as often as it likes.
    resumable: true,
    needs: () => ['audit:read'],
    async run(task) {
      const { tenantId } = task.ctx
      const found = await verifyCompany(
        readAsCompany(database, tenantId),
        seal,
        tenantId,
        { progress: task.progress, cancelled: task.cancelled },
        now(),
      )
      for (const { code, seq, auditId } of found.problems) task.failed(seq === null ? (auditId ?? '') : `#${seq}`, code)
      return { summary: { ...found } }
    },
  })
  const chain = createAuditChain({ database, seal, retentionDays: deps.retentionDays, logger, now })
  return {
    service,
    userLog,
    refusals: createRefusalLog({ database, logger, now }),
    chain,
    runs: [{ name: 'operation log', phase: 'work', start: () => chain.start(), stop: () => chain.stop() }],
    routes: auditRoutes(service, userLog),
  }
}

/** Reads as the company itself, one short transaction for each statement. */
export function readAsCompany(database: Database, tenantId: string): Read {
  return async (statement, params) =>
    (await database.withTenant({ tenantId }, scope => scope.run(statement, params))).rows
}
