import { useTranslation } from 'react-i18next'
import { formatBytes } from '../../../lib/format.ts'
import { useUsage } from '../hooks.ts'
import css from '../media.module.css'

/** How much room is taken, and of how much. */
export function UsageBar() {
  const { t } = useTranslation('media')
  const { data } = useUsage()
  if (!data) return null
  const share = data.quotaBytes === null || data.quotaBytes === 0 ? null : Math.min(1, data.usedBytes / data.quotaBytes)
  const level = share === null || share < 0.8 ? '' : share < 1 ? css.usageHigh : css.usageFull
  return (
    <div className={css.usage} data-testid="media-usage">
      <div className={css.usageHead}>
        <span>{t('room')}</span>
        <span className={css.usageNumbers}>
          {data.quotaBytes === null
            ? formatBytes(data.usedBytes)
            : `${formatBytes(data.usedBytes)} / ${formatBytes(data.quotaBytes)}`}
        </span>
      </div>
      {share !== null && (
        <div
          className={`${css.usageBar} ${level}`}
          role="progressbar"
          aria-label={t('room')}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(share * 100)}
        >
          <span style={{ width: `${Math.max(share * 100, data.usedBytes > 0 ? 1 : 0)}%` }} />
        </div>
      )}
      {share !== null && share >= 0.8 && <p className={css.usageNote}>{share >= 1 ? t('roomFull') : t('roomHigh')}</p>}
    </div>
  )
}
