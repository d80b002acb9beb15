import type { TenantScope } from '../../lib/database/database.ts'
import { part, type Runner, sql } from '../../lib/sql/statement.ts'
import { insertInto, updateOf } from '../../lib/sql/writes.ts'
import type { CarrierKind, CarrierOptions } from './carrier.port.ts'

export interface AccountFault {
  kind: string
  code: string
  text: string
}

export interface AccountAlerts {
  percents: number[]
  stopAt: number | null
  offlineDays: number | null
}

export interface AccountRow {
  id: string
  tenantId: string
  name: string
  carrier: 'cmcc' | 'ctcc'
  kind: CarrierKind
  baseUrl: string
  account: string
  cipher: Buffer
  simulated: boolean
  state: 'untested' | 'ok' | 'failed' | 'disabled'
  fault: AccountFault | null
  testedAt: Date | null
  cooldownSeconds: number
  perSecond: number
  options: CarrierOptions
  alerts: AccountAlerts
  syncedAt: Date | null
  /** It came with cards that the platform sold. */
  ofPlatform: boolean
  version: number
  createdAt: Date
}

const COLUMNS = part`a.id, a.tenant_id as "tenantId", a.name, a.carrier, a.kind, a.base_url as "baseUrl", a.account,
  a.secrets_cipher as cipher, a.simulated, a.state, a.fault, a.tested_at as "testedAt", a.cooldown_seconds as "cooldownSeconds",
  a.per_second as "perSecond", a.options, a.alerts, a.synced_at as "syncedAt", a.source_id is not null as "ofPlatform", a.version, a.created_at as "createdAt"`

export type ListedAccount = AccountRow & { cards: number }
const LISTED = part`${COLUMNS}, (select count(*)::int from sim_cards c where c.account_id = a.id) as cards`

const LIST = sql<ListedAccount>`select ${LISTED} from carrier_accounts a order by lower(a.name), a.id`
const FIND = sql<ListedAccount>`select ${LISTED} from carrier_accounts a where a.id = $1`
const NAMED = sql<{ id: string }>`select id from carrier_accounts where lower(name) = lower($1)`

export async function list(scope: TenantScope): Promise<ListedAccount[]> {
  return (await scope.run(LIST)).rows
}

export async function find(scope: Runner, id: string): Promise<ListedAccount | undefined> {
  return (await scope.run(FIND, [id])).rows[0]
}

export async function idNamed(scope: TenantScope, name: string): Promise<string | null> {
  return (await scope.run(NAMED, [name])).rows[0]?.id ?? null
}

export interface AccountValues {
  id: string
  tenantId: string
  name: string
  carrier: string
  kind: string
  baseUrl: string
  account: string
  cipher: Buffer
  simulated: boolean
  state: string
  cooldownSeconds: number
  perSecond: number
  options: CarrierOptions
  alerts: AccountAlerts
}

const FIELDS = {
  id: 'id',
  tenantId: 'tenant_id',
  name: 'name',
  carrier: 'carrier',
  kind: 'kind',
  baseUrl: 'base_url',
  account: 'account',
  cipher: 'secrets_cipher',
  simulated: 'simulated',
  state: 'state',
  cooldownSeconds: 'cooldown_seconds',
  perSecond: 'per_second',
  options: { json: 'options' },
  alerts: { json: 'alerts' },
} as const

type Insert = Partial<AccountValues>
const INSERT = insertInto<Insert>(part`carrier_accounts`, FIELDS)
const UPDATE = updateOf<Insert>(part`carrier_accounts`, FIELDS, {
  always: part`version = version + 1`,
  where: part`id = $1 and version = $2`,
  given: 2,
})
const RENAME_CARDS = sql`update sim_cards set account_name = $2 where account_id = $1 and account_name <> $2`
const REMOVE = sql`delete from carrier_accounts where id = $1`
const NOTE = sql`update carrier_accounts set state = case when state = 'disabled' then state else $2 end, fault = $3::jsonb,
  tested_at = coalesce($4, tested_at) where id = $1`
const MOVE_SIMULATED = sql`update carrier_accounts set base_url = $2, version = version + 1
  where id = $1 and simulated and base_url <> $2`
const SYNCED = sql`update carrier_accounts set synced_at = $2 where id = $1`

export async function insert(scope: TenantScope, values: Insert): Promise<void> {
  await scope.run(...INSERT.of(values))
}

/** @returns false when it has another version by now */
export async function update(scope: TenantScope, id: string, version: number, values: Insert): Promise<boolean> {
  const done = (await scope.run(...UPDATE.of(values, id, version))).rowCount === 1
  if (done && values.name !== undefined) await scope.run(RENAME_CARDS, [id, values.name])
  return done
}

export async function remove(scope: TenantScope, id: string): Promise<void> {
  await scope.run(REMOVE, [id])
}

/** What the carrier said of the account. @param testedAt of a test */
export async function note(
  scope: Runner,
  id: string,
  fault: AccountFault | null,
  testedAt: Date | null = null,
): Promise<void> {
  await scope.run(NOTE, [id, fault === null ? 'ok' : 'failed', fault === null ? null : JSON.stringify(fault), testedAt])
}

export async function noteSync(scope: Runner, id: string, at: Date): Promise<void> {
  await scope.run(SYNCED, [id, at])
}

/** Its simulator listens there now. */
export async function moveSimulated(scope: Runner, id: string, url: string): Promise<void> {
  await scope.run(MOVE_SIMULATED, [id, url])
}
