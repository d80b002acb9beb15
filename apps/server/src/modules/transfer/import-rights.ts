import type { Permission } from '@thingwright/contracts/permissions'
import { FURTHER_KINDS } from '@thingwright/contracts/transfer.words'
import { type Actor, type Ctx, dataScopeOf } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { isOutsideScope, isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import { sql } from '../../lib/sql/statement.ts'
import type { Kind } from './manifest.ts'

/**
 * Rights that bringing a kind in takes: those of the routes by which a person makes and changes the same. Who may do
 * what, and the company's own settings, also take the owner's right.
 */
const NEEDS: Record<Kind, readonly Permission[]> = {
  settings: ['security:write', 'company:write'],
  groups: ['group:write'],
  products: ['product:write'],
  roles: ['security:write', 'role:write'],
  devices: ['device:write'],
  pages: ['page:write'],
  alarm_levels: ['alarm:configure'],
  geofences: ['trigger:write'],
  triggers: ['trigger:write'],
  trigger_presets: ['trigger:write'],
  calendars: ['timed-task:write'],
  scenes: ['timed-task:write', 'device:command'],
  timed_tasks: ['timed-task:write', 'device:command'],
  message_templates: ['contact:write'],
  user_packages: ['end-user:write'],
  tariffs: ['money:write'],
  reports: ['report:write'],
  portals: ['app:write'],
  official_accounts: ['app:write'],
  lora_links: ['lora:write'],
  telecom_links: ['telecom-key:write'],
  connections: [],
  members: ['security:write', 'member:write'],
  materials: ['media:write'],
}
/** One of a company: a part of it has none of its own. */
const WHOLE_COMPANY: ReadonlySet<Kind> = new Set<Kind>([
  'settings',
  'alarm_levels',
  'trigger_presets',
  ...FURTHER_KINDS,
])

/** Everything that bringing these in takes. @param secrets devices keep the secrets that the file holds */
export function needsOf(kinds: readonly Kind[], secrets: boolean): Permission[] {
  const rights = new Set<Permission>(['company:write', ...kinds.flatMap(kind => NEEDS[kind])])
  if (secrets && kinds.includes('devices')) rights.add('device:secret')
  return [...rights]
}

/** Why somebody may not bring a kind in at all, whatever is in it; null: he may try. */
export function refusalOf(actor: Actor, kind: Kind): { code: RefusedCode; permissions: Permission[] } | null {
  if (actor.kind === 'system') return null
  const permissions = NEEDS[kind].filter(right => !actor.permissions.has(right))
  if (permissions.length > 0) return { code: 'permission.denied', permissions }
  const wholly = WHOLE_COMPANY.has(kind) && dataScopeOf(actor).kind === 'limited'
  return wholly ? { code: 'scope.whole_company', permissions: [] } : null
}
export type RefusedCode = 'permission.denied' | 'scope.whole_company'

/** @throws AppError permission.denied naming the first right that is missing, scope.whole_company */
export function requireKinds({ actor }: Ctx, kinds: readonly Kind[], secrets: boolean): void {
  if (actor.kind === 'system') return
  const permission = needsOf(kinds, secrets).find(right => !actor.permissions.has(right))
  if (permission) throw new AppError('permission.denied', { params: { permission } })
  for (const kind of kinds) {
    const refused = refusalOf(actor, kind)
    if (refused) throw new AppError(refused.code)
  }
}

/** Entries that are more than the caller may bring in. */
export interface Beyond {
  count: number
  note(item: string, code: AppError['code'], params: Record<string, unknown>): void
}

/** Refusals that concern one entry and the rights of whoever brings it in; anything else ends the kind at once. */
const OF_RIGHTS: ReadonlySet<string> = new Set([
  'scope.outside',
  'role.beyond_own',
  'role.permission_unknown',
  'device.number_taken',
  'group.name_taken',
])

const MARK_ENTRY = sql`savepoint entry`

const KEEP_ENTRY = sql`release savepoint entry`

const ROLL_BACK_ENTRY = sql`rollback to savepoint entry`

/**
 * One entry, as the caller. What he may not bring in is named and the next is looked at, so that he reads all of them;
 * the kind is refused in the end ({@link refuseBeyond}).
 * @returns undefined: refused
 */
export async function asCaller<T>(
  scope: TenantScope,
  beyond: Beyond,
  item: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  await scope.run(MARK_ENTRY)
  try {
    const result = await work()
    await scope.run(KEEP_ENTRY)
    return result
  } catch (error) {
    const refused = told(error, item)
    if (!refused) throw error
    await scope.run(ROLL_BACK_ENTRY)
    beyond.count++
    beyond.note(item, refused.code, refused.params)
    return undefined
  }
}

function told(error: unknown, item: string): AppError | null {
  if (isAppError(error)) return OF_RIGHTS.has(error.code) ? error : null
  if (isOutsideScope(error)) return new AppError('scope.outside')
  // What is there already and is not seen is outside too; its number says so without saying where.
  if (isUniqueViolation(error)) return new AppError('device.number_taken', { params: { deviceNo: item } })
  return null
}

/** @throws AppError transfer.beyond_own when entries of the kind were refused since `before` */
export function refuseBeyond(beyond: Beyond, before: number): void {
  if (beyond.count > before) throw new AppError('transfer.beyond_own', { params: { count: beyond.count - before } })
}
