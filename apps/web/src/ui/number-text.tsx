import { useTranslation } from 'react-i18next'
import { formatMoney, formatNumber } from '../lib/format.ts'
import css from './ui.module.css'

/** A number in tabular figures with thin grouping, unit after a thin space. */
export function NumberText({
  value,
  decimals,
  unit,
}: {
  value: number | string | null | undefined
  decimals?: number
  unit?: string
}) {
  return (
    <span className={css.number}>
      {formatNumber(value, {
        ...(decimals === undefined ? {} : { decimals }),
        ...(unit === undefined ? {} : { unit }),
      })}
    </span>
  )
}

/** Money from integer fen. */
export function Money({ amountFen }: { amountFen: number }) {
  useTranslation('common')
  return <span className={css.number}>{formatMoney(amountFen)}</span>
}
