import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { DeskInvoiceView, InvoiceFileView, invoiceDeskContract } from '@thingwright/contracts/invoices.contract'
import type { InvoiceStage } from '@thingwright/contracts/money.words'
import { type AuditRecord, recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import type { StreamReply, UploadedFile } from '../../lib/http.ts'
import { parseSort, readFrom } from '../../lib/lists/paging.ts'
import type { Logger } from '../../lib/log.ts'
import type { Inbox, MailPort } from '../notifications/index.ts'
import { addFile, type InvoiceFileStore, openFile, toFileView } from './invoice-files.ts'
import { canHappen, INVOICE_TRANSITIONS } from './invoice-states.ts'
import { entryOf, filterOf, pageOf, positionOf, rowOf, viewOf } from './invoice-views.ts'
import words from './invoice-words.json' with { type: 'json' }
import * as repo from './invoices.repo.ts'
import { giveBack, invoiceMail } from './invoices.service.ts'
import * as qualifications from './qualifications.repo.ts'

type Contract = typeof invoiceDeskContract
type Action = BodyOf<Contract['act']>

export interface InvoiceDesk {
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  get(ctx: Ctx, id: string): Promise<DeskInvoiceView>
  addFile(ctx: Ctx, id: string, upload: UploadedFile): Promise<InvoiceFileView>
  file(id: string, fileId: string): Promise<StreamReply>
  /** @throws AppError invoice.state, invoice.number, invoice.no_file, invoice.number_taken, approval.reason_missing, invoice.void_late */
  act(ctx: Ctx, id: string, input: Action): Promise<DeskInvoiceView>
  qualifications(open: boolean, limit: number): Promise<QualificationCase[]>
  /** @throws AppError approval.not_found, approval.decided, approval.reason_missing */
  decide(ctx: Ctx, id: string, decision: { accept: boolean; reason: string }): Promise<QualificationCase>
  qualificationFile(id: string, fileId: string): Promise<StreamReply>
}

/** A qualification as the operator sees it. */
export type QualificationCase = qualifications.QualificationRow & { companyName: string; files: InvoiceFileView[] }

export interface InvoiceDeskDeps {
  database: Database
  store: InvoiceFileStore
  mail: MailPort
  inbox: Inbox
  logger: Logger
  consoleUrl(): string
}

/** What those who run the platform do with the invoices of companies. */
export function createInvoiceDesk({ database, store, mail, inbox, logger, consoleUrl }: InvoiceDeskDeps): InvoiceDesk {
  const system = <T>(work: (scope: SystemScope) => Promise<T>) => database.withSystemScope('money', work)

  async function shown(scope: SystemScope, id: string): Promise<DeskInvoiceView> {
    const row = await repo.find(scope, id)
    if (!row) throw new AppError('invoice.not_found')
    return {
      ...(await viewOf(scope, row)),
      tenantId: row.tenantId,
      companyName: await repo.companyName(scope, row.tenantId),
    }
  }

  /** What an operator does stands in the company's operation log and in the platform's. */
  async function bothLogs(scope: SystemScope, ctx: Ctx, tenantId: string, record: AuditRecord): Promise<void> {
    await recordAudit(scope, { ...ctx, tenantId }, record)
    await recordAudit(scope, ctx, record)
  }

  function tell(scope: SystemScope, row: repo.InvoiceData, state: InvoiceStage, params: Record<string, string>) {
    const said = (words.changed as Record<string, { title: Both; text: Both } | undefined>)[state]
    if (!said) return Promise.resolve()
    const values: Record<string, string> = { no: row.no, ...params }
    const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, key: string) => values[key] ?? '')
    return inbox.notify(scope, {
      tenantId: row.tenantId,
      to: { permission: 'money:read' },
      kind: 'invoice.changed',
      title: { zh: fill(said.title.zh), en: fill(said.title.en) },
      text: { zh: fill(said.text.zh), en: fill(said.text.en) },
      link: `/invoice/InvoiceList?id=${row.id}`,
      level: state === 'rejected' || state === 'failed' ? 'warning' : 'info',
    })
  }

  /** Mails where an electronic invoice is; when the mail does not go, the invoice stays issued and can be sent again. */
  async function mailIssued(ctx: Ctx, id: string): Promise<void> {
    const row = await system(scope => repo.find(scope, id))
    if (row?.state !== 'issued' || row.email === '' || row.files === 0) return
    try {
      await mail.send({ to: row.email, ...invoiceMail(row, ctx.locale, consoleUrl()) })
      await system(async scope => {
        // Voided or sent again while the mail was on its way: then it stays what it is.
        const held = await repo.hold(scope, id)
        if (!held || !canHappen('send', held.state)) return
        await repo.change(scope, id, { state: 'delivered', entry: entryOf(ctx, 'delivered', row.email) })
        await bothLogs(scope, ctx, row.tenantId, {
          action: 'invoice.send',
          objectType: 'invoice',
          objectId: id,
          objectName: row.no,
          after: { to: row.email },
        })
      })
    } catch (error) {
      logger.warn({ err: error, invoice: row.no }, 'an invoice could not be mailed')
    }
  }

  return {
    list: (_ctx, input) =>
      system(async scope => {
        const limit = input.limit ?? 20
        const sort = parseSort(input.sort, repo.INVOICE_SORTS, '-createdAt')
        const filter = filterOf(input)
        const { rows } = await readFrom(input.cursor, () =>
          scope.run(...repo.ALL_INVOICES.page({ filter, sort, after: positionOf(input.cursor), limit: limit + 1 })),
        )
        const total = input.total === '1' ? (await scope.run(...repo.ALL_INVOICES.count(filter))).rows[0]!.n : undefined
        return pageOf(
          rows,
          limit,
          row => ({ ...rowOf(row), tenantId: row.tenantId, companyName: row.companyName }),
          total,
        )
      }),

    get: (_ctx, id) => system(scope => shown(scope, id)),

    addFile: (ctx, id, upload) =>
      system(async scope => {
        const row = await repo.hold(scope, id)
        if (!row) throw new AppError('invoice.not_found')
        if (row.state !== 'issuing' && row.state !== 'issued' && row.state !== 'delivered')
          throw new AppError('invoice.state', { params: { state: row.state } })
        const file = await addFile(scope, ctx, store, { tenantId: row.tenantId, invoiceId: id }, upload)
        await bothLogs(scope, ctx, row.tenantId, {
          action: 'invoice.file',
          objectType: 'invoice',
          objectId: id,
          objectName: row.no,
          after: { name: file.name, contentType: file.contentType },
        })
        return toFileView(file)
      }),

    async file(id, fileId) {
      const row = await system(scope => repo.file(scope, fileId))
      return openFile(store, row?.invoiceId === id ? row : undefined)
    },

    async act(ctx, id, { action, reason = '', number, code, logistics, version }) {
      const why = reason.trim()
      if ((action === 'reject' || action === 'fail' || action === 'void') && why === '')
        throw new AppError('approval.reason_missing', { fields: { reason: { code: 'approval.reason_missing' } } })
      try {
        await system(async scope => {
          const row = await repo.hold(scope, id)
          if (!row) throw new AppError('invoice.not_found')
          if (row.version !== version)
            throw new AppError('version.conflict', { params: { current: await shown(scope, id) } })
          if (!canHappen(action, row.state)) throw new AppError('invoice.state', { params: { state: row.state } })
          const isPaper = row.type === 'special_paper'
          if (action === 'issue') {
            if (!number || (isPaper && !code)) throw new AppError('invoice.number')
            if (!isPaper && row.files === 0) throw new AppError('invoice.no_file')
          }
          if (action === 'ship' && (!isPaper || !logistics)) throw new AppError('invoice.logistics')
          if (action === 'void') {
            // A paper invoice is voided in the month in which it was issued; later a red-letter one takes it back.
            if (!isPaper || !isSameMonth(row.issuedAt!, new Date(ctx.now))) throw new AppError('invoice.void_late')
            if (row.reversedFen + row.reversingFen > 0 || row.redOf !== null)
              throw new AppError('invoice.state', { params: { state: row.state } })
          }
          const state: InvoiceStage = INVOICE_TRANSITIONS[action].to
          const note = logistics ? `${logistics.company} ${logistics.no}` : (number ?? why)
          await repo.change(scope, id, {
            state,
            reason: why || null,
            ...(action === 'issue' ? { number: number!, code: code ?? null, issuedAt: new Date(ctx.now) } : {}),
            ...(logistics ? { logistics } : {}),
            entry: entryOf(ctx, state, note),
          })
          if (state === 'rejected' || state === 'voided') await giveBack(scope, row)
          if (state === 'issued' && row.redOf !== null) {
            await repo.addReversal(scope, row.redOf, -row.amountFen, row.amountFen)
            await repo.release(scope, row.redOf, row.amountFen)
          }
          await tell(scope, row, state, { number: number ?? '', reason: why, logistics: note })
          await bothLogs(scope, ctx, row.tenantId, {
            action: 'invoice.process',
            objectType: 'invoice',
            objectId: id,
            objectName: row.no,
            before: { state: row.state },
            after: { state, ...(why ? { reason: why } : {}), ...(number ? { number } : {}) },
          })
        })
      } catch (error) {
        if (isUniqueViolation(error, 'invoices_number_key')) throw new AppError('invoice.number_taken')
        throw error
      }
      if (action === 'issue') await mailIssued(ctx, id)
      return system(scope => shown(scope, id))
    },

    qualifications: (open, limit) =>
      system(async scope => {
        const items: QualificationCase[] = []
        for (const row of await qualifications.cases(scope, open, limit))
          items.push({ ...row, files: (await repo.filesByIds(scope, row.fileIds)).map(toFileView) })
        return items
      }),

    decide: (ctx, id, { accept, reason }) =>
      system(async scope => {
        const row = await qualifications.hold(scope, id)
        if (!row) throw new AppError('approval.not_found')
        if (row.state !== 'in_review') throw new AppError('approval.decided')
        const why = reason.trim()
        if (!accept && why === '')
          throw new AppError('approval.reason_missing', { fields: { reason: { code: 'approval.reason_missing' } } })
        const state = accept ? 'approved' : 'rejected'
        const by = actorName(ctx.actor) ?? ''
        await qualifications.decide(scope, id, { state, reason: why || null, by, at: new Date(ctx.now) })
        const said = words[state]
        const fill = (text: string) => text.replaceAll('{title}', row.title).replaceAll('{reason}', why)
        await inbox.notify(scope, {
          tenantId: row.tenantId,
          to: { permission: 'money:read' },
          kind: 'invoice.qualification',
          title: { zh: fill(said.title.zh), en: fill(said.title.en) },
          text: { zh: fill(said.text.zh), en: fill(said.text.en) },
          link: '/invoice/InvoicingQualification',
          level: accept ? 'info' : 'warning',
        })
        await bothLogs(scope, ctx, row.tenantId, {
          action: 'operator.decide',
          objectType: 'invoice_qualification',
          objectId: id,
          objectName: row.title,
          after: { accept, reason: why },
        })
        return {
          ...(await qualifications.find(scope, id))!,
          companyName: await repo.companyName(scope, row.tenantId),
          files: (await repo.filesByIds(scope, row.fileIds)).map(toFileView),
        }
      }),

    async qualificationFile(id, fileId) {
      const row = await system(async scope => {
        const found = await qualifications.find(scope, id)
        return found?.fileIds.includes(fileId) ? repo.file(scope, fileId) : undefined
      })
      return openFile(store, row)
    },
  }
}

type Both = { zh: string; en: string }

/** Tax months are those of China. */
function isSameMonth(a: Date, b: Date): boolean {
  const month = new Intl.DateTimeFormat('sv-SE', { year: 'numeric', month: '2-digit', timeZone: 'Asia/Shanghai' })
  return month.format(a) === month.format(b)
}
