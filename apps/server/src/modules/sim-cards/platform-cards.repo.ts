import type { CardTerm } from '@thingwright/contracts/sim-cards.contract'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { SystemScope } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import { sql } from '../../lib/sql/statement.ts'
import type { CarrierKind } from './carrier.port.ts'
import { type AccountSecrets, accountContext } from './carriers.ts'

/** An account at a carrier that cards sold by the platform belong to. */
export interface CardSource {
  id: string
  name: string
  carrier: 'cmcc' | 'ctcc'
  kind: CarrierKind
  baseUrl: string
  account: string
  secrets: AccountSecrets
  simulated: boolean
}

export interface PlatformCard {
  iccid: string
  msisdn: string | null
  imsi: string | null
}

export interface SoldPlan {
  orderId: string
  name: string
  /** Kilobytes of 1024 bytes a month. */
  monthKb: number
  form: 'plug_in' | 'embedded'
  use: 'single' | 'shared' | 'pool'
  /** How long it runs from each payment to the next. */
  months: number
  expiresAt: Date
}

const TERMS: Readonly<Record<number, CardTerm>> = { 1: 'month', 3: 'quarter', 12: 'year' }
const termOf = (months: number): CardTerm => TERMS[months] ?? 'other'

const ACCOUNT = sql<{ id: string; name: string }>`select id, name from carrier_accounts
  where tenant_id = $1 and source_id = $2 for update`
const INSERT_ACCOUNT = sql<{ id: string; name: string }>`insert into carrier_accounts
    (id, tenant_id, name, carrier, kind, base_url, account, secrets_cipher, simulated, source_id)
  values ($1::uuid, $2, $3 || case when exists (select from carrier_accounts where tenant_id = $2 and lower(name) = lower($3::text))
    then ' ' || right($1::uuid::text, 8) else '' end, $4, $5, $6, $7, $8, $9, $10) returning id, name`
const INSERT_CARDS = sql`insert into sim_cards (id, tenant_id, account_id, account_name, carrier, kind, simulated, iccid, msisdn, imsi,
    form, use, plan_name, plan_kb, own_plan, expires_at, order_id, term)
  select v.id, $2, $3, $4, $5, $6, $7, v.iccid, v.msisdn, v.imsi, $8, $9, $10, $11, true, $12, $13, $14
  from jsonb_to_recordset($1::jsonb) as v(id uuid, iccid text, msisdn text, imsi text)`

/**
 * Gives a company cards that it bought, in the account of their source; the account is made with the first of them.
 * @returns how many
 */
export async function givePlatformCards(
  scope: SystemScope,
  box: CryptoBox,
  tenantId: string,
  source: CardSource,
  cards: readonly PlatformCard[],
  plan: SoldPlan,
): Promise<number> {
  const known = (await scope.run(ACCOUNT, [tenantId, source.id])).rows[0]
  const account = known ?? (await openAccount(scope, box, tenantId, source))
  const { rowCount } = await scope.run(INSERT_CARDS, [
    JSON.stringify(cards.map(card => ({ ...card, id: newId() }))),
    tenantId,
    account.id,
    account.name,
    source.carrier,
    source.kind,
    source.simulated,
    plan.form,
    plan.use,
    plan.name,
    plan.monthKb,
    plan.expiresAt,
    plan.orderId,
    termOf(plan.months),
  ])
  return rowCount ?? 0
}

async function openAccount(scope: SystemScope, box: CryptoBox, tenantId: string, source: CardSource) {
  const id = newId()
  const { rows } = await scope.run(INSERT_ACCOUNT, [
    id,
    tenantId,
    source.name,
    source.carrier,
    source.kind,
    source.baseUrl,
    source.account,
    box.seal(JSON.stringify(source.secrets), accountContext(id)),
    source.simulated,
    source.id,
  ])
  return rows[0]!
}

const OF_SOURCE = sql<{ id: string }>`select id from carrier_accounts where source_id = $1 for update`
const CHANGE = sql`update carrier_accounts set base_url = $2, account = $3, secrets_cipher = $4, version = version + 1,
  state = case when state = 'disabled' then state else 'untested' end where id = $1`

/** Companies that have cards of a source go on with its new credentials. */
export async function changePlatformAccounts(scope: SystemScope, box: CryptoBox, source: CardSource): Promise<void> {
  for (const { id } of (await scope.run(OF_SOURCE, [source.id])).rows) {
    const cipher = box.seal(JSON.stringify(source.secrets), accountContext(id))
    await scope.run(CHANGE, [id, source.baseUrl, source.account, cipher])
  }
}

const ANYWHERE = sql<{ iccid: string }>`select distinct iccid from sim_cards where iccid = any ($1)`

/** Of these cards those that some company has. */
export async function cardsAnywhere(scope: SystemScope, iccids: readonly string[]): Promise<string[]> {
  return (await scope.run(ANYWHERE, [iccids])).rows.map(({ iccid }) => iccid)
}

const RENEW = sql<{
  id: string
}>`update sim_cards set plan_name = $3, plan_kb = $4, own_plan = true, term = $7, version = version + 1,
    expires_at = greatest(coalesce(expires_at, $5), $5) + make_interval(months => $6),
    told = array(select t from unnest(told) t where t not like 'expiring%')
  where tenant_id = $1 and id = any ($2) returning id`

/**
 * Adds a term to cards: at the end of the present one, or from now on where that has ended.
 * @returns the cards that there still were
 */
export async function renewPlatformCards(
  scope: SystemScope,
  tenantId: string,
  cardIds: readonly string[],
  plan: { name: string; monthKb: number; months: number },
  now: number,
): Promise<string[]> {
  const values = [tenantId, cardIds, plan.name, plan.monthKb, new Date(now), plan.months, termOf(plan.months)]
  return (await scope.run(RENEW, values)).rows.map(({ id }) => id)
}
