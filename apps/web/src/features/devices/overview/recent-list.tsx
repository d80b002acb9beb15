import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { ErrorState } from '../../../ui/states.tsx'
import css from './overview.module.css'

export interface RecentRow {
  key: string
  sign?: ReactNode
  title: string
  note?: ReactNode
  end: ReactNode
}

/** A short list beside the readings, with the way to its whole one. */
export function RecentList({
  title,
  tab,
  query,
  rows,
  empty,
}: {
  title: string
  tab: string
  query: { isPending: boolean; isError: boolean; data: unknown; error: unknown; refetch: () => Promise<unknown> }
  rows: readonly RecentRow[]
  empty: string
}) {
  const { t } = useTranslation('devices')
  const [params] = useSearchParams()
  return (
    <section className={css.block} aria-label={title}>
      <header className={css.head}>
        <h3>{title}</h3>
        <Link
          to={`?id=${encodeURIComponent(params.get('id') ?? '')}&tab=${tab}`}
          preventScrollReset
          aria-label={t('overview.allOf', { title })}
        >
          {t('overview.all')}
        </Link>
      </header>
      <div className={css.card}>
        {query.isError && !query.data ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : query.isPending ? (
          <div className={css.bone} aria-busy="true" />
        ) : rows.length === 0 ? (
          <p className={css.empty}>{empty}</p>
        ) : (
          <ul className={css.rows}>
            {rows.map(row => (
              <li key={row.key}>
                {row.sign}
                <span className={css.what}>
                  <span title={row.title} dir="auto">
                    {row.title}
                  </span>
                  {row.note && <small>{row.note}</small>}
                </span>
                <span className={css.end}>{row.end}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  )
}
