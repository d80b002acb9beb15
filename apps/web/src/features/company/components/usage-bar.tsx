import type { UsageView } from '@thingwright/contracts/company.contract'
import { useTranslation } from 'react-i18next'
import { formatBytes, formatNumber } from '../../../lib/format.ts'
import css from '../company.module.css'

/** How much of a quota is used. */
export function UsageBar({ item: { kind, used, limit, level } }: { item: UsageView }) {
  const { t } = useTranslation('company')
  const show = (value: number) => (kind === 'mediaBytes' ? formatBytes(value) : formatNumber(value))
  const share = limit === null ? 0 : limit === 0 ? 1 : Math.min(1, used / limit)
  return (
    <div data-testid={`usage-${kind}`}>
      <div className={css.usageHead}>
        <span>{t(`quota.${kind}`)}</span>
        <span className={css.number}>
          {limit === null ? `${show(used)} · ${t('noLimit')}` : `${show(used)} / ${show(limit)}`}
        </span>
      </div>
      {limit !== null && (
        <div
          className={css.bar}
          data-level={level}
          role="progressbar"
          aria-label={t(`quota.${kind}`)}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(share * 100)}
        >
          <span style={{ width: `${Math.max(share * 100, used > 0 ? 1 : 0)}%` }} />
        </div>
      )}
      {level !== 'ok' && <p className={css.usageNote}>{t(`level.${level}`)}</p>}
    </div>
  )
}
