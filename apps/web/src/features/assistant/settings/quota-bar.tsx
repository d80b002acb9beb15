import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import css from './settings.module.css'

/** How much of the month's tokens is used up. */
export function QuotaBar({ used, limit }: { used: number; limit: number | null }) {
  const { t } = useTranslation('settings')
  const share = limit === null ? 0 : limit === 0 ? 1 : Math.min(1, used / limit)
  const level = share >= 1 ? 'full' : share >= 0.8 ? 'warning' : 'ok'
  return (
    <div className={css.quota} data-testid="quota">
      <div className={css.quotaHead}>
        <span>{t('quota.title')}</span>
        <span className={css.number}>
          {limit === null
            ? t('quota.none', { used: formatNumber(used) })
            : `${formatNumber(used)} / ${formatNumber(limit)}`}
        </span>
      </div>
      {limit !== null && (
        <div
          className={css.bar}
          data-level={level}
          role="progressbar"
          aria-label={t('quota.title')}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(share * 100)}
        >
          <span style={{ width: `${Math.max(share * 100, used > 0 ? 1 : 0)}%` }} />
        </div>
      )}
      {limit !== null && level !== 'ok' && <p className={css.note}>{t(`quota.${level}`)}</p>}
    </div>
  )
}
