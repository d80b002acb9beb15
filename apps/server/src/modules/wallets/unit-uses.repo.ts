import type { UnitKind, UnitUseState } from '@thingwright/contracts/money.words'
import { listSql } from '../../lib/sql/list.ts'
import { part } from '../../lib/sql/statement.ts'

export interface UnitUseRow {
  id: string
  at: Date
  kind: UnitKind
  state: UnitUseState
  units: number
  address: string
  contact: string
  trigger: string
  content: string
  receipt: string | null
  reason: string | null
}

export interface UnitUseFilter {
  q?: string
  kind?: UnitKind
  state?: UnitUseState
  from?: Date
  to?: Date
}

export const UNIT_USE_SORTS = ['at'] as const

/** What took units, with the message that it was. The key begins with the id of the message's record. */
export const UNIT_USES = listSql<UnitUseRow, UnitUseFilter, (typeof UNIT_USE_SORTS)[number]>({
  columns: part`u.id, u.at, u.kind, u.state, u.units, coalesce(r.address, '') as address, coalesce(r.contact_name, '') as contact,
    coalesce(a.trigger_name, '') as trigger, coalesce(r.content, '') as content,
    r.receipt, coalesce(r.receipt_reason, r.reason) as reason`,
  from: part`unit_uses u left join notification_records r on r.tenant_id = u.tenant_id and r.id::text = split_part(u.key, ':', 1)
    left join alarms a on a.id = r.alarm_id`,
  where: part`u.tenant_id = $1`,
  given: 1,
  filters: {
    q: part`r.address like $1`,
    kind: part`u.kind = $1`,
    state: part`u.state = $1`,
    from: part`u.at >= $1`,
    to: part`u.at < $1`,
  },
  sorts: { at: { by: part`u.at`, type: 'timestamptz' } },
  id: { by: part`u.id`, type: 'uuid' },
})
