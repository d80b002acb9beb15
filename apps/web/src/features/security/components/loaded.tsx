import { Skeleton } from 'antd'
import type { ReactNode } from 'react'
import { ApiError } from '../../../lib/api/api-error.ts'
import type { Read } from '../../../lib/data/use-read.ts'
import type { Permission } from '../../../lib/permissions.ts'
import { Panel } from '../../../ui/panel.tsx'
import { ErrorState, NoPermissionState } from '../../../ui/states.tsx'

/** Draws what was loaded; before that its place, after a failure the reason. */
export function Loaded<T>({
  query,
  permission,
  children,
}: {
  query: Read<T>
  permission?: Permission
  children: (data: T) => ReactNode
}) {
  if (query.data !== undefined) return children(query.data)
  if (query.error instanceof ApiError && query.error.status === 403)
    return permission ? <NoPermissionState permission={permission} /> : <ErrorState error={query.error} />
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  return (
    <Panel>
      <Skeleton active paragraph={{ rows: 4 }} />
    </Panel>
  )
}
