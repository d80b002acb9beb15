import type { ApprovalSource } from '../../lib/approvals.ts'
import { AppError } from '../../lib/errors.ts'
import { yuan } from '../wallets/index.ts'
import type { MoneyDesk } from './desk.service.ts'
import words from './order-words.json' with { type: 'json' }
import type { RefundRow, TransferRow } from './payments.repo.ts'
import type { RefundsService } from './refunds.service.ts'
import type { VoucherFiles } from './voucher-files.ts'

const facts = (all: { label: { zh: string; en: string }; value: string }[]) => all.filter(({ value }) => value !== '')

/** Bank transfers that somebody says he made: an operator looks whether the money has come. */
export function transferApprovals(
  desk: Pick<MoneyDesk, 'transfers' | 'transfer' | 'decideTransfer'>,
  vouchers: Pick<VoucherFiles, 'list' | 'ofCompany'>,
): ApprovalSource {
  const toItem = async (row: TransferRow) => ({
    id: row.id,
    title: `¥${yuan(row.amountFen)}`,
    tenantId: row.tenantId,
    companyName: row.companyName,
    facts: facts([
      { label: words.order, value: row.orderNo },
      { label: words.amount, value: `¥${yuan(row.amountFen)}` },
      { label: words.number, value: row.voucher?.number ?? '' },
      { label: words.payer, value: row.voucher?.payer ?? '' },
      { label: words.note, value: row.voucher?.note ?? '' },
    ]),
    files: await vouchers.list(row.tenantId, row.voucher?.fileIds ?? []),
    state:
      row.state === 'in_review'
        ? ('open' as const)
        : row.state === 'refused'
          ? ('refused' as const)
          : ('accepted' as const),
    reason: row.reason,
    submittedBy: row.buyerName,
    submittedAt: row.createdAt.toISOString(),
    decidedBy: row.decidedBy,
    decidedAt: row.decidedAt?.toISOString() ?? null,
  })
  return {
    kind: 'transfer',
    title: words.transfer,
    list: async (_ctx, state, limit) => Promise.all((await desk.transfers(state === 'open', limit)).map(toItem)),
    decide: async (ctx, id, decision) => toItem(await desk.decideTransfer(ctx, id, decision)),
    async file(_ctx, id, fileId) {
      const row = await desk.transfer(id)
      if (!row?.voucher?.fileIds?.includes(fileId)) throw new AppError('payment.file_not_found')
      return vouchers.ofCompany(row.tenantId, fileId)
    },
  }
}

/** Refunds that wait for an operator's word. */
export function refundApprovals(refunds: RefundsService): ApprovalSource {
  const toItem = (row: RefundRow) => ({
    id: row.id,
    title: `¥${yuan(row.amountFen)}`,
    tenantId: row.tenantId,
    companyName: row.companyName,
    facts: facts([
      { label: words.order, value: row.orderNo },
      { label: words.amount, value: `¥${yuan(row.amountFen)}` },
      { label: words.reason, value: row.reason },
      { label: words.way, value: `${words[row.way].zh} / ${words[row.way].en}` },
    ]),
    files: [],
    state:
      row.state === 'requested'
        ? ('open' as const)
        : row.state === 'refused'
          ? ('refused' as const)
          : ('accepted' as const),
    reason: row.answer,
    submittedBy: row.askedBy,
    submittedAt: row.createdAt.toISOString(),
    decidedBy: row.decidedBy,
    decidedAt: row.decidedAt?.toISOString() ?? null,
  })
  return {
    kind: 'refund',
    title: words.refund,
    list: async (_ctx, state, limit) => (await refunds.cases(state === 'open', limit)).map(toItem),
    decide: async (ctx, id, decision) => toItem(await refunds.decide(ctx, id, decision)),
  }
}
