import { useTranslation } from 'react-i18next'
import { useNow } from '../../../ui/ticker.ts'
import css from '../money.module.css'

/** How long an order can still be paid, counted down. */
export function TimeLeft({ until }: { until: string }) {
  const { t } = useTranslation('money')
  const left = Math.max(0, Math.ceil((Date.parse(until) - useNow()) / 60_000))
  return <p className={css.muted}>{left > 0 ? t('pay.left', { minutes: left }) : t('pay.over')}</p>
}
