import { PlusOutlined } from '@ant-design/icons'
import { LORA_GATEWAY_STATES } from '@thingwright/contracts/lora.words'
import type { LoraGatewayView } from '@thingwright/contracts/lora-gateways.contract'
import { Button, Tag } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { NameCell } from '../../ui/list-page/name-cell.tsx'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { ConnectionsButton } from './connections-button.tsx'
import { fetchGateways, GATEWAY_KIND, GATEWAYS, REGION, useConnections } from './hooks.ts'
import css from './lora.module.css'
import { MulticastButton } from './multicast-button.tsx'

const RemoveDialog = lazy(async () => ({ default: (await import('./remove-dialog.tsx')).RemoveDialog }))
const keyOf = (row: LoraGatewayView) => row.id
const hrefOf = (row: LoraGatewayView) => `${GATEWAYS}/edit?id=${row.id}`
const REFRESH_MS = 15_000

/** LoRaWAN gateways of all connections, with what ChirpStack says of their states. */
export function GatewaysPage() {
  const { t } = useTranslation('lora')
  const { items: connections, query } = useConnections()
  const mayWrite = useMay('loraGateways.update')
  const counts = useRead('loraGateways.counts', {}, { refetchInterval: REFRESH_MS }).data
  const [removing, setRemoving] = useState<LoraGatewayView | null>(null)
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('state'),
        options: LORA_GATEWAY_STATES.map(value => ({ value, label: t(`gateway.states.${value}`) })),
      },
      {
        key: 'connectionId',
        label: t('connection.one'),
        options: connections.map(({ id, name }) => ({ value: id, label: name })),
        open: true,
      },
    ],
    [t, connections],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<LoraGatewayView>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        minWidth: 220,
        required: true,
        sortKey: 'name',
        render: row => (
          <span className={css.nameCell}>
            <NameCell name={row.name} id={row.gatewayId} to={hrefOf(row)} />
            {row.simulated && <Tag>{t('simulated')}</Tag>}
          </span>
        ),
      },
      {
        key: 'state',
        title: t('state'),
        width: 128,
        required: true,
        render: row => <StatusTag kind={GATEWAY_KIND[row.state]}>{t(`gateway.states.${row.state}`)}</StatusTag>,
      },
      {
        key: 'lastSeenAt',
        title: t('gateway.lastSeen'),
        width: 140,
        sortKey: 'lastSeenAt',
        render: row => <TimeText value={row.lastSeenAt} fallback={t('never')} />,
      },
      {
        key: 'region',
        title: t('region.one'),
        width: 112,
        rank: 3,
        render: row =>
          row.regionConfigId ? (
            <Link to={`${REGION}?id=${encodeURIComponent(row.regionConfigId)}&connection=${row.connectionId}`}>
              {row.regionConfigId}
            </Link>
          ) : (
            '–'
          ),
      },
      {
        key: 'location',
        title: t('gateway.location'),
        width: 168,
        rank: 1,
        render: row => (row.location ? `${row.location.lat.toFixed(4)}, ${row.location.lng.toFixed(4)}` : '–'),
      },
      {
        key: 'connection',
        title: t('connection.one'),
        width: 136,
        rank: 1,
        render: row => (
          <span className={css.cut} title={row.connectionName} dir="auto">
            {row.connectionName}
          </span>
        ),
      },
      {
        key: 'createdAt',
        title: t('createdAt'),
        width: 132,
        rank: 2,
        sortKey: 'createdAt',
        render: row => <TimeText value={row.createdAt} />,
      },
    ],
    [t],
  )
  const rowActions = useCallback(
    (row: LoraGatewayView): RowAction[] => [
      { key: 'open', label: t('open'), to: hrefOf(row) },
      ...(mayWrite ? [{ key: 'remove', label: t('remove'), danger: true, onClick: () => setRemoving(row) }] : []),
    ],
    [t, mayWrite],
  )
  const none = query.data !== undefined && connections.length === 0
  const add = (
    <PermissionGate of="loraGateways.create">
      <Link to={`${GATEWAYS}/add`}>
        <Button type="primary" icon={<PlusOutlined aria-hidden />}>
          {t('gateway.add')}
        </Button>
      </Link>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id="lora-gateways"
        operation="loraGateways.list"
        fetchPage={fetchGateways}
        rowKey={keyOf}
        rowHref={hrefOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('gateway.search')}
        title={t('gateway.title')}
        description={counts && counts.total > 0 ? t('gateway.summary', { ...counts }) : t('gateway.lead')}
        refreshMs={() => REFRESH_MS}
        actions={
          <>
            <Link to={REGION}>
              <Button>{t('region.title')}</Button>
            </Link>
            <MulticastButton />
            <ConnectionsButton />
            {add}
          </>
        }
        rowActions={rowActions}
        empty={
          none
            ? {
                title: t('connection.emptyTitle'),
                description: t('connection.emptyText'),
                action: <ConnectionsButton />,
              }
            : { title: t('gateway.emptyTitle'), description: t('gateway.emptyText'), action: add }
        }
        exportName="lora-gateways"
        exportPath="/api/v1/lora/gateways/export"
      />
      <Suspense>
        {removing && (
          <RemoveDialog
            of="loraGateways.remove"
            id={removing.id}
            name={removing.name}
            onClose={() => setRemoving(null)}
          />
        )}
      </Suspense>
    </>
  )
}
