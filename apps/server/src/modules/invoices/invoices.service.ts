import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type {
  InvoiceAccount,
  InvoiceBuyer,
  InvoiceFileView,
  InvoiceView,
  invoicesContract,
} from '@thingwright/contracts/invoices.contract'
import { INVOICE_MIN_FEN } from '@thingwright/contracts/money.words'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { StreamReply, UploadedFile } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import { parseSort, readFrom } from '../../lib/lists/paging.ts'
import type { MailPort } from '../notifications/index.ts'
import { yuan } from '../wallets/index.ts'
import { addFile, type InvoiceFileStore, openFile, toFileView } from './invoice-files.ts'
import { canHappen } from './invoice-states.ts'
import { entryOf, filterOf, isReversible, pageOf, positionOf, rowOf, viewOf } from './invoice-views.ts'
import words from './invoice-words.json' with { type: 'json' }
import * as repo from './invoices.repo.ts'
import * as qualifications from './qualifications.repo.ts'
import * as sources from './sources.repo.ts'

type Contract = typeof invoicesContract

export interface InvoicesService {
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  account(ctx: Ctx): Promise<InvoiceAccount>
  setAccount(ctx: Ctx, input: BodyOf<Contract['setAccount']>): Promise<InvoiceAccount>
  sources(ctx: Ctx, input: QueryOf<Contract['sources']>): Promise<ResponseOf<Contract['sources']>>
  addFile(ctx: Ctx, upload: UploadedFile): Promise<InvoiceFileView>
  file(ctx: Ctx, id: string): Promise<StreamReply>
  /** @throws AppError invoice.order, invoice.amount, invoice.too_little, invoice.beyond, invoice.title, invoice.qualification, invoice.address */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<InvoiceView>
  get(ctx: Ctx, id: string): Promise<InvoiceView>
  /** @throws AppError invoice.state */
  withdraw(ctx: Ctx, id: string): Promise<InvoiceView>
  /** @throws AppError invoice.state, invoice.amount */
  reverse(ctx: Ctx, id: string, input: BodyOf<Contract['reverse']>): Promise<InvoiceView>
  /** @throws AppError invoice.state, invoice.mail_failed */
  send(ctx: Ctx, id: string, input: BodyOf<Contract['send']>): Promise<InvoiceView>
}

export interface InvoicesDeps {
  database: Database
  store: InvoiceFileStore
  mail: MailPort
  consoleUrl(): string
}

export function createInvoicesService({ database, store, mail, consoleUrl }: InvoicesDeps): InvoicesService {
  async function accountOf(scope: TenantScope): Promise<InvoiceAccount> {
    const { tenantId } = scope
    const { basis, version } = await sources.settings(scope, tenantId)
    const { received, invoiced } = await sources.limitOf(scope, tenantId)
    return {
      basis,
      version,
      openFen: await sources.openFen(scope, tenantId, basis === 'top_up'),
      limitFen: Math.max(0, received - invoiced),
      minFen: INVOICE_MIN_FEN,
    }
  }

  /** Of this company. @throws AppError invoice.not_found */
  async function held(scope: TenantScope, id: string): Promise<repo.InvoiceData> {
    const row = await repo.hold(scope, id)
    if (!row) throw new AppError('invoice.not_found')
    return row
  }

  async function shown(scope: TenantScope, id: string): Promise<InvoiceView> {
    const row = await repo.find(scope, id)
    if (!row) throw new AppError('invoice.not_found')
    return viewOf(scope, row)
  }

  /** The buyer that the invoice names: of an approved qualification, or of a stored title for an ordinary invoice. */
  async function buyerOf(scope: TenantScope, input: BodyOf<Contract['create']>): Promise<InvoiceBuyer> {
    if (input.qualificationId !== undefined) {
      const found = await qualifications.find(scope, input.qualificationId)
      if (found?.state !== 'approved') throw new AppError('invoice.qualification')
      const { title, taxNo, address, phone, bank, bankAccount } = found
      return { kind: 'company', title, taxNo, address, phone, bank, bankAccount }
    }
    if (input.type !== 'ordinary') throw new AppError('invoice.qualification')
    const found = input.titleId === undefined ? undefined : await qualifications.title(scope, input.titleId)
    if (!found) throw new AppError('invoice.title')
    const { kind, title, taxNo } = found
    return { kind, title, taxNo, address: '', phone: '', bank: '', bankAccount: '' }
  }

  const note = (scope: TenantScope, ctx: Ctx, verb: string, row: { id: string; no: string }, values: object) =>
    recordAudit(scope, ctx, {
      action: `invoice.${verb}`,
      objectType: 'invoice',
      objectId: row.id,
      objectName: row.no,
      ...values,
    })

  return {
    list: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const limit = input.limit ?? 20
        const sort = parseSort(input.sort, repo.INVOICE_SORTS, '-createdAt')
        const given = [scope.tenantId]
        const filter = filterOf(input)
        const { rows } = await readFrom(input.cursor, () =>
          scope.run(...repo.INVOICES.page({ given, filter, sort, after: positionOf(input.cursor), limit: limit + 1 })),
        )
        const total =
          input.total === '1' ? (await scope.run(...repo.INVOICES.count(filter, given))).rows[0]!.n : undefined
        return pageOf(rows, limit, rowOf, total)
      }),

    account: ctx => database.withTenant(ctx, accountOf),

    setAccount: (ctx, { basis, version }) =>
      database.withTenant(ctx, async scope => {
        const before = await accountOf(scope)
        if (!(await sources.setBasis(scope, scope.tenantId, basis, version)))
          throw new AppError('version.conflict', { params: { current: before } })
        await recordAudit(scope, ctx, {
          action: 'invoice.settings',
          objectType: 'invoice',
          objectId: scope.tenantId,
          before: { basis: before.basis },
          after: { basis },
        })
        return accountOf(scope)
      }),

    sources: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const { basis } = await sources.settings(scope, scope.tenantId)
        const limit = input.limit ?? 20
        const q = input.q?.trim()
        const filter: sources.SourceFilter = {
          topUps: basis === 'top_up',
          ...(q ? { q: `%${q.replaceAll(/[\\%_]/g, '')}%` } : {}),
        }
        const sort = parseSort(input.sort, ['paidAt'] as const, '-paidAt')
        const given = [scope.tenantId]
        const { rows } = await readFrom(input.cursor, () =>
          scope.run(
            ...sources.SOURCES.page({ given, filter, sort, after: positionOf(input.cursor), limit: limit + 1 }),
          ),
        )
        const total =
          input.total === '1' ? (await scope.run(...sources.SOURCES.count(filter, given))).rows[0]!.n : undefined
        return pageOf(
          rows,
          limit,
          row => ({
            orderId: row.id,
            orderNo: row.no,
            kind: row.kind,
            name: (ctx.locale === 'zh' ? row.items[0]?.name : row.items[0]?.ename) ?? '',
            paidFen: row.paidFen,
            refundedFen: row.refundedFen,
            invoicedFen: row.invoicedFen,
            openFen: row.paidFen - row.refundedFen - row.invoicedFen,
            paidAt: row.paidAt.toISOString(),
          }),
          total,
        )
      }),

    addFile: (ctx, upload) =>
      database.withTenant(ctx, async scope => {
        const row = await addFile(scope, ctx, store, { tenantId: scope.tenantId, invoiceId: null }, upload)
        await recordAudit(scope, ctx, {
          action: 'invoice.file',
          objectType: 'invoice_qualification',
          objectId: row.id,
          objectName: row.name,
          after: { contentType: row.contentType, size: row.size },
        })
        return toFileView(row)
      }),

    async file(ctx, id) {
      return openFile(store, await database.withTenant(ctx, scope => repo.file(scope, id)))
    },

    create: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const { tenantId } = scope
        await sources.holdCompany(scope, tenantId)
        const { basis } = await sources.settings(scope, tenantId)
        const ids = input.orders.map(one => one.orderId)
        const orders = await sources.holdSources(scope, tenantId, ids, basis === 'top_up')
        const lines = input.orders.map(({ orderId, amountFen }) => {
          const order = orders.find(one => one.id === orderId)
          if (!order) throw new AppError('invoice.order', { params: { id: orderId } })
          const open = order.paidFen - order.refundedFen - order.invoicedFen
          const fen = amountFen ?? open
          if (fen > open || fen <= 0)
            throw new AppError('invoice.amount', { params: { no: order.no, open: yuan(open) } })
          return { orderId, fen }
        })
        if (new Set(ids).size !== ids.length) throw new AppError('invoice.order', { params: { id: ids[0]! } })
        const amountFen = lines.reduce((sum, line) => sum + line.fen, 0)
        if (amountFen < INVOICE_MIN_FEN)
          throw new AppError('invoice.too_little', { params: { least: yuan(INVOICE_MIN_FEN) } })
        const { received, invoiced } = await sources.limitOf(scope, tenantId)
        if (amountFen > received - invoiced)
          throw new AppError('invoice.beyond', { params: { limit: yuan(Math.max(0, received - invoiced)) } })
        const buyer = await buyerOf(scope, input)
        const isPaper = input.type === 'special_paper'
        const address = isPaper && input.addressId ? await repo.address(scope, input.addressId) : undefined
        if (isPaper && !address) throw new AppError('invoice.address')
        const id = newId(ctx.now)
        await repo.insert(scope, {
          id,
          tenantId,
          type: input.type,
          buyer,
          amountFen,
          category: input.category?.trim() ?? '',
          remark: input.remark?.trim() ?? '',
          email: isPaper ? '' : (input.email ?? ''),
          address: address ?? null,
          redOf: null,
          redReason: null,
          askedBy: actorName(ctx.actor) ?? '',
          history: [entryOf(ctx, 'submitted')],
        })
        for (const line of lines)
          await repo.insertLine(scope, {
            id: newId(ctx.now),
            tenantId,
            invoiceId: id,
            orderId: line.orderId,
            amountFen: line.fen,
          })
        const view = await shown(scope, id)
        await note(scope, ctx, 'create', view, {
          after: { type: input.type, title: buyer.title, amountFen, orders: view.lines.map(line => line.orderNo) },
        })
        return view
      }),

    get: (ctx, id) => database.withTenant(ctx, scope => shown(scope, id)),

    withdraw: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await held(scope, id)
        if (!canHappen('withdraw', row.state)) throw new AppError('invoice.state', { params: { state: row.state } })
        await repo.change(scope, id, { state: 'withdrawn', entry: entryOf(ctx, 'withdrawn') })
        await giveBack(scope, row)
        await note(scope, ctx, 'withdraw', row, { before: { state: row.state }, after: { state: 'withdrawn' } })
        return shown(scope, id)
      }),

    reverse: (ctx, id, { amountFen, reason, remark }) =>
      database.withTenant(ctx, async scope => {
        const row = await held(scope, id)
        if (!isReversible(row)) throw new AppError('invoice.state', { params: { state: row.state } })
        const open = row.amountFen - row.reversedFen - row.reversingFen
        const fen = amountFen ?? open
        if (fen > open) throw new AppError('invoice.amount', { params: { no: row.no, open: yuan(open) } })
        const redId = newId(ctx.now)
        await repo.insert(scope, {
          id: redId,
          tenantId: scope.tenantId,
          type: row.type,
          buyer: row.buyer,
          amountFen: fen,
          category: row.category,
          remark: remark?.trim() ?? '',
          email: row.email,
          address: row.address,
          redOf: id,
          redReason: reason,
          askedBy: actorName(ctx.actor) ?? '',
          history: [entryOf(ctx, 'submitted')],
        })
        await repo.addReversal(scope, id, fen, 0)
        await note(scope, ctx, 'reverse', row, { after: { amountFen: fen, reason } })
        return shown(scope, redId)
      }),

    async send(ctx, id, { email }) {
      const row = await database.withTenant(ctx, scope => repo.find(scope, id))
      if (!row) throw new AppError('invoice.not_found')
      const to = email ?? row.email
      if (!canHappen('send', row.state) || row.files === 0 || to === '')
        throw new AppError('invoice.state', { params: { state: row.state } })
      try {
        await mail.send({ to, ...invoiceMail(row, ctx.locale, consoleUrl()) })
      } catch (cause) {
        throw new AppError('invoice.mail_failed', { params: { reason: (cause as Error).message.slice(0, 200) }, cause })
      }
      return database.withTenant(ctx, async scope => {
        // Voided while the mail was on its way: then it stays so.
        const { state } = await held(scope, id)
        if (!canHappen('send', state)) throw new AppError('invoice.state', { params: { state } })
        await repo.change(scope, id, { state: 'delivered', email: to, entry: entryOf(ctx, 'delivered', to) })
        await note(scope, ctx, 'send', row, { after: { to } })
        return shown(scope, id)
      })
    },
  }
}

/** What an invoice holds is open again: of a red-letter one the blue one is as it was. */
export async function giveBack(
  scope: Parameters<typeof repo.release>[0],
  row: Pick<repo.InvoiceData, 'id' | 'redOf' | 'amountFen' | 'reversedFen'>,
): Promise<void> {
  if (row.redOf === null) await repo.release(scope, row.id, row.amountFen - row.reversedFen)
  else await repo.addReversal(scope, row.redOf, -row.amountFen, 0)
}

/** The mail that tells where an invoice is. */
export function invoiceMail(
  row: repo.InvoiceData,
  locale: 'zh' | 'en',
  url: string,
): { subject: string; text: string } {
  const values: Record<string, string> = {
    number: row.number ?? row.no,
    title: row.buyer.title,
    amount: yuan(row.amountFen),
    link: `${url}/invoice/InvoiceList?id=${row.id}`,
  }
  const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, key: string) => values[key] ?? '')
  return { subject: fill(words.mail.subject[locale]), text: fill(words.mail.text[locale]) }
}
