import type { ErrorCode } from '@thingwright/contracts/errors'
import type { ReportRunView, ReportView } from '@thingwright/contracts/reports.contract'
import { type Ctx, type Locale, ownerIdOf } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import { errorText } from '../../lib/i18n.ts'
import { decodeCursor } from '../../lib/lists/paging.ts'
import type { Fault, ListPosition, Reachable, ReportRow } from './reports.repo.ts'
import type { RunRow } from './runs.repo.ts'

export function faultView(fault: Fault | null, locale: Locale): { code: string; message: string } | null {
  return fault && { code: fault.code, message: errorText(locale, fault.code as ErrorCode, fault.params ?? {}) }
}

/** @param found whom the recipients name */
export function toView(row: ReportRow, ctx: Ctx, found: readonly Reachable[]): ReportView {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    state: row.state,
    fault: faultView(row.fault, ctx.locale),
    source: row.source,
    format: row.format,
    schedule: row.schedule as unknown as ReportView['schedule'],
    locale: row.locale,
    period: row.period,
    recipients: row.recipients.map(recipient => {
      const known = found.find(({ kind, id }) => kind === recipient.kind && id === recipient.id)
      const label =
        recipient.kind === 'mail' ? (recipient.address ?? '') : known ? `${known.name} <${known.address}>` : ''
      return { ...recipient, label }
    }),
    misfire: row.misfire,
    misfireMinutes: row.misfireMinutes,
    nextRunAt: row.state === 'enabled' ? (row.nextRun?.toISOString() ?? null) : null,
    lastRunAt: row.lastRunAt?.toISOString() ?? null,
    lastState: row.lastState,
    ownerId: row.ownerId,
    ownerName: row.ownerName,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

export function toRun(row: RunRow, ctx: Ctx): ReportRunView {
  const isOwn = row.ownerId !== null && row.ownerId === ownerIdOf(ctx.actor)
  return {
    id: row.id,
    reportId: row.reportId,
    name: row.name,
    cause: row.cause,
    byName: row.byName,
    dueAt: row.dueAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
    missed: row.missed,
    state: row.state,
    fault: faultView(row.fault, ctx.locale),
    fileName: row.fileName,
    size: row.size,
    rows: row.rows,
    taskId: isOwn ? row.taskId : null,
    mails: row.mails.map(mail => ({
      ...mail,
      reason:
        mail.reason === 'report.recipient_gone' ? errorText(ctx.locale, 'report.recipient_gone', {}) : mail.reason,
    })),
  }
}

/** As the operation log keeps it. */
export function documented(row: ReportRow): Record<string, unknown> {
  const { name, source, format, schedule, period, locale, enabled, ownerName } = row
  return {
    name,
    source,
    format,
    schedule,
    period,
    locale,
    enabled,
    owner: ownerName,
    recipients: row.recipients.length,
  }
}

/** @throws AppError request.cursor_invalid */
export function positionOf(cursor: string | undefined): ListPosition | null {
  const values = decodeCursor(cursor, 2)
  if (!values) return null
  const [key, id] = values
  if (typeof key !== 'string' || typeof id !== 'string') throw new AppError('request.cursor_invalid')
  return [key, id]
}
