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
    `insert into audit_logs (id, tenant_id, actor_kind, actor_id, actor_name, action, object_type, object_id, object_name, before, after, result, ip, request_id, user_agent)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
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
      ctx.userAgent ?? null,
    ],
  )
  ctx.audited = true
}

/** The same for many changes of one transaction, in one statement. */
export async function recordAudits(
  scope: Pick<TenantScope, 'query'>,
  ctx: Ctx,
  records: readonly AuditRecord[],
): Promise<void> {
  if (records.length === 0) return
  const lines = records.map(record => ({
    id: newId(),
    action: record.action,
    object_type: record.objectType,
    object_id: record.objectId ?? null,
    object_name: record.objectName ?? null,
    before: withoutSecrets(record.before),
    after: withoutSecrets(record.after),
    result: record.result ?? 'ok',
  }))
  await scope.query(
    `insert into audit_logs (id, tenant_id, actor_kind, actor_id, actor_name, action, object_type, object_id, object_name, before, after, result, ip, request_id, user_agent)
     select v.id, $2, $3, $4, $5, v.action, v.object_type, v.object_id, v.object_name, v.before::jsonb, v.after::jsonb, v.result, $6, $7, $8
     from jsonb_to_recordset($1::jsonb) as v (id uuid, action text, object_type text, object_id text, object_name text, before text, after text, result text)`,
    [
      JSON.stringify(lines),
      ctx.tenantId,
      ctx.actor.kind,
      actorId(ctx.actor),
      actorName(ctx.actor),
      ctx.ip ?? null,
      ctx.requestId,
      ctx.userAgent ?? null,
    ],
  )
  ctx.audited = true
}
