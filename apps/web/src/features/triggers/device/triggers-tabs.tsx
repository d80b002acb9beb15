import { PlusOutlined } from '@ant-design/icons'
import type { TriggerView } from '@thingwright/contracts/triggers.contract'
import { Button } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { DeviceTabProps } from '../../../lib/device-tabs.ts'
import { formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import type { ProductTabProps } from '../../../lib/product-tabs.ts'
import { usePages } from '../../../lib/server-state/use-pages.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { NameCell } from '../../../ui/list-page/name-cell.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { AlarmTag, StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { editAddress, newAddress, triggerAddress } from '../addresses.ts'
import { STATE_KIND } from '../lists.ts'
import { sentenceOf } from '../sentence.ts'
import css from '../triggers.module.css'

const PAGE = 50
const keyOf = (row: TriggerView) => row.id
const asIs = (identifier: string) => identifier

/** Triggers that watch a device, by whatever scope, and a way to add one for it. */
export function DeviceTriggersTab({ deviceId }: DeviceTabProps) {
  return <TriggersPanel about={{ deviceId }} />
}

/** Triggers that watch all devices of a product, and a way to add one. */
export function ProductTriggersTab({ productId }: ProductTabProps) {
  return <TriggersPanel about={{ productId }} />
}

function TriggersPanel({ about }: { about: { deviceId: string } | { productId: string } }) {
  const of = 'deviceId' in about ? 'device' : 'product'
  const { t } = useTranslation('triggers')
  const navigate = useNavigate()
  const allowed = useMay('triggers.list')
  const mayWrite = useMay('triggers.update')
  const query = usePages('triggers.list', { query: { ...about, limit: PAGE } }, { enabled: allowed })
  const rows = query.data?.pages.flatMap(page => page.items) ?? []
  const columns = useMemo<ListColumn<TriggerView>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        minWidth: 184,
        required: true,
        render: row => <NameCell name={row.name} id={row.id} to={triggerAddress(row.id)} />,
      },
      {
        key: 'state',
        title: t('state'),
        width: 112,
        render: row => (
          <StatusTag kind={STATE_KIND[row.state]} {...(row.fault ? { title: row.fault.message } : {})}>
            {t(`states.${row.state}`)}
          </StatusTag>
        ),
      },
      {
        key: 'condition',
        title: t('condition'),
        minWidth: 200,
        rank: 2,
        render: row => {
          const text = sentenceOf(row, t, asIs)
          return <span title={text}>{text}</span>
        },
      },
      {
        key: 'level',
        title: t('level'),
        width: 96,
        rank: 1,
        render: row => (row.alarm ? <AlarmTag level={row.alarm.level} /> : '–'),
      },
      {
        key: 'open',
        title: t('openAlarms'),
        width: 96,
        align: 'right',
        rank: 3,
        render: row => formatNumber(row.openAlarms),
      },
      {
        key: 'lastRunAt',
        title: t('lastRunAt'),
        width: 120,
        render: row => <TimeText value={row.lastRunAt} fallback={t('never')} />,
      },
    ],
    [t],
  )
  if (!allowed) return <NoPermissionState of="triggers.list" />
  const create = (
    <PermissionGate of="triggers.create">
      <Button icon={<PlusOutlined aria-hidden />} onClick={() => void navigate(newAddress(about))}>
        {t('add')}
      </Button>
    </PermissionGate>
  )
  return (
    <Panel title={t('title')} hint={t(`hintOf.${of}`)} actions={create} flush>
      {query.isError && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.isPending && rows.length === 0 ? (
        <EmptyState title={t(`noneOf.${of}`)} description={t('emptyText')} />
      ) : (
        <DataTable
          label={t('title')}
          columns={columns}
          rows={rows}
          rowKey={keyOf}
          actions={row => [
            mayWrite
              ? { key: 'edit', label: t('edit'), to: editAddress(row.id) }
              : { key: 'open', label: t('open'), to: triggerAddress(row.id) },
            { key: 'runs', label: t('tab.runs'), to: triggerAddress(row.id, 'runs') },
          ]}
          skeleton={query.isPending ? 4 : 0}
        />
      )}
      {query.hasNextPage && (
        <div className={css.moreRow}>
          <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t('loadMore')}
          </Button>
        </div>
      )}
    </Panel>
  )
}
