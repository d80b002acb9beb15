import { type AuditRecord, recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { SystemScope } from '../../lib/database/database.ts'

/** What an operator does to a company's money stands in its operation log and in the platform's. */
export async function bothLogs(scope: SystemScope, ctx: Ctx, companyId: string, record: AuditRecord): Promise<void> {
  await recordAudit(scope, { ...ctx, tenantId: companyId }, record)
  await recordAudit(scope, ctx, record)
}
