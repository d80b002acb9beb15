import type { ApprovalSource } from '../../lib/approvals.ts'
import type { InvoiceDesk, QualificationCase } from './invoice-desk.service.ts'
import words from './invoice-words.json' with { type: 'json' }

/** Applications for special VAT invoices: an operator checks the facts and the documents. */
export function qualificationApprovals(
  desk: Pick<InvoiceDesk, 'qualifications' | 'decide' | 'qualificationFile'>,
): ApprovalSource {
  const toItem = (row: QualificationCase) => ({
    id: row.id,
    title: row.title,
    tenantId: row.tenantId,
    companyName: row.companyName,
    facts: (['title', 'taxNo', 'address', 'phone', 'bank', 'bankAccount'] as const).map(key => ({
      label: words[key],
      value: row[key],
    })),
    files: row.files,
    state:
      row.state === 'in_review'
        ? ('open' as const)
        : row.state === 'approved'
          ? ('accepted' as const)
          : ('refused' as const),
    reason: row.reason,
    submittedBy: row.submittedBy,
    submittedAt: row.submittedAt.toISOString(),
    decidedBy: row.decidedBy,
    decidedAt: row.decidedAt?.toISOString() ?? null,
  })
  return {
    kind: 'invoice_qualification',
    title: words.qualification,
    list: async (_ctx, state, limit) => (await desk.qualifications(state === 'open', limit)).map(toItem),
    decide: async (ctx, id, decision) => toItem(await desk.decide(ctx, id, decision)),
    file: (_ctx, id, fileId) => desk.qualificationFile(id, fileId),
  }
}
