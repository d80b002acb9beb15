import type { ReactNode } from 'react'
import type { Operation } from '../lib/api-client.ts'
import { useMay } from '../lib/permissions.ts'

/** Shows its children to those who may call the operation, the fallback (nothing by default) to others. */
export function PermissionGate({
  of,
  children,
  fallback = null,
}: {
  of: Operation
  children: ReactNode
  fallback?: ReactNode
}) {
  return useMay(of) ? children : fallback
}
