import { DownOutlined } from '@ant-design/icons'
import { API_PATHS } from '@thingwright/contracts/api-paths'
import type { VideoChannelView } from '@thingwright/contracts/video.contract'
import { VIDEO_SOURCES, VIDEO_STATES } from '@thingwright/contracts/video.words'
import { Button, Dropdown, Tag } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { formatDateTime } from '../../lib/format.ts'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { AuthPicture } from '../../ui/auth-picture.tsx'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { NameCell } from '../../ui/list-page/name-cell.tsx'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { AccountsButton } from './accounts-button.tsx'
import { CHANNEL_KIND, channelAddress, fetchChannels, useAccounts } from './hooks.ts'
import css from './video.module.css'
import type { VideoTabs } from './video-page.tsx'

const CameraDrawer = lazy(async () => ({ default: (await import('./camera-drawer.tsx')).CameraDrawer }))
const AccountsDrawer = lazy(async () => ({ default: (await import('./accounts-drawer.tsx')).AccountsDrawer }))
const AddCamera = lazy(async () => ({ default: (await import('./add-camera.tsx')).AddCamera }))
const AddAddress = lazy(async () => ({ default: (await import('./add-address.tsx')).AddAddress }))
const EditDrawer = lazy(async () => ({ default: (await import('./edit-drawer.tsx')).EditDrawer }))
const RemoveDialog = lazy(async () => ({ default: (await import('./remove-dialog.tsx')).RemoveDialog }))

const keyOf = (row: VideoChannelView) => row.id
const REFRESH_MS = 15_000

type Open = { kind: 'accounts' | 'camera' | 'address' } | { kind: 'edit' | 'remove'; channel: VideoChannelView }

/** The cameras of all accounts, and those that were added by the address of their stream. */
export function CameraList({ tabs }: { tabs: VideoTabs }) {
  const { t } = useTranslation('video')
  const [params, setParams] = useSearchParams()
  const [open, setOpen] = useState<Open | null>(null)
  const { allowed: seesAccounts, items: accounts, query: accountsRead } = useAccounts()
  const mayWrite = useMay('videoChannels.update')
  const mayAddCamera = useMay('videoAccounts.addDevice') && seesAccounts
  const counts = useRead(
    'videoChannels.counts',
    {},
    { refetchInterval: REFRESH_MS, enabled: useMay('videoChannels.counts') },
  ).data
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('state'),
        options: VIDEO_STATES.map(value => ({ value, label: t(`states.${value}`) })),
      },
      {
        key: 'bound',
        label: t('device'),
        options: (['yes', 'no'] as const).map(value => ({ value, label: t(`boundIs.${value}`) })),
      },
      {
        key: 'source',
        label: t('source'),
        options: VIDEO_SOURCES.map(value => ({ value, label: t(`sources.${value}`) })),
      },
      ...(seesAccounts
        ? [
            {
              key: 'accountId',
              label: t('account.one'),
              options: accounts.map(({ id, name }) => ({ value: id, label: name })),
              open: true,
            },
          ]
        : []),
    ],
    [t, accounts, seesAccounts],
  )
  const state = useListState(filters)
  const show = useCallback(
    (id: string | null) =>
      setParams(now => {
        const next = new URLSearchParams(now)
        if (id === null) next.delete('channel')
        else next.set('channel', id)
        return next
      }),
    [setParams],
  )
  const columns = useMemo<ListColumn<VideoChannelView>[]>(
    () => [
      {
        key: 'name',
        title: t('camera'),
        minWidth: 216,
        required: true,
        sortKey: 'name',
        render: row => (
          <NameCell
            name={row.name}
            to={channelAddress(row.id)}
            {...(row.serial === null ? {} : { id: numberOf(row) })}
          />
        ),
        csv: row => row.name,
      },
      {
        key: 'cover',
        title: t('cover'),
        width: 104,
        rank: 4,
        render: row =>
          row.cover === null ? (
            '–'
          ) : (
            <button
              type="button"
              className={css.cover}
              aria-label={t('coverOf', { name: row.name })}
              onClick={() => show(row.id)}
            >
              <AuthPicture id={row.cover} alt="" />
            </button>
          ),
      },
      {
        key: 'state',
        title: t('state'),
        width: 112,
        required: true,
        render: row => <StatusTag kind={CHANNEL_KIND[row.state]}>{t(`states.${row.state}`)}</StatusTag>,
        csv: row => t(`states.${row.state}`),
      },
      {
        key: 'device',
        title: t('device'),
        minWidth: 144,
        rank: 6,
        render: row =>
          row.deviceId ? (
            <Link
              className={css.cut}
              to={`/manage/device/DeviceSet/DeviceCenter?id=${row.deviceId}&tab=camera`}
              title={row.deviceName ?? ''}
              dir="auto"
            >
              {row.deviceName}
            </Link>
          ) : (
            '–'
          ),
        csv: row => row.deviceName ?? '',
      },
      {
        key: 'source',
        title: t('source'),
        minWidth: 136,
        rank: 3,
        render: row => (
          <span className={css.cut} title={row.accountName ?? row.streamUrl ?? ''} dir="auto">
            {row.accountName ?? t('sources.address')}
          </span>
        ),
        csv: row => row.accountName ?? t('sources.address'),
      },
      {
        key: 'marks',
        title: t('marks'),
        width: 136,
        rank: 5,
        render: row => (
          <span className={css.tags}>
            {row.armed && <Tag>{t('armed')}</Tag>}
            {row.encrypted && (
              <Tag className={row.hasCode ? '' : (css.missing ?? '')}>
                {t(row.hasCode ? 'encrypted' : 'codeMissing')}
              </Tag>
            )}
            {!row.armed && !row.encrypted && '–'}
          </span>
        ),
      },
      {
        key: 'model',
        title: t('model'),
        width: 120,
        rank: 1,
        render: row => row.model || '–',
        csv: row => row.model,
      },
      {
        key: 'snapshotAt',
        title: t('snapshotAt'),
        width: 132,
        rank: 2,
        render: row => <TimeText value={row.snapshotAt} fallback={t('never')} />,
      },
      {
        key: 'syncedAt',
        title: t('syncedAt'),
        width: 132,
        initiallyHidden: true,
        render: row => <TimeText value={row.syncedAt} fallback={t('never')} />,
      },
      {
        key: 'createdAt',
        title: t('createdAt'),
        width: 132,
        rank: 2,
        sortKey: 'createdAt',
        render: row => <TimeText value={row.createdAt} />,
        csv: row => formatDateTime(row.createdAt),
      },
    ],
    [t, show],
  )
  const rowActions = useCallback(
    (row: VideoChannelView): RowAction[] => [
      { key: 'play', label: t('play'), onClick: () => show(row.id) },
      ...(mayWrite
        ? [
            { key: 'edit', label: t('edit'), onClick: () => setOpen({ kind: 'edit' as const, channel: row }) },
            {
              key: 'remove',
              label: t('remove'),
              danger: true,
              onClick: () => setOpen({ kind: 'remove' as const, channel: row }),
            },
          ]
        : []),
    ],
    [t, show, mayWrite],
  )
  const none = seesAccounts && accountsRead.data !== undefined && accounts.length === 0
  const add = (
    <PermissionGate of="videoChannels.create">
      <Dropdown
        trigger={['click']}
        menu={{
          items: [
            ...(mayAddCamera ? [{ key: 'camera', label: t('add.camera') }] : []),
            { key: 'address', label: t('add.address') },
          ],
          onClick: ({ key }) => setOpen({ kind: key as 'camera' | 'address' }),
        }}
      >
        <Button type="primary">
          {t('add.title')}
          <DownOutlined aria-hidden />
        </Button>
      </Dropdown>
    </PermissionGate>
  )
  const accountsButton = <AccountsButton onOpen={() => setOpen({ kind: 'accounts' })} />
  const close = () => setOpen(null)
  const shown = params.get('channel')
  return (
    <>
      <ListPage
        id="video-channels"
        operation="videoChannels.list"
        fetchPage={fetchChannels}
        rowKey={keyOf}
        rowHref={row => channelAddress(row.id)}
        columns={columns}
        filters={filters}
        state={state}
        tabs={tabs}
        searchPlaceholder={t('search')}
        title={t('title')}
        description={counts && counts.total > 0 ? t('summary', { ...counts }) : t('lead')}
        actions={
          <>
            {accountsButton}
            {add}
          </>
        }
        rowActions={rowActions}
        empty={
          none
            ? { title: t('account.emptyTitle'), description: t('account.emptyText'), action: accountsButton }
            : { title: t('emptyTitle'), description: t('emptyText'), action: add }
        }
        exportName="cameras"
        exportPath={API_PATHS['videoChannels.export'][1]}
        refreshMs={() => REFRESH_MS}
      />
      <Suspense>
        {shown !== null && <CameraDrawer id={shown} onClose={() => show(null)} />}
        {open?.kind === 'accounts' && <AccountsDrawer onClose={close} />}
        {open?.kind === 'camera' && <AddCamera onClose={close} />}
        {open?.kind === 'address' && <AddAddress onClose={close} />}
        {open?.kind === 'edit' && <EditDrawer channel={open.channel} onClose={close} />}
        {open?.kind === 'remove' && (
          <RemoveDialog
            channel={open.channel}
            onClose={close}
            onRemoved={() => {
              if (shown === open.channel.id) show(null)
            }}
          />
        )}
      </Suspense>
    </>
  )
}

/** Serial and channel, as the vendor's app shows them. */
const numberOf = ({ serial, channelNo }: VideoChannelView) =>
  channelNo === null || channelNo === 1 ? `${serial}` : `${serial}:${channelNo}`
