import type { ReportRunView } from '@thingwright/contracts/reports.contract'
import { TIMED_RUN_STATES } from '@thingwright/contracts/timed-tasks.words'
import { useCallback, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { download } from '../../lib/api-client.ts'
import { formatBytes, formatDateTime, formatNumber } from '../../lib/format.ts'
import { personName } from '../../lib/person-name.ts'
import { useWork } from '../../lib/server-state/use-work.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../ui/list-page/list-types.ts'
import { useListState } from '../../ui/list-page/use-list-state.ts'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { fetchRuns, type Tabs } from './hooks.ts'
import { RUN_KIND } from './lists.ts'

const keyOf = (row: ReportRunView) => row.id
const REFRESH_MS = 2_000
/** What goes on is read again by itself. */
const refresh = (rows: readonly ReportRunView[]) =>
  rows.some(({ state }) => state === 'pending' || state === 'running') ? REFRESH_MS : false

/** What reports did, newest first: rows, size, who had the mail, why it failed. */
export function RunList({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('reports')
  const { attempt } = useWork()
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('result'),
        options: TIMED_RUN_STATES.map(value => ({ value, label: t(`runStates.${value}`) })),
      },
      { key: 'reportId', label: t('report'), open: true, chipOnly: true, display: () => t('oneReport') },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<ReportRunView>[]>(() => {
    const causeOf = (row: ReportRunView) =>
      row.cause === 'manual' ? `${t('causes.manual')} · ${personName(row.byName)}` : t('causes.schedule')
    const mailsOf = (row: ReportRunView) => {
      const sent = row.mails.filter(mail => mail.state === 'sent').length
      return t('mailsSent', { sent: formatNumber(sent), all: formatNumber(row.mails.length) })
    }
    const whyOf = (row: ReportRunView) => {
      const failed = row.mails.filter(mail => mail.state === 'failed')
      return [
        row.fault?.message,
        ...failed.map(({ name, address, reason }) => `${address ?? name}: ${reason ?? ''}`),
        row.missed > 0 ? t('missed', { count: row.missed }) : undefined,
      ]
        .filter(Boolean)
        .join(' · ')
    }
    return [
      {
        key: 'dueAt',
        title: t('dueAt'),
        width: 152,
        required: true,
        render: row => <TimeText value={row.dueAt} />,
        csv: row => formatDateTime(row.dueAt),
      },
      { key: 'name', title: t('report'), minWidth: 168, required: true, render: row => row.name, csv: row => row.name },
      { key: 'cause', title: t('cause'), width: 152, rank: 1, render: causeOf, csv: causeOf },
      {
        key: 'state',
        title: t('result'),
        width: 112,
        required: true,
        render: row => <StatusTag kind={RUN_KIND[row.state]}>{t(`runStates.${row.state}`)}</StatusTag>,
        csv: row => t(`runStates.${row.state}`),
      },
      {
        key: 'rows',
        title: t('rows'),
        width: 88,
        rank: 2,
        align: 'right',
        render: row => (row.rows === null ? '–' : formatNumber(row.rows)),
        csv: row => row.rows ?? '',
      },
      {
        key: 'size',
        title: t('size'),
        width: 96,
        rank: 3,
        align: 'right',
        render: row => (row.size === null ? '–' : formatBytes(row.size)),
        csv: row => row.size ?? '',
      },
      {
        key: 'mails',
        title: t('mails'),
        width: 112,
        rank: 4,
        render: row => (row.mails.length === 0 ? '–' : mailsOf(row)),
        csv: mailsOf,
      },
      {
        key: 'reason',
        title: t('reason'),
        minWidth: 176,
        rank: 5,
        render: row => <span title={whyOf(row)}>{whyOf(row) || '–'}</span>,
        csv: whyOf,
      },
    ]
  }, [t])
  const rowActions = useCallback(
    (row: ReportRunView): RowAction[] => {
      const { taskId: id, fileName } = row
      if (id === null || fileName === null) return []
      return [
        {
          key: 'download',
          label: t('download'),
          onClick: () => void attempt(() => download('tasks.download', fileName, { params: { id } })),
        },
      ]
    },
    [t, attempt],
  )
  return (
    <ListPage
      id="report-runs"
      operation="reports.runs"
      fetchPage={fetchRuns}
      rowKey={keyOf}
      columns={columns}
      filters={filters}
      state={state}
      searchPlaceholder=""
      title={t('title')}
      description={t('lead')}
      tabs={tabs}
      rowActions={rowActions}
      empty={{ title: t('noRuns'), description: t('noRunsText') }}
      exportName="report-runs"
      refreshMs={refresh}
    />
  )
}
