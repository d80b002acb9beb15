import { auditContract, userLogContract } from '@thingwright/contracts/audit.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { AuditService } from './audit.service.ts'
import type { UserLogService } from './user-log.service.ts'

export function auditRoutes(audit: AuditService, userLog: UserLogService): BoundRoute[] {
  return [
    bind(auditContract.list, (ctx, { query }) => audit.list(ctx, query)),
    bind(auditContract.filters, ctx => audit.filters(ctx)),
    bind(auditContract.chain, ctx => audit.chain(ctx)),
    bind(auditContract.verify, ctx => audit.verify(ctx)),
    bind(auditContract.export, (ctx, { query }) => audit.export(ctx, query)),
    bind(auditContract.get, (ctx, { params }) => audit.get(ctx, params.id)),
    bind(userLogContract.list, (ctx, { query }) => userLog.list(ctx, query)),
    bind(userLogContract.own, (ctx, { query }) => userLog.own(ctx, query)),
    bind(userLogContract.export, (ctx, { query }) => userLog.export(ctx, query)),
  ]
}
