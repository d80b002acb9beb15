import type { ViewSettings } from '@thingwright/contracts/saved-views.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface SavedViewRow {
  id: string
  list: string
  name: string
  shared: boolean
  login_id: string
  owner_name: string
  is_default: boolean
  settings: ViewSettings
  version: number
}

/** Views the caller may use, with what they are to him. $1 his login. */
const SELECT = part`select v.id, v.list, v.name, v.shared, v.login_id, v.settings, v.version,
    coalesce(nullif(l.display_name, ''), l.username, '') as owner_name, d.view_id is not null as is_default
  from saved_views v left join logins l on l.id = v.login_id
    left join default_views d on d.login_id = $1 and d.list = v.list and d.view_id = v.id
  where (v.login_id = $1 or v.shared)`

const VIEWS_OF = sql<SavedViewRow>`${SELECT} and v.list = $2 order by v.login_id <> $1, v.name, v.id`

export async function viewsOf(scope: TenantScope, loginId: string, list: string): Promise<SavedViewRow[]> {
  const { rows } = await scope.run(VIEWS_OF, [loginId, list])
  return rows
}

const FIND_VIEW = sql<SavedViewRow>`${SELECT} and v.id = $2`

export async function findView(scope: TenantScope, loginId: string, id: string): Promise<SavedViewRow | undefined> {
  return (await scope.run(FIND_VIEW, [loginId, id])).rows[0]
}

const LOCK_OWN_VIEW = sql`select 1 from saved_views where id = $1 and login_id = $2 for update`

/** Holds an own view until the end of the transaction. */
export async function lockOwnView(scope: TenantScope, loginId: string, id: string): Promise<boolean> {
  const { rowCount } = await scope.run(LOCK_OWN_VIEW, [id, loginId])
  return rowCount === 1
}

const LOCK = sql`select pg_advisory_xact_lock(hashtextextended($1, 0))`

const COUNT_SAVED_VIEWS = sql<{
  count: number
}>`select count(*)::int as count from saved_views where login_id = $1 and list = $2`

/** One at a time adds a view of a list, so that the bound holds. @returns how many he has */
export async function countOwnViews(scope: TenantScope, loginId: string, list: string): Promise<number> {
  await scope.run(LOCK, [`saved-views:${loginId}:${list}`])
  const { rows } = await scope.run(COUNT_SAVED_VIEWS, [loginId, list])
  return rows[0]!.count
}

const INSERT_VIEW = sql`insert into saved_views (id, tenant_id, login_id, list, name, shared, settings) values ($1, $2, $3, $4, $5, $6, $7)`

export async function insertView(
  scope: TenantScope,
  row: { id: string; loginId: string; list: string; name: string; shared: boolean; settings: ViewSettings },
): Promise<void> {
  await scope.run(INSERT_VIEW, [
    row.id,
    scope.tenantId,
    row.loginId,
    row.list,
    row.name,
    row.shared,
    JSON.stringify(row.settings),
  ])
}

const UPDATE_VIEW = sql`update saved_views set name = $2, shared = $3, settings = $4, version = version + 1, updated_at = now() where id = $1`

export async function updateView(
  scope: TenantScope,
  id: string,
  row: { name: string; shared: boolean; settings: ViewSettings },
): Promise<void> {
  await scope.run(UPDATE_VIEW, [id, row.name, row.shared, JSON.stringify(row.settings)])
}

const DROP_OTHERS_DEFAULT = sql`delete from default_views where view_id = $1 and login_id <> $2`

/** Removes the view from the defaults of others when it is no longer shared. */
export async function dropOthersDefault(scope: TenantScope, loginId: string, id: string): Promise<void> {
  await scope.run(DROP_OTHERS_DEFAULT, [id, loginId])
}

const DELETE_VIEW = sql`delete from saved_views where id = $1`

export async function deleteView(scope: TenantScope, id: string): Promise<void> {
  await scope.run(DELETE_VIEW, [id])
}

const DELETE_DEFAULT_VIEWS = sql`delete from default_views where login_id = $1 and list = $2`

const INSERT_DEFAULT_VIEWS = sql`insert into default_views (login_id, list, tenant_id, view_id) values ($1, $2, $3, $4)
  on conflict (login_id, list) do update set view_id = excluded.view_id`

export async function putDefault(
  scope: TenantScope,
  loginId: string,
  list: string,
  viewId: string | null,
): Promise<void> {
  if (viewId === null) await scope.run(DELETE_DEFAULT_VIEWS, [loginId, list])
  else await scope.run(INSERT_DEFAULT_VIEWS, [loginId, list, scope.tenantId, viewId])
}

const COUNT = sql<{ count: number }>`select count(*)::int as count from saved_views where login_id = $1`

const HAND_OVER = sql`update saved_views v set login_id = $2, updated_at = now(),
    name = case when exists (select 1 from saved_views o where o.login_id = $2 and o.list = v.list and o.name = v.name)
      then left(v.name, 50) || ' · ' || right(v.id::text, 8) else v.name end
  where v.login_id = $1`

/** Saved views of a member who leaves: counted and handed over with what he owns. */
export const ownedSavedViews = {
  kind: 'saved_view',
  async count(scope: TenantScope, loginId: string): Promise<number> {
    const { rows } = await scope.run(COUNT, [loginId])
    return rows[0]!.count
  },
  /** A name that the other has already for the same list is told apart by the end of the view's id. */
  async handOver(scope: TenantScope, from: string, to: string): Promise<number> {
    const { rowCount } = await scope.run(HAND_OVER, [from, to])
    return rowCount ?? 0
  },
} as const
