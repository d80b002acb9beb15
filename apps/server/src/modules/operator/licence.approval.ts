import type { ApprovalSource } from '../../lib/approvals.ts'
import type { LicenceCase, VerificationService } from '../tenants/index.ts'
import words from './operator-words.json' with { type: 'json' }

/** Companies' licences as approvals. */
export function licenceApprovals(
  verification: Pick<VerificationService, 'cases' | 'decide' | 'caseFile'>,
): ApprovalSource {
  const toItem = (item: LicenceCase) => ({
    id: item.id,
    title: item.legalName,
    tenantId: item.tenantId,
    companyName: item.companyName,
    facts: [
      { label: words.legalName, value: item.legalName },
      { label: words.creditCode, value: item.creditCode },
      { label: words.legalPerson, value: item.legalPerson },
      { label: words.note, value: item.note },
    ].filter(fact => fact.value !== ''),
    files: item.files,
    state:
      item.status === 'in_review'
        ? ('open' as const)
        : item.status === 'verified'
          ? ('accepted' as const)
          : ('refused' as const),
    reason: item.reason,
    submittedBy: item.submittedBy,
    submittedAt: item.submittedAt,
    decidedBy: item.decidedBy,
    decidedAt: item.decidedAt,
  })
  return {
    kind: 'licence',
    title: words.licence,
    list: async (_ctx, state, limit) => (await verification.cases(state === 'open', limit)).map(toItem),
    decide: async (ctx, id, decision) => toItem(await verification.decide(ctx, id, decision)),
    file: (_ctx, id, fileId) => verification.caseFile(id, fileId),
  }
}
