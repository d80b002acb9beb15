import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { EndUserView } from '@thingwright/contracts/end-users.contract'
import { Button } from 'antd'
import { useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, type Query } from '../../../lib/api-client.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { BatchAction, FetchPage, ListColumn, ListFilter } from '../../../ui/list-page/list-types.ts'
import { NameCell } from '../../../ui/list-page/name-cell.tsx'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { deviceAddress } from '../addresses.ts'
import { AssignDialog } from './assign-dialog.tsx'
import { MoveDialog } from './move-dialog.tsx'

const NO_FILTERS: readonly ListFilter[] = []
const keyOf = (row: DeviceView) => row.id
const KIND = { online: 'online', offline: 'offline', never: 'neutral' } as const

type Open = { kind: 'assign' } | { kind: 'takeBack' | 'transfer'; devices: DeviceView[] }

/** Devices of an end user and of those below him: given, taken back, handed over. */
export function DevicesTab({ user }: { user: EndUserView }) {
  const { t } = useTranslation('end-users')
  const [open, setOpen] = useState<Open | null>(null)
  const state = useListState(NO_FILTERS)
  const fetchPage = useCallback<FetchPage<DeviceView>>(
    ({ filters: _, ...input }, signal) =>
      call('devices.list', { query: { ...input, userId: user.id } as Query<'devices.list'>, signal }),
    [user.id],
  )
  const columns = useMemo<ListColumn<DeviceView>[]>(
    () => [
      {
        key: 'name',
        title: t('device'),
        minWidth: 200,
        required: true,
        sortKey: 'name',
        render: row => <NameCell name={row.name} id={row.deviceNo} to={deviceAddress(row.id)} />,
        csv: row => row.name,
      },
      {
        key: 'owner',
        title: t('owner'),
        width: 160,
        render: row => row.owner?.name ?? '–',
        csv: row => row.owner?.name ?? '',
      },
      {
        key: 'product',
        title: t('product'),
        width: 160,
        rank: 1,
        render: row => row.productName,
        csv: row => row.productName,
      },
      {
        key: 'link',
        title: t('link'),
        width: 112,
        render: row => <StatusTag kind={KIND[row.link]}>{t(`links.${row.link}`)}</StatusTag>,
        csv: row => t(`links.${row.link}`),
      },
      {
        key: 'lastSeenAt',
        title: t('lastSeenAt'),
        width: 132,
        render: row => <TimeText value={row.lastSeenAt} />,
        csv: row => row.lastSeenAt ?? '',
      },
    ],
    [t],
  )
  const batchActions = useMemo<BatchAction<DeviceView>[]>(
    () => [
      {
        key: 'transfer',
        label: t('transfer'),
        of: 'endUsers.transfer',
        onClick: devices => setOpen({ kind: 'transfer', devices }),
      },
      {
        key: 'takeBack',
        label: t('takeBack'),
        of: 'endUsers.takeBack',
        danger: true,
        onClick: devices => setOpen({ kind: 'takeBack', devices }),
      },
    ],
    [t],
  )
  const assign = (
    <PermissionGate of="endUsers.assign">
      <Button type="primary" onClick={() => setOpen({ kind: 'assign' })}>
        {t('assign')}
      </Button>
    </PermissionGate>
  )
  const close = useCallback(() => setOpen(null), [])
  return (
    <>
      <ListPage
        id="end-user-devices"
        operation="devices.list"
        fetchPage={fetchPage}
        rowKey={keyOf}
        columns={columns}
        filters={NO_FILTERS}
        state={state}
        searchPlaceholder={t('searchDevices')}
        title={t('devicesOf', { name: user.name })}
        actions={assign}
        batchActions={batchActions}
        empty={{ title: t('noDevices'), description: t('noDevicesText'), action: assign }}
        exportName="end-user-devices"
      />
      {open?.kind === 'assign' && <AssignDialog user={user} onClose={close} />}
      {open && open.kind !== 'assign' && (
        <MoveDialog user={user} devices={open.devices} what={open.kind} onClose={close} />
      )}
    </>
  )
}
