import { actorId, actorName, type Ctx } from './context.ts'
import type { TenantScope } from './database.ts'
import { newId } from './ids.ts'

export interface AuditRecord {
  /** `noun.verb`, equal to the `audit` of the route's contract where a route is the cause. */
  action: string
  objectType: string
  objectId?: string
  objectName?: string
  before?: Record<string, unknown> | null
  after?: Record<string, unknown> | null
  result?: 'ok' | 'refused' | 'failed'
}

/** Keys whose values never enter the operation log. */
const SECRET_KEY = /secret|password|token|cipher|hash|^code$/i

function withoutSecrets(value: Record<string, unknown> | null | undefined): string | null {
  if (!value) return null
  return JSON.stringify(value, (key, inner) => (key && SECRET_KEY.test(key) ? '[secret]' : inner))
}

/** Writes one line of the operation log in the transaction of the change itself. */
export async function recordAudit(scope: Pick<TenantScope, 'query'>, ctx: Ctx, record: AuditRecord): Promise<void> {
  await scope.query(
    `insert into audit_logs (id, tenant_id, actor_kind, actor_id, actor_name, action, object_type, object_id, object_name, before, after, result, ip, request_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      newId(),
      ctx.tenantId,
      ctx.actor.kind,
      actorId(ctx.actor),
      actorName(ctx.actor),
      record.action,
      record.objectType,
      record.objectId ?? null,
      record.objectName ?? null,
      withoutSecrets(record.before),
      withoutSecrets(record.after),
      record.result ?? 'ok',
      ctx.ip ?? null,
      ctx.requestId,
    ],
  )
  ctx.audited = true
}
