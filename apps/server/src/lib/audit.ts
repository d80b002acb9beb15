import { actorId, actorName, type Ctx } from './context.ts'
import { type AuditLine, lineTime } from './crypto/audit-line.ts'
import type { TenantScope } from './database/database.ts'
import { newId } from './ids.ts'
import { sql } from './sql/statement.ts'

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

/** What a line is written with: the transaction of the change, and the seal of the installation. */
type AuditScope = Pick<TenantScope, 'run' | 'sealLine'>

/** Keys whose values never enter the operation log. */
const SECRET_KEY = /secret|password|token|cipher|hash|^code$/i

function withoutSecrets(value: Record<string, unknown> | null | undefined): string | null {
  if (!value) return null
  const text = JSON.stringify(value, (key, inner) => (key && SECRET_KEY.test(key) ? '[secret]' : inner))
  return text.replace(UNSTORABLE, found => (found === '\\\\' ? found : '\\ufffd'))
}

/** In JSON text: an escaped backslash, so that what follows it is no escape; NUL and half a pair of code units. */
const UNSTORABLE = /\\\\|\\u(?:0000|d[89a-f][\da-f]{2})/gi

/** As PostgreSQL keeps it: NUL and half a pair of code units become the sign for what cannot be shown. */
function storable(value: string): string
function storable(value: string | null | undefined): string | null
function storable(value: string | null | undefined): string | null {
  return value?.toWellFormed().replaceAll('\0', '\ufffd') ?? null
}

/** Writes one line of the operation log in the transaction of the change itself. */
export function recordAudit(scope: AuditScope, ctx: Ctx, record: AuditRecord): Promise<void> {
  return recordAudits(scope, ctx, [record])
}

const RECORD_AUDITS = sql`insert into audit_logs (id, tenant_id, at, actor_kind, actor_id, actor_name, action, object_type, object_id, object_name, before, after, result, ip, request_id, user_agent, mac)
  select v.id, $2, $9, $3, $4, $5, v.action, v.object_type, v.object_id, v.object_name, v.before::jsonb, v.after::jsonb, v.result, $6, $7, $8, decode(v.mac, 'hex')
  from jsonb_to_recordset($1::jsonb) as v (id uuid, action text, object_type text, object_id text, object_name text, before text, after text, result text, mac text)`

/** The same for many changes of one transaction, in one statement. */
export async function recordAudits(scope: AuditScope, ctx: Ctx, records: readonly AuditRecord[]): Promise<void> {
  if (records.length === 0) return
  const at = lineTime(Date.now())
  const lines = records.map(record => {
    const before = withoutSecrets(record.before)
    const after = withoutSecrets(record.after)
    const line: AuditLine = {
      id: newId(),
      tenantId: ctx.tenantId,
      at,
      actorKind: ctx.actor.kind,
      actorId: actorId(ctx.actor),
      actorName: storable(actorName(ctx.actor)),
      action: record.action,
      objectType: record.objectType,
      objectId: storable(record.objectId),
      objectName: storable(record.objectName),
      before: before && JSON.parse(before),
      after: after && JSON.parse(after),
      result: record.result ?? 'ok',
      ip: storable(ctx.ip),
      requestId: storable(ctx.requestId),
      userAgent: storable(ctx.userAgent),
    }
    return {
      id: line.id,
      action: line.action,
      object_type: line.objectType,
      object_id: line.objectId,
      object_name: line.objectName,
      before,
      after,
      result: line.result,
      mac: scope.sealLine(line).toString('hex'),
    }
  })
  await scope.run(RECORD_AUDITS, [
    JSON.stringify(lines),
    ctx.tenantId,
    ctx.actor.kind,
    actorId(ctx.actor),
    storable(actorName(ctx.actor)),
    storable(ctx.ip),
    storable(ctx.requestId),
    storable(ctx.userAgent),
    at,
  ])
  ctx.audited = true
}
