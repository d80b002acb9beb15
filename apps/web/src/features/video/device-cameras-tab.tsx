import { Select, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { DeviceTabProps } from '../../lib/device-tabs.ts'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../ui/states.tsx'
import { CameraView } from './camera-view.tsx'
import { VIDEO } from './hooks.ts'
import css from './video.module.css'

const REFRESH_MS = 15_000

/** The cameras that were bound to a device, one at a time. */
export function DeviceCamerasTab({ deviceId }: DeviceTabProps) {
  const { t } = useTranslation('video')
  const allowed = useMay('videoChannels.list')
  const [chosen, setChosen] = useState<string | null>(null)
  const query = useRead(
    'videoChannels.list',
    { query: { deviceId, limit: 100 } },
    { enabled: allowed, refetchInterval: REFRESH_MS },
  )
  const channels = query.data?.items ?? []
  const channel = channels.find(({ id }) => id === chosen) ?? channels[0]
  if (!allowed) return <NoPermissionState of="videoChannels.list" />
  if (query.isError && !query.data) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  if (query.isPending) return <Skeleton active paragraph={{ rows: 8 }} />
  if (!channel)
    return (
      <EmptyState
        title={t('deviceEmptyTitle')}
        description={t('deviceEmptyText')}
        action={<Link to={`${VIDEO}?bound=no`}>{t('toCameras')}</Link>}
      />
    )
  return (
    <Panel
      title={channel.name}
      actions={
        channels.length > 1 && (
          <Select
            className={css.choice ?? ''}
            aria-label={t('camera')}
            value={channel.id}
            options={channels.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={setChosen}
          />
        )
      }
    >
      <CameraView key={channel.id} channel={channel} />
    </Panel>
  )
}
