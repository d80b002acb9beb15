import type { BodyOf } from '@thingwright/contracts'
import type { UserPackageView, userPackagesContract } from '@thingwright/contracts/end-users.contract'
import { wholeRights } from '@thingwright/contracts/end-users.words'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { refuseBeyondOwn } from './end-user-checks.ts'
import { idsOfPackage } from './end-users.repo.ts'
import * as repo from './packages.repo.ts'

type Contract = typeof userPackagesContract

export interface PackagesService {
  list(ctx: Ctx): Promise<{ items: UserPackageView[] }>
  /** @throws AppError user_package.name_taken, end_user.beyond_own */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<UserPackageView>
  /** @throws AppError user_package.not_found, name_taken, version.conflict, end_user.beyond_own */
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<UserPackageView>
  /** @throws AppError user_package.in_use */
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

export function createPackages({ database }: { database: Database }): PackagesService {
  async function existing(scope: TenantScope, id: string, lock = false): Promise<repo.PackageRow> {
    const row = await repo.find(scope, id, lock)
    if (!row) throw new AppError('user_package.not_found')
    return row
  }
  const note = (
    scope: TenantScope,
    ctx: Ctx,
    action: string,
    row: repo.PackageRow,
    before: object | null,
    after: object | null,
  ) =>
    recordAudit(scope, ctx, {
      action,
      objectType: 'user_package',
      objectId: row.id,
      objectName: row.name,
      before: before && { ...before },
      after: after && { ...after },
    })

  return {
    list: ctx => database.withTenant(ctx, async scope => ({ items: (await repo.list(scope)).map(toView) })),
    create: (ctx, input) =>
      naming(input.name, () =>
        database.withTenant(ctx, async scope => {
          refuseBeyondOwn(ctx, input.rights)
          const id = newId(ctx.now)
          await repo.insert(scope, id, {
            name: input.name.trim(),
            description: input.description ?? '',
            rights: wholeRights(input.rights),
            menuKeys: input.menuKeys ?? null,
            deviceQuota: input.deviceQuota ?? null,
            mediaQuota: input.mediaQuota ?? null,
          })
          const row = await existing(scope, id)
          await note(scope, ctx, 'user_package.create', row, null, facts(row))
          return toView(row)
        }),
      ),
    update: (ctx, id, { version, ...input }) =>
      naming(input.name ?? '', () =>
        database.withTenant(ctx, async scope => {
          const before = await existing(scope, id, true)
          if (before.version !== version)
            throw new AppError('version.conflict', { params: { current: toView(before) } })
          if (input.rights) refuseBeyondOwn(ctx, input.rights)
          await repo.update(scope, id, {
            name: input.name?.trim() ?? before.name,
            description: input.description ?? before.description,
            rights: input.rights ? wholeRights(input.rights) : before.rights,
            menuKeys: input.menuKeys === undefined ? before.menuKeys : input.menuKeys,
            deviceQuota: input.deviceQuota === undefined ? before.deviceQuota : input.deviceQuota,
            mediaQuota: input.mediaQuota === undefined ? before.mediaQuota : input.mediaQuota,
          })
          const row = await existing(scope, id)
          await note(scope, ctx, 'user_package.update', row, facts(before), facts(row))
          scope.tell('rights.changed', { logins: await idsOfPackage(scope, id) })
          return toView(row)
        }),
      ),
    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await existing(scope, id, true)
        if (row.users > 0) throw new AppError('user_package.in_use', { params: { count: row.users } })
        await repo.remove(scope, id)
        await note(scope, ctx, 'user_package.remove', row, facts(row), null)
        return { ok: true }
      }),
  }
}

const facts = ({ name, description, rights, menuKeys, deviceQuota, mediaQuota }: repo.PackageRow) => ({
  name,
  description,
  rights,
  menuKeys,
  deviceQuota,
  mediaQuota,
})

function toView(row: repo.PackageRow): UserPackageView {
  return {
    ...facts(row),
    id: row.id,
    rights: wholeRights(row.rights),
    users: row.users,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
  }
}

async function naming<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isUniqueViolation(error, 'user_packages_name_key'))
      throw new AppError('user_package.name_taken', { params: { name } })
    throw error
  }
}
