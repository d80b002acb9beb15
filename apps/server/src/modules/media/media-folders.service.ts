import type { MediaFolderView } from '@thingwright/contracts/media.contract'
import { recordAudit } from '../../lib/audit.ts'
import { type Ctx, customerOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { FolderRow } from './media-folders.repo.ts'
import * as repo from './media-folders.repo.ts'

/** A folder in no folder is level 1. */
const MAX_LEVELS = 8

export interface MediaFoldersService {
  /** Materials of the caller, or of a given end user who is visible to the caller. */
  list(ctx: Ctx, userId?: string): Promise<{ items: MediaFolderView[]; rootCount: number }>
  create(ctx: Ctx, input: { name: string; parentId?: string | null }): Promise<MediaFolderView>
  update(
    ctx: Ctx,
    id: string,
    input: { version: number; name?: string; parentId?: string | null },
  ): Promise<MediaFolderView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

export function createMediaFoldersService(database: Database): MediaFoldersService {
  return {
    list: (ctx, userId) =>
      database.withTenant(ctx, async scope => {
        const owner = userId ?? customerOf(ctx.actor)?.id ?? null
        return {
          items: inOrder(await repo.allFolders(scope, owner)).map(toView),
          rootCount: await repo.countWithoutFolder(scope, owner),
        }
      }),

    create: (ctx, { name, parentId = null }) =>
      naming(name, () =>
        database.withTenant(ctx, async scope => {
          await repo.lockFolders(scope)
          const owner = parentId === null ? (customerOf(ctx.actor)?.id ?? null) : await ownerOf(scope, parentId)
          const all = await repo.allFolders(scope, owner)
          if (levelOf(all, parentId) >= MAX_LEVELS)
            throw new AppError('media.folder_too_deep', { params: { limit: MAX_LEVELS } })
          const id = newId(ctx.now)
          await repo.insertFolder(scope, { id, parentId, name, owner })
          const row = find(await repo.allFolders(scope, owner), id)
          await audit(scope, ctx, 'media_folder.create', row, null, row)
          return toView(row)
        }),
      ),

    update: (ctx, id, input) =>
      naming(input.name ?? '', () =>
        database.withTenant(ctx, async scope => {
          await repo.lockFolders(scope)
          const owner = await ownerOf(scope, id)
          const all = await repo.allFolders(scope, owner)
          const before = find(all, id)
          if (before.version !== input.version)
            throw new AppError('version.conflict', { params: { current: toView(before) } })
          const parentId = input.parentId === undefined ? before.parent_id : input.parentId
          if (parentId !== null) {
            find(all, parentId)
            if (isWithin(all, parentId, id)) throw new AppError('media.folder_cycle')
          }
          if (levelOf(all, parentId) + heightOf(all, id) > MAX_LEVELS)
            throw new AppError('media.folder_too_deep', { params: { limit: MAX_LEVELS } })
          await repo.updateFolder(scope, id, { parentId, name: input.name ?? before.name })
          const row = find(await repo.allFolders(scope, owner), id)
          await audit(scope, ctx, 'media_folder.update', row, before, row)
          return toView(row)
        }),
      ),

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        await repo.lockFolders(scope)
        await repo.lockFolder(scope, id)
        const all = await repo.allFolders(scope, await ownerOf(scope, id))
        const row = find(all, id)
        const folders = all.filter(folder => folder.parent_id === id).length
        if (folders > 0 || row.count > 0)
          throw new AppError('media.folder_not_empty', { params: { folders, materials: row.count } })
        await repo.deleteFolder(scope, id)
        await audit(scope, ctx, 'media_folder.remove', row, row, null)
        return { ok: true }
      }),
  }
}

/** The owner of a folder. @throws AppError media.folder_not_found also for another company's */
async function ownerOf(scope: TenantScope, id: string): Promise<string | null> {
  const owner = await repo.ownerOfFolder(scope, id)
  if (owner === undefined) throw new AppError('media.folder_not_found')
  return owner
}

/** @throws AppError media.folder_not_found also for another owner's */
function find(all: readonly FolderRow[], id: string): FolderRow {
  const row = all.find(folder => folder.id === id)
  if (!row) throw new AppError('media.folder_not_found')
  return row
}

function levelOf(all: readonly FolderRow[], id: string | null): number {
  return id === null ? 0 : 1 + levelOf(all, all.find(folder => folder.id === id)?.parent_id ?? null)
}

function heightOf(all: readonly FolderRow[], id: string): number {
  return 1 + Math.max(0, ...all.filter(folder => folder.parent_id === id).map(child => heightOf(all, child.id)))
}

function isWithin(all: readonly FolderRow[], id: string | null, ancestor: string): boolean {
  if (id === null) return false
  return id === ancestor || isWithin(all, all.find(folder => folder.id === id)?.parent_id ?? null, ancestor)
}

function inOrder(all: readonly FolderRow[], parent: string | null = null): FolderRow[] {
  return all.filter(folder => folder.parent_id === parent).flatMap(folder => [folder, ...inOrder(all, folder.id)])
}

/** Says in people's words that a sibling has the name already. */
async function naming<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isUniqueViolation(error, 'media_folders_name_key'))
      throw new AppError('media.folder_name_taken', { params: { name } })
    throw error
  }
}

function audit(
  scope: TenantScope,
  ctx: Ctx,
  action: string,
  row: FolderRow,
  before: FolderRow | null,
  after: FolderRow | null,
): Promise<void> {
  const facts = (folder: FolderRow | null) => folder && { name: folder.name, parentId: folder.parent_id }
  return recordAudit(scope, ctx, {
    action,
    objectType: 'media_folder',
    objectId: row.id,
    objectName: row.name,
    before: facts(before),
    after: facts(after),
  })
}

function toView(row: FolderRow): MediaFolderView {
  return {
    id: row.id,
    parentId: row.parent_id,
    name: row.name,
    count: row.count,
    version: row.version,
    createdAt: row.created_at.toISOString(),
  }
}
