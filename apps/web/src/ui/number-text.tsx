import { formatNumber } from '../lib/format.ts'
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
