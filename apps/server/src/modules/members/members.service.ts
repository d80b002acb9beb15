import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { MemberView, membersContract } from '@thingwright/contracts/members.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorId, type Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { StreamReply } from '../../lib/http.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { normaliseForSearch } from '../../lib/lists/search.ts'
import { EXPORT_PAGE, everyRow, tableExport } from '../../lib/table-export/table-export.ts'
import type { GroupsService } from '../groups/index.ts'
import { type IdentityModule, setLoginState, updateMemberLogin } from '../identity/index.ts'
import { assignRoles, keepAnOwner, OWNER, rolesOf } from '../roles/index.ts'
import { toView } from './member-view.ts'
import words from './member-words.json' with { type: 'json' }
import * as repo from './members.repo.ts'

export interface MembersDeps {
  database: Database
  groups: Pick<GroupsService, 'subtree' | 'hold'>
  identity: Pick<IdentityModule, 'service' | 'guard' | 'passwordReset' | 'sessions' | 'mails'>
}

type ListQuery = QueryOf<(typeof membersContract)['list']>
type ExportQuery = QueryOf<(typeof membersContract)['export']>

export interface UpdateMember {
  version: number
  displayName?: string | undefined
  groupId?: string | null | undefined
  roleIds?: string[] | undefined
}

export interface MembersService {
  list(ctx: Ctx, query: ListQuery): Promise<ResponseOf<(typeof membersContract)['list']>>
  export(ctx: Ctx, query: ExportQuery): Promise<StreamReply>
  /** @throws AppError member.not_found */
  get(ctx: Ctx, id: string): Promise<MemberView>
  /** @throws AppError version.conflict, role.beyond_own, role.last_owner, group.not_found, member.owner_only */
  update(ctx: Ctx, id: string, input: UpdateMember): Promise<MemberView>
  /** @throws AppError member.yourself, member.owner_only, member.state_invalid, role.last_owner */
  freeze(ctx: Ctx, id: string): Promise<MemberView>
  unfreeze(ctx: Ctx, id: string): Promise<MemberView>
  /** Forgets the wrong passwords of a member. */
  unlock(ctx: Ctx, id: string): Promise<MemberView>
  /** Mails or texts a member a link for a new password. */
  resetPassword(ctx: Ctx, id: string): Promise<{ sentTo: string }>
}

export function createMembersService({ database, groups, identity }: MembersDeps): MembersService {
  async function page(ctx: Ctx, query: Omit<ListQuery, 'total'>, limit: number) {
    const sort = parseSort(query.sort, repo.MEMBER_SORTS, '-createdAt')
    const after = positionOf(query.cursor)
    return readFrom(query.cursor, () =>
      database.withTenant(ctx, async scope => {
        const filter = await filterOf(scope, ctx, query)
        const rows = await repo.listMembers(scope, filter, sort, after, limit + 1)
        const shown = rows.slice(0, limit)
        const last = shown.at(-1)
        return {
          items: shown.map(row => toView(ctx, row)),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
        }
      }),
    )
  }

  async function filterOf(scope: TenantScope, ctx: Ctx, query: Omit<ListQuery, 'total'>): Promise<repo.MemberFilter> {
    return {
      state: query.state,
      roleId: query.roleId,
      groupIds: query.groupId ? await groups.subtree(scope, query.groupId, 'device') : undefined,
      locked: query.locked === '1',
      needle: normaliseForSearch(query.q ?? '') || undefined,
      now: new Date(ctx.now),
    }
  }

  async function view(scope: TenantScope, ctx: Ctx, id: string): Promise<MemberView> {
    const row = await repo.memberRow(scope, id, new Date(ctx.now))
    if (!row) throw new AppError('member.not_found')
    return toView(ctx, row)
  }

  async function setState(
    ctx: Ctx,
    id: string,
    from: 'active' | 'frozen',
    to: 'active' | 'frozen',
  ): Promise<MemberView> {
    return database.withTenant(ctx, async scope => {
      const member = await changeable(scope, ctx, id, 'others')
      if (member.state !== from) throw new AppError('member.state_invalid')
      if (to === 'frozen') await keepAnOwner(scope, ctx.tenantId, id)
      await setLoginState(scope, id, to)
      // Of one that is taken back too: what he was given before stays without use.
      await identity.service.endMemberSessions(scope, id, to)
      await recordAudit(scope, ctx, {
        action: to === 'frozen' ? 'member.freeze' : 'member.unfreeze',
        objectType: 'login',
        objectId: id,
        objectName: member.username,
        before: { state: from },
        after: { state: to },
      })
      return view(scope, ctx, id)
    })
  }

  return {
    async list(ctx, query) {
      const found = await page(ctx, query, query.limit ?? 20)
      if (query.total !== '1') return found
      const total = await database.withTenant(ctx, async scope =>
        repo.countMembers(scope, await filterOf(scope, ctx, query)),
      )
      return { ...found, total }
    },
    async export(ctx, { format, ...query }) {
      const text = words[ctx.locale]
      const rows = everyRow(cursor => page(ctx, { ...query, ...(cursor ? { cursor } : {}) }, EXPORT_PAGE))
      return tableExport({
        format,
        fileName: text.fileName,
        columns: [
          { key: 'displayName', title: text.displayName },
          { key: 'username', title: text.username },
          { key: 'phone', title: text.phone },
          { key: 'email', title: text.email },
          { key: 'roles', title: text.roles },
          { key: 'group', title: text.group },
          { key: 'state', title: text.state },
          { key: 'lastSignInAt', title: text.lastSignInAt, type: 'time' },
          { key: 'createdAt', title: text.createdAt, type: 'time' },
        ],
        rows: (async function* () {
          for await (const row of rows)
            yield {
              ...row,
              roles: row.roles.map(role => (ctx.locale === 'en' && role.ename) || role.name).join(', '),
              group: row.group?.name ?? '',
              state: text.states[row.state],
            }
        })(),
      })
    },
    get: (ctx, id) => database.withTenant(ctx, scope => view(scope, ctx, id)),

    update: (ctx, id, input) =>
      database.withTenant(ctx, async scope => {
        const before = await changeable(scope, ctx, id, 'anybody')
        if (before.state === 'left') throw new AppError('member.state_invalid')
        if (before.version !== input.version)
          throw new AppError('version.conflict', { params: { current: await view(scope, ctx, id) } })
        const groupId = input.groupId === undefined ? before.groupId : input.groupId
        if (groupId && groupId !== before.groupId) await groups.hold(scope, groupId, 'device')
        const displayName = input.displayName ?? before.displayName
        await updateMemberLogin(scope, id, { displayName, groupId })
        await recordAudit(scope, ctx, {
          action: 'member.update',
          objectType: 'login',
          objectId: id,
          objectName: before.username,
          before: { displayName: before.displayName, groupId: before.groupId },
          after: { displayName, groupId },
        })
        if (input.roleIds) await assignRoles(scope, ctx, id, input.roleIds)
        scope.afterCommit(() => identity.service.forget(id))
        return view(scope, ctx, id)
      }),

    freeze: (ctx, id) => setState(ctx, id, 'active', 'frozen'),
    unfreeze: (ctx, id) => setState(ctx, id, 'frozen', 'active'),

    async unlock(ctx, id) {
      const username = await database.withTenant(
        ctx,
        async scope => (await changeable(scope, ctx, id, 'anybody')).username,
      )
      await database.withSystemScope('sign-in', async scope => {
        const forgotten = await identity.guard.unlock(scope, id)
        await recordAudit(scope, ctx, {
          action: 'member.unlock',
          objectType: 'login',
          objectId: id,
          objectName: username,
          before: { failures: forgotten },
        })
      })
      return database.withTenant(ctx, scope => view(scope, ctx, id))
    },

    async resetPassword(ctx, id) {
      await database.withTenant(ctx, scope => changeable(scope, ctx, id, 'others'))
      return identity.passwordReset.sendByAdmin(ctx, id)
    },
  }
}

/**
 * A member the caller may change, held until the transaction ends. What concerns an owner is for owners.
 * @throws AppError member.not_found, member.yourself, member.owner_only
 */
export async function changeable(
  scope: TenantScope,
  ctx: Ctx,
  id: string,
  who: 'others' | 'anybody',
): Promise<repo.LoginOfMember> {
  const member = await repo.lockMember(scope, id)
  if (!member) throw new AppError('member.not_found')
  const self = actorId(ctx.actor)
  if (member.id === self) {
    if (who === 'others') throw new AppError('member.yourself')
    return member
  }
  const isOwner = async (loginId: string) => (await rolesOf(scope, loginId)).some(role => role.key === OWNER)
  if (ctx.actor.kind === 'member' && (await isOwner(id)) && !(await isOwner(ctx.actor.loginId)))
    throw new AppError('member.owner_only')
  return member
}

function positionOf(cursor: string | undefined): repo.MemberPosition | null {
  const values = decodeCursor(cursor, 2)
  if (!values) return null
  const [key, id] = values
  if (typeof key !== 'string' || typeof id !== 'string') throw new AppError('request.cursor_invalid')
  return [key, id]
}
