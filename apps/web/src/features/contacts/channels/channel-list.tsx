import { PlusOutlined } from '@ant-design/icons'
import { CHANNEL_KINDS } from '@thingwright/contracts/contacts.words'
import type { NotificationChannelView } from '@thingwright/contracts/notification-channels.contract'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { fetchChannels, type Tabs } from '../hooks.ts'

const ChannelDrawer = lazy(async () => ({ default: (await import('./channel-drawer.tsx')).ChannelDrawer }))
const TestDialog = lazy(async () => ({ default: (await import('./channel-dialogs.tsx')).TestDialog }))
const RemoveDialog = lazy(async () => ({ default: (await import('./channel-dialogs.tsx')).RemoveChannelDialog }))
const PolicyDrawer = lazy(async () => ({ default: (await import('./policy-drawer.tsx')).PolicyDrawer }))

const keyOf = (row: NotificationChannelView) => row.id
type Open = { kind: 'create' | 'policy' } | { kind: 'edit' | 'test' | 'remove'; row: NotificationChannelView } | null

/** Accounts and robots through which messages leave. */
export function ChannelList({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('contacts')
  const mayWrite = useMay('notificationChannels.update')
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'kind',
        label: t('channel.kind'),
        options: CHANNEL_KINDS.map(value => ({ value, label: t(`way.${value}`) })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const [open, setOpen] = useState<Open>(null)
  const rowActions = useCallback(
    (row: NotificationChannelView): RowAction[] =>
      mayWrite
        ? [
            { key: 'test', label: t('channel.test'), onClick: () => setOpen({ kind: 'test', row }) },
            { key: 'edit', label: t('edit'), onClick: () => setOpen({ kind: 'edit', row }) },
            { key: 'remove', label: t('remove'), danger: true, onClick: () => setOpen({ kind: 'remove', row }) },
          ]
        : [],
    [t, mayWrite],
  )
  const columns = useMemo<ListColumn<NotificationChannelView>[]>(() => {
    const kindOf = (row: NotificationChannelView) =>
      [t(`way.${row.kind}`), t(`provider.${row.provider}`), ...(row.simulated ? [t('channel.simulated')] : [])].join(
        ' · ',
      )
    const stateOf = (row: NotificationChannelView) =>
      row.fault ? t('channel.fault', { reason: row.fault }) : t(row.enabled ? 'channel.on' : 'channel.off')
    return [
      {
        key: 'name',
        title: t('channel.name'),
        minWidth: 180,
        required: true,
        render: row => row.name,
        csv: row => row.name,
      },
      { key: 'kind', title: t('channel.kind'), minWidth: 180, render: kindOf, csv: kindOf },
      { key: 'state', title: t('state'), minWidth: 180, render: stateOf, csv: stateOf },
      {
        key: 'createdAt',
        title: t('createdAt'),
        width: 132,
        rank: 1,
        render: row => <TimeText value={row.createdAt} />,
        csv: row => formatDateTime(row.createdAt),
      },
    ]
  }, [t])
  const create = (
    <PermissionGate of="notificationChannels.create">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setOpen({ kind: 'create' })}>
        {t('channel.add')}
      </Button>
    </PermissionGate>
  )
  const close = () => setOpen(null)
  return (
    <>
      <ListPage
        id="notification-channels"
        operation="notificationChannels.list"
        fetchPage={fetchChannels}
        rowKey={keyOf}
        columns={columns}
        filters={filters}
        state={state}
        tabs={tabs}
        searchPlaceholder={t('channel.search')}
        title={t('title')}
        description={t('lead')}
        actions={
          <>
            <Button onClick={() => setOpen({ kind: 'policy' })}>{t('policy.open')}</Button>
            {create}
          </>
        }
        rowActions={rowActions}
        empty={{ title: t('channel.emptyTitle'), description: t('channel.emptyText'), action: create }}
        exportName="notification-channels"
      />
      <Suspense>
        {open?.kind === 'create' && <ChannelDrawer channel={null} onClose={close} />}
        {open?.kind === 'policy' && <PolicyDrawer onClose={close} />}
        {open?.kind === 'edit' && <ChannelDrawer channel={open.row} onClose={close} />}
        {open?.kind === 'test' && <TestDialog channel={open.row} onClose={close} />}
        {open?.kind === 'remove' && <RemoveDialog channel={open.row} onClose={close} />}
      </Suspense>
    </>
  )
}
