import type { ApprovalCard } from '@thingwright/contracts/assistant-cards'
import type { Locale } from '../../lib/context.ts'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'
import type { Mention, PlannedCall, PreparedChange, ToolClass } from '../../lib/tools/tools.ts'
import type { Present } from './present-value.ts'

type Scope = Pick<TenantScope, 'run' | 'tenantId'>
export type ApprovalState = ApprovalCard['state']
export type Decision = 'once' | 'chat' | 'deny'

/** One change of an approval, as it was found out, and what came of it. */
export interface StoredStep {
  tool: string
  class: ToolClass
  title: string
  input: Record<string, unknown>
  /** Its calls are found out when the steps before it are done. */
  dependent: boolean
  /** A step before it changes the same object: its calls are found out anew when it is its turn, to the same routes. */
  again?: boolean
  calls: PlannedCall[]
  effects: string[]
  changes: NonNullable<PreparedChange['changes']>
  object: Mention | null
  memo: unknown
  state: 'waiting' | 'done' | 'failed' | 'skipped' | 'undone'
  outcome: string | null
  /** Answers to the calls, without secrets. */
  results: unknown[]
  undo: PlannedCall[] | null
  /** What `undo` would write over, as our change left it. */
  present?: Present[]
}

export interface ApprovalRow {
  id: string
  login_id: string
  chat_id: string | null
  reply_id: string | null
  locale: Locale
  steps: StoredStep[]
  state: ApprovalState
  decision: Decision | null
  decided_at: Date | null
  undone_at: Date | null
  created_at: Date
}

const COLUMNS = part`id, login_id, chat_id, reply_id, locale, steps, state, decision, decided_at, undone_at, created_at`

const FIND_APPROVAL = holdable(
  sql<ApprovalRow>`select ${COLUMNS} from assistant_approvals where id = $1 and login_id = $2`,
  part`for update`,
)

/** One approval of this person; `lock` holds it until the end of the transaction. */
export async function findApproval(
  scope: Scope,
  loginId: string,
  id: string,
  lock = false,
): Promise<ApprovalRow | undefined> {
  const { rows } = await scope.run(lock ? FIND_APPROVAL.held : FIND_APPROVAL.free, [id, loginId])
  return rows[0]
}

const INSERT_APPROVAL = sql<ApprovalRow>`insert into assistant_approvals (id, tenant_id, login_id, chat_id, reply_id, locale, steps, state, decision, decided_at, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, case when $9::text is null then null else to_timestamp($10 / 1000.0) end, to_timestamp($10 / 1000.0))
  returning ${COLUMNS}`

export async function insertApproval(
  scope: Scope,
  row: {
    id: string
    loginId: string
    chatId: string | null
    replyId: string | null
    locale: Locale
    steps: readonly StoredStep[]
    state: 'pending' | 'running'
    decision: Decision | null
    now: number
  },
): Promise<ApprovalRow> {
  const { rows } = await scope.run(INSERT_APPROVAL, [
    row.id,
    scope.tenantId,
    row.loginId,
    row.chatId,
    row.replyId,
    row.locale,
    JSON.stringify(row.steps),
    row.state,
    row.decision,
    row.now,
  ])
  return rows[0]!
}

const STORE_APPROVAL = sql`update assistant_approvals set steps = $2, state = $3, decision = $4, decided_at = $5, undone_at = $6 where id = $1`

/** Writes what of it may change. */
export async function storeApproval(scope: Scope, row: ApprovalRow): Promise<void> {
  await scope.run(STORE_APPROVAL, [
    row.id,
    JSON.stringify(row.steps),
    row.state,
    row.decision,
    row.decided_at,
    row.undone_at,
  ])
}

const EXPIRE = sql`update assistant_approvals set state = 'expired'
  where state = 'pending' and created_at < to_timestamp($1 / 1000.0) - interval '24 hours'`

const FAIL = sql`update assistant_approvals set state = 'failed'
  where state = 'running' and decided_at < to_timestamp($1 / 1000.0) - interval '15 minutes'`

const FORGET = sql`delete from assistant_approvals where created_at < to_timestamp($1 / 1000.0) - interval '90 days'`

/** What nobody decided in a day expires; what a server that died was in the middle of has failed; old ones go. */
export async function sweepApprovals(scope: Pick<SystemScope, 'run'>, now: number): Promise<void> {
  await scope.run(EXPIRE, [now])
  await scope.run(FAIL, [now])
  await scope.run(FORGET, [now])
}
