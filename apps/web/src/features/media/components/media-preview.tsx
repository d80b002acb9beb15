import { DownloadOutlined } from '@ant-design/icons'
import type { MediaDetail, MediaView } from '@thingwright/contracts/media.contract'
import { Button, Modal, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatBytes } from '../../../lib/format.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { folderPath, useFolders, useMedia } from '../hooks.ts'
import css from '../media.module.css'
import { copyLink } from '../media-link.ts'

/** A material at full size with its facts and those who use it. */
export function MediaPreview({ media: given, onClose }: { media: MediaView; onClose: () => void }) {
  const { t } = useTranslation('media')
  const query = useMedia(given.id)
  const media = query.data ?? { ...given, usedBy: [] }
  return (
    <Modal
      open
      width={960}
      title={
        <span className={css.previewTitle} title={media.name} dir="auto">
          {media.name}
        </span>
      }
      onCancel={onClose}
      footer={
        <div className={css.previewFoot}>
          <Button onClick={() => void copyLink(media, t)}>{t('copyLink')}</Button>
          <Button icon={<DownloadOutlined aria-hidden />} href={`${media.url}&download=1`}>
            {t('download')}
          </Button>
        </div>
      }
    >
      {query.isError && query.data === undefined ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <div className={css.preview}>
          <Stage media={media} />
          <div className={css.previewFacts}>
            <FactList media={media} />
            {query.isPending ? <Skeleton active title={false} paragraph={{ rows: 2 }} /> : <UsedBy media={media} />}
          </div>
        </div>
      )}
    </Modal>
  )
}

function Stage({ media }: { media: MediaDetail }) {
  const { t } = useTranslation('media')
  const [zoomed, setZoomed] = useState(false)
  // The address changes every ten minutes; what plays must not begin again because of it.
  const [url] = useState(media.url)
  if (media.kind === 'image' || media.kind === 'svg')
    return (
      <button
        type="button"
        className={`${css.stage} ${css.checker} ${zoomed ? css.zoomed : ''}`}
        onClick={() => setZoomed(!zoomed)}
        aria-label={zoomed ? t('zoomOut') : t('zoomIn')}
        aria-pressed={zoomed}
      >
        <img src={media.url} alt={media.name} />
      </button>
    )
  if (media.kind === 'audio')
    return (
      <div className={css.stage}>
        {/* biome-ignore lint/a11y/useMediaCaption: the sounds are people's own, without a text */}
        <audio controls preload="metadata" src={url} aria-label={media.name} />
      </div>
    )
  if (media.kind === 'video')
    return (
      <div className={css.stage}>
        {/* biome-ignore lint/a11y/useMediaCaption: the videos are people's own, without a text */}
        <video controls preload="metadata" src={url} aria-label={media.name} />
      </div>
    )
  return <div className={css.stage}>{t('noPreview')}</div>
}

function FactList({ media }: { media: MediaDetail }) {
  const { t } = useTranslation('media')
  const folders = useFolders()
  const path = folderPath(folders.data?.items ?? [], media.folderId)
  return (
    <Facts
      items={[
        { label: t('kindTitle'), value: `${t(`kind.${media.kind}`)} · ${media.contentType}` },
        { label: t('size'), value: formatBytes(media.size) },
        ...(media.width === null ? [] : [{ label: t('pixels'), value: `${media.width} × ${media.height}` }]),
        { label: t('folderTitle'), value: path || t('folder.none') },
        { label: t('tags'), value: media.tags.join(', ') || '–' },
        {
          label: t('createdAt'),
          value: (
            <>
              {media.createdBy} · <TimeText value={media.createdAt} />
            </>
          ),
        },
        ...(media.publicUrl === null
          ? [{ label: t('link'), value: t('privateText'), wide: true }]
          : [
              {
                label: t('publicLink'),
                value: <CopyId value={`${location.origin}${media.publicUrl}`} />,
                wide: true,
              },
            ]),
        { label: 'SHA-256', value: <CopyId value={media.sha256} />, wide: true },
      ]}
    />
  )
}

function UsedBy({ media }: { media: MediaDetail }) {
  const { t } = useTranslation('media')
  return (
    <section aria-label={t('usedBy')}>
      <h3 className={css.usedTitle}>{t('usedBy')}</h3>
      {media.usedBy.length === 0 ? (
        <p className={css.hint}>{t('usedByNobody')}</p>
      ) : (
        <ul className={css.usedList}>
          {media.usedBy.map(use => (
            <li key={`${use.objectType}/${use.objectId}`}>
              <span dir="auto" title={use.label}>
                {use.label}
              </span>
              <span className={css.hint}>
                {t(`object.${use.objectType}`, { defaultValue: use.objectType })} · <TimeText value={use.at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
