import type { TableCard } from '@thingwright/contracts/assistant-cards'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../../lib/format.ts'
import { notify } from '../../../../lib/notify.ts'
import { copyText } from '../../../../ui/copy.ts'
import { csvLine } from '../../../../ui/list-page/csv.ts'
import css from '../messages.module.css'
import { OwnLink } from '../own-link.tsx'
import { visible } from '../visible.ts'
import own from './cards.module.css'

/** So many rows are read in a conversation; the others after a click. */
const SHOWN = 20

/** Rows of an answer: numbers to the right, names as links to their pages, the whole as CSV. */
export function TableView({ card }: { card: TableCard }) {
  const { t } = useTranslation('messages')
  const [all, setAll] = useState(false)
  const rows = all ? card.rows : card.rows.slice(0, SHOWN)
  const total = card.total ?? card.rows.length
  const copy = async () => {
    const lines = [
      csvLine(card.columns.map(column => visible(column.title))),
      ...card.rows.map(row => csvLine(card.columns.map(column => visible(row[column.key]?.text ?? '')))),
    ]
    if (await copyText(lines.join(''))) notify.success(t('tableCard.copied'))
    else notify.warning(t('copyFailed'))
  }
  return (
    <section className={css.card} aria-label={visible(card.title)} data-testid="table-card">
      <header className={own.cardHead}>
        <h4 dir="auto">{visible(card.title)}</h4>
        <Button size="small" type="text" onClick={() => void copy()}>
          {t('tableCard.copy')}
        </Button>
      </header>
      {card.rows.length === 0 ? (
        <p className={css.quiet}>{t('tableCard.empty')}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard too
        <section className={css.wide} tabIndex={0} aria-label={t('table')}>
          <table>
            <thead>
              <tr>
                {card.columns.map(column => (
                  <th key={column.key} scope="col" data-numeric={column.numeric}>
                    {visible(column.title)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, at) => (
                <tr key={at}>
                  {card.columns.map(column => {
                    const cell = row[column.key]
                    const text = visible(cell?.text ?? '–')
                    return (
                      <td key={column.key} data-numeric={column.numeric} title={text}>
                        {cell?.to === undefined ? (
                          <span dir="auto">{text}</span>
                        ) : (
                          <OwnLink to={cell.to}>{text}</OwnLink>
                        )}
                      </td>
                    )
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <footer className={own.cardFoot}>
        {total > 0 && (
          <span>{t('tableCard.of', { shown: formatNumber(rows.length), total: formatNumber(total) })}</span>
        )}
        {!all && card.rows.length > SHOWN && (
          <Button size="small" type="link" onClick={() => setAll(true)}>
            {t('tableCard.all', { count: card.rows.length })}
          </Button>
        )}
        {card.link && <OwnLink to={card.link.to}>{visible(card.link.title)}</OwnLink>}
      </footer>
    </section>
  )
}
