import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { percentDone, SHARES, sharesOf } from '../words.ts'
import css from './components.module.css'

/** How far the devices of a campaign are: done, failed, on their way, waiting, as parts of one bar with the numbers beside. */
export function ShareBar({
  counts,
  total,
  wide = false,
}: {
  counts: Readonly<Record<string, number>>
  total: number
  wide?: boolean
}) {
  const { t } = useTranslation('ota')
  const shares = sharesOf(counts)
  const words = SHARES.filter(share => shares[share] > 0).map(
    share => `${t(`share.${share}`)} ${formatNumber(shares[share])}`,
  )
  const percent = percentDone(total, shares)
  return (
    <span className={`${css.shareBar} ${wide ? css.wideBar : ''}`} title={words.join(' · ')}>
      <span
        className={css.shares}
        role="progressbar"
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-label={[t('progress'), ...words].join(' · ')}
      >
        {total > 0 &&
          SHARES.map(share =>
            shares[share] === 0 ? null : (
              <span key={share} data-share={share} style={{ width: `${(shares[share] / total) * 100}%` }} />
            ),
          )}
      </span>
      {!wide && (
        <span className={css.shareText}>
          {formatNumber(shares.ok)}
          {shares.bad > 0 && <span className={css.bad}> ✕{formatNumber(shares.bad)}</span>} / {formatNumber(total)}
        </span>
      )}
    </span>
  )
}
