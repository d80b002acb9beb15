import type { QualificationState } from '@thingwright/contracts/money.words'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'

export interface QualificationFacts {
  title: string
  taxNo: string
  address: string
  phone: string
  bank: string
  bankAccount: string
  fileIds: string[]
}

export interface QualificationRow extends QualificationFacts {
  id: string
  tenantId: string
  state: QualificationState
  reason: string | null
  isDefault: boolean
  submittedBy: string
  submittedAt: Date
  decidedBy: string | null
  decidedAt: Date | null
  version: number
}

const COLUMNS = part`q.id, q.tenant_id as "tenantId", q.title, q.tax_no as "taxNo", q.address, q.phone, q.bank,
    q.bank_account as "bankAccount", q.file_ids as "fileIds", q.state, q.reason, q.is_default as "isDefault",
    q.submitted_by as "submittedBy", q.submitted_at as "submittedAt", q.decided_by as "decidedBy", q.decided_at as "decidedAt",
    q.version`

const LIST = sql<QualificationRow>`select ${COLUMNS} from invoice_qualifications q where q.tenant_id = $1
  order by q.is_default desc, q.state = 'expired', q.submitted_at desc limit 100`
const FIND = sql<QualificationRow>`select ${COLUMNS} from invoice_qualifications q where q.id = $1`
const HOLD = sql<QualificationRow>`select ${COLUMNS} from invoice_qualifications q where q.id = $1 for update`
const INSERT = sql`insert into invoice_qualifications
    (id, tenant_id, title, tax_no, address, phone, bank, bank_account, file_ids, submitted_by, submitted_at, is_default)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
    not exists (select 1 from invoice_qualifications where tenant_id = $2 and is_default))
  on conflict (tenant_id, tax_no) where state <> 'expired' do nothing`
const UPDATE = sql`update invoice_qualifications set title = $2, tax_no = $3, address = $4, phone = $5, bank = $6, bank_account = $7,
    file_ids = $8, state = 'in_review', reason = null, submitted_by = $9, submitted_at = $10, decided_by = null,
    decided_at = null, version = version + 1
  where id = $1`
const CHOOSE = sql`update invoice_qualifications set is_default = (id = $2) where tenant_id = $1 and is_default <> (id = $2)`
const UNCHOOSE = sql`update invoice_qualifications set is_default = false where tenant_id = $1 and is_default`
const DECIDE = sql`update invoice_qualifications set state = $2, reason = $3, decided_by = $4, decided_at = $5,
    is_default = is_default and $2 <> 'expired', version = version + 1 where id = $1`
const CASES = sql<QualificationRow & { companyName: string }>`select ${COLUMNS}, t.name as "companyName"
  from invoice_qualifications q join tenants t on t.id = q.tenant_id
  where (q.state = 'in_review') = $1
  order by case when $1 then q.submitted_at end, q.decided_at desc nulls last limit $2`

export const list = async (scope: Runner, tenantId: string): Promise<QualificationRow[]> =>
  (await scope.run(LIST, [tenantId])).rows
export const find = async (scope: Runner, id: string): Promise<QualificationRow | undefined> =>
  (await scope.run(FIND, [id])).rows[0]
export const hold = async (scope: Runner, id: string): Promise<QualificationRow | undefined> =>
  (await scope.run(HOLD, [id])).rows[0]

const valuesOf = (f: QualificationFacts) => [f.title, f.taxNo, f.address, f.phone, f.bank, f.bankAccount, f.fileIds]

/** @returns false when the tax number has one */
export async function insert(
  scope: Runner,
  id: string,
  tenantId: string,
  facts: QualificationFacts,
  by: { name: string; at: Date },
): Promise<boolean> {
  return (await scope.run(INSERT, [id, tenantId, ...valuesOf(facts), by.name, by.at])).rowCount === 1
}

export async function update(
  scope: Runner,
  id: string,
  facts: QualificationFacts,
  by: { name: string; at: Date },
): Promise<void> {
  await scope.run(UPDATE, [id, ...valuesOf(facts), by.name, by.at])
}

export async function choose(scope: Runner, tenantId: string, id: string): Promise<void> {
  await scope.run(UNCHOOSE, [tenantId])
  await scope.run(CHOOSE, [tenantId, id])
}

export async function decide(
  scope: Runner,
  id: string,
  d: { state: QualificationState; reason: string | null; by: string; at: Date },
): Promise<void> {
  await scope.run(DECIDE, [id, d.state, d.reason, d.by, d.at])
}

/** Of every company. */
export const cases = async (scope: Runner, open: boolean, limit: number) => (await scope.run(CASES, [open, limit])).rows

export interface TitleRow {
  id: string
  kind: 'company' | 'person'
  title: string
  taxNo: string
  email: string
  isDefault: boolean
}

const TITLE = part`id, kind, title, tax_no as "taxNo", email, is_default as "isDefault"`
const TITLES = sql<TitleRow>`select ${TITLE} from invoice_titles where tenant_id = $1 order by is_default desc, created_at desc limit 50`
const TITLE_BY_ID = sql<TitleRow>`select ${TITLE} from invoice_titles where id = $1`
const COUNT_TITLES = sql<{ n: number }>`select count(*)::int as n from invoice_titles where tenant_id = $1`
const INSERT_TITLE = sql<TitleRow>`insert into invoice_titles (id, tenant_id, kind, title, tax_no, email, is_default)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict (tenant_id, lower(title), tax_no) do nothing returning ${TITLE}`
const NO_DEFAULT = sql`update invoice_titles set is_default = false where tenant_id = $1 and is_default`
const REMOVE_TITLE = sql`delete from invoice_titles where id = $1`

export const titles = async (scope: Runner, tenantId: string) => (await scope.run(TITLES, [tenantId])).rows
export const title = async (scope: Runner, id: string) => (await scope.run(TITLE_BY_ID, [id])).rows[0]
export const countTitles = async (scope: Runner, tenantId: string) =>
  (await scope.run(COUNT_TITLES, [tenantId])).rows[0]!.n
export const removeTitle = async (scope: Runner, id: string): Promise<void> => {
  await scope.run(REMOVE_TITLE, [id])
}

/** @returns undefined when it is there already */
export async function insertTitle(scope: Runner, tenantId: string, t: TitleRow): Promise<TitleRow | undefined> {
  if (t.isDefault) await scope.run(NO_DEFAULT, [tenantId])
  return (await scope.run(INSERT_TITLE, [t.id, tenantId, t.kind, t.title, t.taxNo, t.email, t.isDefault])).rows[0]
}
