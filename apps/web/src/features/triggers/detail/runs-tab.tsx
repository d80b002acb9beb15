import type { TriggerRunView, TriggerView } from '@thingwright/contracts/triggers.contract'
import { RUN_CAUSES } from '@thingwright/contracts/triggers.words'
import { Button, Select } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { every } from '../../../lib/every.ts'
import { formatDateTime, formatDuration, formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { usePages } from '../../../lib/server-state/use-pages.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { alarmAddress, deviceAddress } from '../addresses.ts'
import type { ActionKind } from '../lists.ts'
import css from '../triggers.module.css'

const PAGE = 50
const REREAD_MS = 5_000
const CAUSE_KIND = { raised: 'error', cleared: 'success', paused: 'warning' } as const
const RESULT_KIND = { pending: 'processing', done: 'success', failed: 'error', skipped: 'neutral' } as const

const keyOf = (row: TriggerRunView) => row.id

/** What a trigger did: when, for which device, because of which values, each action with its result. */
export function RunsTab({ view }: { view: TriggerView }) {
  const { t } = useTranslation('triggers')
  const [cause, setCause] = useState<(typeof RUN_CAUSES)[number] | null>(null)
  const query = usePages(
    'triggers.runs',
    { params: { id: view.id }, query: { limit: PAGE, ...(cause === null ? {} : { cause }) } },
    { enabled: useMay('triggers.runs'), refetchInterval: every(REREAD_MS), keep: true },
  )
  const rows = query.data?.pages.flatMap(page => page.items) ?? []
  const columns = useMemo<ListColumn<TriggerRunView>[]>(
    () => [
      { key: 'at', title: t('time'), width: 184, required: true, render: row => formatDateTime(row.at) },
      {
        key: 'cause',
        title: t('cause'),
        width: 112,
        required: true,
        render: row => <StatusTag kind={CAUSE_KIND[row.cause]}>{t(`causes.${row.cause}`)}</StatusTag>,
      },
      {
        key: 'device',
        title: t('device'),
        minWidth: 144,
        render: row =>
          row.deviceId ? (
            <Link to={deviceAddress(row.deviceId)} title={row.deviceNo ?? ''} dir="auto">
              {row.deviceName}
            </Link>
          ) : (
            t('allDevices')
          ),
      },
      {
        key: 'values',
        title: t('values'),
        minWidth: 144,
        rank: 2,
        render: row => {
          const text = row.values
            .map(
              each =>
                `${each.property} = ${typeof each.value === 'number' ? formatNumber(each.value) : JSON.stringify(each.value)}`,
            )
            .join(t('comma'))
          return <span title={text}>{text || '–'}</span>
        },
      },
      {
        key: 'actions',
        title: t('actions'),
        minWidth: 200,
        required: true,
        render: row =>
          row.actions.length === 0 ? (
            '–'
          ) : (
            <span className={css.results}>
              {row.actions.map(action => (
                <StatusTag
                  key={action.index}
                  kind={RESULT_KIND[action.result]}
                  title={[action.message, action.latencyMs === null ? null : formatDuration(action.latencyMs)]
                    .filter(Boolean)
                    .join(' · ')}
                >
                  {t(`action.${action.kind as ActionKind}`, { defaultValue: action.kind })}{' '}
                  {t(`results.${action.result}`)}
                </StatusTag>
              ))}
            </span>
          ),
      },
      {
        key: 'latency',
        title: t('latency'),
        width: 96,
        rank: 1,
        align: 'right',
        render: row => formatNumber(row.latencyMs, { unit: 'ms' }),
      },
    ],
    [t],
  )
  return (
    <Panel
      title={t('tab.runs')}
      hint={t('runsHint')}
      flush
      actions={
        <Select
          aria-label={t('cause')}
          allowClear
          className={css.number ?? ''}
          placeholder={t('cause')}
          value={cause}
          options={RUN_CAUSES.map(value => ({ value, label: t(`causes.${value}`) }))}
          onChange={next => setCause(next ?? null)}
        />
      }
    >
      {query.isError && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.isPending && rows.length === 0 ? (
        <EmptyState title={t('noRuns')} description={t('noRunsText')} />
      ) : (
        <DataTable
          label={t('tab.runs')}
          columns={columns}
          rows={rows}
          rowKey={keyOf}
          density="dense"
          actions={row => (row.alarmId ? [{ key: 'alarm', label: t('openAlarm'), to: alarmAddress(row.alarmId) }] : [])}
          actionsWidth={112}
          skeleton={query.isPending ? 6 : 0}
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
