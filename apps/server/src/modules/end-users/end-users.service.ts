import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { EndUserView, endUsersContract } from '@thingwright/contracts/end-users.contract'
import { END_USER_LEVELS, wholeRights } from '@thingwright/contracts/end-users.words'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx, customerOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { normaliseForSearch } from '../../lib/lists/search.ts'
import type { ListPosition } from '../../lib/sql/list.ts'
import { releaseDevicesOf } from '../devices/index.ts'
import type { GroupsService } from '../groups/index.ts'
import { checkUsername, hashPassword, policyIn, refuseBadPassword, updateEndUserLogin } from '../identity/index.ts'
import { releaseMaterialsOf } from '../media/index.ts'
import { naming, readEmail, readPhone, refuseBeyondOwn, usualRights } from './end-user-checks.ts'
import { auditFacts, toView } from './end-user-view.ts'
import * as repo from './end-users.repo.ts'
import type { Invitations } from './invitations.ts'
import * as packages from './packages.repo.ts'

type Contract = typeof endUsersContract
type Create = BodyOf<Contract['create']>
type Update = BodyOf<Contract['update']>
type ListQuery = QueryOf<Contract['list']>

export interface EndUsersDeps {
  database: Database
  groups: Pick<GroupsService, 'subtree' | 'hold'>
  invitations: Invitations
  now(): number
}

export interface EndUsersService {
  list(ctx: Ctx, query: ListQuery): Promise<ResponseOf<Contract['list']>>
  /** How many of them there are: in all, active within 7 days, and by state. */
  counts(ctx: Ctx): Promise<ResponseOf<Contract['counts']>>
  /** @throws AppError end_user.username_taken, phone_taken, email_taken, too_deep, beyond_own, request.validation */
  create(ctx: Ctx, input: Create): Promise<ResponseOf<Contract['create']>>
  /** @throws AppError end_user.not_found also for another company's */
  get(ctx: Ctx, id: string): Promise<EndUserView>
  /** @throws AppError version.conflict, end_user.parent_circular, too_deep, beyond_own, yourself */
  update(ctx: Ctx, id: string, input: Update): Promise<EndUserView>
  /** @throws AppError end_user.has_sub_users, end_user.yourself */
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  /**
   * Returns an end user that the caller may change, and locks him until the transaction ends. @throws AppError
   * end_user.not_found, yourself
   */
  changeable(scope: TenantScope, ctx: Ctx, id: string): Promise<repo.EndUserRow>
}

export function createEndUsersService({ database, groups, invitations }: EndUsersDeps): EndUsersService {
  async function existing(scope: TenantScope, id: string, lock = false): Promise<repo.EndUserRow> {
    const row = await repo.find(scope, id, lock)
    if (!row) throw new AppError('end_user.not_found')
    return row
  }

  async function filterOf(scope: TenantScope, query: Omit<ListQuery, 'total'>): Promise<repo.EndUserFilter> {
    const needle = normaliseForSearch(query.q ?? '')
    return {
      ...(query.state ? { state: query.state } : {}),
      ...(query.packageId ? { packageId: query.packageId } : {}),
      ...(query.groupId ? { groupIds: await groups.subtree(scope, query.groupId, 'user') } : {}),
      ...(query.parentId ? { parentId: query.parentId } : {}),
      ...(query.under ? { under: query.under } : {}),
      ...(query.top ? { top: true } : {}),
      ...(needle ? { needle } : {}),
    }
  }

  /**
   * The path of an end user below this parent. @param levels of the subtree that moves there @throws AppError
   * end_user.not_found, too_deep
   */
  async function pathUnder(scope: TenantScope, parentId: string | null, levels: number): Promise<string[]> {
    const path = parentId === null ? [] : (await existing(scope, parentId)).path
    if (path.length + levels > END_USER_LEVELS)
      throw new AppError('end_user.too_deep', { params: { limit: END_USER_LEVELS } })
    return path
  }

  /** The rights of a package or of his own are the caller's to give. */
  async function checkRights(scope: TenantScope, ctx: Ctx, packageId: string | null, rights: readonly string[] | null) {
    if (rights) refuseBeyondOwn(ctx, rights)
    if (!packageId) return
    const found = await packages.find(scope, packageId)
    if (!found) throw new AppError('user_package.not_found')
    refuseBeyondOwn(ctx, found.rights)
  }

  const service: EndUsersService = {
    async list(ctx, query) {
      const sort = parseSort(query.sort, repo.END_USER_SORTS, '-createdAt')
      const limit = query.limit ?? 20
      const after = decodeCursor(query.cursor, 2) as ListPosition | null
      return readFrom(query.cursor, () =>
        database.withTenant(ctx, async scope => {
          const filter = await filterOf(scope, query)
          const rows = await repo.list(scope, filter, sort, after, limit + 1)
          const page = rows.slice(0, limit)
          const last = page.at(-1)
          return {
            items: page.map(row => toView(ctx, row)),
            nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
            ...(query.total === '1' ? { total: await repo.count(scope, filter) } : {}),
          }
        }),
      )
    },

    counts: ctx => database.withTenant(ctx, scope => repo.counts(scope, new Date(ctx.now))),

    get: (ctx, id) => database.withTenant(ctx, async scope => toView(ctx, await existing(scope, id))),

    async changeable(scope, ctx, id) {
      const row = await existing(scope, id, true)
      if (customerOf(ctx.actor)?.id === id) throw new AppError('end_user.yourself')
      return row
    },

    async create(ctx, input) {
      const username = checkUsername(input.username)
      const [phone, email] = [readPhone(input.phone), readEmail(input.email)]
      const hash = input.password === undefined ? null : await hashPassword(input.password)
      const id = newId(ctx.now)
      return naming(username, async () => {
        const { view, invitation } = await database.withTenant(ctx, async scope => {
          if (input.password !== undefined)
            refuseBadPassword(await policyIn(scope, scope.tenantId), { password: input.password, username, phone })
          if (await repo.memberNamed(scope, username))
            throw new AppError('end_user.username_taken', { params: { username } })
          await repo.lockTree(scope)
          // Whoever is made by an end user stands below him.
          const own = customerOf(ctx.actor)?.id ?? null
          const parentId = input.parentId ?? own
          const path = await pathUnder(scope, parentId, 1)
          const packageId = input.packageId ?? null
          const rights = input.rights ? wholeRights(input.rights) : packageId ? null : usualRights(ctx)
          await checkRights(scope, ctx, packageId, rights)
          if (input.groupId) await groups.hold(scope, input.groupId, 'user')
          const locale = input.locale ?? ctx.locale
          await repo.addLogin(scope, { id, username, name: input.name, phone, email, hash, locale })
          await repo.insert(scope, {
            id,
            parentId,
            path: [...path, id],
            packageId,
            rights,
            deviceQuota: input.deviceQuota ?? null,
            mediaQuota: input.mediaQuota ?? null,
            expiresAt: timeOf(input.expiresAt),
            company: input.company ?? '',
            contactName: input.contactName ?? '',
            address: input.address ?? '',
            remark: input.remark ?? '',
            logoId: input.logoId ?? null,
            groupId: input.groupId ?? null,
            byName: actorName(ctx.actor),
          })
          const row = await existing(scope, id)
          const invitation = hash === null ? await invitations.make(scope, ctx, row, input.inviteHours) : null
          await recordAudit(scope, ctx, {
            action: 'end_user.create',
            objectType: 'end_user',
            objectId: id,
            objectName: row.name,
            after: auditFacts(row),
          })
          return { view: toView(ctx, row), invitation }
        })
        if (!invitation) return view
        const sentTo = input.invite ? await invitations.send(view, invitation) : null
        return { ...view, inviteLink: invitation.link, ...(sentTo ? { sentTo } : {}) }
      })
    },

    update: (ctx, id, { version, ...input }) =>
      naming('', () =>
        database.withTenant(ctx, async scope => {
          if (input.parentId !== undefined) await repo.lockTree(scope)
          const before = await service.changeable(scope, ctx, id)
          if (before.version !== version)
            throw new AppError('version.conflict', { params: { current: toView(ctx, before) } })
          const given = <T>(value: T | undefined, own: T): T => (value === undefined ? own : value)
          const packageId = given(input.packageId, before.packageId)
          const rights = input.rights === undefined ? before.ownRights : input.rights && wholeRights(input.rights)
          if (input.packageId !== undefined || input.rights !== undefined)
            await checkRights(scope, ctx, input.packageId ?? null, input.rights ?? null)
          const groupId = given(input.groupId, before.groupId)
          if (groupId && groupId !== before.groupId) await groups.hold(scope, groupId, 'user')
          const parentId = given(input.parentId, before.parentId)
          const path = parentId === before.parentId ? before.path : await movedPath(scope, before, parentId)
          await updateEndUserLogin(scope, id, {
            name: input.name ?? before.name,
            phone: input.phone === undefined ? before.phone : readPhone(input.phone),
            email: input.email === undefined ? before.email : readEmail(input.email),
            locale: input.locale ?? before.locale,
          })
          await repo.update(scope, id, {
            parentId,
            path,
            packageId,
            // An end user has a package or rights of his own, never neither.
            rights: rights ?? (packageId === null ? usualRights(ctx) : null),
            deviceQuota: given(input.deviceQuota, before.deviceQuota),
            mediaQuota: given(input.mediaQuota, before.mediaQuota),
            expiresAt: input.expiresAt === undefined ? before.expiresAt : timeOf(input.expiresAt),
            company: given(input.company, before.company),
            contactName: given(input.contactName, before.contactName),
            address: given(input.address, before.address),
            remark: given(input.remark, before.remark),
            logoId: given(input.logoId, before.logoId),
            groupId,
          })
          if (path !== before.path) await repo.moveBelow(scope, id, path, before.path.length)
          const row = await existing(scope, id)
          await recordAudit(scope, ctx, {
            action: 'end_user.update',
            objectType: 'end_user',
            objectId: id,
            objectName: row.name,
            before: auditFacts(before),
            after: auditFacts(row),
          })
          scope.tell('rights.changed', { logins: await repo.idsBelow(scope, id) })
          return toView(ctx, row)
        }),
      ),

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        await repo.lockTree(scope)
        const row = await service.changeable(scope, ctx, id)
        if (row.subUsers > 0) throw new AppError('end_user.has_sub_users', { params: { count: row.subUsers } })
        await releaseDevicesOf(scope, id, row.parentId)
        await releaseMaterialsOf(scope, { id, name: row.name }, row.parentId)
        await invitations.leave(scope, id, new Date(ctx.now))
        await repo.remove(scope, id)
        await recordAudit(scope, ctx, {
          action: 'end_user.remove',
          objectType: 'end_user',
          objectId: id,
          objectName: row.name,
          before: { ...auditFacts(row), devices: row.devices },
        })
        scope.tell('rights.changed', { logins: [id, ...row.path] })
        return { ok: true }
      }),
  }

  /** Where he and those below him stand from now on. @throws AppError end_user.parent_circular, too_deep */
  async function movedPath(scope: TenantScope, row: repo.EndUserRow, parentId: string | null): Promise<string[]> {
    if (parentId !== null && (await existing(scope, parentId)).path.includes(row.id))
      throw new AppError('end_user.parent_circular')
    const levels = (await repo.depthBelow(scope, row.id)) - row.path.length + 1
    return [...(await pathUnder(scope, parentId, levels)), row.id]
  }

  return service
}

const timeOf = (text: string | null | undefined): Date | null => (text == null ? null : new Date(text))
