import { PlusOutlined } from '@ant-design/icons'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { SubDeviceView } from '@thingwright/contracts/sub-devices.contract'
import { Button, Modal } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { Panel, Stack } from '../../../ui/panel.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { deviceAddress } from '../addresses.ts'
import { LinkTag } from '../components/device-state.tsx'
import { AddSubDeviceDrawer } from './add-sub-device-drawer.tsx'
import { BindDrawer } from './bind-drawer.tsx'
import { MyGateway } from './my-gateway.tsx'
import css from './sub-devices.module.css'
import { Topology } from './topology.tsx'
import { useNodeType, useSubDevices } from './use-sub-devices.ts'

/** Of a gateway: the devices it speaks for. Of any other device: the gateway it is bound to. */
export function SubDevicesTab({ device }: { device: DeviceView }) {
  const nodeType = useNodeType(device.productId)
  if (nodeType === undefined) return null
  return nodeType === 'gateway' ? <Below device={device} /> : <MyGateway device={device} />
}

function Below({ device }: { device: DeviceView }) {
  const { t } = useTranslation('sub-devices')
  const mayWrite = useMay('subDevices.unbind')
  const [q, setQ] = useState('')
  const [open, setOpen] = useState<'bind' | 'add' | null>(null)
  const [leaving, setLeaving] = useState<SubDeviceView | null>(null)
  const query = useSubDevices(device.id, q)
  const rows = useMemo(() => query.data?.pages.flatMap(page => page.items) ?? [], [query.data])
  const total = query.data?.pages[0]?.total ?? rows.length
  const columns = useMemo<ListColumn<SubDeviceView>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        minWidth: 220,
        render: row => (
          <span className={css.cell}>
            <Link to={deviceAddress(row.id)} title={row.name} dir="auto">
              {row.name}
            </Link>
            <code title={row.deviceNo}>{row.deviceNo}</code>
          </span>
        ),
      },
      {
        key: 'product',
        title: t('product'),
        width: 200,
        rank: 2,
        render: row => <span title={row.productName}>{row.productName}</span>,
      },
      {
        key: 'address',
        title: t('address'),
        width: 160,
        rank: 1,
        render: row =>
          row.subAddress === null ? <span className={css.quiet}>{t('byNumber')}</span> : <code>{row.subAddress}</code>,
      },
      { key: 'link', title: t('state'), width: 120, render: row => <LinkTag device={row} /> },
      { key: 'seen', title: t('lastSeen'), width: 160, render: row => <TimeText value={row.lastSeenAt} /> },
    ],
    [t],
  )
  const empty = !query.isPending && rows.length === 0
  const tools = (
    <div className={css.tools}>
      {(q !== '' || !empty) && <SearchField value={q} onChange={setQ} label={t('search')} className={css.search} />}
      {mayWrite && (
        <>
          <Button onClick={() => setOpen('bind')}>{t('bind')}</Button>
          <Button type="primary" icon={<PlusOutlined />} onClick={() => setOpen('add')}>
            {t('add')}
          </Button>
        </>
      )}
    </div>
  )
  return (
    <Stack>
      {rows.length > 0 && q === '' && (
        <Panel title={t('topology')} hint={t('topologyHint')}>
          <Topology gateway={device} devices={rows} total={total} />
        </Panel>
      )}
      <Panel title={t('title', { count: total })} hint={t('hint')} actions={tools} flush>
        {query.isError && !query.data ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : empty ? (
          q === '' ? (
            <EmptyState title={t('empty')} description={t('emptyText')} />
          ) : (
            <EmptyState onClear={() => setQ('')} />
          )
        ) : (
          <DataTable
            label={t('title', { count: total })}
            columns={columns}
            rows={rows}
            rowKey={row => row.id}
            actions={
              mayWrite ? row => [{ key: 'unbind', label: t('unbind'), onClick: () => setLeaving(row) }] : undefined
            }
            actionsWidth={96}
            skeleton={query.isPending ? 6 : 0}
          />
        )}
        {query.hasNextPage && (
          <div className={css.foot}>
            <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {t('more')}
            </Button>
          </div>
        )}
      </Panel>
      {open === 'bind' && <BindDrawer gateway={device} onClose={() => setOpen(null)} />}
      {open === 'add' && <AddSubDeviceDrawer gateway={device} onClose={() => setOpen(null)} />}
      {leaving && <Unbind gateway={device} device={leaving} onClose={() => setLeaving(null)} />}
    </Stack>
  )
}

function Unbind({ gateway, device, onClose }: { gateway: DeviceView; device: SubDeviceView; onClose: () => void }) {
  const { t } = useTranslation('sub-devices')
  const unbind = useAct('subDevices.unbind', {
    done: () => {
      notify.success(t('unbound', { name: device.name }))
      onClose()
    },
  })
  return (
    <Modal
      open
      title={t('unbindTitle', { name: device.name })}
      okText={t('unbind')}
      cancelText={t('cancel')}
      confirmLoading={unbind.pending}
      onCancel={onClose}
      onOk={() => void unbind.run({ params: { id: gateway.id, subId: device.id } })}
    >
      {t('unbindText')}
    </Modal>
  )
}
