import { listSql } from '../../lib/sql/list.ts'
import { part } from '../../lib/sql/statement.ts'

export interface AccountData {
  id: string
  name: string
  meters: number
  balanceFen: number
  owedFen: number
}

const NAME = part`coalesce(nullif(l.display_name, ''), l.username)`
const BALANCE = part`coalesce(w.available_fen, 0)`
export const ACCOUNT_SORTS = ['balance', 'name'] as const

/** End users of the company ($1) who have a meter or money with it. */
export const ACCOUNTS = listSql<AccountData, { q?: string; endUserId?: string }, (typeof ACCOUNT_SORTS)[number]>({
  columns: part`u.id, ${NAME} as name, ${BALANCE} as "balanceFen", greatest(0, -${BALANCE}) as "owedFen",
    (select count(*)::int from meters m where m.end_user_id = u.id) as meters`,
  from: part`end_users u join logins l on l.id = u.id
    left join wallets w on w.tenant_id = u.tenant_id and w.holder_kind = 'end_user' and w.holder_id = u.id`,
  where: part`u.tenant_id = $1 and (w.id is not null or exists (select 1 from meters m where m.end_user_id = u.id))`,
  given: 1,
  filters: { q: part`${NAME} ilike $1`, endUserId: part`u.id = $1` },
  sorts: { balance: { by: BALANCE, type: 'bigint' }, name: { by: NAME, type: 'text' } },
  id: { by: part`u.id`, type: 'uuid' },
})
