import type { CallStatistics } from '@thingwright/contracts/developer.contract'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import css from './calls.module.css'
import { columnsOf, roundUp } from './columns.ts'

const MOST = 96
const HEIGHT = 160

/** Calls over time as columns, the failed part of each at its foot. A table with the same numbers is read aloud. */
export function CallsChart({
  series,
  resolutionSeconds,
}: {
  series: CallStatistics['series']
  resolutionSeconds: number
}) {
  const { t } = useTranslation('developer')
  const columns = columnsOf(series, MOST)
  const top = roundUp(Math.max(...columns.map(({ calls }) => calls)))
  const words = (column: (typeof columns)[number]) =>
    t('calls.column', {
      at: formatDateTime(column.ts),
      calls: formatNumber(column.calls),
      errors: formatNumber(column.errors),
      p95: column.p95Ms === null ? '–' : formatNumber(column.p95Ms),
    })
  const height = (value: number) => (value / top) * HEIGHT
  return (
    <figure className={css.chart}>
      <div className={css.plot}>
        <div className={css.axis} aria-hidden="true">
          <span>{formatNumber(top)}</span>
          <span>{top % 2 === 0 ? formatNumber(top / 2) : ''}</span>
          <span>0</span>
        </div>
        <svg
          viewBox={`0 0 ${columns.length * 10} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={t('calls.chart')}
          data-testid="calls-chart"
        >
          {[0, HEIGHT / 2, HEIGHT].map(y => (
            <line key={y} x1="0" x2={columns.length * 10} y1={y} y2={y} className={css.gridLine} />
          ))}
          {columns.map((column, at) => (
            <g key={column.ts}>
              <title>{words(column)}</title>
              <rect className={css.columnHit} x={at * 10} y="0" width="10" height={HEIGHT} />
              <rect
                className={css.columnGood}
                x={at * 10 + 1}
                y={HEIGHT - height(column.calls)}
                width="8"
                height={height(column.calls - column.errors)}
              />
              <rect
                className={css.columnBad}
                x={at * 10 + 1}
                y={HEIGHT - height(column.errors)}
                width="8"
                height={height(column.errors)}
              />
            </g>
          ))}
        </svg>
      </div>
      <figcaption className={css.legend}>
        <span>{formatDateTime(columns[0]!.ts)}</span>
        <span>
          <i className={css.good} /> {t('calls.answered')} <i className={css.bad} /> {t('calls.errors')} ·{' '}
          {t('calls.step', { count: Math.round((resolutionSeconds * Math.ceil(series.length / MOST)) / 60) })}
        </span>
        <span>{formatDateTime(columns.at(-1)!.ts)}</span>
      </figcaption>
    </figure>
  )
}
