import { API_PATHS } from '@thingwright/contracts/api-paths'
import type { TimedRunView } from '@thingwright/contracts/timed-tasks.contract'
import { TIMED_RUN_CAUSES, TIMED_RUN_STATES } from '@thingwright/contracts/timed-tasks.words'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { personName } from '../../../lib/person-name.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { fetchRuns, type Tabs } from '../hooks.ts'
import { RUN_KIND } from '../lists.ts'

const keyOf = (row: TimedRunView) => row.id
const REFRESH_MS = 2_000
/** What goes on is read again by itself. */
const refresh = (rows: readonly TimedRunView[]) =>
  rows.some(({ state }) => state === 'pending' || state === 'running') ? REFRESH_MS : false

/** What tasks and scenes did, newest first. */
export function RunList({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('timed-tasks')
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('result'),
        options: TIMED_RUN_STATES.map(value => ({ value, label: t(`runStates.${value}`) })),
      },
      {
        key: 'cause',
        label: t('cause'),
        options: TIMED_RUN_CAUSES.map(value => ({ value, label: t(`causes.${value}`) })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<TimedRunView>[]>(() => {
    const nameOf = (row: TimedRunView) => (row.edge ? `${row.name} · ${t(`edge.${row.edge}`)}` : row.name)
    const devicesOf = (row: TimedRunView) => {
      const sum = (key: 'done' | 'failed') => row.steps.reduce((total, step) => total + step[key], 0)
      const failed = sum('failed')
      return failed > 0
        ? t('devicesFailed', { done: formatNumber(sum('done')), failed: formatNumber(failed) })
        : t('devicesDone', { done: formatNumber(sum('done')) })
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
      { key: 'name', title: t('name'), minWidth: 184, required: true, render: nameOf, csv: nameOf },
      {
        key: 'cause',
        title: t('cause'),
        width: 176,
        rank: 1,
        render: row => `${t(`causes.${row.cause}`)} · ${personName(row.byName)}`,
        csv: row => `${t(`causes.${row.cause}`)} · ${personName(row.byName)}`,
      },
      {
        key: 'state',
        title: t('result'),
        width: 128,
        required: true,
        render: row => (
          <StatusTag kind={RUN_KIND[row.state]} {...(row.fault ? { title: row.fault.message } : {})}>
            {t(`runStates.${row.state}`)}
          </StatusTag>
        ),
        csv: row => t(`runStates.${row.state}`),
      },
      { key: 'devices', title: t('devices'), width: 168, rank: 2, render: devicesOf, csv: devicesOf },
      {
        key: 'reason',
        title: t('reason'),
        minWidth: 184,
        rank: 3,
        render: row => row.fault?.message ?? '–',
        csv: row => row.fault?.message ?? '',
      },
    ]
  }, [t])
  return (
    <ListPage
      id="timed-runs"
      operation="timedTasks.allRuns"
      fetchPage={fetchRuns}
      rowKey={keyOf}
      columns={columns}
      filters={filters}
      state={state}
      searchPlaceholder=""
      title={t('title')}
      description={t('lead')}
      tabs={tabs}
      empty={{ title: t('noRuns'), description: t('noRunsText') }}
      exportName="timed-runs"
      exportPath={API_PATHS['timedTasks.exportRuns'][1]}
      refreshMs={refresh}
    />
  )
}
