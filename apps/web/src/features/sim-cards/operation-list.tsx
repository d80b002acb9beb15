import type { OperationView } from '@thingwright/contracts/sim-cards.contract'
import { CARD_ACTIONS, OPERATION_STATES } from '@thingwright/contracts/sim-cards.words'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDateTime } from '../../lib/format.ts'
import { personName } from '../../lib/person-name.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { addressOf, fetchOperations, type ListProps, OPERATION_KIND } from './hooks.ts'

const keyOf = (row: OperationView) => row.id
const REFRESH_MS = 3_000
const refresh = (rows: readonly OperationView[]) =>
  rows.some(({ state }) => state === 'queued' || state === 'submitted') ? REFRESH_MS : false

/** What was asked of the carrier and what came of it, newest first. */
export function OperationList({ carrier, tabs }: ListProps) {
  const { t } = useTranslation('sim-cards')
  const fetchPage = useMemo(() => fetchOperations(carrier), [carrier])
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('result'),
        options: OPERATION_STATES.map(value => ({ value, label: t(`operationStates.${value}`) })),
      },
      {
        key: 'action',
        label: t('action'),
        options: CARD_ACTIONS.map(value => ({ value, label: t(`actions.${value}`) })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<OperationView>[]>(() => {
    const reasonOf = (row: OperationView) => [row.code, row.reason].filter(Boolean).join(' ')
    return [
      {
        key: 'createdAt',
        title: t('time'),
        width: 132,
        required: true,
        render: row => <TimeText value={row.createdAt} />,
        csv: row => formatDateTime(row.createdAt),
      },
      {
        key: 'card',
        title: t('card'),
        minWidth: 190,
        required: true,
        render: row => <Link to={`${addressOf(carrier)}?card=${row.cardId}`}>{row.iccid}</Link>,
        csv: row => row.iccid,
      },
      {
        key: 'action',
        title: t('action'),
        width: 120,
        required: true,
        render: row => t(`actions.${row.action}`),
        csv: row => t(`actions.${row.action}`),
      },
      {
        key: 'state',
        title: t('result'),
        width: 128,
        required: true,
        render: row => <StatusTag kind={OPERATION_KIND[row.state]}>{t(`operationStates.${row.state}`)}</StatusTag>,
        csv: row => t(`operationStates.${row.state}`),
      },
      {
        key: 'reason',
        title: t('reason'),
        minWidth: 180,
        rank: 3,
        render: row =>
          reasonOf(row) || (row.state === 'queued' ? t('notBefore', { time: formatDateTime(row.notBefore) }) : '–'),
        csv: reasonOf,
      },
      {
        key: 'carrierNo',
        title: t('carrierNo'),
        width: 170,
        rank: 1,
        render: row => row.carrierNo ?? '–',
        csv: row => row.carrierNo ?? '',
      },
      {
        key: 'by',
        title: t('by'),
        width: 120,
        rank: 2,
        render: row => personName(row.byName),
        csv: row => personName(row.byName, ''),
      },
    ]
  }, [t, carrier])
  return (
    <ListPage
      id={`sim-card-operations-${carrier}`}
      operation="simCards.operations"
      about={carrier}
      fetchPage={fetchPage}
      rowKey={keyOf}
      columns={columns}
      filters={filters}
      state={state}
      tabs={tabs}
      searchPlaceholder={t('searchOperations')}
      title={t(`title.${carrier}`)}
      description={t('operationsLead')}
      empty={{ title: t('operationsEmpty'), description: t('operationsEmptyText') }}
      exportName="sim-card-operations"
      refreshMs={refresh}
    />
  )
}
