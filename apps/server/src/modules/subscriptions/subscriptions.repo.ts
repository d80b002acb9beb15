import type {
  SubscriptionFilter,
  SubscriptionKind,
  SubscriptionPayload,
  SubscriptionTarget,
  SubscriptionTargetKind,
} from '@thingwright/contracts/subscriptions.contract'
import type { DataScope } from '../../lib/context.ts'
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'

type Scope = Pick<TenantScope & SystemScope, 'run'>

export interface SubscriptionRow {
  id: string
  tenant_id: string
  name: string
  kinds: SubscriptionKind[]
  filter: SubscriptionFilter
  data_scope: DataScope
  target_kind: SubscriptionTargetKind
  /** Without what is secret. */
  target: SubscriptionTarget
  secrets_cipher: Buffer | null
  old_secret_until: Date | null
  payload: SubscriptionPayload
  max_items: number
  wait_ms: number
  state: 'active' | 'paused'
  paused_reason: 'user' | 'failures' | 'target' | null
  created_by: string | null
  created_by_name: string
  version: number
  created_at: Date
  updated_at: Date
}

const COLUMNS = part`s.id, s.tenant_id, s.name, s.kinds, s.filter, s.data_scope, s.target_kind, s.target, s.secrets_cipher,
  s.old_secret_until, s.payload, s.max_items, s.wait_ms, s.state, s.paused_reason, s.created_by, s.created_by_name, s.version,
  s.created_at, s.updated_at`

/** What the lists show beside it, of subscription_progress. */
export interface ListedRow extends SubscriptionRow {
  delivered: number
  dropped: number
  failures: number
  failing_since: Date | null
  next_try_at: Date | null
  last_delivered_at: Date | null
  last_failed_at: Date | null
  last_error: string | null
  dead_letters: number
  /** created_at as the cursor needs it. */
  place: string
}

const LISTED = part`${COLUMNS}, p.delivered, p.dropped, p.failures, p.failing_since, p.next_try_at, p.last_delivered_at,
  p.last_failed_at, p.last_error, s.created_at::text as place,
  (select count(*)::int from subscription_dead_letters d where d.subscription_id = s.id) as dead_letters`

const LOCK = sql`select pg_advisory_xact_lock(hashtextextended('subscriptions:' || $1::text, 0))`

const COUNT_SUBSCRIPTIONS = sql<{ n: number }>`select count(*)::int as n from subscriptions`

/** One at a time is made in a company, so that the bound holds. @returns how many there are */
export async function holdCount(scope: TenantScope): Promise<number> {
  await scope.run(LOCK, [scope.tenantId])
  const { rows } = await scope.run(COUNT_SUBSCRIPTIONS)
  return rows[0]!.n
}

const INSERT_SUBSCRIPTIONS = sql`insert into subscriptions (id, tenant_id, name, kinds, filter, data_scope, target_kind, target, secrets_cipher, password_hash,
    payload, max_items, wait_ms, state, paused_reason, created_by, created_by_name, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`

const INSERT_SUBSCRIPTION_QUEUES = sql`insert into subscription_queues (subscription_id, tenant_id) values ($1, $2)`

const INSERT_SUBSCRIPTION_PROGRESS = sql`insert into subscription_progress (subscription_id, tenant_id) values ($1, $2)`

export async function insert(
  scope: TenantScope,
  row: Omit<SubscriptionRow, 'tenant_id' | 'version' | 'updated_at' | 'old_secret_until'> & {
    password_hash: Buffer | null
  },
): Promise<void> {
  await scope.run(INSERT_SUBSCRIPTIONS, [
    row.id,
    scope.tenantId,
    row.name,
    row.kinds,
    JSON.stringify(row.filter),
    JSON.stringify(row.data_scope),
    row.target_kind,
    JSON.stringify(row.target),
    row.secrets_cipher,
    row.password_hash,
    JSON.stringify(row.payload),
    row.max_items,
    row.wait_ms,
    row.state,
    row.paused_reason,
    row.created_by,
    row.created_by_name,
    row.created_at,
  ])
  await scope.run(INSERT_SUBSCRIPTION_QUEUES, [row.id, scope.tenantId])
  await scope.run(INSERT_SUBSCRIPTION_PROGRESS, [row.id, scope.tenantId])
}

const UPDATE_SUBSCRIPTION = sql`update subscriptions set name = $2, kinds = $3, filter = $4, target = $5, secrets_cipher = $6, payload = $7,
  max_items = $8, wait_ms = $9, version = version + 1, updated_at = now() where id = $1`

export async function update(
  scope: TenantScope,
  row: Pick<
    SubscriptionRow,
    'id' | 'name' | 'kinds' | 'filter' | 'target' | 'secrets_cipher' | 'payload' | 'max_items' | 'wait_ms'
  >,
): Promise<void> {
  await scope.run(UPDATE_SUBSCRIPTION, [
    row.id,
    row.name,
    row.kinds,
    JSON.stringify(row.filter),
    JSON.stringify(row.target),
    row.secrets_cipher,
    JSON.stringify(row.payload),
    row.max_items,
    row.wait_ms,
  ])
}

const SET_SECRETS = sql`update subscriptions set secrets_cipher = $2, password_hash = $3, old_secret_until = $4, version = version + 1,
  updated_at = now() where id = $1`

export async function setSecrets(
  scope: TenantScope,
  id: string,
  sealed: { cipher: Buffer | null; passwordHash: Buffer | null; oldUntil: Date | null },
): Promise<void> {
  await scope.run(SET_SECRETS, [id, sealed.cipher, sealed.passwordHash, sealed.oldUntil])
}

const UPDATE_SUBSCRIPTIONS = sql`update subscriptions set state = $2, paused_reason = $3, updated_at = now() where id = $1`

const UPDATE_SUBSCRIPTION_PROGRESS = sql`update subscription_progress set failures = 0, failing_since = null, next_try_at = null, head_since = null,
  head_attempts = 0 where subscription_id = $1`

/** Delivering begins with a clean slate after a pause; what waits stays. */
export async function setState(
  scope: Scope,
  id: string,
  state: 'active' | 'paused',
  reason: SubscriptionRow['paused_reason'],
): Promise<boolean> {
  const { rowCount } = await scope.run(UPDATE_SUBSCRIPTIONS, [id, state, reason])
  if (state === 'active') await scope.run(UPDATE_SUBSCRIPTION_PROGRESS, [id])
  return rowCount === 1
}

const REMOVE = sql`delete from subscriptions where id = $1`

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}

const FIND = holdable(
  sql<ListedRow>`select ${LISTED} from subscriptions s join subscription_progress p on p.subscription_id = s.id
  where s.id = $1`,
  part`for update of s`,
)

export async function find(scope: TenantScope, id: string, lock = false): Promise<ListedRow | undefined> {
  const { rows } = await scope.run(lock ? FIND.held : FIND.free, [id])
  return rows[0]
}

export interface ListFilter {
  q?: string | undefined
  state?: string | undefined
  target?: string | undefined
}

const MATCHES = part`($1::text is null or s.name ilike '%' || $1 || '%') and ($2::text is null or s.state = $2)
  and ($3::text is null or s.target_kind = $3)`
const matchValues = ({ q, state, target }: ListFilter) => [
  q ? q.replaceAll(/[\\%_]/g, '\\$&') : null,
  state ?? null,
  target ?? null,
]

const LIST = sql<ListedRow>`select ${LISTED} from subscriptions s join subscription_progress p on p.subscription_id = s.id
  where ${MATCHES} and ($4::text is null or (s.created_at, s.id) < ($4::text::timestamptz, $5::uuid))
  order by s.created_at desc, s.id desc limit $6`

export async function list(
  scope: TenantScope,
  filter: ListFilter,
  after: readonly [string, string] | null,
  limit: number,
): Promise<ListedRow[]> {
  const { rows } = await scope.run(LIST, [...matchValues(filter), after?.[0] ?? null, after?.[1] ?? null, limit])
  return rows
}

const COUNT = sql<{ n: number }>`select count(*)::int as n from subscriptions s where ${MATCHES}`

export async function count(scope: TenantScope, filter: ListFilter): Promise<number> {
  const { rows } = await scope.run(COUNT, matchValues(filter))
  return rows[0]!.n
}

const EVERY_ID = sql<{ id: string }>`select id from subscriptions order by id`

/** Of the whole installation, for the deliverers. */
export async function everyId(scope: SystemScope): Promise<string[]> {
  const { rows } = await scope.run(EVERY_ID)
  return rows.map(({ id }) => id)
}

const LOAD_ALL = sql<SubscriptionRow>`select ${COLUMNS} from subscriptions s order by s.id`

export async function loadAll(scope: SystemScope): Promise<SubscriptionRow[]> {
  const { rows } = await scope.run(LOAD_ALL)
  return rows
}

const LOAD = sql<SubscriptionRow>`select ${COLUMNS} from subscriptions s where s.id = $1`

export async function load(scope: SystemScope, id: string): Promise<SubscriptionRow | undefined> {
  const { rows } = await scope.run(LOAD, [id])
  return rows[0]
}

export interface LogLine {
  id: number
  at: Date
  result: 'ok' | 'partial' | 'retry' | 'refused' | 'dead' | 'dropped'
  items: number
  skipped: number
  attempt: number
  status: number | null
  latency_ms: number | null
  reason: string | null
  detail: string | null
  first_item_id: string | null
  body: string | null
  answer: string | null
}

const LOG = sql<LogLine>`select id, at, result, items, skipped, attempt, status, latency_ms, reason, detail, first_item_id, body, answer
  from subscription_log where subscription_id = $1 and ($2::bigint is null or id < $2) and (not $3 or result <> 'ok')
  order by id desc limit $4`

export async function log(
  scope: TenantScope,
  id: string,
  page: { before: number | null; failed: boolean; limit: number },
): Promise<LogLine[]> {
  const { rows } = await scope.run(LOG, [id, page.before, page.failed, page.limit])
  return rows
}

export interface DeadLetterRow {
  id: string
  device: number
  item: string
  reason: string
  status: number | null
  attempts: number
  at: Date
  place: string
}

const DEAD_LETTERS = sql<DeadLetterRow>`select id, device, item, reason, status, attempts, at, at::text as place from subscription_dead_letters
  where subscription_id = $1 and ($2::text is null or (at, id) < ($2::text::timestamptz, $3::uuid))
  order by at desc, id desc limit $4`

export async function deadLetters(
  scope: TenantScope,
  id: string,
  page: { after: readonly [string, string] | null; limit: number },
): Promise<DeadLetterRow[]> {
  const { rows } = await scope.run(DEAD_LETTERS, [id, page.after?.[0] ?? null, page.after?.[1] ?? null, page.limit])
  return rows
}

const REMOVE_DEAD_LETTERS = sql`delete from subscription_dead_letters where subscription_id = $1 and ($2::uuid[] is null or id = any ($2))`

/** @returns how many were thrown away */
export async function removeDeadLetters(
  scope: TenantScope,
  id: string,
  ids: readonly string[] | null,
): Promise<number> {
  const { rowCount } = await scope.run(REMOVE_DEAD_LETTERS, [id, ids])
  return rowCount ?? 0
}

const SAMPLE_DEVICES = sql<{
  num: number
  id: string
}>`select d.num, d.id from devices d left join device_presence p on p.device = d.num
  where d.recycled_at is null order by p.last_seen_at desc nulls last, d.created_at desc limit $1`

/** A device of the caller's that the filter may show, for a sample: one that was seen last. */
export async function sampleDevices(scope: TenantScope, limit: number): Promise<{ num: number; id: string }[]> {
  const { rows } = await scope.run(SAMPLE_DEVICES, [limit])
  return rows
}

const COUNT_OWNED = sql<{ n: number }>`select count(*)::int as n from subscriptions where created_by = $1`

export async function countOwned(scope: TenantScope, loginId: string): Promise<number> {
  const { rows } = await scope.run(COUNT_OWNED, [loginId])
  return rows[0]!.n
}

const HAND_OVER = sql`update subscriptions set created_by = $2, version = version + 1, updated_at = now() where created_by = $1`

/** What they may carry stays as it was, except that "what he created" follows the owner. */
export async function handOver(scope: TenantScope, from: string, to: string): Promise<number> {
  const { rowCount } = await scope.run(HAND_OVER, [from, to])
  return rowCount ?? 0
}
