import { Button } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Reply } from '../../../lib/api-client.ts'
import { every } from '../../../lib/every.ts'
import { formatDateTime } from '../../../lib/format.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { transportName } from '../../../ui/transport-words.ts'
import { deviceAddress } from '../addresses.ts'

type Row = Reply<'diagnosis.refusedSignIns'>['items'][number]

const EVERY_MS = 15_000

/** Refused sign-ins with the product's key, also with numbers that no device has. */
export function RefusedSignIns({ productId }: { productId: string }) {
  const { t } = useTranslation('diagnose')
  const query = useRead('diagnosis.refusedSignIns', { params: { id: productId } }, { refetchInterval: every(EVERY_MS) })
  const columns = useMemo<ListColumn<Row>[]>(
    () => [
      { key: 'at', title: t('refusals.lastAt'), width: 184, render: row => formatDateTime(row.lastAt) },
      {
        key: 'deviceNo',
        title: t('refusals.deviceNo'),
        minWidth: 180,
        render: row =>
          row.deviceId === null ? (
            <code>{row.deviceNo || '–'}</code>
          ) : (
            <Link to={`${deviceAddress(row.deviceId)}&tab=diagnose`}>{row.deviceNo}</Link>
          ),
      },
      {
        key: 'reason',
        title: t('refusals.reason'),
        minWidth: 160,
        render: row => t(`reason.${row.reason}`, { defaultValue: row.reason }),
      },
      {
        key: 'from',
        title: t('refusals.from'),
        width: 240,
        render: row => `${row.address} · ${transportName(row.transport)}`,
      },
      { key: 'count', title: t('refusals.count'), width: 80, rank: 1, align: 'right', render: row => row.count },
    ],
    [t],
  )
  const rows = query.data?.items ?? []
  return (
    <Panel
      title={t('refusals.title')}
      hint={t('refusals.hint')}
      flush
      actions={
        <Button loading={query.isFetching} onClick={() => void query.refetch()}>
          {t('again')}
        </Button>
      }
    >
      {query.isError && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : rows.length === 0 && !query.isPending ? (
        <EmptyState title={t('refusals.none')} />
      ) : (
        <DataTable
          label={t('refusals.title')}
          columns={columns}
          rows={rows}
          rowKey={row => `${row.deviceNo}/${row.reason}/${row.transport}/${row.address}`}
          density="dense"
          skeleton={query.isPending ? 3 : 0}
        />
      )}
    </Panel>
  )
}
