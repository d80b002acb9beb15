import { PERMISSIONS, type Permission } from '@thingwright/contracts/permissions'
import { isGrantable } from '../roles/index.ts'

/** What a company's consent never covers: who may do what, its secrets, and its whole data in one file. */
const NEVER: ReadonlySet<Permission> = new Set<Permission>([
  'role:write',
  'member:write',
  'security:write',
  'device:secret',
  'company:export',
  'audit:export',
  'telemetry:export',
])

/** Rights of an operator inside a company: reading, and writing where the company allowed it. */
export function supportRights(mayWrite: boolean): ReadonlySet<Permission> {
  return new Set(
    PERMISSIONS.filter(
      permission =>
        isGrantable(permission, { isOperator: false }) &&
        !NEVER.has(permission) &&
        (mayWrite || permission.endsWith(':read')),
    ),
  )
}
