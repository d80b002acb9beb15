import { ImportOutlined, PlusOutlined } from '@ant-design/icons'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { formatNumber } from '../../../lib/format.ts'
import { useLiveReads } from '../../../lib/live-reads.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { GroupFilter } from '../../../ui/group-tree/group-filter.tsx'
import { GroupTree } from '../../../ui/group-tree/group-tree.tsx'
import { groupsOf } from '../../../ui/group-tree/use-groups.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { ListReply, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { useListTab } from '../../../ui/list-page/use-list-tab.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { DEVICE_LINK, deviceAddress } from '../addresses.ts'
import { useDeviceBatches } from '../bulk/use-device-batches.tsx'
import { useValueColumns } from '../bulk/value-columns.tsx'
import { deviceColumns, recycledColumns } from '../components/device-columns.tsx'
import type { DeviceQuestion } from '../components/device-dialogs.tsx'
import { useDeviceFilters } from '../components/use-device-filters.ts'
import {
  DEVICE_LISTS,
  fetchDevices,
  fetchRecycled,
  patchDevice,
  patchedPage,
  statePatch,
  useDeviceChanged,
  useDeviceCounts,
} from '../hooks.ts'

const CreateDeviceDrawer = lazy(async () => ({
  default: (await import('../components/create-device-drawer.tsx')).CreateDeviceDrawer,
}))
const EditDeviceDrawer = lazy(async () => ({
  default: (await import('../components/edit-device-drawer.tsx')).EditDeviceDrawer,
}))
const DeviceDialog = lazy(async () => ({ default: (await import('../components/device-dialogs.tsx')).DeviceDialog }))
const ImportDrawer = lazy(async () => ({ default: (await import('../bulk/import-drawer.tsx')).ImportDrawer }))

type Open =
  | { kind: 'create' }
  | { kind: 'edit'; device: DeviceView }
  | { kind: 'ask'; question: DeviceQuestion; device: DeviceView }
  | { kind: 'import' }

const keyOf = (device: DeviceView) => device.id
const hrefOf = (device: DeviceView) => deviceAddress(device.id)
const TABS = ['active', 'recycled'] as const

/** Devices of the company with their groups at the left; states change while one looks. A second tab is the recycle bin. */
export function DeviceListPage() {
  const { t } = useTranslation('devices')
  const { t: tb } = useTranslation('bulk')
  const cache = useCache()
  const [params, setParams] = useSearchParams()
  const [tab, setTab] = useListTab(TABS)
  const recycled = tab === 'recycled'
  const [open, setOpen] = useState<Open | null>(null)
  const mayWrite = useMay('devices.create')
  const mayDelete = useMay('devices.remove')
  const mayConnect = useMay('devices.access')
  const counts = useDeviceCounts()
  const changed = useDeviceChanged()
  const listsChanged = () => void cache.touch(...DEVICE_LISTS)
  const filters = useDeviceFilters(recycled)
  const state = useListState(filters)
  const values = useValueColumns(recycled ? undefined : state.filters.productId)
  const columns = useMemo(
    () => (recycled ? recycledColumns(t) : [...deviceColumns(t), ...values]),
    [t, recycled, values],
  )
  const creating = params.get('create') === '1' && mayWrite

  const reads = useLiveReads([recycled ? null : 'devices/state'], 'devices.list', event => {
    const patch = statePatch(event.patch)
    patchDevice(cache, event.id, patch)
    return page => patchedPage(page as ListReply<DeviceView>, event.id, patch)
  })
  const fetchListed = useMemo(() => reads.read(fetchDevices), [reads])

  const told = (said: 'enableDone' | 'restoreDone') => ({
    touches: [groupsOf('device')],
    done: (device: DeviceView) => {
      changed(device)
      notify.success(t(said, { name: device.name }))
    },
  })
  const { run: enable } = useAct('devices.enable', told('enableDone'))
  const { run: restore } = useAct('devices.restore', told('restoreDone'))
  const ask = useCallback(
    (question: DeviceQuestion, device: DeviceView) => setOpen({ kind: 'ask', question, device }),
    [],
  )
  const rowActions = useCallback(
    (device: DeviceView): RowAction[] =>
      recycled
        ? mayDelete
          ? [
              {
                key: 'restore',
                label: t('restore'),
                onClick: () => void restore({ params: { id: device.id } }),
              },
              { key: 'purge', label: t('purge'), danger: true, onClick: () => ask('purge', device) },
            ]
          : []
        : [
            { key: 'open', label: t('open'), to: deviceAddress(device.id) },
            ...(mayConnect ? [{ key: 'link', label: t('connect'), to: deviceAddress(device.id, DEVICE_LINK) }] : []),
            ...(mayWrite
              ? [
                  { key: 'edit', label: t('edit'), onClick: () => setOpen({ kind: 'edit', device }) },
                  device.lifecycle === 'disabled'
                    ? {
                        key: 'enable',
                        label: t('enable'),
                        onClick: () => void enable({ params: { id: device.id } }),
                      }
                    : { key: 'disable', label: t('disable'), onClick: () => ask('disable', device) },
                ]
              : []),
            ...(mayDelete
              ? [{ key: 'recycle', label: t('recycle'), danger: true, onClick: () => ask('recycle', device) }]
              : []),
          ],
    [t, recycled, mayWrite, mayDelete, mayConnect, ask, restore, enable],
  )
  const batches = useDeviceBatches(recycled, listsChanged)
  const closeCreate = () => {
    setOpen(null)
    if (params.has('create'))
      setParams(
        before => {
          const next = new URLSearchParams(before)
          next.delete('create')
          return next
        },
        { replace: true },
      )
  }
  const create = (
    <PermissionGate of="devices.create">
      <Button icon={<ImportOutlined aria-hidden />} onClick={() => setOpen({ kind: 'import' })}>
        {tb('import')}
      </Button>
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setOpen({ kind: 'create' })}>
        {t('addDevice')}
      </Button>
    </PermissionGate>
  )
  const c = counts.data
  return (
    <>
      <ListPage
        key={tab}
        id={recycled ? 'devices-recycled' : 'devices'}
        operation="devices.list"
        {...(recycled ? { about: 'recycled' } : {})}
        fetchPage={recycled ? fetchRecycled : fetchListed}
        rowKey={keyOf}
        rowHref={recycled ? undefined : hrefOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('searchPlaceholder')}
        title={t('title')}
        description={
          c
            ? t('countsLine', {
                online: formatNumber(c.online),
                offline: formatNumber(c.offline),
                never: formatNumber(c.never),
                disabled: formatNumber(c.disabled),
              })
            : t('lead')
        }
        actions={create}
        tabs={{
          active: tab,
          onChange: setTab,
          items: [
            {
              key: 'active',
              label: c ? t('tabDevicesCount', { count: formatNumber(c.total) as never }) : t('tabDevices'),
            },
            {
              key: 'recycled',
              label: c ? t('tabRecycledCount', { count: formatNumber(c.recycled) as never }) : t('tabRecycled'),
            },
          ],
        }}
        aside={
          recycled ? undefined : (
            <GroupTree
              kind="device"
              title={t('groups')}
              allText={t('allDevices')}
              selected={state.filters.groupId ?? null}
              onSelect={id => state.setFilter('groupId', id)}
            />
          )
        }
        asideLabel={t('groups')}
        asideChoice={
          recycled ? undefined : (
            <GroupFilter
              kind="device"
              label={t('groups')}
              allText={t('allDevices')}
              selected={state.filters.groupId ?? null}
              onSelect={id => state.setFilter('groupId', id)}
            />
          )
        }
        rowActions={rowActions}
        batchActions={batches.actions}
        selectAll
        empty={
          recycled
            ? { title: t('recycledEmpty'), description: t('recycledEmptyText') }
            : { title: t('emptyTitle'), description: t('emptyText'), action: create }
        }
        exportName="devices"
        exportPath={`/api/v1/devices/export${recycled ? '?lifecycle=recycled' : ''}`}
      />
      <Suspense>
        {(open?.kind === 'create' || creating) && (
          <CreateDeviceDrawer
            productId={state.filters.productId ?? null}
            groupId={state.filters.groupId ?? null}
            onClose={closeCreate}
          />
        )}
        {open?.kind === 'edit' && <EditDeviceDrawer id={open.device.id} onClose={() => setOpen(null)} />}
        {open?.kind === 'ask' && (
          <DeviceDialog question={open.question} device={open.device} onClose={() => setOpen(null)} />
        )}
        {open?.kind === 'import' && (
          <ImportDrawer
            productId={state.filters.productId ?? null}
            onChanged={listsChanged}
            onClose={() => setOpen(null)}
          />
        )}
      </Suspense>
      {batches.dialogs}
    </>
  )
}
