import type { StatementLine, StatementMark } from '@thingwright/contracts/meters.contract'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatMoney } from '../../lib/format.ts'
import css from './tariffs.module.css'

/** What was used at which price. */
export function Lines({ lines, unit }: { lines: readonly StatementLine[]; unit: string }) {
  const { t } = useTranslation('tariffs')
  if (lines.length === 0) return <p className={css.muted}>{t('nothingUsed')}</p>
  return (
    <table className={css.table}>
      <thead>
        <tr>
          <th scope="col">{t('line')}</th>
          <th scope="col" className={css.number}>
            {t('quantity')}
          </th>
          <th scope="col" className={css.number}>
            {t('price')}
          </th>
          <th scope="col" className={css.number}>
            {t('amount')}
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line, at) => (
          <tr key={at}>
            <td>
              {line.kind === 'step'
                ? t('stepNumber', { number: line.name })
                : line.kind === 'band'
                  ? line.name
                  : t('kind.fixed')}
            </td>
            <td className={css.number}>
              {line.quantity} {unit}
              {Number(line.estimated) > 0 && (
                <div className={css.muted}>{t('estimatedPart', { quantity: line.estimated })}</div>
              )}
            </td>
            <td className={css.number}>{line.price}</td>
            <td className={css.number}>{formatMoney(line.amountFen)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Intervals that a customer should know of. */
export function Marks({ marks, unit }: { marks: readonly StatementMark[]; unit: string }) {
  const { t } = useTranslation('tariffs')
  if (marks.length === 0) return null
  return (
    <>
      <h3>{t('marks')}</h3>
      <ul className={css.rows}>
        {marks.map((mark, at) => (
          <li key={at}>
            <span>
              {t(`mark.${mark.kind}`)}{' '}
              <span className={css.muted}>
                {formatDateTime(mark.from)} – {formatDateTime(mark.to)}
              </span>
            </span>
            <span className={css.number}>
              {mark.quantity} {unit}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
