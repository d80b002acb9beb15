import type { TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'
import { type AlarmFacts, FACTS, FACTS_FROM, type TemplateRow } from './queue.repo.ts'

export interface OwnTemplate extends TemplateRow {
  approvalReason: string | null
  version: number
  changedAt: Date
}

const COLUMNS = part`channel, event, locale, subject, body, code, approval, approval_reason as "approvalReason", version,
    changed_at as "changedAt"`

const LIST = sql<OwnTemplate>`select ${COLUMNS} from notification_templates`

/** The words that a company wrote itself. */
export async function list(scope: TenantScope): Promise<OwnTemplate[]> {
  return (await scope.run(LIST)).rows
}

export type TemplateValues = Pick<
  TemplateRow,
  'channel' | 'event' | 'locale' | 'subject' | 'body' | 'code' | 'approval'
> & {
  approvalReason: string | null
}

const FIRST = sql<OwnTemplate>`insert into notification_templates
    (id, tenant_id, channel, event, locale, subject, body, code, approval, approval_reason, changed_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  on conflict (tenant_id, channel, event, locale) do nothing returning ${COLUMNS}`
const NEXT = sql<OwnTemplate>`update notification_templates set subject = $4, body = $5, code = $6, approval = $7,
    approval_reason = $8, changed_at = $9, version = version + 1
  where channel = $1 and event = $2 and locale = $3 and version = $10 returning ${COLUMNS}`

/** @param version 0: the built-in words held. @returns undefined when there are others by now */
export async function set(
  scope: TenantScope,
  id: string,
  version: number,
  t: TemplateValues,
  now: Date,
): Promise<OwnTemplate | undefined> {
  const key = [t.channel, t.event, t.locale]
  const values = [t.subject, t.body, t.code, t.approval, t.approvalReason, now]
  const { rows } =
    version === 0
      ? await scope.run(FIRST, [id, scope.tenantId, ...key, ...values])
      : await scope.run(NEXT, [...key, ...values, version])
  return rows[0]
}

const REMOVE = sql`delete from notification_templates where channel = $1 and event = $2 and locale = $3`

export async function remove(scope: TenantScope, channel: string, event: string, locale: string): Promise<void> {
  await scope.run(REMOVE, [channel, event, locale])
}

const ALARM = sql<AlarmFacts>`select ${FACTS},
    case when $2::text = 'cleared' then coalesce(a.cleared_at, a.raised_at) else a.raised_at end as at
  from alarms a ${FACTS_FROM}
  where $1::uuid is null or a.id = $1 order by a.raised_at desc, a.id desc limit 1`

/** What can be said of an alarm that the caller may see. @param id null: of the newest */
export async function alarmFacts(
  scope: TenantScope,
  id: string | null,
  event: 'raised' | 'cleared',
): Promise<AlarmFacts | undefined> {
  return (await scope.run(ALARM, [id, event])).rows[0]
}

const SIGN = sql<{ name: string }>`select coalesce(config ->> 'signName', '') as name from notification_channels
  where kind = $1 and enabled order by id limit 1`

/** The signature that a carrier puts before a text; empty: no account has one. */
export async function signature(scope: TenantScope, kind: string): Promise<string> {
  return (await scope.run(SIGN, [kind])).rows[0]?.name ?? ''
}
