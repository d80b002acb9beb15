import type { ReactNode } from 'react'
import { type Permission, usePermission } from '../lib/permissions.ts'

/** Shows its children to those who hold the right, the fallback (nothing by default) to others. */
export function PermissionGate({
  permission,
  children,
  fallback = null,
}: {
  permission: Permission
  children: ReactNode
  fallback?: ReactNode
}) {
  return usePermission(permission) ? children : fallback
}
