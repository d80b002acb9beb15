import { ImportOutlined, PlusOutlined } from '@ant-design/icons'
import type { BatchTarget } from '@thingwright/contracts/command-batches.contract'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import type { Operation } from '../../../lib/api-client.ts'
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
import type { AllRows, BatchAction, ListReply, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { useListTab } from '../../../ui/list-page/use-list-tab.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { DEVICE_LINK, deviceAddress, newFirmwareCampaign } from '../addresses.ts'
import type { BatchAsk, BatchKind } from '../bulk/batch-dialog.tsx'
import { useValueColumns } from '../bulk/value-columns.tsx'
import { BatchCommand } from '../commands/batch-command.tsx'
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
const BatchDialog = lazy(async () => ({ default: (await import('../bulk/batch-dialog.tsx')).BatchDialog }))
const ImportDrawer = lazy(async () => ({ default: (await import('../bulk/import-drawer.tsx')).ImportDrawer }))
const LabelSheet = lazy(async () => ({ default: (await import('../bulk/label-sheet.tsx')).LabelSheet }))
const CompareDrawer = lazy(async () => ({ default: (await import('../bulk/compare-drawer.tsx')).CompareDrawer }))

type Open =
  | { kind: 'create' }
  | { kind: 'edit'; device: DeviceView }
  | { kind: 'ask'; question: DeviceQuestion; device: DeviceView }
  | { kind: 'import' }
  | { kind: 'batch'; ask: BatchAsk }
  | { kind: 'labels' | 'compare'; devices: DeviceView[] }
  | { kind: 'command'; target: BatchTarget; count: number; productId: string | null }

const keyOf = (device: DeviceView) => device.id
const hrefOf = (device: DeviceView) => deviceAddress(device.id)
const TABS = ['active', 'recycled'] as const
/** More lines could not be told apart. */
const COMPARED = 8
/** What one batch of chosen devices may name. */
const MAX_CHOSEN = 10_000

/** Devices of the company with their groups at the left; states change while one looks. A second tab is the recycle bin. */
export function DeviceListPage() {
  const { t } = useTranslation('devices')
  const { t: tb } = useTranslation('bulk')
  const cache = useCache()
  const navigate = useNavigate()
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
  const batchActions = useMemo<BatchAction<DeviceView>[]>(() => {
    const begin = (kind: BatchKind) => (devices: DeviceView[], all?: AllRows) => {
      const filter = {
        ...all?.filters,
        ...(all?.q ? { q: all.q } : {}),
        ...(recycled ? { lifecycle: 'recycled' } : {}),
      }
      setOpen({
        kind: 'batch',
        ask: {
          kind,
          target: all
            ? ({ filter } as BatchAsk['target'])
            : { ids: devices.slice(0, MAX_CHOSEN).map(device => device.id) },
          count: all?.count ?? Math.min(devices.length, MAX_CHOSEN),
          tags: [...new Set(devices.flatMap(device => device.tags))],
        },
      })
    }
    const action = (kind: BatchKind, of: Operation, danger = false) => ({
      key: kind,
      label: tb(`action.${kind}`),
      of,
      danger,
      onClick: begin(kind),
    })
    return recycled
      ? [action('restore', 'devices.restore'), action('purge', 'devices.remove', true)]
      : [
          {
            key: 'command',
            label: t('sendCommand'),
            of: 'commandBatches.create' as const,
            onClick: (devices, all) => {
              const products = new Set(devices.map(device => device.productId))
              const [only] = products
              setOpen({
                kind: 'command',
                target: all
                  ? ({ all: true, ...all.filters, ...(all.q ? { q: all.q } : {}) } as BatchTarget)
                  : { deviceIds: devices.map(device => device.id) },
                count: all?.count ?? devices.length,
                productId: all ? (all.filters.productId ?? null) : products.size === 1 ? (only ?? null) : null,
              })
            },
          },
          action('move', 'deviceBatches.create'),
          {
            key: 'firmware',
            label: tb('action.firmware'),
            of: 'otaCampaigns.create' as const,
            onClick: (devices, all) => {
              const products = new Set(devices.map(device => device.productId))
              const [only] = products
              if (all && all.count > devices.length) notify.warning(tb('firmwareChosen', { count: devices.length }))
              void navigate(newFirmwareCampaign(products.size === 1 ? only : undefined), {
                state: { deviceIds: devices.slice(0, MAX_CHOSEN).map(device => device.id) },
              })
            },
          },
          action('enable', 'deviceBatches.create'),
          action('disable', 'deviceBatches.create'),
          action('tags', 'deviceBatches.create'),
          action('offlineDelay', 'deviceBatches.create'),
          action('product', 'deviceBatches.create'),
          {
            key: 'labels',
            label: tb('action.labels'),
            onClick: devices => setOpen({ kind: 'labels', devices }),
          },
          {
            key: 'compare',
            label: tb('action.compare'),
            of: 'telemetry.series' as const,
            onClick: devices => setOpen({ kind: 'compare', devices: devices.slice(0, COMPARED) }),
          },
          action('recycle', 'devices.remove', true),
        ]
  }, [t, tb, recycled, navigate])
  const closeOpen = useCallback(() => setOpen(null), [])
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
        batchActions={batchActions}
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
        {open?.kind === 'batch' && (
          <BatchDialog ask={open.ask} onChanged={listsChanged} onClose={() => setOpen(null)} />
        )}
        {open?.kind === 'import' && (
          <ImportDrawer
            productId={state.filters.productId ?? null}
            onChanged={listsChanged}
            onClose={() => setOpen(null)}
          />
        )}
        {open?.kind === 'command' && (
          <BatchCommand target={open.target} count={open.count} productId={open.productId} onClose={closeOpen} />
        )}
        {open?.kind === 'labels' && <LabelSheet devices={open.devices} onClose={closeOpen} />}
        {open?.kind === 'compare' && <CompareDrawer devices={open.devices} onClose={() => setOpen(null)} />}
      </Suspense>
    </>
  )
}
