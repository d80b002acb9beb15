import type { EntryKind } from '@thingwright/contracts/money.words'
import type { Runner } from '../../lib/sql/statement.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface WalletRow {
  id: string
  tenantId: string
  availableFen: number
  frozenFen: number
  creditFen: number
  warnFen: number | null
  urgentOnBalance: boolean
  version: number
}

/** What a company has before its first movement: the defaults of the table. Reading makes no wallet. */
export const NO_WALLET: Omit<WalletRow, 'tenantId'> = {
  id: '00000000-0000-0000-0000-000000000000',
  availableFen: 0,
  frozenFen: 0,
  creditFen: 0,
  warnFen: 50_000,
  urgentOnBalance: true,
  version: 1,
}

const COLUMNS = part`id, tenant_id as "tenantId", available_fen as "availableFen", frozen_fen as "frozenFen",
  credit_fen as "creditFen", warn_fen as "warnFen", urgent_on_balance as "urgentOnBalance", version`

const MAKE_WALLET = sql`insert into wallets (id, tenant_id, holder_kind, holder_id, payee_kind)
  values ($1, $2, 'company', $2, 'platform') on conflict (tenant_id, holder_kind, holder_id) do nothing`
const MAKE_END_USERS = sql`insert into wallets (id, tenant_id, holder_kind, holder_id, payee_kind, payee_id)
  values ($1, $2, 'end_user', $3, 'company', $2) on conflict (tenant_id, holder_kind, holder_id) do nothing`
const FIND_WALLET = sql<WalletRow>`select ${COLUMNS} from wallets where tenant_id = $1 and holder_kind = 'company'`
const HOLD_WALLET = sql<WalletRow>`select ${COLUMNS} from wallets where tenant_id = $1 and holder_kind = 'company' for update`
const FIND_END_USERS = sql<WalletRow>`select ${COLUMNS} from wallets where tenant_id = $1 and holder_kind = 'end_user' and holder_id = $2`
const HOLD_END_USERS = sql<WalletRow>`select ${COLUMNS} from wallets where tenant_id = $1 and holder_kind = 'end_user' and holder_id = $2 for update`

export async function findWallet(scope: Runner, tenantId: string): Promise<WalletRow | undefined> {
  return (await scope.run(FIND_WALLET, [tenantId])).rows[0]
}

/** The company's wallet, made when it is not there, held until the transaction ends. */
export async function holdWallet(scope: Runner, tenantId: string, freshId: string): Promise<WalletRow> {
  const found = (await scope.run(HOLD_WALLET, [tenantId])).rows[0]
  if (found) return found
  await scope.run(MAKE_WALLET, [freshId, tenantId])
  return (await scope.run(HOLD_WALLET, [tenantId])).rows[0]!
}

/** What an end user has with his company; undefined: nothing moved yet. */
export async function findEndUserWallet(
  scope: Runner,
  tenantId: string,
  endUserId: string,
): Promise<WalletRow | undefined> {
  return (await scope.run(FIND_END_USERS, [tenantId, endUserId])).rows[0]
}

/** The same, made when it is not there, held until the transaction ends. */
export async function holdEndUserWallet(
  scope: Runner,
  tenantId: string,
  endUserId: string,
  freshId: string,
): Promise<WalletRow> {
  const found = (await scope.run(HOLD_END_USERS, [tenantId, endUserId])).rows[0]
  if (found) return found
  await scope.run(MAKE_END_USERS, [freshId, tenantId, endUserId])
  return (await scope.run(HOLD_END_USERS, [tenantId, endUserId])).rows[0]!
}

const SET_SETTINGS = sql<WalletRow>`update wallets set warn_fen = $3, urgent_on_balance = coalesce($4, urgent_on_balance), warned_at = null, version = version + 1
  where tenant_id = $1 and holder_kind = 'company' and version = $2 returning ${COLUMNS}`

/** @param urgentOnBalance absent: it stays as it is */
export async function setSettings(
  scope: Runner,
  tenantId: string,
  version: number,
  warnFen: number | null,
  urgentOnBalance: boolean | undefined,
): Promise<WalletRow | undefined> {
  return (await scope.run(SET_SETTINGS, [tenantId, version, warnFen, urgentOnBalance ?? null])).rows[0]
}

const SET_CREDIT = sql`update wallets set credit_fen = $2, version = version + 1 where id = $1`

export async function setCredit(scope: Runner, walletId: string, creditFen: number): Promise<void> {
  await scope.run(SET_CREDIT, [walletId, creditFen])
}

/** Marks a wallet that has come below its line; true when it was not marked before. Unmarks one that is above again. */
const MARK_LOW = sql`update wallets set warned_at = now()
  where tenant_id = $1 and holder_kind = 'company' and warn_fen is not null and warned_at is null and available_fen < warn_fen`
const UNMARK_LOW = sql`update wallets set warned_at = null
  where tenant_id = $1 and holder_kind = 'company' and warned_at is not null and (warn_fen is null or available_fen >= warn_fen)`

export async function becameLow(scope: Runner, tenantId: string): Promise<boolean> {
  await scope.run(UNMARK_LOW, [tenantId])
  return (await scope.run(MARK_LOW, [tenantId])).rowCount === 1
}

const MARK_LOW_END_USERS = sql<{ id: string; availableFen: number }>`update wallets set warned_at = now()
  where tenant_id = $1 and holder_kind = 'end_user' and holder_id = any ($2::uuid[]) and warned_at is null and available_fen < $3
  returning holder_id as id, available_fen as "availableFen"`
const UNMARK_LOW_END_USERS = sql`update wallets set warned_at = null
  where tenant_id = $1 and holder_kind = 'end_user' and holder_id = any ($2::uuid[]) and warned_at is not null and available_fen >= $3`

/** End users whose balance fell below the line since the last call; each once until it is above again. */
export async function lowEndUsers(
  scope: Runner,
  tenantId: string,
  ids: readonly string[],
  lowFen: number,
): Promise<{ id: string; availableFen: number }[]> {
  await scope.run(UNMARK_LOW_END_USERS, [tenantId, ids, lowFen])
  return (await scope.run(MARK_LOW_END_USERS, [tenantId, ids, lowFen])).rows
}

export interface NewTransaction {
  id: string
  tenantId: string
  kind: EntryKind
  key: string
  causeKind: string
  causeId: string
  causeNo: string
  actorKind: string
  actorId: string | null
  actorName: string
  remark: string
  /** Null: now. */
  at: Date | null
}

const INSERT_TRANSACTION = sql`insert into ledger_transactions
    (id, no, tenant_id, kind, key, cause_kind, cause_id, cause_no, actor_kind, actor_id, actor_name, remark, at)
  values ($1, to_char(coalesce($12, now()) at time zone 'Asia/Shanghai', 'YYYYMMDD') || lpad(nextval('ledger_numbers')::text, 10, '0'),
    $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, coalesce($12, now()))
  on conflict (tenant_id, key) do nothing`

/** @returns false when this movement was made before */
export async function insertTransaction(scope: Runner, t: NewTransaction): Promise<boolean> {
  const { rowCount } = await scope.run(INSERT_TRANSACTION, [
    t.id,
    t.tenantId,
    t.kind,
    t.key,
    t.causeKind,
    t.causeId,
    t.causeNo,
    t.actorKind,
    t.actorId,
    t.actorName,
    t.remark,
    t.at,
  ])
  return rowCount === 1
}

const BY_KEY = sql<{ id: string }>`select id from ledger_transactions where tenant_id = $1 and key = $2`

export async function transactionByKey(scope: Runner, tenantId: string, key: string): Promise<string | undefined> {
  return (await scope.run(BY_KEY, [tenantId, key])).rows[0]?.id
}

const CHARGED_BY_KEY = sql<{
  id: string
  fen: number
  afterFen: number | null
}>`select t.id, -e.amount_fen as fen, e.after_fen as "afterFen"
  from ledger_transactions t join ledger_entries e on e.tenant_id = t.tenant_id and e.transaction_id = t.id and e.account = 'available'
  where t.tenant_id = $1 and t.key = $2`

/** What a movement took from the balance; undefined: no movement has this key. */
export async function chargedByKey(
  scope: Runner,
  tenantId: string,
  key: string,
): Promise<{ id: string; fen: number; afterFen: number | null } | undefined> {
  return (await scope.run(CHARGED_BY_KEY, [tenantId, key])).rows[0]
}

const INSERT_ENTRIES = sql<{ account: string; afterFen: number | null }>`insert into ledger_entries
    (tenant_id, transaction_id, account, wallet_id, amount_fen, kind, at)
  select $1, $2, e.account, e.wallet_id, e.amount_fen, $3, coalesce($5, now())
  from jsonb_to_recordset($4::jsonb) as e (account text, wallet_id uuid, amount_fen bigint)
  returning account, after_fen as "afterFen"`

export interface NewEntry {
  account: 'available' | 'frozen' | 'payments' | 'income' | 'gifts' | 'adjustments'
  wallet_id: string | null
  amount_fen: number
}

export async function insertEntries(
  scope: Runner,
  tenantId: string,
  transactionId: string,
  kind: EntryKind,
  entries: readonly NewEntry[],
  at: Date | null,
): Promise<{ account: string; afterFen: number | null }[]> {
  return (await scope.run(INSERT_ENTRIES, [tenantId, transactionId, kind, JSON.stringify(entries), at])).rows
}
