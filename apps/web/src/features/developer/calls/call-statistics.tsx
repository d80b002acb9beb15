import type { CallStatistics } from '@thingwright/contracts/developer.contract'
import { Skeleton } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import type { Read } from '../../../lib/server-state/use-read.ts'
import { Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import css from '../developer.module.css'
import own from './calls.module.css'
import { CallsChart } from './calls-chart.tsx'

/** As many rows as tell where the calls go; the filters lead to the rest. */
const ROWS = 10

/** Calls, errors and how long they took: as numbers, over time, by interface and by key. */
export function CallStatisticsView({
  query,
  onRoute,
  onKey,
}: {
  query: Read<CallStatistics>
  onRoute: (route: string) => void
  onKey: (keyId: string) => void
}) {
  const { t } = useTranslation('developer')
  if (query.isError)
    return (
      <Panel>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Panel>
    )
  if (!query.data)
    return (
      <Panel>
        <Skeleton active paragraph={{ rows: 6 }} />
      </Panel>
    )
  const { total, series, resolutionSeconds, routes, keys } = query.data
  const share = total.calls === 0 ? 0 : (total.errors / total.calls) * 100
  return (
    <>
      <div className={own.figures}>
        <Figure name={t('calls.total')} value={formatNumber(total.calls)} />
        <Figure
          name={t('calls.errors')}
          value={formatNumber(total.errors)}
          note={total.calls > 0 ? `${formatNumber(share, { decimals: 1 })} %` : ''}
        />
        <Figure name={t('calls.limited')} value={formatNumber(total.limited)} note={t('calls.limitedNote')} />
        <Figure
          name={t('calls.p95')}
          value={formatNumber(total.p95Ms)}
          note={total.p95Ms === null ? '' : `ms ${t('calls.atMost')}`}
        />
      </div>
      <Panel title={t('calls.overTime')}>
        {total.calls === 0 ? (
          <EmptyState title={t('calls.emptyTitle')} description={t('calls.emptyText')} />
        ) : (
          <CallsChart series={series} resolutionSeconds={resolutionSeconds} />
        )}
      </Panel>
      {total.calls > 0 && (
        <div className={css.twoPanels}>
          <Ranking
            title={t('calls.byRoute')}
            head={t('calls.route')}
            rows={routes.slice(0, ROWS).map(row => ({ ...row, key: row.route, name: row.route }))}
            onChoose={onRoute}
          />
          <Ranking
            title={t('calls.byKey')}
            head={t('calls.key')}
            rows={keys.slice(0, ROWS).map(row => ({ ...row, key: row.keyId }))}
            onChoose={onKey}
          />
        </div>
      )}
    </>
  )
}

function Figure({ name, value, note }: { name: string; value: string; note?: ReactNode }) {
  return (
    <section className={own.figure}>
      <h3>{name}</h3>
      <p>
        {value} {note && <small>{note}</small>}
      </p>
    </section>
  )
}

interface Row {
  key: string
  name: string
  calls: number
  errors: number
  p95Ms: number | null
}

function Ranking({
  title,
  head,
  rows,
  onChoose,
}: {
  title: string
  head: string
  rows: Row[]
  onChoose: (key: string) => void
}) {
  const { t } = useTranslation('developer')
  return (
    <Panel flush title={title}>
      <table className={css.table}>
        <thead>
          <tr>
            <th>{head}</th>
            <th className={css.number}>{t('calls.total')}</th>
            <th className={css.number}>{t('calls.errors')}</th>
            <th className={css.number}>p95 ms</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={row.key}>
              <th scope="row">
                <button
                  type="button"
                  className={css.nameLink}
                  title={row.name}
                  dir="auto"
                  onClick={() => onChoose(row.key)}
                >
                  {row.name}
                </button>
              </th>
              <td className={css.number}>{formatNumber(row.calls)}</td>
              <td className={css.number}>{formatNumber(row.errors)}</td>
              <td className={css.number}>{row.p95Ms === null ? '–' : formatNumber(row.p95Ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
