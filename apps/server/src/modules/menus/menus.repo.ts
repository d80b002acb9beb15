import type { SystemScope, TenantScope } from '../../lib/database.ts'

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

const COLUMNS = `id, parent_id as "parentId", name, ename, icon, path, position, jump, hidden,
  operator_only as "operatorOnly", button_codes as "buttonCodes", builtin, version, updated_at as "updatedAt"`

/** The installation's menu: no company owns it, everybody may read it. */
export async function allItems(scope: Pick<TenantScope | SystemScope, 'query'>): Promise<MenuRow[]> {
  return (await scope.query<MenuRow>(`select ${COLUMNS} from menu_items order by position, id`)).rows
}

/** One at a time changes the menu: circles and places are checked against what the other has done. */
export async function lockMenu(scope: SystemScope): Promise<void> {
  await scope.query(`select pg_advisory_xact_lock(hashtextextended('menu', 0))`)
}

export async function insertItem(scope: SystemScope, id: string, item: MenuFields): Promise<void> {
  await scope.query(
    `insert into menu_items (id, parent_id, name, ename, icon, path, position, jump, hidden, operator_only, button_codes)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [id, ...valuesOf(item)],
  )
}

/** Writes the entry and raises its version. */
export async function updateItem(scope: SystemScope, id: string, item: MenuFields): Promise<void> {
  await scope.query(
    `update menu_items set parent_id = $2, name = $3, ename = $4, icon = $5, path = $6, position = $7, jump = $8,
       hidden = $9, operator_only = $10, button_codes = $11, version = version + 1, updated_at = now()
     where id = $1`,
    [id, ...valuesOf(item)],
  )
}

/** Moves siblings aside; that is no change of theirs, so their version stays. */
export async function setPositions(scope: SystemScope, places: { id: string; position: number }[]): Promise<void> {
  await scope.query(
    'update menu_items m set position = p.position from unnest($1::uuid[], $2::int[]) as p (id, position) where m.id = p.id',
    [places.map(place => place.id), places.map(place => place.position)],
  )
}

export async function deleteItem(scope: SystemScope, id: string): Promise<void> {
  await scope.query('delete from menu_items where id = $1', [id])
}

export async function deleteAll(scope: SystemScope): Promise<void> {
  await scope.query('delete from menu_items')
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
