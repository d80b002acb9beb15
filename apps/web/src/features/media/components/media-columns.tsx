import { GlobalOutlined } from '@ant-design/icons'
import type { MediaFolderView, MediaView } from '@thingwright/contracts/media.contract'
import type { TFunction } from 'i18next'
import { formatBytes, formatDateTime } from '../../../lib/format.ts'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { NameCell } from '../../../ui/list-page/name-cell.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { folderPath } from '../hooks.ts'
import css from '../media.module.css'
import { MediaThumb } from './media-thumb.tsx'

/** Columns of the list view. */
export function mediaColumns(
  t: TFunction<'media'>,
  folders: readonly MediaFolderView[],
  onOpen: (media: MediaView) => void,
): ListColumn<MediaView>[] {
  return [
    {
      key: 'name',
      title: t('name'),
      minWidth: 240,
      required: true,
      sortKey: 'name',
      render: media => (
        <button type="button" className={css.nameOpen} onClick={() => onOpen(media)}>
          <NameCell name={media.name} icon={<MediaThumb media={media} small />} />
        </button>
      ),
      csv: media => media.name,
    },
    {
      key: 'kind',
      title: t('kindTitle'),
      width: 96,
      render: media => t(`kind.${media.kind}`),
      csv: media => t(`kind.${media.kind}`),
    },
    {
      key: 'size',
      title: t('size'),
      width: 96,
      align: 'right',
      sortKey: 'size',
      render: media => formatBytes(media.size),
      csv: media => media.size,
    },
    {
      key: 'pixels',
      title: t('pixels'),
      width: 120,
      rank: 1,
      render: media => (media.width === null ? '–' : `${media.width} × ${media.height}`),
      csv: media => (media.width === null ? '' : `${media.width}x${media.height}`),
    },
    {
      key: 'uses',
      title: t('uses'),
      width: 72,
      rank: 4,
      align: 'right',
      render: media => media.uses,
      csv: media => media.uses,
    },
    {
      key: 'folder',
      title: t('folderTitle'),
      width: 136,
      rank: 5,
      render: media => {
        const path = folderPath(folders, media.folderId)
        return <span title={path}>{path || '–'}</span>
      },
      csv: media => folderPath(folders, media.folderId),
    },
    {
      key: 'tags',
      title: t('tags'),
      width: 136,
      rank: 2,
      render: media => <span title={media.tags.join(', ')}>{media.tags.join(', ') || '–'}</span>,
      csv: media => media.tags.join(' '),
    },
    {
      key: 'public',
      title: t('link'),
      width: 88,
      rank: 3,
      render: media =>
        media.public ? (
          <span className={css.publicWord}>
            <GlobalOutlined aria-hidden /> {t('publicShort')}
          </span>
        ) : (
          t('privateShort')
        ),
      csv: media => (media.public ? t('publicShort') : t('privateShort')),
    },
    {
      key: 'createdBy',
      title: t('createdBy'),
      width: 112,
      initiallyHidden: true,
      render: media => <span title={media.createdBy}>{media.createdBy}</span>,
      csv: media => media.createdBy,
    },
    {
      key: 'updatedAt',
      title: t('updatedAt'),
      width: 132,
      sortKey: 'updatedAt',
      initiallyHidden: true,
      render: media => <TimeText value={media.updatedAt} />,
      csv: media => formatDateTime(media.updatedAt),
    },
    {
      key: 'createdAt',
      title: t('createdAt'),
      width: 132,
      rank: 1,
      sortKey: 'createdAt',
      render: media => <TimeText value={media.createdAt} />,
      csv: media => formatDateTime(media.createdAt),
    },
  ]
}
