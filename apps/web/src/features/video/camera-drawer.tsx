import { Drawer, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../lib/api/api-error.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { CameraView } from './camera-view.tsx'
import { CHANNEL_KIND } from './hooks.ts'
import css from './video.module.css'

const REFRESH_MS = 15_000

/** One camera: live, recordings, pictures, and what is known of it. */
export function CameraDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation('video')
  const query = useRead('videoChannels.get', { params: { id } }, { refetchInterval: REFRESH_MS })
  const channel = query.data
  const gone = query.error instanceof ApiError && query.error.status === 404
  return (
    <Drawer
      open
      size={960}
      onClose={onClose}
      title={
        channel ? (
          <span className={css.drawerTitle}>
            <span className={css.cut} title={channel.name} dir="auto">
              {channel.name}
            </span>
            <StatusTag kind={CHANNEL_KIND[channel.state]}>{t(`states.${channel.state}`)}</StatusTag>
          </span>
        ) : (
          t('camera')
        )
      }
    >
      {gone ? (
        <EmptyState title={t('gone')} description={t('goneText')} />
      ) : query.isError && !channel ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !channel ? (
        <Skeleton active paragraph={{ rows: 10 }} />
      ) : (
        <CameraView key={channel.id} channel={channel} />
      )}
    </Drawer>
  )
}
