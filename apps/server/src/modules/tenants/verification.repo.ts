import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'

type Scope = Pick<SystemScope, 'run'>

export interface FileRow {
  id: string
  name: string
  contentType: string
  size: number
  objectKey: string
  createdAt: Date
}

const FILE = part`id, name, content_type as "contentType", size, object_key as "objectKey", created_at as "createdAt"`

const INSERT_FILE = sql<FileRow>`insert into company_files (id, tenant_id, purpose, name, content_type, size, sha256, object_key, created_by)
  values ($1, $2, 'licence', $3, $4, $5, $6, $7, $8) returning ${FILE}`

export async function insertFile(
  scope: TenantScope,
  file: Omit<FileRow, 'createdAt'> & { sha256: Buffer; createdBy: string | null },
): Promise<FileRow> {
  const { rows } = await scope.run(INSERT_FILE, [
    file.id,
    scope.tenantId,
    file.name,
    file.contentType,
    file.size,
    file.sha256,
    file.objectKey,
    file.createdBy,
  ])
  return rows[0]!
}

const COUNT_FILES = sql<{ count: number }>`select count(*) as count from company_files`

export async function countFiles(scope: TenantScope): Promise<number> {
  const { rows } = await scope.run(COUNT_FILES)
  return rows[0]!.count
}

const FILES_BY_IDS = sql<FileRow>`select ${FILE} from company_files where id = any ($1::uuid[]) and purpose = 'licence' order by created_at, id`

/** Files by their ids: those of the company under its scope, any under the system's. */
export async function filesByIds(scope: Scope, ids: readonly string[]): Promise<FileRow[]> {
  const { rows } = await scope.run(FILES_BY_IDS, [ids])
  return rows
}

export interface VerificationRow {
  id: string
  tenantId: string
  companyName: string
  status: 'in_review' | 'verified' | 'rejected'
  legalName: string
  creditCode: string
  legalPerson: string
  note: string
  fileIds: string[]
  reason: string | null
  submittedBy: string
  submittedAt: Date
  decidedBy: string | null
  decidedAt: Date | null
}

const VERIFICATION = part`v.id, v.tenant_id as "tenantId", t.name as "companyName", v.status, v.legal_name as "legalName",
  v.credit_code as "creditCode", v.legal_person as "legalPerson", v.note, v.file_ids as "fileIds", v.reason,
  v.submitted_by as "submittedBy", v.submitted_at as "submittedAt", v.decided_by as "decidedBy", v.decided_at as "decidedAt"`
const FROM = part`from company_verifications v join tenants t on t.id = v.tenant_id`

const LIST_VERIFICATIONS = sql<VerificationRow>`select ${VERIFICATION} ${FROM} order by v.submitted_at desc, v.id desc limit $1`

export async function listVerifications(scope: TenantScope, limit: number): Promise<VerificationRow[]> {
  const { rows } = await scope.run(LIST_VERIFICATIONS, [limit])
  return rows
}

const INSERT_VERIFICATION = sql`insert into company_verifications (id, tenant_id, legal_name, credit_code, legal_person, note, file_ids, submitted_by, submitted_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

export async function insertVerification(
  scope: TenantScope,
  row: Pick<VerificationRow, 'id' | 'legalName' | 'creditCode' | 'legalPerson' | 'note' | 'fileIds' | 'submittedBy'> & {
    submittedAt: Date
  },
): Promise<void> {
  await scope.run(INSERT_VERIFICATION, [
    row.id,
    scope.tenantId,
    row.legalName,
    row.creditCode,
    row.legalPerson,
    row.note,
    row.fileIds,
    row.submittedBy,
    row.submittedAt,
  ])
}

const FIND_VERIFICATION = holdable(
  sql<VerificationRow>`select ${VERIFICATION} ${FROM} where v.id = $1`,
  part`for update of v`,
)

export async function findVerification(scope: Scope, id: string, lock = false): Promise<VerificationRow | undefined> {
  const { rows } = await scope.run(lock ? FIND_VERIFICATION.held : FIND_VERIFICATION.free, [id])
  return rows[0]
}

const VERIFICATIONS_BY_STATE = sql<VerificationRow>`select ${VERIFICATION} ${FROM} where (v.status = 'in_review') = $1
  order by case when $1 then v.submitted_at end, v.decided_at desc, v.id limit $2`

/** Waiting for a decision, oldest first, or decided, newest first; of every company. */
export async function verificationsByState(
  scope: SystemScope,
  open: boolean,
  limit: number,
): Promise<VerificationRow[]> {
  const { rows } = await scope.run(VERIFICATIONS_BY_STATE, [open, limit])
  return rows
}

const DECIDE = sql`update company_verifications set status = $2, reason = $3, decided_by = $4, decided_at = $5 where id = $1`

export async function decide(
  scope: SystemScope,
  id: string,
  decision: { status: 'verified' | 'rejected'; reason: string | null; by: string; at: Date },
): Promise<void> {
  await scope.run(DECIDE, [id, decision.status, decision.reason, decision.by, decision.at])
}
