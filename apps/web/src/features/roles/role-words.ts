import type { RoleView } from '@thingwright/contracts/roles.contract'
import { locale } from '../../lib/i18n.ts'

/** A role's name in the shown language; a role of one's own may have no English one. */
export function roleName(role: Pick<RoleView, 'name' | 'ename'>): string {
  return locale() === 'en' && role.ename !== '' ? role.ename : role.name
}
