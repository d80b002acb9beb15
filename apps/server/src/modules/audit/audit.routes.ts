import { auditContract } from '@thingwright/contracts/audit.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { AuditService } from './audit.service.ts'

export function auditRoutes(audit: AuditService): BoundRoute[] {
  return [bind(auditContract.list, (ctx, { query }) => audit.list(ctx, query))]
}
