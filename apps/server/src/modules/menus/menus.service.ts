import type { MenuItem } from '@thingwright/contracts/identity.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database.ts'

interface MenuRow {
  id: string
  parent_id: string | null
  name: string
  ename: string
  icon: string
  path: string
  position: number
  jump: number
  hidden: boolean
  operator_only: boolean
}

export interface MenusService {
  /** The caller's side menu: entries he may open, of areas that are built, groups only when something is in them. */
  mine(ctx: Ctx): Promise<{ items: MenuItem[] }>
}

export interface MenusOptions {
  database: Database
  /** Whether the page behind an address is built in this version. */
  isBuilt(path: string): boolean
  /** Keys the caller may open. */
  menuPermissions(ctx: Ctx): Promise<readonly string[]>
  sanitiseIcon(svg: string): string
}

export function createMenusService({ database, isBuilt, menuPermissions, sanitiseIcon }: MenusOptions): MenusService {
  return {
    async mine(ctx) {
      const allowed = new Set(await menuPermissions(ctx))
      const isOperator = ctx.actor.kind === 'operator'
      const rows = await database.withTenant(
        ctx,
        async scope =>
          (
            await scope.query<MenuRow>(
              'select id, parent_id, name, ename, icon, path, position, jump, hidden, operator_only from menu_items where not hidden order by position, id',
            )
          ).rows,
      )
      const children = new Map<string | null, MenuRow[]>()
      for (const row of rows) {
        const list = children.get(row.parent_id)
        if (list) list.push(row)
        else children.set(row.parent_id, [row])
      }
      const build = (parent: string | null, depth: number, idPath: string): MenuItem[] =>
        (children.get(parent) ?? []).flatMap(row => {
          if (row.operator_only && !isOperator) return []
          const path = idPath ? `${idPath}/${row.id}` : row.id
          const inner = depth < 8 ? build(row.id, depth + 1, path) : []
          const open = row.path !== '' && (row.jump !== 0 || (isBuilt(row.path) && allowed.has(row.path)))
          if (!open && inner.length === 0) return []
          return [
            {
              id: row.id,
              name: row.name,
              ename: row.ename,
              icon: sanitiseIcon(row.icon),
              path: row.path,
              sort: depth,
              idPath: path,
              jump: row.jump,
              order: row.position,
              children: inner,
            },
          ]
        })
      return { items: build(null, 1, '') }
    },
  }
}
