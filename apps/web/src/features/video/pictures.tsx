import type { SnapshotView } from '@thingwright/contracts/video.contract'
import { Button, Modal, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { download } from '../../lib/api-client.ts'
import { formatDateTime } from '../../lib/format.ts'
import { usePages } from '../../lib/server-state/use-pages.ts'
import { useWork } from '../../lib/server-state/use-work.ts'
import { AuthPicture } from '../../ui/auth-picture.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import css from './video.module.css'

const PAGE = 12

/** Pictures that were kept of a camera, the newest first. */
export function Pictures({ id }: { id: string }) {
  const { t } = useTranslation('video')
  const read = usePages('videoChannels.snapshots', { params: { id }, query: { limit: PAGE } })
  const { attempt } = useWork()
  const [open, setOpen] = useState<SnapshotView | null>(null)
  const items = read.data?.pages.flatMap(page => page.items) ?? []
  if (read.isPending) return <Skeleton active />
  if (read.isError && items.length === 0) return <ErrorState error={read.error} onRetry={() => void read.refetch()} />
  if (items.length === 0) return <EmptyState title={t('picture.emptyTitle')} description={t('picture.emptyText')} />
  const nameOf = (picture: SnapshotView) => t('picture.of', { time: formatDateTime(picture.at) })
  return (
    <div className={css.stack}>
      <ul className={css.pictures}>
        {items.map(picture => (
          <li key={picture.id}>
            <button
              type="button"
              className={css.pictureButton}
              aria-label={nameOf(picture)}
              onClick={() => setOpen(picture)}
            >
              <AuthPicture id={picture.id} alt="" />
            </button>
            <p className={css.caption}>
              <TimeText value={picture.at} mode="absolute" />
              <span className={css.cut} title={picture.by} dir="auto">
                {picture.by}
              </span>
            </p>
          </li>
        ))}
      </ul>
      {read.hasNextPage && (
        <div>
          <Button loading={read.isFetchingNextPage} onClick={() => void read.fetchNextPage()}>
            {t('more')}
          </Button>
        </div>
      )}
      {open && (
        <Modal
          open
          width={880}
          title={nameOf(open)}
          okText={t('picture.download')}
          cancelText={t('close')}
          onOk={() =>
            void attempt(() =>
              download('videoChannels.picture', `${open.at.replaceAll(':', '-')}.jpg`, { params: { id: open.id } }),
            )
          }
          onCancel={() => setOpen(null)}
        >
          <AuthPicture id={open.id} alt={nameOf(open)} />
        </Modal>
      )}
    </div>
  )
}
