import type { BodyOf } from '@thingwright/contracts'
import type { MenuEntry, menuEditorContract } from '@thingwright/contracts/menu-editor.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import * as repo from './menus.repo.ts'
import { MAX_LEVELS } from './menus.service.ts'

type Contract = typeof menuEditorContract
export type CreateMenuItem = BodyOf<Contract['create']>
export type UpdateMenuItem = BodyOf<Contract['update']>

export interface MenuEditorDeps {
  database: Database
  /** The dev flag of the specification: without it nobody edits the menu (§4). */
  devFlag: boolean
  isBuilt(path: string): boolean
  /** Clean SVG, or null for what is none. */
  cleanIcon(svg: string): string | null
  /** Writes the menu that came with the installation. */
  seed(scope: SystemScope): Promise<void>
}

/** The installation's menu as the page /system/menuList edits it. */
export interface MenuEditorService {
  list(ctx: Ctx): Promise<{ items: MenuEntry[] }>
  create(ctx: Ctx, input: CreateMenuItem): Promise<MenuEntry>
  update(ctx: Ctx, id: string, input: UpdateMenuItem): Promise<MenuEntry>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  reset(ctx: Ctx): Promise<{ items: MenuEntry[] }>
}

export function createMenuEditor({ database, devFlag, isBuilt, cleanIcon, seed }: MenuEditorDeps): MenuEditorService {
  const entries = (rows: repo.MenuRow[]) => inOrder(rows).map(place => toEntry(place, isBuilt))

  function entry(rows: repo.MenuRow[], id: string): MenuEntry {
    const found = entries(rows).find(item => item.id === id)
    if (!found) throw new AppError('menu.not_found')
    return found
  }

  /** One change of the menu: nobody else changes it meanwhile, the log has it, open consoles hear of it. */
  async function change<T>(work: (scope: SystemScope, rows: repo.MenuRow[]) => Promise<T>): Promise<T> {
    if (!devFlag) throw new AppError('menu.dev_flag_off')
    return database.withSystemScope('menu', async scope => {
      await repo.lockMenu(scope)
      const result = await work(scope, await repo.allItems(scope))
      scope.tell('menu.changed', {})
      return result
    })
  }

  function checkIcon(icon: string): string {
    if (icon === '') return ''
    const clean = cleanIcon(icon)
    if (clean === null) throw new AppError('menu.icon_invalid')
    return clean
  }

  return {
    async list(ctx) {
      if (!devFlag) throw new AppError('menu.dev_flag_off')
      return { items: entries(await database.withTenant(ctx, repo.allItems)) }
    },

    create: (ctx, input) =>
      change(async (scope, rows) => {
        const id = newId(ctx.now)
        const parentId = input.parentId ?? null
        checkParent(rows, parentId, 1)
        const path = input.path ?? ''
        checkPath(rows, null, path)
        await repo.insertItem(scope, id, {
          parentId,
          name: input.name,
          ename: input.ename ?? '',
          icon: checkIcon(input.icon ?? ''),
          path,
          position: Math.max(-1, ...siblingsOf(rows, parentId).map(row => row.position)) + 1,
          jump: input.jump ?? 0,
          hidden: input.hidden ?? false,
          operatorOnly: input.operatorOnly ?? false,
          buttonCodes: input.buttonCodes ?? [],
        })
        const made = entry(await repo.allItems(scope), id)
        await audit(scope, ctx, 'menu.create', made, null, facts(made))
        return made
      }),

    update: (ctx, id, { version, ...input }) =>
      change(async (scope, rows) => {
        const row = rows.find(item => item.id === id)
        if (!row) throw new AppError('menu.not_found')
        const before = entry(rows, id)
        if (row.version !== version) throw new AppError('version.conflict', { params: { current: before } })
        const parentId = input.parentId === undefined ? row.parentId : input.parentId
        const moved = parentId !== row.parentId
        if (moved) {
          if (parentId !== null && subtreeOf(rows, id).includes(parentId)) throw new AppError('menu.cycle')
          checkParent(rows, parentId, heightOf(rows, id))
        }
        const path = input.path ?? row.path
        checkPath(rows, id, path)
        const siblings = siblingsOf(rows, parentId).filter(item => item.id !== id)
        const index = input.order ?? (moved ? siblings.length : null)
        if (index !== null)
          await repo.setPositions(scope, [
            ...siblings.slice(0, index).map((item, position) => ({ id: item.id, position })),
            ...siblings.slice(index).map((item, after) => ({ id: item.id, position: index + 1 + after })),
          ])
        await repo.updateItem(scope, id, {
          parentId,
          name: input.name ?? row.name,
          ename: input.ename ?? row.ename,
          icon: input.icon === undefined ? row.icon : checkIcon(input.icon),
          path,
          position: index === null ? row.position : Math.min(index, siblings.length),
          jump: input.jump ?? row.jump,
          hidden: input.hidden ?? row.hidden,
          operatorOnly: input.operatorOnly ?? row.operatorOnly,
          buttonCodes: input.buttonCodes ?? row.buttonCodes,
        })
        const after = entry(await repo.allItems(scope), id)
        await audit(scope, ctx, 'menu.update', after, facts(before), facts(after))
        return after
      }),

    remove: (ctx, id) =>
      change(async (scope, rows) => {
        const gone = entry(rows, id)
        const inside = siblingsOf(rows, id).length
        if (inside > 0) throw new AppError('menu.not_empty', { params: { count: inside } })
        await repo.deleteItem(scope, id)
        await audit(scope, ctx, 'menu.remove', gone, facts(gone), null)
        return { ok: true }
      }),

    reset: ctx =>
      change(async (scope, rows) => {
        await repo.deleteAll(scope)
        await seed(scope)
        const items = entries(await repo.allItems(scope))
        await recordAudit(scope, ctx, {
          action: 'menu.reset',
          objectType: 'menu',
          objectName: 'menu',
          before: { entries: entries(rows).map(facts) },
          after: { entries: items.length },
        })
        return { items }
      }),
  }
}

/** A row with its place in the tree. */
interface Placed {
  row: repo.MenuRow
  depth: number
  idPath: string
}

function siblingsOf(rows: readonly repo.MenuRow[], parentId: string | null): repo.MenuRow[] {
  return rows.filter(row => row.parentId === parentId)
}

/** Parents before children, siblings in their order; rows come ordered. */
function inOrder(rows: readonly repo.MenuRow[], parent: string | null = null, depth = 1, idPath = ''): Placed[] {
  return siblingsOf(rows, parent).flatMap(row => {
    const path = idPath ? `${idPath}/${row.id}` : row.id
    return [{ row, depth, idPath: path }, ...inOrder(rows, row.id, depth + 1, path)]
  })
}

function subtreeOf(rows: readonly repo.MenuRow[], id: string): string[] {
  return [id, ...siblingsOf(rows, id).flatMap(child => subtreeOf(rows, child.id))]
}

function heightOf(rows: readonly repo.MenuRow[], id: string): number {
  return 1 + Math.max(0, ...siblingsOf(rows, id).map(child => heightOf(rows, child.id)))
}

/** @throws AppError menu.not_found, menu.too_deep for a branch of that height below the parent */
function checkParent(rows: readonly repo.MenuRow[], parentId: string | null, height: number): void {
  let level = 0
  for (let id = parentId; id !== null; level++) {
    const parent = rows.find(row => row.id === id)
    if (!parent) throw new AppError('menu.not_found')
    id = parent.parentId
  }
  if (level + height > MAX_LEVELS) throw new AppError('menu.too_deep', { params: { limit: MAX_LEVELS } })
}

/** An address of the console, an https address, or none. @throws AppError menu.path_invalid, menu.path_taken */
function checkPath(rows: readonly repo.MenuRow[], id: string | null, path: string): void {
  if (path === '') return
  const fine = /^\/(?![/\\])[\w\-./:~%]*$/.test(path) || (/^https:\/\/[\w.-]/.test(path) && URL.canParse(path))
  if (!fine) throw new AppError('menu.path_invalid')
  if (rows.some(row => row.path === path && row.id !== id)) throw new AppError('menu.path_taken', { params: { path } })
}

function toEntry({ row, depth, idPath }: Placed, isBuilt: (path: string) => boolean): MenuEntry {
  const { position, updatedAt, ...rest } = row
  return {
    ...rest,
    order: position,
    sort: depth,
    idPath,
    built: row.path === '' || row.jump !== 0 || isBuilt(row.path),
    updatedAt: updatedAt.toISOString(),
  }
}

function facts(item: MenuEntry): Record<string, unknown> {
  const { name, ename, path, parentId, order, jump, hidden, operatorOnly, buttonCodes } = item
  return { name, ename, path, parentId, order, jump, hidden, operatorOnly, buttonCodes, iconLength: item.icon.length }
}

function audit(
  scope: SystemScope,
  ctx: Ctx,
  action: string,
  item: MenuEntry,
  before: Record<string, unknown> | null,
  after: Record<string, unknown> | null,
): Promise<void> {
  return recordAudit(scope, ctx, {
    action,
    objectType: 'menu',
    objectId: item.id,
    objectName: item.name,
    before,
    after,
  })
}
