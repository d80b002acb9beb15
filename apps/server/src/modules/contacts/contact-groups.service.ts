import type { BodyOf, QueryOf } from '@thingwright/contracts'
import type {
  ContactGroupView,
  notificationChannelsContract,
} from '@thingwright/contracts/notification-channels.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import * as repo from './contact-groups.repo.ts'

type Contract = typeof notificationChannelsContract

export interface ContactGroupsService {
  list(ctx: Ctx, input: QueryOf<Contract['groups']>): Promise<{ items: ContactGroupView[]; nextCursor: string | null }>
  /** @throws AppError contact_group.name_taken */
  create(ctx: Ctx, input: BodyOf<Contract['createGroup']>): Promise<ContactGroupView>
  update(ctx: Ctx, id: string, input: BodyOf<Contract['updateGroup']>): Promise<ContactGroupView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

export function createContactGroups({ database }: { database: Database }): ContactGroupsService {
  async function known(scope: TenantScope, id: string): Promise<repo.GroupRow> {
    const row = await repo.find(scope, id)
    if (!row) throw new AppError('contact_group.not_found')
    return row
  }
  const taken = (name: string) => new AppError('contact_group.name_taken', { params: { name } })
  const note = (scope: TenantScope, ctx: Ctx, verb: string, row: repo.GroupRow, values: object) =>
    recordAudit(scope, ctx, {
      action: `contact_group.${verb}`,
      objectType: 'contact_group',
      objectId: row.id,
      objectName: row.name,
      ...values,
    })

  return {
    list: (ctx, input) =>
      readFrom(input.cursor, () =>
        database.withTenant(ctx, async scope => {
          const limit = input.limit ?? 20
          const after = decodeCursor(input.cursor, 2) as readonly [string, string] | null
          const rows = await repo.list(scope, limit + 1, after, input.q?.trim() ?? '')
          const page = rows.slice(0, limit)
          const last = page.at(-1)
          return {
            items: page.map(viewOf),
            nextCursor: rows.length > limit && last ? encodeCursor([last.name.toLowerCase(), last.id]) : null,
          }
        }),
      ),
    create: (ctx, { name, contactIds }) =>
      database.withTenant(ctx, async scope => {
        const id = newId(ctx.now)
        if (!(await repo.insert(scope, id, name))) throw taken(name)
        await repo.setMembers(scope, id, contactIds)
        const row = await known(scope, id)
        await note(scope, ctx, 'create', row, { after: { name, contactIds: row.contactIds } })
        return viewOf(row)
      }),
    update: (ctx, id, { version, name, contactIds }) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        const next = name ?? before.name
        if (await repo.isTaken(scope, next, id)) throw taken(next)
        if (!(await repo.update(scope, id, version, next)))
          throw new AppError('version.conflict', { params: { current: viewOf(before) } })
        if (contactIds) await repo.setMembers(scope, id, contactIds)
        const row = await known(scope, id)
        await note(scope, ctx, 'update', row, {
          before: { name: before.name, contactIds: before.contactIds },
          after: { name: row.name, contactIds: row.contactIds },
        })
        return viewOf(row)
      }),
    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await known(scope, id)
        await repo.remove(scope, id)
        await note(scope, ctx, 'remove', row, { before: { name: row.name, contactIds: row.contactIds } })
        return { ok: true }
      }),
  }
}

const viewOf = (row: repo.GroupRow): ContactGroupView => ({ ...row, createdAt: row.createdAt.toISOString() })
