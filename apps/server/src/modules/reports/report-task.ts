import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { isAppError } from '../../lib/errors.ts'
import { dayOf } from '../../lib/table-export/list-export.ts'
import { partsIn } from '../../lib/zoned-time.ts'
import type { CompanyMail } from '../contacts/index.ts'
import type { RunningTask, TaskHandler } from '../tasks/index.ts'
import { resolveRecipients } from './report-checks.ts'
import { type Span, spanOf } from './report-period.ts'
import { makeReport, type SourceDeps } from './report-sources.ts'
import type { ReportPaper } from './report-table.ts'
import words from './report-words.json' with { type: 'json' }
import * as repo from './reports.repo.ts'
import * as runs from './runs.repo.ts'

export interface ReportTaskDeps extends SourceDeps {
  database: Database
  mail: CompanyMail
  addresses(): { httpUrl: string }
  now(): number
  /** Pauses before a mail is tried again, ms. */
  pauses?: readonly number[]
  /** The largest file that goes with a mail, bytes. */
  mailLimit?: number
}

export const REPORT_TASK = 'report.run'
/** What most mail servers take, with what base64 adds. */
const MAIL_LIMIT = 10 * 1024 * 1024
const PAUSES = [5_000, 30_000]

interface Made {
  report: repo.ReportRow
  company: string
  file: { name: string; contentType: string; body: Buffer; rows: number }
  period: string | null
  day: string
}

/** Makes the file of a run and mails it; taken up again after its process was ended, who had the mail does not get it again. */
export function reportTask(deps: ReportTaskDeps): TaskHandler {
  const { database } = deps

  /** Of the whole company: reads the run itself, which does not depend on the permissions of the report's owner. */
  const own = <T>({ tenantId }: Ctx, work: Parameters<typeof database.withTenant<T>>[1]) =>
    database.withTenant({ tenantId }, work)

  async function make(task: RunningTask, run: runs.WorkRow): Promise<Made> {
    const { report, company } = await own(task.ctx, async scope => ({
      report: (await repo.find(scope, run.reportId))!,
      company: await repo.companyOf(scope),
    }))
    const { zone } = report.schedule
    const at = run.dueAt.getTime()
    const span = report.period === null ? null : spanOf(report.period, zone, at)
    const day = localDay(zone, at)
    const paper: ReportPaper = {
      format: report.format,
      title: report.name,
      fileName: `${report.name.replaceAll(/[\\/:*?"<>|]/g, ' ')}-${day}`,
      locale: report.locale,
      zone,
      company: company.name,
      owner: report.ownerName,
      period: span && report.period ? periodText(report, span) : null,
      madeAt: deps.now(),
    }
    const { reply, rows } = await makeReport(deps, { ...task.ctx, locale: report.locale }, report.source, span, paper)
    const body = await buffer(reply.body)
    return {
      report,
      company: company.name,
      file: { name: reply.fileName!, contentType: reply.contentType, body, rows },
      period: paper.period,
      day,
    }
  }

  async function mailAll(task: RunningTask, runId: string, made: Made): Promise<void> {
    const { ctx } = task
    const pending = await own(ctx, async scope => {
      await runs.insertMails(scope, runId, await resolveRecipients(scope, made.report.recipients))
      return runs.pendingMails(scope, runId)
    })
    task.progress(1, pending.length + 1)
    const asLink = made.file.body.length > (deps.mailLimit ?? MAIL_LIMIT)
    const { subject, text } = wordsOf(made, asLink, deps.addresses().httpUrl)
    for (const [place, mail] of pending.entries()) {
      if (task.cancelled()) return
      const reason = await send(task, {
        id: `${runId}.${mail.place}`,
        to: mail.address,
        subject,
        text,
        attachments: asLink
          ? []
          : [{ fileName: made.file.name, contentType: made.file.contentType, content: made.file.body }],
      })
      if (reason !== null) task.failed(mail.address, 'report.mail_failed', { reason })
      await own(ctx, scope =>
        runs.endMail(scope, runId, mail.place, {
          state: reason === null ? 'sent' : 'failed',
          reason,
          asLink,
          sentAt: reason === null ? new Date(deps.now()) : null,
        }),
      )
      task.progress(place + 2, pending.length + 1)
    }
  }

  /** @returns why it was not taken; null: it was */
  async function send(task: RunningTask, message: Parameters<CompanyMail['send']>[1]): Promise<string | null> {
    const pauses = deps.pauses ?? PAUSES
    for (let attempt = 0; ; attempt++) {
      try {
        await deps.mail.send(task.ctx.tenantId, message)
        return null
      } catch (error) {
        const { permanent, kind, message: said } = error as { permanent?: boolean; kind?: string; message: string }
        const isFinal = permanent === true || kind === 'never' || kind === 'account'
        if (isFinal || attempt >= pauses.length || task.cancelled()) return said.slice(0, 300)
        await pause(pauses[attempt], undefined, { signal: task.signal }).catch(() => undefined)
      }
    }
  }

  return {
    needs: () => ['report:write'],
    resumable: true,
    // A run has one task: to try again is a run of its own.
    retryable: false,
    async run(task) {
      const { runId } = task.input as { runId: string }
      const { ctx } = task
      const run = await own(ctx, scope => runs.workOf(scope, runId))
      if (run?.state !== 'running') return { nothingDone: false }
      const end = (state: 'done' | 'partial' | 'failed', fault: repo.Fault | null) =>
        own(ctx, scope => runs.endRun(scope, runId, state, fault, new Date(deps.now())))
      try {
        const made = await make(task, run)
        const { name, contentType, body, rows } = made.file
        await task.saveFile(name, contentType, body)
        await own(ctx, scope => runs.storeFile(scope, runId, { name, size: body.length, rows }))
        await mailAll(task, runId, made)
        // Taken up again by the next process, or ended by who asked it to stop.
        if (task.cancelled()) return {}
        const { sent, failed, reason } = await own(ctx, scope => runs.countMails(scope, runId))
        const fault = failed > 0 ? { code: 'report.mail_failed', params: { reason: reason ?? '' } } : null
        await end(failed === 0 ? 'done' : sent === 0 ? 'failed' : 'partial', fault)
        return { summary: { rows, bytes: body.length, mails: sent, failed }, nothingDone: false }
      } catch (error) {
        if (!task.cancelled())
          await end('failed', isAppError(error) ? { code: error.code, params: error.params } : { code: 'server.error' })
        throw error
      }
    },
  }
}

function localDay(zone: string, at: number): string {
  const { year, month, day } = partsIn(zone, at)
  return dayOf(Date.UTC(year, month - 1, day))
}

function periodText({ period, locale, schedule }: repo.ReportRow, span: Span): string {
  const first = localDay(schedule.zone, span.from)
  const last = localDay(schedule.zone, span.to - 1)
  const days = first === last ? first : `${first} – ${last}`
  return locale === 'zh' ? `${words.zh.periods[period!]}（${days}）` : `${words.en.periods[period!]} (${days})`
}

function wordsOf(
  { report, company, file, period, day }: Made,
  asLink: boolean,
  consoleUrl: string,
): { subject: string; text: string } {
  const text = words[report.locale]
  const values: Record<string, string> = {
    name: report.name,
    company,
    day,
    file: file.name,
    rows: String(file.rows),
    size: (file.body.length / 1024 / 1024).toFixed(1),
    period: period ?? '',
    link: `${consoleUrl}/stat/reports?report=${report.id}`,
  }
  const fill = (pattern: string) => pattern.replaceAll(/\{(\w+)\}/g, (_, key: string) => values[key] ?? '')
  return {
    subject: fill(text.subject),
    text: [
      fill(asLink ? text.bodyLink : text.body),
      ...(asLink ? [values.link!] : []),
      ...(period ? [fill(text.periodIs)] : []),
      ...(asLink ? [] : ['', fill(text.manage)]),
    ].join('\n'),
  }
}
