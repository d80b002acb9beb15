import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { part, sql } from '../../lib/sql/statement.ts'

export interface MenuRow {
  id: string
  parentId: string | null
  name: string
  ename: string
  icon: string
  path: string
  position: number
  jump: number
  hidden: boolean
  operatorOnly: boolean
  buttonCodes: string[]
  builtin: boolean
  version: number
  updatedAt: Date
}

export type MenuFields = Omit<MenuRow, 'id' | 'builtin' | 'version' | 'updatedAt'>

const COLUMNS = part`id, parent_id as "parentId", name, ename, icon, path, position, jump, hidden,
  operator_only as "operatorOnly", button_codes as "buttonCodes", builtin, version, updated_at as "updatedAt"`

const ALL_ITEMS = sql<MenuRow>`select ${COLUMNS} from menu_items order by position, id`

/** The installation's menu: no company owns it, everybody may read it. */
export async function allItems(scope: Pick<TenantScope | SystemScope, 'run'>): Promise<MenuRow[]> {
  return (await scope.run(ALL_ITEMS)).rows
}

const LOCK_MENU = sql`select pg_advisory_xact_lock(hashtextextended('menu', 0))`

/** One at a time changes the menu: circles and places are checked against what the other has done. */
export async function lockMenu(scope: SystemScope): Promise<void> {
  await scope.run(LOCK_MENU)
}

const INSERT_ITEM = sql`insert into menu_items (id, parent_id, name, ename, icon, path, position, jump, hidden, operator_only, button_codes)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

export async function insertItem(scope: SystemScope, id: string, item: MenuFields): Promise<void> {
  await scope.run(INSERT_ITEM, [id, ...valuesOf(item)])
}

const UPDATE_ITEM = sql`update menu_items set parent_id = $2, name = $3, ename = $4, icon = $5, path = $6, position = $7, jump = $8,
    hidden = $9, operator_only = $10, button_codes = $11, version = version + 1, updated_at = now()
  where id = $1`

/** Writes the entry and raises its version. */
export async function updateItem(scope: SystemScope, id: string, item: MenuFields): Promise<void> {
  await scope.run(UPDATE_ITEM, [id, ...valuesOf(item)])
}

const SET_POSITIONS = sql`update menu_items m set position = p.position from unnest($1::uuid[], $2::int[]) as p (id, position) where m.id = p.id`

/** Moves siblings aside; that is no change of theirs, so their version stays. */
export async function setPositions(scope: SystemScope, places: { id: string; position: number }[]): Promise<void> {
  await scope.run(SET_POSITIONS, [places.map(place => place.id), places.map(place => place.position)])
}

const DELETE_ITEM = sql`delete from menu_items where id = $1`

export async function deleteItem(scope: SystemScope, id: string): Promise<void> {
  await scope.run(DELETE_ITEM, [id])
}

const DELETE_ALL = sql`delete from menu_items`

export async function deleteAll(scope: SystemScope): Promise<void> {
  await scope.run(DELETE_ALL)
}

function valuesOf(item: MenuFields): unknown[] {
  return [
    item.parentId,
    item.name,
    item.ename,
    item.icon,
    item.path,
    item.position,
    item.jump,
    item.hidden,
    item.operatorOnly,
    item.buttonCodes,
  ]
}
