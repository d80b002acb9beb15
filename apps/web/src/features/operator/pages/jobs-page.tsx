import type { OperatorTask } from '@thingwright/contracts/operator.contract'
import { TASK_STATES } from '@thingwright/contracts/tasks.words'
import { useCallback, useEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useCache } from '../../../lib/server-state/cache.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { NameCell } from '../../../ui/list-page/name-cell.tsx'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { fetchJobs } from '../hooks.ts'

const KIND = {
  queued: 'neutral',
  running: 'processing',
  succeeded: 'success',
  partial: 'warning',
  failed: 'error',
  cancelled: 'disabled',
} as const
const REREAD_MS = 5_000
const keyOf = (row: OperatorTask) => row.id

/** Background tasks of every company. */
export function JobsPage() {
  const { t } = useTranslation('operator')
  const mayWrite = useMay('operator.cancelJob')
  const cache = useCache()
  const { run: cancel } = useAct('operator.cancelJob', { done: () => notify.success(t('jobCancelled')) })
  const { run: retry } = useAct('operator.retryJob', { done: () => notify.success(t('jobRetried')) })
  const filters = useMemo<ListFilter[]>(
    () => [
      { key: 'state', label: t('state'), options: TASK_STATES.map(value => ({ value, label: t(`job.${value}`) })) },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo(() => columnsOf(t), [t])
  // Other companies' tasks have no live topic: the list is read again while it is looked at.
  useEffect(() => {
    const timer = setInterval(
      () => document.visibilityState === 'visible' && void cache.touch('operator.jobs'),
      REREAD_MS,
    )
    return () => clearInterval(timer)
  }, [cache])
  const rowActions = useCallback(
    (row: OperatorTask): RowAction[] =>
      !mayWrite
        ? []
        : row.state === 'queued' || row.state === 'running'
          ? [
              {
                key: 'cancel',
                label: t('cancelJob'),
                danger: true,
                onClick: () => void cancel({ params: { id: row.id } }),
              },
            ]
          : row.state === 'failed' || row.state === 'cancelled'
            ? [{ key: 'retry', label: t('retryJob'), onClick: () => void retry({ params: { id: row.id } }) }]
            : [],
    [t, mayWrite, cancel, retry],
  )
  return (
    <ListPage
      id="operator-jobs"
      operation="operator.jobs"
      fetchPage={fetchJobs}
      rowKey={keyOf}
      columns={columns}
      filters={filters}
      state={state}
      searchPlaceholder=""
      title={t('jobs')}
      description={t('jobsLead')}
      rowActions={rowActions}
      empty={{ title: t('noJobs') }}
      exportName="tasks"
    />
  )
}

function columnsOf(t: ReturnType<typeof useTranslation<'operator'>>['t']): ListColumn<OperatorTask>[] {
  return [
    {
      key: 'title',
      title: t('jobTitle'),
      minWidth: 220,
      required: true,
      render: row => <NameCell name={row.title[locale()]} id={row.kind} />,
      csv: row => row.title[locale()],
    },
    { key: 'company', title: t('company'), width: 180, render: row => row.companyName, csv: row => row.companyName },
    {
      key: 'state',
      title: t('state'),
      width: 120,
      render: row => (
        <StatusTag kind={KIND[row.state]} {...(row.error ? { title: row.error.message } : {})}>
          {t(`job.${row.state}`)}
        </StatusTag>
      ),
      csv: row => t(`job.${row.state}`),
    },
    {
      key: 'progress',
      title: t('progress'),
      width: 120,
      align: 'right',
      render: row => `${formatNumber(row.done)}${row.total === null ? '' : ` / ${formatNumber(row.total)}`}`,
      csv: row => row.done,
    },
    {
      key: 'failed',
      title: t('failedCount'),
      width: 90,
      rank: 2,
      align: 'right',
      render: row => formatNumber(row.failedCount),
      csv: row => row.failedCount,
    },
    {
      key: 'owner',
      title: t('startedBy'),
      width: 130,
      rank: 1,
      render: row => row.ownerName,
      csv: row => row.ownerName,
    },
    {
      key: 'createdAt',
      title: t('createdAt'),
      width: 140,
      render: row => <TimeText value={row.createdAt} />,
      csv: row => formatDateTime(row.createdAt),
    },
  ]
}
