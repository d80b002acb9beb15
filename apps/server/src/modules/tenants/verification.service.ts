import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import type { accountContract, CompanyFileView, VerificationView } from '@thingwright/contracts/company.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import type { StreamReply, UploadedFile } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import type { Inbox } from '../notifications/index.ts'
import { addFile, type CompanyFileStore, openFile, toFileView } from './company-files.ts'
import { verificationNotice } from './company-words.ts'
import { isCreditCode } from './credit-code.ts'
import * as repo from './verification.repo.ts'

type Contract = typeof accountContract

export interface VerificationDeps {
  database: Database
  store: CompanyFileStore
  inbox: Inbox
}

/** A company's licence as the operator sees it. */
export interface LicenceCase extends VerificationView {
  tenantId: string
  companyName: string
}

export interface VerificationService {
  get(ctx: Ctx): Promise<ResponseOf<Contract['verification']>>
  addFile(ctx: Ctx, file: UploadedFile): Promise<CompanyFileView>
  file(ctx: Ctx, id: string): Promise<StreamReply>
  submit(ctx: Ctx, input: BodyOf<Contract['submitVerification']>): Promise<VerificationView>
  /** For the operator: of every company. */
  cases(open: boolean, limit: number): Promise<LicenceCase[]>
  caseFile(caseId: string, fileId: string): Promise<StreamReply>
  /** @param ctx the operator's. The line is written into the company's operation log and his own. */
  decide(ctx: Ctx, id: string, decision: { accept: boolean; reason: string }): Promise<LicenceCase>
}

const SHOWN = 20

export function createVerificationService({ database, store, inbox }: VerificationDeps): VerificationService {
  async function toView(scope: Pick<SystemScope, 'run'>, row: repo.VerificationRow): Promise<VerificationView> {
    const files = await repo.filesByIds(scope, row.fileIds)
    return {
      id: row.id,
      status: row.status,
      legalName: row.legalName,
      creditCode: row.creditCode,
      legalPerson: row.legalPerson,
      note: row.note,
      files: files.map(toFileView),
      reason: row.reason,
      submittedBy: row.submittedBy,
      submittedAt: row.submittedAt.toISOString(),
      decidedBy: row.decidedBy,
      decidedAt: row.decidedAt?.toISOString() ?? null,
    }
  }
  const toCase = async (scope: SystemScope, row: repo.VerificationRow): Promise<LicenceCase> => ({
    ...(await toView(scope, row)),
    tenantId: row.tenantId,
    companyName: row.companyName,
  })

  return {
    get: ctx =>
      database.withTenant(ctx, async scope => {
        const rows = await repo.listVerifications(scope, SHOWN)
        const items: VerificationView[] = []
        for (const row of rows) items.push(await toView(scope, row))
        return { status: rows[0]?.status ?? 'unverified', items }
      }),

    addFile: (ctx, file) =>
      database.withTenant(ctx, async scope => {
        const row = await addFile(scope, ctx, store, file)
        await recordAudit(scope, ctx, {
          action: 'company.file',
          objectType: 'company_file',
          objectId: row.id,
          objectName: row.name,
          after: { contentType: row.contentType, size: Number(row.size) },
        })
        return toFileView(row)
      }),

    async file(ctx, id) {
      const row = await database.withTenant(ctx, async scope => (await repo.filesByIds(scope, [id]))[0])
      return openFile(store, row)
    },

    async submit(ctx, input) {
      const creditCode = input.creditCode.toUpperCase()
      if (!isCreditCode(creditCode))
        throw new AppError('company.credit_code_invalid', {
          fields: { creditCode: { code: 'company.credit_code_invalid' } },
        })
      try {
        return await database.withTenant(ctx, async scope => {
          const files = await repo.filesByIds(scope, input.fileIds)
          if (files.length !== input.fileIds.length) throw new AppError('company.file_not_found')
          const id = newId(ctx.now)
          await repo.insertVerification(scope, {
            ...input,
            id,
            creditCode,
            submittedBy: actorName(ctx.actor),
            submittedAt: new Date(ctx.now),
          })
          await recordAudit(scope, ctx, {
            action: 'company.verify',
            objectType: 'company',
            objectId: scope.tenantId,
            objectName: input.legalName,
            after: { legalName: input.legalName, creditCode, files: files.map(file => file.name) },
          })
          return toView(scope, (await repo.findVerification(scope, id))!)
        })
      } catch (error) {
        if (isUniqueViolation(error, 'company_verifications_open_key')) throw new AppError('company.in_review')
        throw error
      }
    },

    cases: (open, limit) =>
      database.withSystemScope('operator', async scope => {
        const items: LicenceCase[] = []
        for (const row of await repo.verificationsByState(scope, open, limit)) items.push(await toCase(scope, row))
        return items
      }),

    async caseFile(caseId, fileId) {
      const row = await database.withSystemScope('operator', async scope => {
        const found = await repo.findVerification(scope, caseId)
        return found?.fileIds.includes(fileId) ? (await repo.filesByIds(scope, [fileId]))[0] : undefined
      })
      return openFile(store, row)
    },

    decide: (ctx, id, { accept, reason }) =>
      database.withSystemScope('operator', async scope => {
        const before = await repo.findVerification(scope, id, true)
        if (!before) throw new AppError('approval.not_found')
        if (before.status !== 'in_review') throw new AppError('approval.decided')
        if (!accept && !reason.trim())
          throw new AppError('approval.reason_missing', { fields: { reason: { code: 'approval.reason_missing' } } })
        await repo.decide(scope, id, {
          status: accept ? 'verified' : 'rejected',
          reason: reason.trim() || null,
          by: actorName(ctx.actor),
          at: new Date(ctx.now),
        })
        const record = {
          action: 'operator.decide',
          objectType: 'company',
          objectId: before.tenantId,
          objectName: before.companyName,
          before: { verification: 'in_review' },
          after: { verification: accept ? 'verified' : 'rejected', reason: reason.trim(), legalName: before.legalName },
        }
        await recordAudit(scope, ctx, record)
        await recordAudit(scope, { ...ctx, tenantId: before.tenantId }, record)
        await inbox.notify(scope, verificationNotice(before.tenantId, accept, reason.trim()))
        return toCase(scope, (await repo.findVerification(scope, id))!)
      }),
  }
}
