import type { ReactNode } from 'react'
import { Link } from 'react-router'
import css from './home-card.module.css'

export interface Figure {
  key: string
  label: string
  value: ReactNode
  /** The list that holds what is counted. */
  to?: string
  tone?: 'danger' | 'warning'
}

/** Figures of a card of the overview, each with the way to what it counts. */
export function Figures({ items }: { items: readonly Figure[] }) {
  return (
    <ul className={css.figures}>
      {items.map(({ key, label, value, to, tone }) => {
        const inside = (
          <>
            <b data-tone={tone}>{value}</b>
            <span>{label}</span>
          </>
        )
        return <li key={key}>{to ? <Link to={to}>{inside}</Link> : <div>{inside}</div>}</li>
      })}
    </ul>
  )
}
