import type { OtaReport } from '@thingwright/contracts/ota.contract'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import css from '../ota.module.css'
import own from './campaigns.module.css'

const HEIGHT = 160

/** Devices told, updated and failed over the time of a campaign; every column says its numbers. */
export function ReportChart({ points }: { points: OtaReport['timeline'] }) {
  const { t } = useTranslation('ota')
  if (points.length === 0) return <p className={css.muted}>{t('report.noTimeline')}</p>
  const most = Math.max(1, ...points.map(point => Math.max(point.notified, point.succeeded + point.failed)))
  const part = (count: number) => (count / most) * HEIGHT
  return (
    <figure className={own.chart}>
      <figcaption className={css.legend}>
        {(['notified', 'succeeded', 'failed'] as const).map(key => (
          <span key={key} data-key={key}>
            {t(`report.${key}`)}
          </span>
        ))}
        <span className={css.muted}>{t('report.most', { text: formatNumber(most) })}</span>
      </figcaption>
      <ol className={own.columns} style={{ height: HEIGHT }}>
        {points.map(point => {
          const words = (['notified', 'succeeded', 'failed'] as const).map(
            key => `${t(`report.${key}`)} ${formatNumber(point[key])}`,
          )
          const title = `${formatDateTime(point.at)}\n${words.join(' · ')}`
          return (
            <li key={point.at} title={title}>
              <span className={own.hidden}>{title}</span>
              <span className={css.told} style={{ height: part(point.notified) }} />
              <span className={css.ended}>
                <span data-key="failed" style={{ height: part(point.failed) }} />
                <span data-key="succeeded" style={{ height: part(point.succeeded) }} />
              </span>
            </li>
          )
        })}
      </ol>
      <div className={own.axis}>
        <span>{formatDateTime(points[0]?.at)}</span>
        <span>{formatDateTime(points.at(-1)?.at)}</span>
      </div>
    </figure>
  )
}
