import { useTranslation } from 'react-i18next'
import { formatDate, formatMoney, formatNumber } from '../../../lib/format.ts'
import type { Usage } from './hooks.ts'
import css from './settings.module.css'
import { axisTop, costText, monthDays } from './usage-days.ts'

const HEIGHT = 160

/** Tokens of every day as columns: what was asked with at the foot, what was answered above it; replies without a model as a count. */
export function UsageChart({ month, days }: { month: string; days: Usage['days'] }) {
  const { t } = useTranslation('settings')
  const columns = monthDays(month, days)
  const most = Math.max(...columns.map(({ prompt, completion }) => prompt + completion))
  const top = axisTop(most)
  const height = (value: number) => (value / top) * HEIGHT
  return (
    <figure className={css.chart}>
      <div className={css.plot}>
        <div className={css.axis} aria-hidden="true">
          <span>{formatNumber(top)}</span>
          <span>{formatNumber(top / 2)}</span>
          <span>0</span>
        </div>
        <svg
          viewBox={`0 0 ${columns.length * 10} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={t('usage.chart', { month })}
          data-testid="usage-chart"
        >
          {[0, HEIGHT / 2, HEIGHT].map(y => (
            <line key={y} x1="0" x2={columns.length * 10} y1={y} y2={y} className={css.gridLine} />
          ))}
          {columns.map(({ day, replies, prompt, completion, costFen }, at) => (
            <g key={day}>
              <title>
                {t('usage.column', {
                  day: formatDate(`${day}T00:00:00`),
                  replies: formatNumber(replies),
                  prompt: formatNumber(prompt),
                  completion: formatNumber(completion),
                  cost: costText(costFen, formatMoney),
                })}
              </title>
              <rect className={css.columnHit} x={at * 10} y="0" width="10" height={HEIGHT} />
              <rect
                className={css.prompt}
                x={at * 10 + 2}
                y={HEIGHT - height(prompt)}
                width="6"
                height={height(prompt)}
              />
              <rect
                className={css.completion}
                x={at * 10 + 2}
                y={HEIGHT - height(prompt + completion)}
                width="6"
                height={height(completion)}
              />
            </g>
          ))}
        </svg>
      </div>
      <figcaption className={css.legend}>
        <span>{formatDate(`${columns[0]!.day}T00:00:00`)}</span>
        <span>
          <i className={css.promptSign} /> {t('usage.prompt')} <i className={css.completionSign} />{' '}
          {t('usage.completion')}
        </span>
        <span>{formatDate(`${columns.at(-1)!.day}T00:00:00`)}</span>
      </figcaption>
    </figure>
  )
}
