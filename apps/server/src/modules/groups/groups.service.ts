import type { GroupKind, GroupView } from '@thingwright/contracts/groups.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import * as repo from './groups.repo.ts'
import type { GroupRow } from './groups.rows.ts'
import { groupTree, MAX_LEVELS, placeAmong } from './groups.tree.ts'
import { groupsBelow } from './groups.views.ts'

/** Living objects directly in each group. The owners of the objects count them. */
export type CountByGroup = (scope: TenantScope) => Promise<ReadonlyMap<string, number>>

export interface GroupsDeps {
  database: Database
  /** Absent for a kind whose objects this version does not have. */
  countObjects: Partial<Record<GroupKind, CountByGroup>>
}

export interface CreateGroup {
  kind: GroupKind
  name: string
  parentId?: string | null
}

export interface UpdateGroup {
  version: number
  name?: string
  parentId?: string | null
  position?: number
}

export interface GroupsService {
  list(ctx: Ctx, input: { kind: GroupKind }): Promise<{ items: GroupView[] }>
  create(ctx: Ctx, input: CreateGroup): Promise<GroupView>
  update(ctx: Ctx, id: string, input: UpdateGroup): Promise<GroupView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  /**
   * For those who put something into a group, within their transaction: the group stays until it ends.
   * @throws AppError group.not_found, group.kind_mismatch
   */
  hold(scope: TenantScope, id: string, kind: GroupKind): Promise<void>
  /** The group and all below it, for filters; empty when there is no such group. */
  subtree(scope: TenantScope, id: string, kind: GroupKind): Promise<string[]>
}

export function createGroupsService({ database, countObjects }: GroupsDeps): GroupsService {
  const counts = async (scope: TenantScope, kind: GroupKind): Promise<ReadonlyMap<string, number>> =>
    (await countObjects[kind]?.(scope)) ?? new Map()

  /** @throws AppError group.not_found also for another company's */
  async function existing(scope: TenantScope, id: string): Promise<GroupRow> {
    const row = await repo.findGroup(scope, id)
    if (!row) throw new AppError('group.not_found')
    return row
  }

  /** All groups of the kind, whatever the caller sees of them: how deep they stand is the same for everybody. */
  const wholeTree = async (scope: TenantScope, kind: GroupKind) =>
    groupTree(await scope.wholeCompany('hold', () => repo.allGroups(scope, kind)))

  /** The group as the caller sees it: a parent outside his scope is not named to him. */
  async function shown(scope: TenantScope, row: GroupRow): Promise<GroupRow> {
    if (!scope.limited || row.parentId === null || (await repo.isInScope(scope, row.parentId))) return row
    return { ...row, parentId: null }
  }

  const service: GroupsService = {
    list: (ctx, { kind }) =>
      database.withTenant(ctx, async scope => {
        const tree = groupTree(await repo.allGroups(scope, kind))
        const count = await counts(scope, kind)
        return {
          items: tree.inOrder().map(row => {
            const parentId = row.parentId !== null && tree.get(row.parentId) ? row.parentId : null
            return toView({ ...row, parentId }, count.get(row.id) ?? 0)
          }),
        }
      }),

    create: (ctx, input) =>
      naming(input.name, () =>
        database.withTenant(ctx, async scope => {
          await repo.lockTree(scope, input.kind)
          const tree = await wholeTree(scope, input.kind)
          const parentId = input.parentId ?? null
          if (parentId !== null) await checkParent(scope, parentId, input.kind)
          if (tree.levelOf(parentId) >= MAX_LEVELS)
            throw new AppError('group.too_deep', { params: { limit: MAX_LEVELS } })
          const siblings = tree.childrenOf(parentId)
          const row = await repo.insertGroup(scope, {
            id: newId(ctx.now),
            tenantId: scope.tenantId,
            kind: input.kind,
            parentId,
            name: input.name,
            position: siblings.length === 0 ? 0 : Math.max(...siblings.map(s => s.position)) + 1,
          })
          await audit(scope, ctx, 'group.create', row, null, facts(row))
          return toView(row, 0)
        }),
      ),

    update: (ctx, id, input) =>
      naming(input.name ?? '', () =>
        database.withTenant(ctx, async scope => {
          const { kind } = await existing(scope, id)
          await checkInScope(scope, id)
          await repo.lockTree(scope, kind)
          const before = await existing(scope, id)
          const count = (await counts(scope, kind)).get(id) ?? 0
          if (before.version !== input.version)
            throw new AppError('version.conflict', { params: { current: toView(await shown(scope, before), count) } })
          const tree = await wholeTree(scope, kind)
          const unmoved = input.parentId === undefined || input.parentId === (await shown(scope, before)).parentId
          const parentId = unmoved ? before.parentId : (input.parentId ?? null)
          const moved = parentId !== before.parentId
          if (moved) await checkInScope(scope, parentId)
          if (moved && parentId !== null) {
            await checkParent(scope, parentId, kind)
            if (tree.subtreeOf(id).includes(parentId)) throw new AppError('group.cycle')
          }
          if (moved && tree.levelOf(parentId) + tree.heightOf(id) > MAX_LEVELS)
            throw new AppError('group.too_deep', { params: { limit: MAX_LEVELS } })
          const siblings = tree.childrenOf(parentId)
          const index = input.position ?? (moved ? siblings.length : undefined)
          const places = index === undefined ? [] : placeAmong(siblings, before, index)
          await repo.setPositions(scope, places.slice(1))
          const row = await repo.updateGroup(scope, id, {
            name: input.name ?? before.name,
            parentId,
            position: places[0]?.position ?? before.position,
          })
          await audit(scope, ctx, 'group.update', row, facts(before), facts(row))
          return toView(await shown(scope, row), count)
        }),
      ),

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const { kind } = await existing(scope, id)
        await checkInScope(scope, id)
        await repo.lockTree(scope, kind)
        await repo.lockGroup(scope, id)
        const row = await existing(scope, id)
        const groups = await repo.childCount(scope, id)
        const objects = await scope.wholeCompany('in-use', async () => (await counts(scope, kind)).get(id) ?? 0)
        if (groups > 0 || objects > 0) throw new AppError('group.not_empty', { params: { groups, objects } })
        await repo.deleteGroup(scope, id)
        await audit(scope, ctx, 'group.remove', row, facts(row), null)
        return { ok: true }
      }),

    async hold(scope, id, kind) {
      // Whether the object may stand there is decided by the object's own policy.
      const row = await scope.wholeCompany('hold', () => repo.holdGroup(scope, id))
      if (!row) throw new AppError('group.not_found')
      if (row.kind !== kind) throw new AppError('group.kind_mismatch')
    },

    subtree: (scope, id, kind) => groupsBelow(scope, [id], kind),
  }

  /** A limited caller changes only groups of his data scope. @throws AppError scope.outside */
  async function checkInScope(scope: TenantScope, id: string | null): Promise<void> {
    if (scope.limited && (id === null || !(await repo.isInScope(scope, id)))) throw new AppError('scope.outside')
  }

  async function checkParent(scope: TenantScope, parentId: string, kind: GroupKind): Promise<void> {
    const parent = await existing(scope, parentId)
    if (parent.kind !== kind) throw new AppError('group.kind_mismatch')
  }

  return service
}

/** Says in people's words that a sibling has the name already. */
async function naming<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isUniqueViolation(error, 'groups_name_key')) throw new AppError('group.name_taken', { params: { name } })
    throw error
  }
}

function audit(
  scope: TenantScope,
  ctx: Ctx,
  action: string,
  row: GroupRow,
  before: Record<string, unknown> | null,
  after: Record<string, unknown> | null,
): Promise<void> {
  return recordAudit(scope, ctx, {
    action,
    objectType: 'group',
    objectId: row.id,
    objectName: row.name,
    before,
    after,
  })
}

function facts(row: GroupRow): Record<string, unknown> {
  return { kind: row.kind, name: row.name, parentId: row.parentId, position: row.position }
}

function toView(row: GroupRow, count: number): GroupView {
  return {
    id: row.id,
    kind: row.kind,
    parentId: row.parentId,
    name: row.name,
    position: row.position,
    count,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
  }
}
