import { Skeleton } from 'antd'
import type { ReactNode } from 'react'
import { ApiError } from '../../../lib/api/api-error.ts'
import type { Operation } from '../../../lib/api-client.ts'
import type { Read } from '../../../lib/server-state/use-read.ts'
import { Panel } from '../../../ui/panel.tsx'
import { ErrorState, NoPermissionState } from '../../../ui/states.tsx'

/** Draws what was loaded; before that its place, after a failure the reason. */
export function Loaded<T>({
  query,
  of,
  children,
}: {
  query: Read<T>
  /** What reads it. */
  of?: Operation
  children: (data: T) => ReactNode
}) {
  if (query.data !== undefined) return children(query.data)
  if (query.error instanceof ApiError && query.error.status === 403)
    return of ? <NoPermissionState of={of} /> : <ErrorState error={query.error} />
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  return (
    <Panel>
      <Skeleton active paragraph={{ rows: 4 }} />
    </Panel>
  )
}
