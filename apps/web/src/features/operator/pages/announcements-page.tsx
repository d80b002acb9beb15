import { PlusOutlined } from '@ant-design/icons'
import type { AnnouncementView } from '@thingwright/contracts/operator.contract'
import { ANNOUNCEMENT_STATES } from '@thingwright/contracts/operator.words'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { fetchAnnouncements } from '../hooks.ts'

const AnnouncementDrawer = lazy(async () => ({
  default: (await import('../components/announcement-drawer.tsx')).AnnouncementDrawer,
}))

const KIND = { draft: 'neutral', published: 'success', expired: 'disabled', withdrawn: 'disabled' } as const
const keyOf = (row: AnnouncementView) => row.id

/** What the platform tells its companies. */
export function AnnouncementsPage() {
  const { t } = useTranslation('operator')
  const told = { done: () => notify.success(t('saved')) }
  const { run: publish } = useAct('operator.publishAnnouncement', told)
  const { run: withdraw } = useAct('operator.withdrawAnnouncement', told)
  const { run: remove } = useAct('operator.removeAnnouncement', told)
  const [open, setOpen] = useState<AnnouncementView | 'new' | null>(null)
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'status',
        label: t('state'),
        options: ANNOUNCEMENT_STATES.map(value => ({ value, label: t(`announced.${value}`) })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo(() => columnsOf(t), [t])
  const rowActions = useCallback(
    (row: AnnouncementView): RowAction[] => [
      ...(row.status === 'draft'
        ? [
            { key: 'publish', label: t('publish'), onClick: () => void publish({ params: { id: row.id } }) },
            { key: 'edit', label: t('edit'), onClick: () => setOpen(row) },
          ]
        : []),
      ...(row.status === 'published'
        ? [
            {
              key: 'withdraw',
              label: t('withdraw'),
              danger: true,
              onClick: () => void withdraw({ params: { id: row.id } }),
            },
          ]
        : []),
      ...(row.status === 'draft' || row.status === 'withdrawn'
        ? [
            {
              key: 'remove',
              label: t('remove'),
              danger: true,
              onClick: () => void remove({ params: { id: row.id } }),
            },
          ]
        : []),
    ],
    [t, publish, withdraw, remove],
  )
  const create = (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setOpen('new')}>
      {t('addAnnouncement')}
    </Button>
  )
  return (
    <>
      <ListPage
        id="operator-announcements"
        operation="operator.announcements"
        fetchPage={fetchAnnouncements}
        rowKey={keyOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder=""
        title={t('announcements')}
        description={t('announcementsLead')}
        actions={create}
        rowActions={rowActions}
        empty={{ title: t('noAnnouncements'), description: t('noAnnouncementsText'), action: create }}
        exportName="announcements"
      />
      <Suspense>
        {open && <AnnouncementDrawer row={open === 'new' ? null : open} onClose={() => setOpen(null)} />}
      </Suspense>
    </>
  )
}

function columnsOf(t: ReturnType<typeof useTranslation<'operator'>>['t']): ListColumn<AnnouncementView>[] {
  return [
    {
      key: 'title',
      title: t('announcementTitle'),
      minWidth: 260,
      required: true,
      render: row => row.title[locale()],
      csv: row => row.title[locale()],
    },
    {
      key: 'status',
      title: t('state'),
      width: 120,
      render: row => <StatusTag kind={KIND[row.status]}>{t(`announced.${row.status}`)}</StatusTag>,
      csv: row => t(`announced.${row.status}`),
    },
    {
      key: 'level',
      title: t('level'),
      width: 100,
      rank: 2,
      render: row => t(`levels.${row.level}`),
      csv: row => t(`levels.${row.level}`),
    },
    {
      key: 'audience',
      title: t('audience'),
      width: 180,
      rank: 1,
      render: row => audienceOf(t, row),
      csv: row => audienceOf(t, row),
    },
    {
      key: 'publishedAt',
      title: t('publishedAt'),
      width: 150,
      render: row => <TimeText value={row.publishedAt} />,
      csv: row => (row.publishedAt ? formatDateTime(row.publishedAt) : ''),
    },
    {
      key: 'expiresAt',
      title: t('shownUntil'),
      width: 150,
      rank: 3,
      render: row => (row.expiresAt ? <TimeText value={row.expiresAt} /> : t('noEnd')),
      csv: row => (row.expiresAt ? formatDateTime(row.expiresAt) : ''),
    },
  ]
}

function audienceOf(t: ReturnType<typeof useTranslation<'operator'>>['t'], row: AnnouncementView): string {
  if (row.tenantIds) return t('someCompanies', { count: row.tenantIds.length })
  return row.statuses ? row.statuses.map(status => t(`status.${status}`)).join(', ') : t('everyCompany')
}
