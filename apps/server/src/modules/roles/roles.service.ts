import type { BodyOf, QueryOf } from '@thingwright/contracts'
import type { MenuItem } from '@thingwright/contracts/identity.contract'
import { PERMISSIONS } from '@thingwright/contracts/permissions'
import type {
  Explanation,
  MenuChoice,
  RoleDiff,
  RolePreview,
  RoleView,
  rolesContract,
} from '@thingwright/contracts/roles.contract'
import { recordAudit } from '../../lib/audit.ts'
import { type Ctx, type DataScope, dataScopeOf, type MemberActor } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort } from '../../lib/lists/paging.ts'
import { normaliseForSearch } from '../../lib/lists/search.ts'
import { assignRoles, isWithin, mayHandOut } from './roles.assign.ts'
import { checkDataScope, checkMenuKeys, checkPermissions } from './roles.checks.ts'
import { type ExplainInput, explain } from './roles.explain.ts'
import { auditFacts, toDiff, toView } from './roles.mapping.ts'
import * as repo from './roles.repo.ts'
import { dataScopeOfRoles, isGrantable, menuKeysOf, permissionsOf } from './roles.rights.ts'

type Contract = typeof rolesContract
export type ListRoles = QueryOf<Contract['list']>
export type CreateRole = BodyOf<Contract['create']>
export type UpdateRole = BodyOf<Contract['update']>

export interface RolesServiceDeps {
  database: Database
  /** Addresses of the routes that ask for a menu permission. */
  menuKeys: readonly string[]
  /** The side menu of somebody with these keys. */
  menuFor(ctx: Ctx, keys: readonly string[]): Promise<MenuItem[]>
  /** The whole menu as a role can be given it. */
  menuChoices(ctx: Ctx): Promise<MenuChoice[]>
}

export interface RolesService {
  list(ctx: Ctx, input: ListRoles): Promise<{ items: RoleView[]; nextCursor: string | null; total?: number }>
  get(ctx: Ctx, id: string): Promise<RoleView>
  members(ctx: Ctx, id: string): Promise<{ items: repo.RoleMember[] }>
  menuChoices(ctx: Ctx): Promise<{ items: MenuChoice[]; permissions: string[] }>
  diff(ctx: Ctx, left: string, right: string): Promise<RoleDiff>
  preview(ctx: Ctx, id: string): Promise<RolePreview>
  explain(ctx: Ctx, input: ExplainInput): Promise<Explanation>
  create(ctx: Ctx, input: CreateRole): Promise<RoleView>
  copy(ctx: Ctx, id: string, name: string): Promise<RoleView>
  update(ctx: Ctx, id: string, input: UpdateRole): Promise<RoleView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  /**
   * Makes a role of a file, or writes it over the company's own of the same name, in the transaction of the caller and
   * with everything that `create` and `update` check.
   * @returns null where one is there and shall be kept
   */
  bring(
    scope: TenantScope,
    ctx: Ctx,
    role: Omit<CreateRole, 'requireSecondFactor'>,
    existing: 'keep' | 'replace',
  ): Promise<'created' | 'replaced' | null>
  /** {@link assignRoles}, and the new rights count at once. */
  assign(scope: repo.RoleScope, ctx: Ctx, loginId: string, roleIds: readonly string[]): Promise<{ changed: boolean }>
  /**
   * A caller as he would be with one role only, and never with more than he has: for requests made while he previews it.
   * @throws AppError role.not_found, permission.denied
   */
  asRole(ctx: Ctx, roleId: string): Promise<Ctx['actor']>
}

const SORTS = ['name', 'createdAt', 'memberCount'] as const

export function createRolesService(deps: RolesServiceDeps): RolesService {
  const { database, menuKeys } = deps
  const operator = (ctx: Ctx) => ctx.actor.kind === 'operator'
  const keysFor = (ctx: Ctx) => menuKeys.filter(key => operator(ctx) || !key.startsWith('/operator/'))

  async function existing(scope: TenantScope, id: string, lock = false): Promise<repo.RoleRow> {
    const role = await repo.findRole(scope, scope.tenantId, id, lock)
    if (!role) throw new AppError('role.not_found')
    return role
  }

  /** Checks everything about a role's content, also that its author grants nothing he lacks. */
  async function checked(
    scope: TenantScope,
    ctx: Ctx,
    key: string,
    input: repo.RoleContent,
  ): Promise<repo.RoleContent> {
    const content = {
      ...input,
      permissions: checkPermissions(input.permissions, operator(ctx)),
      menuKeys: checkMenuKeys(input.menuKeys, keysFor(ctx)),
      dataScope: await scope.wholeCompany('in-use', () => checkDataScope(scope, input.dataScope)),
    }
    await mayHandOut(scope, ctx, { key, ...content }, null)
    return content
  }

  async function add(scope: TenantScope, ctx: Ctx, content: repo.RoleContent): Promise<RoleView> {
    const id = newId(ctx.now)
    await repo.insertRole(scope, scope.tenantId, { ...content, id, key: `custom-${id}` })
    await audit(scope, ctx, 'role.create', id, content.name, null, auditFacts(content))
    return toView(await existing(scope, id))
  }

  return {
    list: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const limit = input.limit ?? 20
        const needle = normaliseForSearch(input.q ?? '')
        const rows = sorted(await repo.allRoles(scope, scope.tenantId), input.sort)
        const found = rows.filter(
          role =>
            (input.builtin === undefined || role.builtin === (input.builtin === '1')) &&
            (needle === '' || normaliseForSearch(`${role.name} ${role.ename} ${role.description}`).includes(needle)),
        )
        const after = decodeCursor(input.cursor, 1)?.[0]
        const from = after === undefined ? 0 : found.findIndex(role => role.id === after) + 1
        if (after !== undefined && from === 0) throw new AppError('request.cursor_invalid')
        const page = found.slice(from, from + limit)
        return {
          items: page.map(toView),
          nextCursor: from + limit < found.length ? encodeCursor([page.at(-1)!.id]) : null,
          ...(input.total === '1' ? { total: found.length } : {}),
        }
      }),

    get: (ctx, id) => database.withTenant(ctx, async scope => toView(await existing(scope, id))),

    members: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        await existing(scope, id)
        return { items: await repo.membersOf(scope, scope.tenantId, id) }
      }),

    menuChoices: async ctx => ({
      items: await deps.menuChoices(ctx),
      permissions: PERMISSIONS.filter(permission => isGrantable(permission, { isOperator: operator(ctx) })),
    }),

    diff: (ctx, left, right) =>
      database.withTenant(ctx, async scope =>
        toDiff(await existing(scope, left), await existing(scope, right), keysFor(ctx), operator(ctx)),
      ),

    async preview(ctx, id) {
      const role = await database.withTenant(ctx, scope => existing(scope, id))
      const keys = menuKeysOf([role], keysFor(ctx))
      return {
        role: { id: role.id, key: role.key, name: role.name, ename: role.ename },
        permissions: [...permissionsOf([role], operator(ctx))],
        menuPermissions: keys,
        menus: await deps.menuFor(ctx, keys),
        dataScope: role.dataScope,
      }
    },

    explain: (ctx, input) => explain(database, ctx, input),

    create: (ctx, input) =>
      naming(input.name, () =>
        database.withTenant(ctx, async scope =>
          add(
            scope,
            ctx,
            await checked(scope, ctx, '', { ename: '', description: '', ...input, ...secondFactor(ctx, false, input) }),
          ),
        ),
      ),

    copy: (ctx, id, name) =>
      naming(name, () =>
        database.withTenant(ctx, async scope => {
          const role = await existing(scope, id)
          // "All" is the owner's alone; a copy holds what that means today.
          const permissions = [...permissionsOf([role], operator(ctx))]
          const { ename, description, menuKeys, dataScope, requireSecondFactor } = role
          return add(
            scope,
            ctx,
            await checked(scope, ctx, '', {
              name,
              ename,
              description,
              permissions,
              menuKeys,
              dataScope,
              requireSecondFactor,
            }),
          )
        }),
      ),

    update: (ctx, id, { version, ...input }) =>
      naming(input.name ?? '', () =>
        database.withTenant(ctx, async scope => {
          const before = await existing(scope, id, true)
          if (before.builtin) throw new AppError('role.builtin')
          if (before.version !== version)
            throw new AppError('version.conflict', { params: { current: toView(before) } })
          // A caller may not take a right from a role that he could not give.
          await mayHandOut(scope, ctx, before, null)
          const { name, ename, description, permissions, menuKeys, dataScope } = before
          const content = await checked(scope, ctx, before.key, {
            name: input.name ?? name,
            ename: input.ename ?? ename,
            description: input.description ?? description,
            permissions: input.permissions ?? permissions,
            menuKeys: input.menuKeys ?? menuKeys,
            dataScope: input.dataScope ?? dataScope,
            ...secondFactor(ctx, before.requireSecondFactor, input),
          })
          await repo.updateRole(scope, scope.tenantId, id, content)
          await audit(scope, ctx, 'role.update', id, content.name, auditFacts(before), auditFacts(content))
          const holders = await repo.membersOf(scope, scope.tenantId, id)
          scope.tell('rights.changed', { logins: holders.map(holder => holder.id) })
          return toView(await existing(scope, id))
        }),
      ),

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        // Locked, so that the role is not given to anybody meanwhile.
        await repo.lockAssignments(scope, scope.tenantId)
        const role = await existing(scope, id, true)
        if (role.builtin) throw new AppError('role.builtin')
        if (role.memberCount > 0) throw new AppError('role.in_use', { params: { count: role.memberCount } })
        await repo.deleteRole(scope, scope.tenantId, id)
        await audit(scope, ctx, 'role.remove', id, role.name, auditFacts(role), null)
        return { ok: true }
      }),

    async bring(scope, ctx, role, existing) {
      const found = (await repo.allRoles(scope, scope.tenantId)).find(own => !own.builtin && own.name === role.name)
      if (found && existing === 'keep') return null
      if (found) await mayHandOut(scope, ctx, found, null)
      const content = await checked(scope, ctx, found?.key ?? '', {
        ename: '',
        description: '',
        ...role,
        // Addresses of another version lead nowhere here.
        menuKeys: role.menuKeys.filter(key => key === '*' || keysFor(ctx).includes(key)),
        requireSecondFactor: found?.requireSecondFactor ?? false,
      })
      if (!found) {
        await add(scope, ctx, content)
        return 'created'
      }
      await repo.updateRole(scope, scope.tenantId, found.id, content)
      await audit(scope, ctx, 'role.update', found.id, content.name, auditFacts(found), auditFacts(content))
      const holders = await repo.membersOf(scope, scope.tenantId, found.id)
      scope.tell('rights.changed', { logins: holders.map(holder => holder.id) })
      return 'replaced'
    },

    async assign(scope, ctx, loginId, roleIds) {
      const result = await assignRoles(scope, ctx, loginId, roleIds)
      if (result.changed) scope.tell('rights.changed', { logins: [loginId] })
      return result
    },

    async asRole(ctx, roleId) {
      const { actor } = ctx
      if (actor.kind === 'system' || actor.kind === 'apiKey' || actor.kind === 'end_user') return actor
      if (!actor.permissions.has('role:read'))
        throw new AppError('permission.denied', { params: { permission: 'role:read' } })
      const { role, groupId } = await database.withTenant(ctx, async scope => ({
        role: await existing(scope, roleId),
        groupId: (await repo.loginOfCompany(scope, scope.tenantId, actor.loginId))?.groupId ?? null,
      }))
      const rights = permissionsOf([role], operator(ctx))
      const permissions = new Set([...actor.permissions].filter(permission => rights.has(permission)))
      if (actor.kind === 'operator') return { ...actor, permissions }
      return {
        ...actor,
        permissions,
        dataScope: narrower(dataScopeOfRoles([role], groupId), dataScopeOf(actor)),
      } satisfies MemberActor
    },
  }
}

/**
 * Whether a role asks for a second step is a rule of sign-in, not a right that is handed out.
 * @throws AppError permission.denied when somebody without security:write would change it
 */
function secondFactor(
  { actor }: Ctx,
  before: boolean,
  { requireSecondFactor = before }: { requireSecondFactor?: boolean | undefined },
): { requireSecondFactor: boolean } {
  if (requireSecondFactor !== before && actor.kind !== 'system' && !actor.permissions.has('security:write'))
    throw new AppError('permission.denied', { params: { permission: 'security:write' } })
  return { requireSecondFactor }
}

/** The role's scope where it shows nothing beyond the caller's own; else his own. */
function narrower(role: DataScope, own: DataScope): DataScope {
  return isWithin(role, own) ? role : own
}

function sorted(rows: repo.RoleRow[], sort: string | undefined): repo.RoleRow[] {
  if (sort === undefined) return rows
  const { key, descending } = parseSort(sort, SORTS, 'name')
  const value = (role: repo.RoleRow) =>
    key === 'name' ? role.name : key === 'createdAt' ? +role.createdAt : role.memberCount
  const order = (a: repo.RoleRow, b: repo.RoleRow) =>
    value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : a.id < b.id ? -1 : 1
  return rows.toSorted((a, b) => (descending ? order(b, a) : order(a, b)))
}

/** Says in people's words that another role has the name already. */
async function naming<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isUniqueViolation(error, 'roles_name_key')) throw new AppError('role.name_taken', { params: { name } })
    throw error
  }
}

function audit(
  scope: TenantScope,
  ctx: Ctx,
  action: string,
  id: string,
  name: string,
  before: Record<string, unknown> | null,
  after: Record<string, unknown> | null,
): Promise<void> {
  return recordAudit(scope, ctx, { action, objectType: 'role', objectId: id, objectName: name, before, after })
}
