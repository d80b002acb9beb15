import { InboxOutlined, UploadOutlined } from '@ant-design/icons'
import type { MediaView } from '@thingwright/contracts/media.contract'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { BatchAction, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import type { BatchKind } from '../components/batch-dialogs.tsx'
import { FolderTree } from '../components/folder-tree.tsx'
import { MediaCard } from '../components/media-card.tsx'
import { mediaColumns } from '../components/media-columns.tsx'
import { UploadPanel } from '../components/upload-panel.tsx'
import { UsageBar } from '../components/usage-bar.tsx'
import { useFileDrop } from '../components/use-file-drop.ts'
import { fetchMedia, folderPath, KINDS, MaterialsOf, useFolders, useMediaChanged, useUsage } from '../hooks.ts'
import css from '../media.module.css'
import { copyLink } from '../media-link.ts'
import { addUploads, onUploaded } from '../upload-queue.ts'

const MediaPreview = lazy(async () => ({ default: (await import('../components/media-preview.tsx')).MediaPreview }))
const EditMediaDrawer = lazy(async () => ({ default: (await import('../components/edit-drawer.tsx')).EditMediaDrawer }))
const ReplaceDialog = lazy(async () => ({ default: (await import('../components/replace-dialog.tsx')).ReplaceDialog }))
const BatchDialog = lazy(async () => ({ default: (await import('../components/batch-dialogs.tsx')).BatchDialog }))

type Open =
  | { kind: 'preview' | 'edit' | 'replace'; media: MediaView }
  | { kind: 'batch'; batch: BatchKind; items: MediaView[] }

const keyOf = (media: MediaView) => media.id

/** Materials of the company, of an end user his own; with `userId` those of an end user whom the person sees. */
export function MediaPage() {
  const [params] = useSearchParams()
  const userId = params.get('userId')
  return (
    <MaterialsOf value={userId === '' ? null : userId}>
      <Materials userId={userId === '' ? null : userId} />
    </MaterialsOf>
  )
}

/** A grid with folders at the left, uploads by dropping files anywhere. */
function Materials({ userId }: { userId: string | null }) {
  const { t } = useTranslation('media')
  const mayWrite = useMay('media.update')
  // What is uploaded is always the person's own.
  const mayAdd = mayWrite && userId === null
  const mayNameUser = useMay('endUsers.get') && userId !== null
  const userName = useRead('endUsers.get', { params: { id: userId ?? '' } }, { enabled: mayNameUser }).data?.name
  const mayDelete = useMay('media.remove')
  const folders = useFolders().data?.items
  const tags = useUsage().data?.tags
  const changed = useMediaChanged()
  const input = useRef<HTMLInputElement>(null)
  const [open, setOpen] = useState<Open | null>(null)
  useEffect(() => onUploaded(changed), [changed])

  const filters = useMemo<ListFilter[]>(() => {
    const yesNo = (key: 'used' | 'public') => ({
      key,
      label: t(`filter.${key}`),
      options: [
        { value: '1', label: t(`filter.${key}Yes`) },
        { value: '0', label: t(`filter.${key}No`) },
      ],
    })
    return [
      { key: 'kind', label: t('kindTitle'), options: KINDS.map(value => ({ value, label: t(`kind.${value}`) })) },
      {
        key: 'tag',
        label: t('tag'),
        open: true,
        options: (tags ?? []).map(({ tag }) => ({ value: tag, label: tag })),
      },
      yesNo('used'),
      yesNo('public'),
      {
        key: 'folderId',
        label: t('folderTitle'),
        chipOnly: true,
        display: id => (id === 'root' ? t('folder.none') : folderPath(folders ?? [], id) || '…'),
      },
      { key: 'userId', label: t('ofUser'), chipOnly: true, display: () => userName ?? '…' },
    ]
  }, [t, tags, folders, userName])
  const state = useListState(filters)
  const folderId = state.filters.folderId ?? null
  const target = folderId === 'root' ? null : folderId
  const upload = (files: File[]) => addUploads(files, target)
  const dropping = useFileDrop(mayAdd ? upload : null)

  const rowActions = useCallback(
    (media: MediaView): RowAction[] => [
      { key: 'preview', label: t('preview'), onClick: () => setOpen({ kind: 'preview', media }) },
      { key: 'copy', label: t('copyLink'), onClick: () => void copyLink(media, t) },
      ...(mayWrite
        ? [
            { key: 'edit', label: t('edit'), onClick: () => setOpen({ kind: 'edit', media }) },
            { key: 'replace', label: t('replace'), onClick: () => setOpen({ kind: 'replace', media }) },
          ]
        : []),
      ...(mayDelete
        ? [
            {
              key: 'remove',
              label: t('remove'),
              danger: true,
              onClick: () => setOpen({ kind: 'batch', batch: 'remove', items: [media] }),
            },
          ]
        : []),
    ],
    [t, mayWrite, mayDelete],
  )
  const batchActions = useMemo<BatchAction<MediaView>[]>(() => {
    const action = (batch: BatchKind, of: 'media.batch' | 'media.removeMany') => ({
      key: batch,
      label: t(`batch.${batch}`),
      of,
      danger: batch === 'remove',
      onClick: (items: MediaView[]) => setOpen({ kind: 'batch', batch, items }),
    })
    return [
      action('move', 'media.batch'),
      action('tag', 'media.batch'),
      action('untag', 'media.batch'),
      action('remove', 'media.removeMany'),
    ]
  }, [t])
  const columns = useMemo(
    () => mediaColumns(t, folders ?? [], media => setOpen({ kind: 'preview', media })),
    [t, folders],
  )
  const button = userId === null && (
    <PermissionGate of="media.update">
      <Button type="primary" icon={<UploadOutlined aria-hidden />} onClick={() => input.current?.click()}>
        {t('upload')}
      </Button>
    </PermissionGate>
  )
  const close = () => setOpen(null)
  return (
    <>
      <ListPage
        id="media"
        operation="media.list"
        fetchPage={fetchMedia}
        rowKey={keyOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('search')}
        title={t('title')}
        description={t('lead')}
        actions={button}
        aside={
          <FolderTree
            selected={folderId}
            onSelect={id => state.setFilter('folderId', id)}
            foot={<UsageBar />}
            mayAdd={userId === null}
          />
        }
        asideLabel={t('folders')}
        rowActions={rowActions}
        actionsWidth={176}
        batchActions={batchActions}
        renderCard={(media, selection) => (
          <MediaCard
            media={media}
            chosen={selection.selected}
            onChoose={mayWrite || mayDelete ? selection.toggle : null}
            onOpen={() => setOpen({ kind: 'preview', media })}
            actions={rowActions(media)}
          />
        )}
        initialLayout="cards"
        cardWidth={184}
        empty={{ title: t('emptyTitle'), description: t('emptyText'), action: button }}
        exportName="materials"
        exportPath="/api/v1/media/export"
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('upload')}
        data-testid="media-files"
        onChange={event => {
          const files = [...(event.target.files ?? [])]
          event.target.value = ''
          upload(files)
        }}
      />
      <UploadPanel />
      {dropping && (
        <div className={css.drop} aria-hidden="true">
          <InboxOutlined />
          <span>{target === null ? t('dropHere') : t('dropInto', { name: folderPath(folders ?? [], target) })}</span>
        </div>
      )}
      <Suspense>
        {open?.kind === 'preview' && <MediaPreview key={open.media.id} media={open.media} onClose={close} />}
        {open?.kind === 'edit' && <EditMediaDrawer media={open.media} onClose={close} />}
        {open?.kind === 'replace' && <ReplaceDialog media={open.media} onClose={close} />}
        {open?.kind === 'batch' && <BatchDialog kind={open.batch} items={open.items} onClose={close} />}
      </Suspense>
    </>
  )
}
