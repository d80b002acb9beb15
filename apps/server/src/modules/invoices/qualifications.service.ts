import type { BodyOf } from '@thingwright/contracts'
import type {
  InvoiceTitleView,
  invoiceQualificationsContract,
  invoiceTitlesContract,
  QualificationView,
} from '@thingwright/contracts/invoices.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Runner } from '../../lib/sql/statement.ts'
import { toFileView } from './invoice-files.ts'
import * as invoices from './invoices.repo.ts'
import * as repo from './qualifications.repo.ts'
import { taxNumberOf } from './tax-number.ts'

type Qualifications = typeof invoiceQualificationsContract
type Titles = typeof invoiceTitlesContract

export interface QualificationsService {
  list(ctx: Ctx): Promise<{ items: QualificationView[] }>
  /** @throws AppError invoice.tax_number, invoice.taken, invoice.file_not_found */
  create(ctx: Ctx, input: BodyOf<Qualifications['create']>): Promise<QualificationView>
  update(ctx: Ctx, id: string, input: BodyOf<Qualifications['update']>): Promise<QualificationView>
  choose(ctx: Ctx, id: string): Promise<QualificationView>
  expire(ctx: Ctx, id: string): Promise<QualificationView>
  titles(ctx: Ctx): Promise<{ items: InvoiceTitleView[] }>
  /** @throws AppError invoice.tax_number, invoice.taken, invoice.too_many_titles */
  addTitle(ctx: Ctx, input: BodyOf<Titles['create']>): Promise<InvoiceTitleView>
  removeTitle(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

const MOST_TITLES = 50

export async function qualificationView(scope: Runner, row: repo.QualificationRow): Promise<QualificationView> {
  const files = await invoices.filesByIds(scope, row.fileIds)
  return {
    id: row.id,
    title: row.title,
    taxNo: row.taxNo,
    address: row.address,
    phone: row.phone,
    bank: row.bank,
    bankAccount: row.bankAccount,
    state: row.state,
    reason: row.reason,
    isDefault: row.isDefault,
    files: files.map(toFileView),
    submittedBy: row.submittedBy,
    submittedAt: row.submittedAt.toISOString(),
    decidedAt: row.decidedAt?.toISOString() ?? null,
    version: row.version,
  }
}

export function createQualifications({ database }: { database: Database }): QualificationsService {
  async function known(scope: TenantScope, id: string): Promise<repo.QualificationRow> {
    const row = await repo.hold(scope, id)
    if (!row) throw new AppError('invoice.qualification_unknown')
    return row
  }

  async function shown(scope: TenantScope, id: string): Promise<QualificationView> {
    return qualificationView(scope, (await repo.find(scope, id))!)
  }

  async function factsOf(
    scope: TenantScope,
    input: BodyOf<Qualifications['create']>,
  ): Promise<repo.QualificationFacts> {
    const files = await invoices.filesByIds(scope, input.fileIds)
    if (files.length !== input.fileIds.length) throw new AppError('invoice.file_not_found')
    const { title, address, phone, bank, bankAccount, fileIds } = input
    return {
      title: title.trim(),
      taxNo: taxNumberOf(input.taxNo),
      address: address.trim(),
      phone: phone.trim(),
      bank: bank.trim(),
      bankAccount: bankAccount.replaceAll(/[ -]/g, ''),
      fileIds,
    }
  }

  const note = (scope: TenantScope, ctx: Ctx, verb: string, row: { id: string; title: string }, values: object = {}) =>
    recordAudit(scope, ctx, {
      action: `invoice_qualification.${verb}`,
      objectType: 'invoice_qualification',
      objectId: row.id,
      objectName: row.title,
      ...values,
    })
  const keptOf = ({ title, taxNo, address, phone, bank, bankAccount }: repo.QualificationFacts) => ({
    title,
    taxNo,
    address,
    phone,
    bank,
    bankAccount,
  })

  return {
    list: ctx =>
      database.withTenant(ctx, async scope => {
        const items: QualificationView[] = []
        for (const row of await repo.list(scope, scope.tenantId)) items.push(await qualificationView(scope, row))
        return { items }
      }),

    create: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const facts = await factsOf(scope, input)
        const id = newId(ctx.now)
        const by = { name: actorName(ctx.actor) ?? '', at: new Date(ctx.now) }
        if (!(await repo.insert(scope, id, scope.tenantId, facts, by)))
          throw new AppError('invoice.taken', { params: { taxNo: facts.taxNo } })
        await note(scope, ctx, 'create', { id, title: facts.title }, { after: keptOf(facts) })
        return shown(scope, id)
      }),

    async update(ctx, id, { version, ...input }) {
      try {
        return await database.withTenant(ctx, async scope => {
          const before = await known(scope, id)
          if (before.state === 'expired') throw new AppError('invoice.state', { params: { state: before.state } })
          if (before.version !== version)
            throw new AppError('version.conflict', { params: { current: await qualificationView(scope, before) } })
          const facts = await factsOf(scope, input)
          await repo.update(scope, id, facts, { name: actorName(ctx.actor) ?? '', at: new Date(ctx.now) })
          await note(scope, ctx, 'update', { id, title: facts.title }, { before: keptOf(before), after: keptOf(facts) })
          return shown(scope, id)
        })
      } catch (error) {
        if (isUniqueViolation(error, 'invoice_qualifications_key'))
          throw new AppError('invoice.taken', { params: { taxNo: input.taxNo } })
        throw error
      }
    },

    choose: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await known(scope, id)
        if (row.state === 'expired') throw new AppError('invoice.state', { params: { state: row.state } })
        await repo.choose(scope, scope.tenantId, id)
        await note(scope, ctx, 'choose', row)
        return shown(scope, id)
      }),

    expire: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await known(scope, id)
        if (row.state !== 'expired') {
          const by = actorName(ctx.actor) ?? ''
          await repo.decide(scope, id, { state: 'expired', reason: null, by, at: new Date(ctx.now) })
          await note(scope, ctx, 'expire', row, { before: { state: row.state }, after: { state: 'expired' } })
        }
        return shown(scope, id)
      }),

    titles: ctx => database.withTenant(ctx, async scope => ({ items: await repo.titles(scope, scope.tenantId) })),

    addTitle: (ctx, { kind, title, taxNo = '', email = '', isDefault = false }) =>
      database.withTenant(ctx, async scope => {
        const number = kind === 'company' ? taxNumberOf(taxNo) : ''
        if ((await repo.countTitles(scope, scope.tenantId)) >= MOST_TITLES)
          throw new AppError('invoice.too_many_titles', { params: { limit: MOST_TITLES } })
        const row = { id: newId(ctx.now), kind, title: title.trim(), taxNo: number, email: email.trim(), isDefault }
        const made = await repo.insertTitle(scope, scope.tenantId, row)
        if (!made) throw new AppError('invoice.taken', { params: { taxNo: number || title } })
        await recordAudit(scope, ctx, {
          action: 'invoice_title.create',
          objectType: 'invoice_title',
          objectId: made.id,
          objectName: made.title,
          after: { ...made },
        })
        return made
      }),

    removeTitle: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await repo.title(scope, id)
        if (!row) throw new AppError('invoice.title')
        await repo.removeTitle(scope, id)
        await recordAudit(scope, ctx, {
          action: 'invoice_title.remove',
          objectType: 'invoice_title',
          objectId: id,
          objectName: row.title,
          before: { ...row },
        })
        return { ok: true }
      }),
  }
}
