import type { MenuItem } from '@thingwright/contracts/identity.contract'
import type { MenuChoice } from '@thingwright/contracts/roles.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { allItems, type MenuRow } from './menus.repo.ts'

export interface MenusService {
  /** The caller's side menu: entries he may open, of areas that are built, groups only when something is in them. */
  mine(ctx: Ctx): Promise<{ items: MenuItem[] }>
  /** The side menu of somebody with these keys, as {@link mine} shows it. */
  menuFor(ctx: Ctx, keys: readonly string[]): Promise<MenuItem[]>
  /** Every entry somebody of the caller's company could be given, with the keys that opening it takes. */
  choices(ctx: Ctx): Promise<MenuChoice[]>
}

export interface MenusOptions {
  database: Database
  /** Whether the page behind an address is built in this version. */
  isBuilt(path: string): boolean
  /** Addresses of the routes that ask for a menu permission. */
  menuKeys: readonly string[]
  /** Keys the caller may open. */
  menuPermissions(ctx: Ctx): Promise<readonly string[]>
  sanitiseIcon(svg: string): string
}

/** Page of an end user about himself. */
const OWN_ACCOUNT = '/manage/user/center/info'

/** Deeper the menu is neither shown nor edited. */
export const MAX_LEVELS = 8

export function createMenusService(options: MenusOptions): MenusService {
  const { database, isBuilt, sanitiseIcon } = options

  async function childrenByParent(ctx: Ctx): Promise<(parent: string | null) => MenuRow[]> {
    const rows = await database.withTenant(ctx, allItems)
    const isOperator = ctx.actor.kind === 'operator'
    const children = new Map<string | null, MenuRow[]>()
    for (const row of rows) {
      if (row.hidden || (row.operatorOnly && !isOperator)) continue
      // For people of the company it is the page of one of their end users, reached from the list.
      if (row.path === OWN_ACCOUNT && ctx.actor.kind !== 'end_user') continue
      const siblings = children.get(row.parentId)
      if (siblings) siblings.push(row)
      else children.set(row.parentId, [row])
    }
    return parent => children.get(parent) ?? []
  }

  async function menuFor(ctx: Ctx, keys: readonly string[]): Promise<MenuItem[]> {
    const allowed = new Set(keys)
    const childrenOf = await childrenByParent(ctx)
    const build = (parent: string | null, depth: number, idPath: string): MenuItem[] =>
      childrenOf(parent).flatMap(row => {
        const path = idPath ? `${idPath}/${row.id}` : row.id
        const inner = depth < MAX_LEVELS ? build(row.id, depth + 1, path) : []
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
    return build(null, 1, '')
  }

  return {
    async mine(ctx) {
      return { items: await menuFor(ctx, await options.menuPermissions(ctx)) }
    },
    menuFor,
    async choices(ctx) {
      const childrenOf = await childrenByParent(ctx)
      const build = (parent: string | null, depth: number): MenuChoice[] =>
        childrenOf(parent).flatMap(row => {
          const inner = depth < MAX_LEVELS ? build(row.id, depth + 1) : []
          const keys = row.path === '' || row.jump !== 0 ? [] : keysBehind(row.path, options.menuKeys)
          if (keys.length === 0 && inner.length === 0) return []
          const { id, name, ename, path, buttonCodes } = row
          return [{ id, name, ename, icon: sanitiseIcon(row.icon), path, keys, buttonCodes, children: inner }]
        })
      return build(null, 1)
    },
  }
}

/** A page's key, and those of the pages that are reached from it: addresses below its own. */
function keysBehind(path: string, keys: readonly string[]): string[] {
  return keys.filter(key => key === path || key.startsWith(`${path}/`))
}
