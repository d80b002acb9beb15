import { text as textOf } from 'node:stream/consumers'
import { BUILTIN_ROLES, PERMISSIONS, type Permission } from '@thingwright/contracts/permissions'
import { WEB_ROUTES } from '@thingwright/contracts/web-routes'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertProduct } from '../../db/fixtures.ts'
import { seedCompany } from '../../db/seeds/minimal/minimal.seed.ts'
import { refusal } from '../../db/testing/management.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { type Ctx, type DataScope, WHOLE_COMPANY } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import { assignRoles, dataScopeOfRoles, keepAnOwner, menuKeysOf, permissionsOf, rolesOf } from './index.ts'
import { exportRoles } from './role-export.ts'
import { createRolesService, type RolesService } from './roles.service.ts'

const MENU = WEB_ROUTES.filter(route => route.limits).map(route => route.path)
const ALL = new Set(permissionsOf([{ permissions: ['*'] }], false))

let db: TestDatabase
let roles: RolesService
let told: string[]
let tenantId: string
let ownerId: string
let owner: Ctx

beforeAll(async () => {
  db = await testDatabase()
  db.database.news.hear({ 'rights.changed': ({ logins }) => void told.push(...logins) })
  roles = createRolesService({
    database: db.database,
    menuKeys: MENU,
    menuFor: async (_ctx, keys) =>
      keys.map(path => ({
        id: path,
        name: path,
        ename: path,
        icon: '',
        path,
        sort: 1,
        idPath: path,
        jump: 0,
        order: 0,
        children: [],
      })),
    menuChoices: async () => [],
  })
})

beforeEach(async () => {
  told = []
  const name = `owner-${newId()}`
  tenantId = await db.database.withSystemScope('seed', scope =>
    seedCompany(scope, { name, owner: { username: name, passwordHash: '', displayName: '', kind: 'member' } }),
  )
  ownerId = (await db.superuser.query('select id from logins where tenant_id = $1', [tenantId])).rows[0].id
  owner = ctxOf(ownerId, ALL)
})

function ctxOf(loginId: string, permissions: Iterable<Permission>, dataScope: DataScope = WHOLE_COMPANY): Ctx {
  return {
    tenantId,
    actor: {
      kind: 'member',
      loginId,
      username: loginId,
      displayName: '',
      permissions: new Set(permissions),
      dataScope,
    },
    locale: 'zh',
    requestId: newId(),
    now: Date.now(),
  }
}
async function member(...keys: string[]): Promise<string> {
  const id = newId()
  await db.superuser.query("insert into logins (id, tenant_id, kind, username) values ($1, $2, 'member', $3)", [
    id,
    tenantId,
    id,
  ])
  await db.superuser.query(
    'insert into login_roles (login_id, role_id, tenant_id) select $1, id, tenant_id from roles where tenant_id = $2 and key = any ($3)',
    [id, tenantId, keys],
  )
  return id
}
const roleId = async (key: string): Promise<string> =>
  (await db.superuser.query('select id from roles where tenant_id = $1 and key = $2', [tenantId, key])).rows[0].id
const content = (over: object = {}) => ({
  name: '区域运维',
  permissions: ['device:read', 'product:read'],
  menuKeys: ['/manage/device'],
  dataScope: { kind: 'own_groups' as const },
  ...over,
})
const give = (ctx: Ctx, loginId: string, ids: string[]) =>
  db.database.withTenant(ctx, scope => roles.assign(scope, ctx, loginId, ids))
const held = async (loginId: string) =>
  (await db.database.withSystemScope('seed', scope => rolesOf(scope, loginId))).map(role => role.key)

describe('one’s own security page', () => {
  it.each(Object.keys(BUILTIN_ROLES))('is reached by %s', key => {
    const { menuKeys } = BUILTIN_ROLES[key as keyof typeof BUILTIN_ROLES]
    expect(menuKeysOf([{ menuKeys: [...menuKeys] }], MENU)).toContain('/admin/security')
  })

  it('is reached by a role that may open nothing else, and not by somebody without a role', () => {
    expect(menuKeysOf([{ menuKeys: [] }], MENU)).toEqual(['/admin/security'])
    expect(menuKeysOf([], MENU)).toEqual([])
  })
})

describe('the built-in roles', () => {
  it('stand in every company, old or new, and hold only rights and addresses there are', async () => {
    const { items } = await roles.list(owner, { limit: 100 })
    expect(items.map(role => role.key)).toEqual(Object.keys(BUILTIN_ROLES))
    expect(items.every(role => role.builtin && role.dataScope.kind === 'all')).toBe(true)
    for (const { key, menuKeys } of items) for (const word of menuKeys) expect([...MENU, '*'], key).toContain(word)
    for (const { key, permissions } of items)
      for (const word of permissions) expect([...PERMISSIONS, '*'], key).toContain(word)
    expect(items.find(role => role.key === 'owner')?.memberCount).toBe(1)
  })

  it('cannot be changed or removed, but copied', async () => {
    const id = await roleId('operations')
    expect((await refusal(roles.update(owner, id, { version: 1, name: 'x' }))).code).toBe('role.builtin')
    expect((await refusal(roles.remove(owner, id))).code).toBe('role.builtin')
    const copy = await roles.copy(owner, id, '我的运维')
    expect(copy).toMatchObject({ name: '我的运维', builtin: false, version: 1 })
    expect(new Set(copy.menuKeys)).toEqual(new Set(BUILTIN_ROLES.operations.menuKeys))
    expect(new Set(copy.permissions)).toEqual(new Set(BUILTIN_ROLES.operations.permissions))
    const all = await roles.copy(owner, await roleId('owner'), '副手')
    expect(new Set(all.permissions)).toEqual(ALL)
  })
})

describe('roles of one’s own', () => {
  it('are made, changed with a version, and removed', async () => {
    const role = await roles.create(owner, content())
    expect(role).toMatchObject({ name: '区域运维', version: 1, memberCount: 0, dataScope: { kind: 'own_groups' } })
    const changed = await roles.update(owner, role.id, {
      version: 1,
      description: '北区',
      permissions: ['device:read'],
    })
    expect(changed).toMatchObject({ version: 2, description: '北区', permissions: ['device:read'], name: '区域运维' })
    const stale = await refusal(roles.update(owner, role.id, { version: 1, name: 'lost' }))
    expect(stale.code).toBe('version.conflict')
    expect(stale.params.current).toMatchObject({ id: role.id, version: 2, description: '北区' })
    await roles.remove(owner, role.id)
    expect((await refusal(roles.get(owner, role.id))).code).toBe('role.not_found')
    const { rows } = await db.superuser.query(
      'select action, before, after from audit_logs where object_id = $1 order by at, id',
      [role.id],
    )
    expect(rows.map(row => row.action)).toEqual(['role.create', 'role.update', 'role.remove'])
    expect(rows[1]).toMatchObject({ before: { description: '' }, after: { description: '北区' } })
  })

  it('refuse what is no right, no address, no group, and a name that is taken', async () => {
    await roles.create(owner, content())
    const attempts: [object, string][] = [
      [{ name: 'x', permissions: ['device:everything'] }, 'role.permission_unknown'],
      [{ name: 'x', permissions: ['*'] }, 'role.permission_unknown'],
      [{ name: 'x', permissions: ['operator:write'] }, 'role.permission_unknown'],
      [{ name: 'x', menuKeys: ['/nowhere'] }, 'role.menu_unknown'],
      [{ name: 'x', menuKeys: ['/operator/*'] }, 'role.menu_unknown'],
      [{ name: 'x', dataScope: { kind: 'groups', groupIds: [newId()] } }, 'role.scope_unknown'],
      [{ name: 'x', dataScope: { kind: 'products', productIds: [newId()] } }, 'role.scope_unknown'],
      [{}, 'role.name_taken'],
    ]
    for (const [over, code] of attempts)
      expect((await refusal(roles.create(owner, content(over)))).code, JSON.stringify(over)).toBe(code)
  })

  it('ask for a second step only when somebody with the right to rules of sign-in says so', async () => {
    const manager = ctxOf(
      await member(),
      [...ALL].filter(right => right !== 'security:write'),
    )
    const denied = { code: 'permission.denied', params: { permission: 'security:write' } }
    expect(await refusal(roles.create(manager, content({ requireSecondFactor: true })))).toMatchObject(denied)
    const role = await roles.create(manager, content({ requireSecondFactor: false }))
    expect(role.requireSecondFactor).toBe(false)
    expect(await refusal(roles.update(manager, role.id, { version: 1, requireSecondFactor: true }))).toMatchObject(
      denied,
    )
    expect(await roles.update(owner, role.id, { version: 1, requireSecondFactor: true })).toMatchObject({
      requireSecondFactor: true,
    })
    expect(await refusal(roles.update(manager, role.id, { version: 2, requireSecondFactor: false }))).toMatchObject(
      denied,
    )
    // The rest of the role is still his to change; a copy asks for no less.
    await roles.update(manager, role.id, { version: 2, description: '北区', requireSecondFactor: true })
    expect(await roles.copy(manager, role.id, '副本')).toMatchObject({ requireSecondFactor: true })
    const { rows } = await db.superuser.query(
      "select before, after from audit_logs where object_id = $1 and action = 'role.update' order by at, id limit 1",
      [role.id],
    )
    expect(rows[0]).toMatchObject({ before: { requireSecondFactor: false }, after: { requireSecondFactor: true } })
  })

  it('stay while somebody holds them', async () => {
    const role = await roles.create(owner, content())
    await give(owner, await member(), [role.id])
    expect(await refusal(roles.remove(owner, role.id))).toMatchObject({ code: 'role.in_use', params: { count: 1 } })
    expect((await roles.get(owner, role.id)).memberCount).toBe(1)
  })

  it('come from a file with what it says of them, and what it does not say is empty', async () => {
    const bring = (existing: 'keep' | 'replace') =>
      db.database.withTenant(owner, scope =>
        roles.bring(
          scope,
          owner,
          {
            name: '来客',
            permissions: ['device:read'],
            menuKeys: ['/manage/device', '/nowhere'],
            dataScope: { kind: 'all' },
          },
          existing,
        ),
      )
    expect(await bring('keep')).toBe('created')
    const { items } = await roles.list(owner, { q: '来客' })
    expect(items).toMatchObject([
      { name: '来客', ename: '', description: '', menuKeys: ['/manage/device'], requireSecondFactor: false },
    ])
    expect(await bring('keep')).toBeNull()
    expect(await bring('replace')).toBe('replaced')
  })

  it('of another company do not exist', async () => {
    const stranger = {
      ...owner,
      tenantId:
        (await db.superuser.query('select id from tenants where id <> $1 limit 1', [tenantId])).rows[0]?.id ?? newId(),
    }
    const role = await roles.create(owner, content())
    for (const attempt of [
      () => roles.get(stranger, role.id),
      () => roles.update(stranger, role.id, { version: 1, name: 'x' }),
      () => roles.remove(stranger, role.id),
      () => roles.members(stranger, role.id),
      () => roles.preview(stranger, role.id),
      () => roles.diff(stranger, role.id, role.id),
      () => roles.copy(stranger, role.id, 'x'),
    ])
      expect((await refusal(attempt())).code).toBe('role.not_found')
  })

  it('are exported with the filters of the list, and the log says so', async () => {
    await roles.create(owner, content({ name: '导出,用', description: '=1+1' }))
    const reply = await exportRoles(db.database, roles, owner, { format: 'csv', builtin: '0' })
    const text = await textOf(reply.body)
    expect(text).toContain('"导出,用"')
    expect(text).not.toMatch(/,=1\+1/)
    expect(text).not.toContain('所有者')
    const { rows } = await db.superuser.query(
      "select after from audit_logs where tenant_id = $1 and action = 'role.export'",
      [tenantId],
    )
    expect(rows).toMatchObject([{ after: { format: 'csv', rows: 1 } }])
  })

  it('are listed by pages, found by name, counted', async () => {
    for (const name of ['一号', '二号', '三号']) await roles.create(owner, content({ name }))
    const first = await roles.list(owner, { builtin: '0', limit: 2, total: '1', sort: 'name' })
    expect(first).toMatchObject({ total: 3, items: [{}, {}] })
    const rest = await roles.list(owner, { builtin: '0', limit: 2, sort: 'name', cursor: first.nextCursor! })
    expect(rest.items).toHaveLength(1)
    expect(rest.nextCursor).toBeNull()
    expect((await roles.list(owner, { q: '二号' })).items.map(role => role.name)).toEqual(['二号'])
    expect((await refusal(roles.list(owner, { cursor: 'bm9wZQ' }))).code).toBe('request.cursor_invalid')
  })
})

describe('giving roles', () => {
  it('replaces what somebody held, says so in the log, and counts at once', async () => {
    const id = await member('read_only')
    expect(await give(owner, id, [await roleId('operations'), await roleId('support')])).toEqual({ changed: true })
    expect(await held(id)).toEqual(['operations', 'support'])
    expect(told).toEqual([id])
    expect(await give(owner, id, [await roleId('support'), await roleId('operations')])).toEqual({ changed: false })
    const { rows } = await db.superuser.query(
      "select before, after from audit_logs where object_id = $1 and action = 'member.roles'",
      [id],
    )
    expect(rows).toEqual([{ before: { roles: ['只读'] }, after: { roles: ['运维', '客服'] } }])
  })

  it('hands out nothing the giver does not have, and takes nothing either', async () => {
    const id = await member('administrator')
    const admin = ctxOf(id, permissionsOf([{ permissions: [...BUILTIN_ROLES.administrator.permissions] }], false))
    const friend = await member()
    for (const key of ['owner'])
      expect(await refusal(give(admin, friend, [await roleId(key)]))).toMatchObject({
        code: 'role.beyond_own',
        params: { missing: ['owner'] },
      })
    expect((await refusal(give(admin, ownerId, []))).code).toBe('role.beyond_own')
    await give(admin, friend, [await roleId('administrator')])
    const clerk = ctxOf(await member('support'), ['role:write', 'member:write', 'device:read'])
    expect((await refusal(give(clerk, friend, [await roleId('developer')]))).code).toBe('role.beyond_own')
    expect((await refusal(roles.create(clerk, content({ permissions: ['device:delete'] })))).code).toBe(
      'role.beyond_own',
    )
    expect(await refusal(roles.copy(clerk, await roleId('operations'), 'copy'))).toMatchObject({
      code: 'role.beyond_own',
    })
    const strong = await roles.create(owner, content({ permissions: ['device:delete'] }))
    expect((await refusal(roles.update(clerk, strong.id, { version: 1, permissions: [] }))).code).toBe(
      'role.beyond_own',
    )
  })

  it('hands out no wider view than the giver has', async () => {
    const group = newId()
    await db.superuser.query("insert into groups (id, tenant_id, kind, name) values ($1, $2, 'device', 'g')", [
      group,
      tenantId,
    ])
    const narrow = ctxOf(await member(), ALL, { kind: 'limited', groupIds: [group], productIds: [], own: false })
    const friend = await member()
    expect(await refusal(give(narrow, friend, [await roleId('read_only')]))).toMatchObject({
      params: { missing: ['data-scope'] },
    })
    const fine = await roles.create(narrow, content({ dataScope: { kind: 'groups', groupIds: [group] } }))
    await give(narrow, friend, [fine.id])
    expect((await refusal(roles.create(narrow, content({ name: 'all', dataScope: { kind: 'all' } })))).code).toBe(
      'role.beyond_own',
    )
    const product = async () => (await insertProduct(db.superuser, { id: tenantId })).id
    const [own, other] = [await product(), await product()]
    const ofProduct = ctxOf(await member(), ALL, { kind: 'limited', groupIds: [], productIds: [own], own: false })
    const seeing = (...productIds: string[]) =>
      roles.create(ofProduct, content({ name: newId(), dataScope: { kind: 'products', productIds } }))
    expect(await seeing(own)).toMatchObject({ dataScope: { kind: 'products', productIds: [own] } })
    expect((await refusal(seeing(own, other))).code).toBe('role.beyond_own')
  })

  it('keeps the last owner, also when two leave at once', async () => {
    expect((await refusal(give(owner, ownerId, [await roleId('read_only')]))).code).toBe('role.last_owner')
    const second = await member()
    await give(owner, second, [await roleId('owner')])
    const both = await Promise.allSettled([give(owner, ownerId, []), give(ctxOf(second, ALL), second, [])])
    expect(both.map(result => result.status).sort()).toEqual(['fulfilled', 'rejected'])
    const last = (await held(ownerId)).includes('owner') ? ownerId : second
    const keep = db.database.withTenant(owner, scope => keepAnOwner(scope, tenantId, last))
    expect((await refusal(keep)).code).toBe('role.last_owner')
  })

  it('refuses strangers, end users and roles of another company', async () => {
    const other = await roleId('read_only')
    const elsewhere = tenantId
    const name = `x-${newId()}`
    tenantId = await db.database.withSystemScope('seed', scope =>
      seedCompany(scope, { name, owner: { username: name, passwordHash: '', displayName: '', kind: 'member' } }),
    )
    const foreign = await member()
    const mine = ctxOf((await db.superuser.query('select id from logins where username = $1', [name])).rows[0].id, ALL)
    expect((await refusal(give(mine, foreign, [other]))).code).toBe('role.not_found')
    expect((await refusal(give(mine, ownerId, []))).code).toBe('member.not_found')
    const customer = newId()
    await db.superuser.query("insert into logins (id, tenant_id, kind, username) values ($1, $2, 'end_user', $3)", [
      customer,
      tenantId,
      customer,
    ])
    expect((await refusal(give(mine, customer, [await roleId('read_only')]))).code).toBe('member.not_found')
    // The same in the system's scope, where no policy stands behind the code.
    const asSystem = db.database.withSystemScope('seed', scope => assignRoles(scope, mine, foreign, [other]))
    expect((await refusal(asSystem)).code).toBe('role.not_found')
    tenantId = elsewhere
  })
})

describe('rights that change', () => {
  it('are told to everybody who holds the role, after the commit only', async () => {
    const role = await roles.create(owner, content())
    const [one, two] = [await member(), await member()]
    await give(owner, one, [role.id])
    await give(owner, two, [role.id])
    told = []
    await refusal(roles.update(owner, role.id, { version: 9, permissions: [] }))
    expect(told).toEqual([])
    await roles.update(owner, role.id, { version: 1, permissions: [] })
    expect(told.toSorted()).toEqual([one, two].toSorted())
  })
})

describe('looking at roles', () => {
  it('compares two', async () => {
    const diff = await roles.diff(owner, await roleId('read_only'), await roleId('operations'))
    expect(diff.permissions.onlyLeft).toEqual([])
    expect(diff.permissions.onlyRight).toContain('device:command')
    // All that they may only look at, with what modules give to both, in the order in which rights are shown.
    const given: readonly string[] = BUILTIN_ROLES.read_only.permissions
    expect(diff.permissions.both).toEqual(PERMISSIONS.filter(right => given.includes(right)))
    expect(diff.permissions.both).toEqual(
      expect.arrayContaining(['product:read', 'device:read', 'telemetry:read', 'group:read', 'firmware:read']),
    )
    expect(diff.menuKeys.onlyLeft).toEqual([])
    expect(diff.menuKeys.onlyRight).toContain('/admin/material')
    expect(diff.sameDataScope).toBe(true)
  })

  it('compares what they see of the company, whatever order it was chosen in', async () => {
    const product = async () => (await insertProduct(db.superuser, { id: tenantId })).id
    const [one, other] = [await product(), await product()]
    const seeing = async (...productIds: string[]) =>
      (await roles.create(owner, content({ name: newId(), dataScope: { kind: 'products', productIds } }))).id
    const both = await seeing(one, other)
    const same = async (id: string) => (await roles.diff(owner, both, id)).sameDataScope
    expect(await same(await seeing(other, one))).toBe(true)
    expect(await same(await seeing(one))).toBe(false)
    expect(await same(await roleId('read_only'))).toBe(false)
  })

  it('shows menu and rights of somebody who has only this one', async () => {
    const role = await roles.create(owner, content())
    expect(await roles.preview(owner, role.id)).toMatchObject({
      permissions: ['product:read', 'device:read'],
      menuPermissions: ['/manage/device', '/admin/security'],
      menus: [{ path: '/manage/device' }, { path: '/admin/security' }],
      dataScope: { kind: 'own_groups' },
    })
    const asOwner = await roles.preview(owner, await roleId('owner'))
    expect(asOwner.permissions).not.toContain('operator:use')
    expect(asOwner.menuPermissions).not.toContain('/operator/*')
  })

  it('lends a previewer the role’s rights and never more than his own', async () => {
    const role = await roles.create(owner, content({ permissions: ['device:read', 'device:delete'] }))
    const clerk = ctxOf(await member(), ['role:read', 'device:read', 'product:read'])
    const actor = await roles.asRole(clerk, role.id)
    expect(actor).toMatchObject({ permissions: new Set(['device:read']), dataScope: { kind: 'limited', groupIds: [] } })
    const nobody = ctxOf(await member(), ['device:read'])
    expect((await refusal(roles.asRole(nobody, role.id))).code).toBe('permission.denied')
  })

  it('explains a refusal: the right that is missing, the roles, and who can grant it', async () => {
    const id = await member('read_only')
    const ctx = ctxOf(id, permissionsOf([{ permissions: [...BUILTIN_ROLES.read_only.permissions] }], false))
    const why = await roles.explain(ctx, { permission: 'device:write' })
    expect(why).toMatchObject({
      allowed: false,
      reason: 'permission_missing',
      roles: [{ name: '只读', grants: false }],
    })
    expect(why.canGrant.map(person => person.id)).toEqual([ownerId])
    expect(await roles.explain(ctx, { permission: 'device:read' })).toMatchObject({ allowed: true, canGrant: [] })
    expect((await roles.explain(ctx, { permission: 'operator:use' })).reason).toBe('operator_only')
    expect((await roles.explain(ctxOf(await member(), []), { permission: 'device:read' })).reason).toBe('no_roles')
    expect((await refusal(roles.explain(ctx, {}))).code).toBe('request.validation')
  })
})

describe('the data scope of several roles', () => {
  it('is their union', () => {
    const of = (...scopes: Parameters<typeof dataScopeOfRoles>[0][number]['dataScope'][]) =>
      dataScopeOfRoles(
        scopes.map(dataScope => ({ dataScope })),
        'home',
      )
    expect(of({ kind: 'own' }, { kind: 'all' })).toEqual({ kind: 'all' })
    expect(of()).toEqual({ kind: 'limited', groupIds: [], productIds: [], own: false })
    expect(
      of(
        { kind: 'own_groups' },
        { kind: 'groups', groupIds: ['a', 'home'] },
        { kind: 'products', productIds: ['p'] },
        { kind: 'own' },
      ),
    ).toEqual({ kind: 'limited', groupIds: ['home', 'a'], productIds: ['p'], own: true })
    expect(dataScopeOfRoles([{ dataScope: { kind: 'own_groups' } }], null)).toMatchObject({ groupIds: [] })
  })
})
