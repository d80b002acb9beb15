import type { BodyOf } from '@thingwright/contracts'
import type { SavedView, savedViewsContract } from '@thingwright/contracts/saved-views.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { personId } from '../../lib/person.ts'
import * as repo from './saved-views.repo.ts'

type CreateView = BodyOf<(typeof savedViewsContract)['create']>
type UpdateView = BodyOf<(typeof savedViewsContract)['update']>

export interface SavedViewsService {
  list(ctx: Ctx, input: { list: string }): Promise<{ items: SavedView[] }>
  create(ctx: Ctx, input: CreateView): Promise<SavedView>
  /** @throws AppError saved_view.not_found also for a shared view of somebody else */
  update(ctx: Ctx, id: string, input: UpdateView): Promise<SavedView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  setDefault(ctx: Ctx, input: { list: string; viewId: string | null }): Promise<{ ok: boolean }>
}

const MAX_VIEWS = 50

export function createSavedViewsService({ database }: { database: Database }): SavedViewsService {
  async function own(scope: TenantScope, loginId: string, id: string): Promise<repo.SavedViewRow> {
    const held = await repo.lockOwnView(scope, loginId, id)
    const row = held ? await repo.findView(scope, loginId, id) : undefined
    if (!row) throw new AppError('saved_view.not_found')
    return row
  }

  async function fresh(scope: TenantScope, loginId: string, id: string): Promise<repo.SavedViewRow> {
    return (await repo.findView(scope, loginId, id))!
  }

  return {
    list: (ctx, { list }) =>
      database.withTenant(ctx, async scope => {
        const loginId = loginOf(ctx)
        return { items: (await repo.viewsOf(scope, loginId, list)).map(row => toView(row, loginId)) }
      }),

    create: (ctx, input) =>
      naming(input.name, () =>
        database.withTenant(ctx, async scope => {
          const loginId = loginOf(ctx)
          if ((await repo.countOwnViews(scope, loginId, input.list)) >= MAX_VIEWS)
            throw new AppError('saved_view.too_many', { params: { limit: MAX_VIEWS } })
          const id = newId(ctx.now)
          await repo.insertView(scope, { ...input, id, loginId, shared: input.shared ?? false })
          const row = await fresh(scope, loginId, id)
          await audit(scope, ctx, 'saved_view.create', row, null, facts(row))
          return toView(row, loginId)
        }),
      ),

    update: (ctx, id, input) =>
      naming(input.name ?? '', () =>
        database.withTenant(ctx, async scope => {
          const loginId = loginOf(ctx)
          const before = await own(scope, loginId, id)
          if (before.version !== input.version)
            throw new AppError('version.conflict', { params: { current: toView(before, loginId) } })
          await repo.updateView(scope, id, {
            name: input.name ?? before.name,
            shared: input.shared ?? before.shared,
            settings: input.settings ?? before.settings,
          })
          if (before.shared && input.shared === false) await repo.dropOthersDefault(scope, loginId, id)
          const row = await fresh(scope, loginId, id)
          await audit(scope, ctx, 'saved_view.update', row, facts(before), facts(row))
          return toView(row, loginId)
        }),
      ),

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await own(scope, loginOf(ctx), id)
        await repo.deleteView(scope, id)
        await audit(scope, ctx, 'saved_view.remove', row, facts(row), null)
        return { ok: true }
      }),

    setDefault: (ctx, { list, viewId }) =>
      database.withTenant(ctx, async scope => {
        const loginId = loginOf(ctx)
        if (viewId !== null) {
          const row = await repo.findView(scope, loginId, viewId)
          if (row?.list !== list) throw new AppError('saved_view.not_found')
        }
        await repo.putDefault(scope, loginId, list, viewId)
        return { ok: true }
      }),
  }
}

function loginOf(ctx: Ctx): string {
  return personId(ctx.actor)
}

async function naming<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isUniqueViolation(error, 'saved_views_name_key'))
      throw new AppError('saved_view.name_taken', { params: { name } })
    throw error
  }
}

function audit(
  scope: TenantScope,
  ctx: Ctx,
  action: string,
  row: repo.SavedViewRow,
  before: Record<string, unknown> | null,
  after: Record<string, unknown> | null,
): Promise<void> {
  return recordAudit(scope, ctx, {
    action,
    objectType: 'saved_view',
    objectId: row.id,
    objectName: row.name,
    before,
    after,
  })
}

function facts(row: repo.SavedViewRow): Record<string, unknown> {
  return { list: row.list, name: row.name, shared: row.shared, settings: row.settings }
}

function toView(row: repo.SavedViewRow, loginId: string): SavedView {
  return {
    id: row.id,
    list: row.list,
    name: row.name,
    shared: row.shared,
    mine: row.login_id === loginId,
    ownerName: row.owner_name,
    isDefault: row.is_default,
    settings: row.settings,
    version: row.version,
  }
}
