import { createHash } from 'node:crypto'
import { menuPlaces } from '@thingwright/contracts/module-words'
import { BUILTIN_ROLES } from '@thingwright/contracts/permissions'
import type { Database, SystemScope } from '../../../lib/database/database.ts'
import { newId, randomKey } from '../../../lib/ids.ts'
import { sql } from '../../../lib/sql/statement.ts'
import formerIcons from './former-icons.json' with { type: 'json' }
import menu from './menu.json' with { type: 'json' }

interface MenuSeed {
  key: string
  name: string
  ename: string
  path: string
  icon: string
  /** Seen by operators of the platform only. */
  operatorOnly?: boolean
  children: MenuSeed[]
}

/** Fixed for ever, so that every start finds the platform's own company again. */
export const PLATFORM_TENANT = '01900000-0000-7000-8000-000000000001'

export interface NewLogin {
  username: string
  passwordHash: string
  displayName: string
  kind: 'member' | 'operator'
  phone?: string
}

const SELECT_LOGINS = sql`select 1 from logins where tenant_id = $1 limit 1`

const LOCK = sql`select pg_advisory_xact_lock(7310)`

const INSERT_TENANTS = sql`insert into tenants (id, app_id, name, kind, status) values ($1, 'platform', 'Thingwright', 'platform', 'active') on conflict do nothing`

/** What every installation has: the platform's company with its operator, and the menu. Safe to run at every start. */
export async function seedMinimal(database: Database, operator: () => Promise<NewLogin>): Promise<void> {
  const missing = await database.withSystemScope(
    'seed',
    async scope => (await scope.run(SELECT_LOGINS, [PLATFORM_TENANT])).rowCount === 0,
  )
  const login = missing ? await operator() : null
  await database.withSystemScope('seed', async scope => {
    // Two starts at once: the second waits and finds everything there.
    await scope.run(LOCK)
    await scope.run(INSERT_TENANTS, [PLATFORM_TENANT])
    await seedRoles(scope)
    if (login) await seedLogin(scope, PLATFORM_TENANT, login, 'owner')
    await seedMenu(scope)
  })
}

const SEED_COMPANY = sql`insert into tenants (id, app_id, name, status, expires_at) values ($1, $2, $3, $4, $5)`

/** Makes a company with its built-in roles and its owner. */
export async function seedCompany(
  scope: SystemScope,
  company: { id?: string; name: string; status?: string; expiresAt?: Date; owner: NewLogin },
): Promise<string> {
  const id = company.id ?? newId()
  await scope.run(SEED_COMPANY, [
    id,
    randomKey(16),
    company.name,
    company.status ?? 'active',
    company.expiresAt ?? null,
  ])
  await seedRoles(scope, id)
  await seedLogin(scope, id, company.owner, 'owner')
  return id
}

const SEED_ROLES = sql`insert into roles (id, tenant_id, key, name, ename, permissions, menu_keys, builtin, created_at)
  select gen_random_uuid(), t.id, $2, $3, $4, $5, $6, true, t.created_at + make_interval(secs => $7 / 1000.0)
  from tenants t where $1::uuid is null or t.id = $1
  on conflict (tenant_id, key) do update set permissions = excluded.permissions, menu_keys = excluded.menu_keys,
    name = excluded.name, ename = excluded.ename
  where roles.builtin and (roles.permissions, roles.menu_keys, roles.name, roles.ename)
    is distinct from (excluded.permissions, excluded.menu_keys, excluded.name, excluded.ename)`

/** The built-in roles of one company or, without one, of all: a new version's roles reach those that exist already. */
async function seedRoles(scope: SystemScope, tenantId: string | null = null): Promise<void> {
  // A millisecond apart: that is the order in which they are listed.
  for (const [place, [key, role]] of Object.entries(BUILTIN_ROLES).entries()) {
    await scope.run(SEED_ROLES, [
      tenantId,
      key,
      role.name,
      role.ename,
      [...role.permissions],
      [...role.menuKeys],
      place,
    ])
  }
}

const INSERT_LOGINS = sql`insert into logins (id, tenant_id, kind, username, phone, password_hash, display_name) values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning id`

const INSERT_LOGIN_ROLES = sql`insert into login_roles (login_id, role_id, tenant_id) select $1, id, tenant_id from roles where tenant_id = $2 and key = $3`

async function seedLogin(scope: SystemScope, tenantId: string, login: NewLogin, role: string): Promise<void> {
  const id = newId()
  const inserted = await scope.run(INSERT_LOGINS, [
    id,
    tenantId,
    login.kind,
    login.username,
    login.phone ?? null,
    login.passwordHash,
    login.displayName,
  ])
  if (inserted.rowCount) await scope.run(INSERT_LOGIN_ROLES, [id, tenantId, role])
}

/**
 * The menu as it comes with the installation; entries that are there already stay as they are, but for icons that came
 * with an earlier version and nobody changed.
 */
export async function seedMenu(scope: SystemScope): Promise<void> {
  await seedEntries(scope, null, withModules(menu as MenuSeed[]), '')
}

/** The menu with the modules' own pages added at the end of their groups. */
function withModules(items: readonly MenuSeed[]): MenuSeed[] {
  return items.map(item => ({
    ...item,
    children: [
      ...item.children,
      ...menuPlaces()
        .filter(({ under }) => under === item.key)
        .map(({ path, zh, en, icon }) => ({
          key: path.split('/').at(-1)!,
          name: zh,
          ename: en,
          path,
          icon,
          children: [],
        })),
    ],
  }))
}

const SEED_ENTRIES = sql`insert into menu_items (id, parent_id, name, ename, icon, path, position, operator_only, builtin) values ($1, $2, $3, $4, $5, $6, $7, $8, true)
  on conflict (id) do update set icon = excluded.icon
  where menu_items.icon <> excluded.icon and menu_items.icon = any($9::text[])`

async function seedEntries(scope: SystemScope, parent: string | null, items: MenuSeed[], keys: string): Promise<void> {
  for (const [position, item] of items.entries()) {
    const key = `${keys}/${item.key}`
    const id = stableId(`menu:${key}`)
    await scope.run(SEED_ENTRIES, [
      id,
      parent,
      item.name,
      item.ename,
      item.icon,
      item.path,
      position,
      item.operatorOnly ?? false,
      formerIcons,
    ])
    await seedEntries(scope, id, item.children, key)
  }
}

/** A UUID (version 8, RFC 9562 §5.8) that is the same in every installation. */
function stableId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
